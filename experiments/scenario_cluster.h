/* Settings with --network to scenarios. */
#ifndef SHMCOLL_EXPERIMENTS_SCENARIO_CLUSTER_H
#define SHMCOLL_EXPERIMENTS_SCENARIO_CLUSTER_H

#include "experiments/scenario_build.h"

/* Whether what was asked for has a meaning on a network. 0, or an exit code after telling why. */
int scenario_cluster_check(const struct settings *settings);
/* As scenario_grid_get; algorithm NULL: the default; channel NULL: messages by the network's costs alone. */
int scenario_cluster_get(struct scenario_grid *grid, const char *algorithm, const char *channel, uint32_t procs,
                         uint64_t size_bytes, struct scenario *out);

#endif
