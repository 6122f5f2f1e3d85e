/* Copies on a described node: which resources a copy uses, and how long it would take alone.
 *
 * Cold user memory is in memory (sim_memory.h); so is the queue once the part of it that is used outgrows a last-level
 * cache. The share of a side on another domain goes at remote_ratio. A content that several ranks read, a slot or a
 * piece of somebody's buffer, reaches a last-level cache once (sim_content.h): its first reader there pays for that.
 *
 * From another rank's cold buffer a first reader makes a plain copy, a later one a copy-out, since the source is in its cache;
 * warm buffers are copied like warm slots. Through the kernel, node_peer_extra_s comes on top and shares nothing. From slot to
 * slot it is node_copy_relay_s. What a rank contributes to an allgather goes to its own place in the message as by a plain copy,
 * or as by a copy-out if that is cheaper and the rank's cache has it already. */
#ifndef SHMCOLL_SIM_COPY_H
#define SHMCOLL_SIM_COPY_H

#include "sim/sim_content.h"
#include "sim/sim_copy_cost.h"
#include "sim/sim_memory.h"

#include <stddef.h>
#include <stdint.h>

enum {
    SIM_STORE_BUFFER_BYTES = 512, /* what waits in a core for its lines: 32 stores of 16 bytes */
    SIM_STORE_QUEUE_BYTES = 2048, /* and in a later one: 64 of 32 bytes */
    SIM_NO_RANK = UINT32_MAX
};

/* A copy ready to go. */
struct sim_copy {
    uint32_t class_id;
    uint64_t start_ps; /* before the first byte; shares nothing */
    uint64_t alone_ps; /* the bytes, if nothing were shared and both sides near */
    uint64_t ahead_ps; /* how far it gets while its stores wait for earlier ones */
    uint64_t tail_ps;  /* until its last line has left the core: no store or addition after it before that */
};

struct sim_copies {
    const struct scenario *scenario;
    struct sim_memory memory;
    uint32_t caches;
    int queue_in_memory, users_in_memory;
    struct sim_content slots;    /* [owner*slots + slot] */
    struct sim_content buffers;  /* [owner*pieces + piece] where ranks copy from each other's */
    uint32_t pieces;             /* of what a rank offers: the message, or in an allgather its block */
    uint64_t piece_bytes;
    struct sim_copy_costs costs;
};

/* base_target as in sim_bandwidth.h. 0; -ENOMEM; -ENOTSUP with a line in `reason`. */
int sim_copies_create(struct sim_copies *copies, const struct scenario *scenario, uint32_t base_target, char *reason,
                      size_t reason_bytes);
void sim_copies_destroy(struct sim_copies *copies);

/* A new call: whatever buffers it uses, nobody has copied from them. */
void sim_copies_start(struct sim_copies *copies);
/* A copy by `rank` between its own memory, slots and other ranks' memory, or within its own, about to begin. 0 or -ENOMEM. */
int sim_copies_prepare(struct sim_copies *copies, uint32_t rank, const struct step *step, struct sim_copy *out);
/* That copy has ended. */
void sim_copies_finish(struct sim_copies *copies, uint32_t rank);
/* Picoseconds of a copy between user memory and a line, or between lines; lines cross with their words. */
uint64_t sim_copies_line_ps(struct sim_copies *copies, const struct step *step);

#endif
