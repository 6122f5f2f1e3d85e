/* Assignment: which of k parts each of k others is given, so that the weights of what is given together are the greatest sum. */
#ifndef SHMCOLL_PARTITION_SETTLE_H
#define SHMCOLL_PARTITION_SETTLE_H

#include <stddef.h>
#include <stdint.h>

enum { SETTLE_EXACT_MOST = 256 };

/* a and b belong together so much; pairs that are given more than once add up, pairs that are not count nothing. */
struct settle_pair {
    uint32_t a, b, weight;
};

/* Into of[count] a permutation: a is given b = of[a]. The best up to SETTLE_EXACT_MOST, by the Hungarian method, O(count^3);
 * beyond that greedily, the greatest first, of equal ones the first a, then the first b. Sorts the pairs. 0 or -ENOMEM. */
int settle_assign(uint32_t count, struct settle_pair *pair, size_t pairs, uint32_t *of);

#endif
