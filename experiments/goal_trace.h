/* A GOAL program that has run as a trace for ui.perfetto.dev: a process a rank, in it a thread each processor, each NIC that
 * sends and each that receives. */
#ifndef SHMCOLL_EXPERIMENTS_GOAL_TRACE_H
#define SHMCOLL_EXPERIMENTS_GOAL_TRACE_H

#include "sim/goal_run.h"

/* The outcome has times. 0, or an exit code after telling why. */
int goal_trace_write(const char *path, const struct goal_program *program, const struct goal_network *network,
                     const struct goal_outcome *outcome);

#endif
