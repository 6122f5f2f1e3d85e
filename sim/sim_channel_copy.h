/* Copies that messages over channels make: their class, what the node says they cost, and what they share.
 *
 * As in sim_copy.h, but coldness is a matter of each copy: what a rank sends may have come with the message before. */
#ifndef SHMCOLL_SIM_CHANNEL_COPY_H
#define SHMCOLL_SIM_CHANNEL_COPY_H

#include "model/scenario.h"
#include "sim/sim_copy.h"
#include "sim/sim_memory.h"

enum sim_channel_copy_kind {
    SIM_CHANNEL_IN,   /* own buffer -> a queue of the owner's */
    SIM_CHANNEL_OUT,  /* such a queue -> own buffer */
    SIM_CHANNEL_PULL, /* the owner's buffer -> own */
    SIM_CHANNEL_MOVE, /* own -> own */
};

struct sim_channel_copy {
    enum sim_channel_copy_kind kind;
    uint32_t owner; /* rank */
    uint64_t bytes, message_bytes;
    uint32_t queue_bytes;         /* of the queue, used in turn */
    int source_cold, target_cold; /* the user's side, or sides */
};

enum { SIM_CHANNEL_COSTS = 16 };

struct sim_channel_cost {
    struct sim_channel_copy copy; /* of any owner */
    uint64_t start_ps, alone_ps, tail_ps;
    double beside; /* speed beside the counterpart, against alone */
};

struct sim_channel_copies {
    const struct scenario *scenario;
    struct sim_memory memory;
    struct sim_channel_cost cost[SIM_CHANNEL_COSTS]; /* the few asked lately */
    uint32_t asked;
};

/* base_target as in sim_bandwidth.h. 0; -ENOMEM; -ENOTSUP with a line in `reason` if the node lacks the cost of a copy. */
int sim_channel_copies_create(struct sim_channel_copies *copies, const struct scenario *scenario, uint32_t base_target,
                              char *reason, size_t reason_bytes);
void sim_channel_copies_destroy(struct sim_channel_copies *copies);

/* A copy by `rank`, about to begin. 0 or -ENOMEM. */
int sim_channel_copies_prepare(struct sim_channel_copies *copies, uint32_t rank, const struct sim_channel_copy *copy,
                               struct sim_copy *out);
/* Picoseconds of a copy of what shares a line with a packet's head: it crosses with that. */
uint64_t sim_channel_copies_line_ps(struct sim_channel_copies *copies, const struct sim_channel_copy *copy);

#endif
