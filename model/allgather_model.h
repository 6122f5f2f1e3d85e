/* The Allgather of a scenario: its time by a schedule or by a protocol, and which schedule is fastest.
 *
 * The scenario must have passed scenario_check. By schedule, queues of a pair hold params.slots fragments; by protocol, ranks go
 * through its steps (step_clock.h). Pure. */
#ifndef SHMCOLL_MODEL_ALLGATHER_MODEL_H
#define SHMCOLL_MODEL_ALLGATHER_MODEL_H

#include "model/scenario.h"
#include "model/schedule_cost.h"

/* Of an exclusive ring where none are asked for. */
enum { ALLGATHER_MODEL_FRAGMENT_BYTES = 8192, ALLGATHER_MODEL_SLOTS = 8 };

/* By scenario->algorithm, else by the protocol, for which no latency_s and limit_s are told. As schedule_cost or
 * step_clock_time. */
int allgather_model_time(const struct scenario *scenario, struct schedule_answer *out, char *reason, size_t reason_bytes);

/* The schedule that takes least time; of several that do, the first in schedule_table. locality_bruck is one only where there are
 * regions of several ranks. scenario->algorithm is not looked at. As schedule_cost. */
int allgather_model_fastest(const struct scenario *scenario, const struct schedule_algorithm **out, char *reason,
                            size_t reason_bytes);

#endif
