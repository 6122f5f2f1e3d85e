/* What one step of a rank does to words, lines and bandwidth, and when it ends. */
#ifndef SHMCOLL_SIM_STEP_H
#define SHMCOLL_SIM_STEP_H

#include "sim/sim_execute.h"
#include "sim/sim_random.h"

/* A time: the rank goes on when a word or a flow lets it. */
#define SIM_BLOCKED UINT64_MAX

/* A cost with the scenario's noise on it. */
static inline uint64_t sim_noisy(struct sim *sim, uint32_t r, uint64_t cost_ps)
{
    return sim_random_cost(&sim->rank[r].random, sim->scenario->conditions.noise, cost_ps);
}

/* What rank r does now; *next_ps is when it has something to do again, or SIM_BLOCKED.
 * 0; -ENOMEM; -EPROTO if its program has found a fault. */
int sim_step_continue(struct sim *sim, uint32_t r, uint64_t *next_ps);
/* The flow of rank r has ended, now. */
void sim_step_copied(struct sim *sim, uint32_t r);

#endif
