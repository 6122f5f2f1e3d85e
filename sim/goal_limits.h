/* What a GOAL program and the network that it is run on must hold to. */
#ifndef SHMCOLL_SIM_GOAL_LIMITS_H
#define SHMCOLL_SIM_GOAL_LIMITS_H

#include "sim/goal_run.h"

/* 0; -ENOTSUP for too many processors, or for NICs over a fabric; -EOVERFLOW if time might not fit into 64 bits: with one line in
 * `reason`. */
int goal_limits_check(const struct goal_program *program, const struct goal_network *network, char *reason, size_t reason_bytes);

#endif
