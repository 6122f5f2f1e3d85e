/* What a rank does in one turn of a benchmark's loop, for sim_calls. */
#ifndef SHMCOLL_SIM_CALLS_STEPS_H
#define SHMCOLL_SIM_CALLS_STEPS_H

#include "model/schedule.h"

#include <stdint.h>

enum call_op { CALL_ENTER, CALL_LEAVE, CALL_SEND, CALL_RECEIVE, CALL_SEND_EMPTY, CALL_SEND_CONFIRMED };

struct call_step {
    enum call_op op;
    uint32_t peer;
};

/* No rank has more: the root of a linear broadcast, through which the barrier goes as well. */
static inline uint32_t call_steps_max(uint32_t procs)
{
    return 3 * procs + 8;
}

/* Writes them; their number. */
uint32_t call_steps_of(const struct schedule *schedule, uint32_t rank, struct call_step *out);

#endif
