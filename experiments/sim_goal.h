/* sim --goal: a GOAL program instead of a collective. */
#ifndef SHMCOLL_EXPERIMENTS_SIM_GOAL_H
#define SHMCOLL_EXPERIMENTS_SIM_GOAL_H

#include "experiments/options.h"

/* Reads settings->goal, runs it on settings->network (default: loggp), writes a row; -v says how long reading and running took.
 * An exit code, after telling what was wrong. */
int sim_goal(const struct settings *settings);

#endif
