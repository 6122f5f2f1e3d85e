/* Explores every interleaving of the moves of all ranks on the toy node of credits (state_explorer.h). */
#ifndef SHMCOLL_TESTS_CREDIT_EXPLORER_H
#define SHMCOLL_TESTS_CREDIT_EXPLORER_H

#include "tests/interleavings/credit_toy.h"
#include "tests/interleavings/state_explorer.h"

struct credit_result {
    struct state_result found;   /* .violation: enum credit_violation */
    uint64_t made[CREDIT_MOVES]; /* transitions by move; those with a peer under the first of their kind */
    uint64_t stores;             /* of words, among the finishing moves */
    uint32_t extension_most;     /* that a sender ever had */
};

/* As state_explorer_run; -EINVAL also if the case does not fit the toy. */
int credit_explorer_run(const struct credit_case *c, const struct credit_rules *rules, uint32_t states_max,
                        struct credit_result *out);

#endif
