/* Explores every interleaving of the step programs of all ranks on the toy memory (state_explorer.h).
 *
 * Sequential consistency is assumed: one step at a time, seen by all at once (toy.h). */
#ifndef SHMCOLL_TESTS_EXPLORER_H
#define SHMCOLL_TESTS_EXPLORER_H

#include "tests/interleavings/state_explorer.h"
#include "tests/interleavings/toy.h"

struct explorer_options {
    uint32_t stops_max;  /* so many ranks may stop for ever, at any step, also within a copy */
    uint32_t states_max; /* give up beyond; 0: never */
};

struct explorer_result {
    struct state_result found; /* .violation: enum toy_violation */
    uint64_t early_opens;      /* transitions that passed WO before any root opened the set */
};

/* As state_explorer_run; -EINVAL also if the case does not fit. */
int explorer_run(const struct toy_case *c, const struct explorer_options *options, struct explorer_result *out);

#endif
