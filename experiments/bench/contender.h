/* Contenders: what the benchmark lets run against each other, each given as one word.
 *
 *   LABEL[:KEY=VALUE]...   protocol (default: the label), fragment, slots, sets, tree, readers, in, out (memcpy,
 *                          nontemporal), huge, least, most (bytes: sizes it takes part in); channel and algorithm: an allgather
 *                          by that schedule over that channel
 *
 * The protocol `mpi` is the library's own MPI_Bcast, `best` our default. Each contender of ours has a communicator of its own. */
#ifndef SHMCOLL_EXPERIMENTS_CONTENDER_H
#define SHMCOLL_EXPERIMENTS_CONTENDER_H

#include "kernels/allgather_schedule.h"
#include "kernels/comm.h"

enum contender_kind { CONTENDER_OURS, CONTENDER_BEST, CONTENDER_MESSAGES, CONTENDER_MPI };

struct contender {
    char label[32];
    enum contender_kind kind;
    struct comm_lane lane; /* CONTENDER_OURS */
    int copy_in, copy_out, huge_pages;
    uint64_t size_least_bytes, size_most_bytes;
    struct comm *comm;
    const struct channel *channel; /* CONTENDER_MESSAGES, as all below */
    const struct schedule_algorithm *algorithm;
    struct schedule schedule;
    struct endpoint *endpoint;
};

/* 0, or -EINVAL for a word that makes no sense. */
int contender_parse(const char *word, uint32_t procs, struct contender *out);

/* Collective: its communicator, with area_bytes for user buffers in the segment. `node` is what best goes by; without its costs
 * best is comm_config_default, and `reason` says so. 0 or -errno of comm_create. */
int contender_open(struct contender *contender, uint32_t procs, uint32_t rank, uint64_t area_bytes, const struct node *node,
                   const struct comm_bootstrap *bootstrap, char reason[COMM_REASON_BYTES]);
void contender_close(struct contender *contender);

/* An allgather by one of ours. 0, or -errno with contender_error(). */
int contender_allgather(struct contender *contender, const void *send, void *receive, uint64_t block_bytes);
const char *contender_error(const struct contender *contender);

/* Whether it takes part at this size. */
int contender_takes(const struct contender *contender, uint64_t size_bytes, uint32_t procs);

#endif
