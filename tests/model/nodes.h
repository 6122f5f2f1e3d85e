/* Nodes and scenarios that several model tests share. */
#ifndef SHMCOLL_TESTS_MODEL_NODES_H
#define SHMCOLL_TESTS_MODEL_NODES_H

#include "model/scenario.h"

enum { TEST_BED_RANKS_MAX = 128 };

struct test_bed {
    struct node node;
    uint32_t cores[TEST_BED_RANKS_MAX];
    uint32_t procs;
};

/* The worked example of S1 Fig. 4, `procs` ranks on as many cores, flat tree, root 0. */
struct scenario test_bed_paper(struct test_bed *bed, uint32_t procs, uint64_t size, uint32_t fragment, uint32_t slots,
                               uint32_t sets);
/* One domain and cache; hand-over 40 ns, step 2, store 10, atomic 5; copy-in 1e-10 and copy-out 1.2e-10 s a byte, without a start
 * cost; nothing shared. */
struct scenario test_bed_described(struct test_bed *bed, uint32_t procs, uint64_t size, uint32_t fragment, uint32_t slots,
                                   uint32_t sets);
/* Another call on the same node and ranks. */
struct scenario test_bed_again(const struct test_bed *bed, uint64_t size, uint32_t fragment, uint32_t slots, uint32_t sets);
void test_bed_destroy(struct test_bed *bed);

#endif
