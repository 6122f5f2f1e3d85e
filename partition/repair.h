/* Within partition/: makes the sizes of a partition exact, moving as few vertices as that takes, each time the one that costs
 * least.
 *
 *   part  [graph->vertices]; numbers that are no part count as unassigned, and are assigned first
 * 0 or -ENOMEM; `moved`: how many vertices. */
#ifndef SHMCOLL_PARTITION_REPAIR_H
#define SHMCOLL_PARTITION_REPAIR_H

#include "partition/partitioner.h"

int partition_repair(const struct partition_problem *problem, uint32_t *part, uint32_t *moved);

#endif
