/* Simulated time: integer picoseconds. All conversions to and from it are here.
 *
 * 64 bits hold 213 days. Rounding is to the nearest picosecond, once per cost, so a
 * schedule depends on the costs alone and never on the order in which they were added. */
#ifndef SHMCOLL_SIM_TIME_H
#define SHMCOLL_SIM_TIME_H

#include <math.h>
#include <stdint.h>

#define SIM_PS_PER_S 1e12
#define SIM_PS_PER_NS 1e3

/* Negative and unknown (NAN) durations count as 0. */
static inline uint64_t sim_ps_from_s(double time_s)
{
    return time_s > 0 ? (uint64_t)llround(time_s * SIM_PS_PER_S) : 0;
}

static inline uint64_t sim_ps_from_ns(double time_ns)
{
    return time_ns > 0 ? (uint64_t)llround(time_ns * SIM_PS_PER_NS) : 0;
}

static inline double sim_s_from_ps(uint64_t time_ps)
{
    return (double)time_ps / SIM_PS_PER_S;
}

#endif
