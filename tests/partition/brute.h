/* Oracles for partitions: they know no graph, only the schedule's steps, and try everything. */
#ifndef SHMCOLL_TESTS_PARTITION_BRUTE_H
#define SHMCOLL_TESTS_PARTITION_BRUTE_H

#include "model/schedule.h"

/* sent[i*n + j]: blocks that i sends to j in all; the caller's to free. */
uint64_t *brute_sent(const struct schedule *schedule);
/* Blocks that cross from part to part. */
uint64_t brute_cut(const uint64_t *sent, uint32_t n, const uint32_t *part);
/* The smallest cut in parts of those sizes: all partitions, those that differ by equal parts' names once. */
uint64_t brute_optimum(const uint64_t *sent, uint32_t n, const uint32_t *sizes, uint32_t parts);
/* The next way to write n as falling numbers, into sizes[n], from the one that is there; the first with *parts 0. 0: there was
 * none. */
int brute_next_sizes(uint32_t n, uint32_t *sizes, uint32_t *parts);

#endif
