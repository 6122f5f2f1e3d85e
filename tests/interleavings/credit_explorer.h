/* Explores every interleaving of the moves of all ranks on the toy node of credits.
 *
 * Breadth first over all reachable states, each visited once and kept exactly, so that a violation comes with a shortest history.
 * If all states are visited, the credits need finitely many packets. One thread; memory is the explorer's own. */
#ifndef SHMCOLL_TESTS_CREDIT_EXPLORER_H
#define SHMCOLL_TESTS_CREDIT_EXPLORER_H

#include "tests/interleavings/credit_toy.h"

enum { CREDIT_HISTORY_BYTES = 1200 };

struct credit_result {
    enum credit_violation violation;
    uint64_t states, transitions, depth, ends; /* ends: states in which nobody can move */
    uint64_t made[CREDIT_MOVES]; /* transitions by move; those with a peer under the first of their kind */
    uint64_t stores;             /* of words, among the finishing moves */
    uint32_t extension_most;     /* that a sender ever had */
    uint64_t memory_bytes;
    char history[CREDIT_HISTORY_BYTES]; /* of a violation: its last moves */
};

/* 0 whether or not a violation was found; -EINVAL if the case does not fit, -ENOMEM, -E2BIG beyond states_max. */
int credit_explorer_run(const struct credit_case *c, const struct credit_rules *rules, uint32_t states_max,
                        struct credit_result *out);

#endif
