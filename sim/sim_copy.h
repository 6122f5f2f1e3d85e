/* Copies on a described node: which resources a copy uses, and how long it would take alone.
 *
 * A side that lies in memory loads the controller of its domain: a byte read counts one third of a copy, a byte
 * written two thirds, since its line is fetched before it is overwritten. Cold user memory is in memory; so is the
 * queue once the part of it that is used outgrows a last-level cache. Sides on different sockets load the link
 * between them, and the share of a side on another domain goes at remote_ratio. The content of a slot reaches a last-level
 * cache once: the first reader there brings it and pays for that, those who come while it does go at its pace,
 * later ones find it in their own cache. */
#ifndef SHMCOLL_SIM_COPY_H
#define SHMCOLL_SIM_COPY_H

#include "model/scenario.h"
#include "sim/sim_bandwidth.h"

#include <stddef.h>
#include <stdint.h>

enum {
    SIM_COPY_COSTS = 8,
    SIM_STORE_BUFFER_BYTES = 512, /* what waits in a core for its lines: 32 stores of 16 bytes; later cores hold more */
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

/* What the node says about one class and size, looked up once. */
struct sim_copy_cost {
    enum copy_class copy_class;
    uint32_t bytes;
    uint64_t start_ps, alone_ps, tail_ps;
    double beside; /* speed beside the counterpart, against alone */
};

struct sim_copies {
    const struct scenario *scenario;
    struct sim_bandwidth bandwidth;
    uint32_t caches, sockets;
    int queue_in_memory, users_in_memory;
    uint32_t *leader;  /* [slot*caches + cache] first reader there of the slot's content, or SIM_NO_RANK */
    uint32_t *leading; /* [rank] slot it is bringing to its cache right now, or SIM_NO_RANK */
    struct sim_copy_cost cost[SIM_COPY_COSTS];
    uint32_t costs;
};

/* base_target as in sim_bandwidth.h. 0; -ENOMEM; -ENOTSUP with a line in `reason`. */
int sim_copies_create(struct sim_copies *copies, const struct scenario *scenario, uint32_t base_target, char *reason,
                      size_t reason_bytes);
void sim_copies_destroy(struct sim_copies *copies);

/* A copy between user memory and a slot by `rank`, about to begin. 0 or -ENOMEM. */
int sim_copies_prepare(struct sim_copies *copies, uint32_t rank, const struct step *step, struct sim_copy *out);
/* That copy has ended. */
void sim_copies_finish(struct sim_copies *copies, uint32_t rank);
/* Picoseconds of a copy between user memory and a line, or between lines; lines cross with their words. */
uint64_t sim_copies_line_ps(struct sim_copies *copies, const struct step *step);

#endif
