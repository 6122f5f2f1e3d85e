/* Contenders: what the benchmark lets run against each other, each given as one word.
 *
 *   LABEL[:KEY=VALUE]...   protocol (default: the label), fragment, slots, sets, tree, readers, in, out (memcpy,
 *                          nontemporal), huge, least, most (bytes: sizes it takes part in)
 *
 * The protocol `mpi` is the library's own MPI_Bcast, `best` our default. Each contender of ours has a communicator of its own. */
#ifndef SHMCOLL_EXPERIMENTS_CONTENDER_H
#define SHMCOLL_EXPERIMENTS_CONTENDER_H

#include "kernels/comm.h"

enum contender_kind { CONTENDER_OURS, CONTENDER_BEST, CONTENDER_MPI };

struct contender {
    char label[32];
    enum contender_kind kind;
    struct comm_lane lane; /* CONTENDER_OURS */
    int copy_in, copy_out, huge_pages;
    uint64_t size_least_bytes, size_most_bytes;
    struct comm *comm;
};

/* 0, or -EINVAL for a word that makes no sense. */
int contender_parse(const char *word, uint32_t procs, struct contender *out);

/* Collective: its communicator, with area_bytes for user buffers in the segment. `node` is what best goes by; without its costs
 * best is comm_config_default, and `reason` says so. 0 or -errno of comm_create. */
int contender_open(struct contender *contender, uint32_t procs, uint32_t rank, uint64_t area_bytes, const struct node *node,
                   const struct comm_bootstrap *bootstrap, char reason[COMM_REASON_BYTES]);
void contender_close(struct contender *contender);

/* Whether it takes part at this size. */
int contender_takes(const struct contender *contender, uint64_t size_bytes, uint32_t procs);

#endif
