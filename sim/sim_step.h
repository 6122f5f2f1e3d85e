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
    double noise = sim->scenario->conditions.noise;
    if (noise <= 0 || cost_ps == 0)
        return cost_ps;
    double factor = 1 + noise * sim_random_normal(&sim->rank[r].random);
    return factor > 0 ? (uint64_t)((double)cost_ps * factor) : 0;
}

/* What rank r does now; *next_ps is when it has something to do again, or SIM_BLOCKED.
 * 0; -ENOMEM; -EPROTO if its program has found a fault. */
int sim_step_continue(struct sim *sim, uint32_t r, uint64_t *next_ps);
/* The flow of rank r has ended, now. */
void sim_step_copied(struct sim *sim, uint32_t r);

#endif
