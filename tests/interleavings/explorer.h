/* Explores every interleaving of the step programs of all ranks on the toy memory.
 *
 * Breadth first over all reachable states, each visited once and kept exactly, so a
 * violation comes with a shortest history. Sequential consistency is assumed: one step
 * at a time, seen by all at once (toy.h). One thread; memory is the explorer's own. */
#ifndef SHMCOLL_TESTS_EXPLORER_H
#define SHMCOLL_TESTS_EXPLORER_H

#include "tests/interleavings/toy.h"

#include <stddef.h>

struct explorer_options {
    uint32_t stops_max;  /* so many ranks may stop for ever, at any step, also within a copy */
    uint32_t states_max; /* give up beyond; 0: never */
};

enum { EXPLORER_HISTORY_BYTES = 1024 };

struct explorer_result {
    enum toy_violation violation;
    uint64_t states, transitions, depth, ends; /* ends: states in which nobody can move */
    uint64_t early_opens;                      /* transitions that passed WO before any root opened the set */
    uint64_t memory_bytes;
    char history[EXPLORER_HISTORY_BYTES]; /* of a violation: its last steps, "rank:step ..." */
};

/* 0 whether or not a violation was found; -EINVAL if the case does not fit, -ENOMEM, -E2BIG beyond states_max. */
int explorer_run(const struct toy_case *c, const struct explorer_options *options, struct explorer_result *out);

#endif
