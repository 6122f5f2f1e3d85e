/* Seeded random numbers for skew and noise: splitmix64, one state a rank.
 *
 * Integer arithmetic and one multiplication only, so every host draws the same numbers. */
#ifndef SHMCOLL_SIM_RANDOM_H
#define SHMCOLL_SIM_RANDOM_H

#include <stdint.h>

static inline uint64_t sim_random_next(uint64_t *state)
{
    uint64_t z = *state += 0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

/* In [0, 1). */
static inline double sim_random_uniform(uint64_t *state)
{
    return (double)(sim_random_next(state) >> 11) * 0x1p-53;
}

/* Mean 0, variance 1, bounded by sqrt(12): the sum of four uniform numbers, cut from one draw. */
static inline double sim_random_normal(uint64_t *state)
{
    uint64_t z = sim_random_next(state);
    uint32_t sum = (uint32_t)(z & 0xffff) + (uint32_t)(z >> 16 & 0xffff) + (uint32_t)(z >> 32 & 0xffff) + (uint32_t)(z >> 48);
    return ((double)sum - 4 * 32767.5) / 65536.0 * 1.7320508075688772;
}

/* A cost with noise on it, its relative standard deviation. */
static inline uint64_t sim_random_cost(uint64_t *state, double noise, uint64_t cost_ps)
{
    if (noise <= 0 || cost_ps == 0)
        return cost_ps;
    double factor = 1 + noise * sim_random_normal(state);
    return factor > 0 ? (uint64_t)((double)cost_ps * factor) : 0;
}

#endif
