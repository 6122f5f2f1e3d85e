/* How small a cut can be. */
#ifndef SHMCOLL_PARTITION_BOUND_H
#define SHMCOLL_PARTITION_BOUND_H

#include "partition/partitioner.h"

/* The information bound, in blocks: whatever the algorithm of an Allgather, every part must import each block that none of its
 * ranks begins with, n - s of them for a part of s. A graph that is no Allgather's has none: 0. */
uint64_t partition_bound(const struct partition_problem *problem);

/* The smallest cut there is, by branch and bound from a partition `best` [vertices] of the right sizes, which it replaces where
 * it finds a better one. Parts of one size are interchangeable and tried once. `nodes`: how many assignments to try at most. 0:
 * it is the optimum; -E2BIG: unknown, nodes were too few; -ENOMEM. */
int partition_search(const struct partition_problem *problem, uint32_t *best, uint64_t nodes);

#endif
