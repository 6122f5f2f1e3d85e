/* What a GOAL program that runs has: for goal_run.c. */
#ifndef SHMCOLL_SIM_GOAL_STATE_H
#define SHMCOLL_SIM_GOAL_STATE_H

#include "sim/goal_flight.h"
#include "sim/goal_match.h"
#include "sim/goal_run.h"
#include "sim/sim_radix.h"

struct goal_state {
    const struct goal_program *program;
    const struct goal_network *joined;
    const struct loggp *network; /* of it */
    struct sim_radix queue;
    struct goal_match match;
    struct goal_flight flight;
    uint32_t *rank_of;  /* [tasks] */
    uint32_t *waits;    /* [tasks] needs not yet fulfilled */
    /* [tasks] when it gets ready; of a begun send when its first byte arrives, unless links are shared; of a begun
     * receive when it was posted */
    uint64_t *stamp_ps;
    uint64_t *receive_ps; /* [tasks] of a matched receive, its processor's work; NULL: of all the overhead */
    uint64_t *cpu_ps;   /* [ranks * cpus] when it is free, as the next two */
    uint64_t *out_ps;   /* [ranks * nics] */
    uint64_t *in_ps;    /* [ranks * nics] */
    uint32_t ended;
    uint32_t too_small, too_large; /* the receive and the send that do not fit */
    struct goal_outcome out;
};

/* The program is set. 0 or -ENOMEM; destroy after either. */
int goal_state_create(struct goal_state *run, const struct goal_network *network, int want_times);
void goal_state_destroy(struct goal_state *run);

#endif
