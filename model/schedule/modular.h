/* Arithmetic on virtual ranks, for the algorithms in this folder. */
#ifndef SHMCOLL_MODEL_SCHEDULE_MODULAR_H
#define SHMCOLL_MODEL_SCHEDULE_MODULAR_H

#include "model/schedule.h"

/* a + b mod procs, both below procs, which is at most SCHEDULE_PROCS_MAX. */
static inline uint32_t modular_add(uint32_t procs, uint32_t a, uint32_t b)
{
    uint32_t sum = a + b;
    return sum >= procs ? sum - procs : sum;
}

static inline uint32_t modular_subtract(uint32_t procs, uint32_t a, uint32_t b)
{
    return a >= b ? a - b : a + procs - b;
}

static inline struct schedule_blocks modular_blocks(uint32_t first, uint32_t count)
{
    return (struct schedule_blocks){first, 1, count};
}

static inline int modular_power_of_two(uint32_t procs)
{
    return (procs & (procs - 1)) == 0;
}

#endif
