/* Protocols with a seeded bug, to see that the explorer finds it.
 *
 * Each wraps a real protocol and changes a step or two of its program: leaves one out,
 * changes its value, or swaps it with another. */
#ifndef SHMCOLL_TESTS_MUTANTS_H
#define SHMCOLL_TESTS_MUTANTS_H

#include "model/protocol.h"

struct mutant {
    struct protocol protocol; /* .name says what was done to it */
    const char *tree;         /* the bug shows with this tree */
    int harmless;             /* nothing may be found: the step is proven redundant */
};

extern const struct mutant mutants_pipelined[];
extern const unsigned mutants_pipelined_count;
extern const struct mutant mutants_eager[];
extern const unsigned mutants_eager_count;
extern const struct mutant mutants_counted[];
extern const unsigned mutants_counted_count;
extern const struct mutant mutants_slot_ring[];
extern const unsigned mutants_slot_ring_count;
extern const struct mutant mutants_banked[];
extern const unsigned mutants_banked_count;
extern const struct mutant mutants_release_gather[];
extern const unsigned mutants_release_gather_count;
extern const struct mutant mutants_single_copy[];
extern const unsigned mutants_single_copy_count;
extern const struct mutant mutants_cooperative[];
extern const unsigned mutants_cooperative_count;
extern const struct mutant mutants_direct[];
extern const unsigned mutants_direct_count;
extern const struct mutant mutants_direct_line[];
extern const unsigned mutants_direct_line_count;
extern const struct mutant mutants_shared_blocks[];
extern const unsigned mutants_shared_blocks_count;

#endif
