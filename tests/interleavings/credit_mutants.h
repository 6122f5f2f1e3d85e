/* Credits with a seeded bug, in the arithmetic or in its use, to see that the explorer finds it. */
#ifndef SHMCOLL_TESTS_CREDIT_MUTANTS_H
#define SHMCOLL_TESTS_CREDIT_MUTANTS_H

#include "tests/interleavings/credit_toy.h"

struct credit_mutant {
    struct credit_rules rules;       /* what is other than right; .name says what was done */
    enum credit_violation violation; /* how it shows */
};

extern const struct credit_mutant credit_mutants[];
extern const unsigned credit_mutants_count;

/* The right rules, but for what the mutant changes. */
struct credit_rules credit_mutant_rules(const struct credit_mutant *mutant);

#endif
