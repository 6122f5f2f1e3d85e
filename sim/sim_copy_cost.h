/* What a node says one copy costs, ready for the event loop.
 *
 * A kind is what is copied from where to where; a class is what a node has a price for. */
#ifndef SHMCOLL_SIM_COPY_COST_H
#define SHMCOLL_SIM_COPY_COST_H

#include "model/scenario.h"

#include <stddef.h>
#include <stdint.h>

enum { SIM_COPY_COSTS = 12 };

enum sim_copy_kind {
    SIM_COPY_IN,          /* own buffer -> slot or line */
    SIM_COPY_OUT,         /* slot or line -> own buffer */
    SIM_COPY_RELAY,       /* slot -> slot */
    SIM_COPY_PULL,        /* another rank's buffer -> own */
    SIM_COPY_PULL_CACHED, /* the same, in the reader's cache already */
    SIM_COPY_PUSH,        /* own buffer -> another rank's */
    SIM_COPY_MOVE,        /* own buffer -> own buffer */
    SIM_COPY_MOVE_CACHED  /* the same, just read by this rank */
};

/* One kind and size. */
struct sim_copy_cost {
    enum sim_copy_kind kind;
    uint32_t bytes;
    uint64_t start_ps, alone_ps, tail_ps;
    double beside; /* speed beside the counterpart, against alone */
};

struct sim_copy_costs {
    const struct scenario *scenario;
    int users_in_memory, by_kernel;
    struct sim_copy_cost cost[SIM_COPY_COSTS]; /* the few asked lately */
    uint32_t count;
};

/* 0; -ENOTSUP with a line in `reason` if the node lacks what the scenario's protocol needs. */
int sim_copy_costs_create(struct sim_copy_costs *costs, const struct scenario *scenario, int users_in_memory, char *reason,
                          size_t reason_bytes);
/* Good until the next call. */
const struct sim_copy_cost *sim_copy_costs_of(struct sim_copy_costs *costs, enum sim_copy_kind kind, uint32_t bytes);
/* The part of one queue that is used. */
uint64_t sim_copy_queue_bytes(const struct scenario *scenario);

#endif
