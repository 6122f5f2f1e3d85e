/* Plans: cases of the explorer with their tree still a name, run, printed as rows and asserted on. For cmocka tests. */
#ifndef SHMCOLL_TESTS_PLAN_H
#define SHMCOLL_TESTS_PLAN_H

#include "tests/interleavings/explorer.h"
#include "tests/interleavings/mutants.h"

struct plan {
    const char *tree;
    struct toy_case c;
};

#define COUNT(array) (sizeof(array) / sizeof *(array))

/* Mutants are shown with how they go wrong. */
void plan_verbose(int on);
void plan_print_header(void);
void plan_print_row(const char *protocol, const char *tree, const struct toy_case *c, const struct explorer_result *r);
/* Asserts only that there is such a tree. Returns what explorer_run does. */
int plan_run(const struct plan *plan, const struct protocol *protocol, const char *tree_name, uint32_t stops_max,
             struct explorer_result *out);
/* The case holds; returns how many transitions passed WO early. */
uint64_t plan_holds(const struct plan *plan, const struct protocol *protocol, uint32_t stops_max);
/* The case with every combination of roots and sizes of three calls, for 2 or 3 ranks. */
void plan_product_holds(const struct plan *base, const struct protocol *protocol);
/* Each mutant shows its bug in one of the plans, and those that are harmless in none. */
void mutants_are_caught(const struct mutant *mutants, unsigned mutant_count, const struct plan *plans, size_t plan_count);

#endif
