/* The protocols that copy between user buffers, under all interleavings of small cases, and mutants of them.
 *
 * `test_interleavings_peers stress` runs the larger cases too, `verbose` prints how each mutant goes wrong. */
#include "tests/interleavings/plan.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

static int stress;

/* Pieces of two bytes, counters that wrap within the run, `r` readers at a time. */
#define PEERS(p, r) .procs = p, .fragment_bytes = 2, .readers_most = r, .op_start = UINT32_MAX - 2

static const struct plan plans[] = {
    {"flat", {"two ranks", PEERS(2, 0), .calls = 5, .root = {0, 1, 1, 0, 1}, .size_bytes = {7, 4, 1, 9, 2}}},
    {"flat", {"two ranks, one reader", PEERS(2, 1), .calls = 5, .root = {1, 0, 0, 1, 0}, .size_bytes = {3, 8, 1, 5, 6}}},
    {"flat", {"two ranks, empty calls", PEERS(2, 0), .calls = 6, .root = {0, 1, 0, 1, 0, 1}, .size_bytes = {0, 3, 0, 5, 0, 4}}},
    {"flat", {"three ranks", PEERS(3, 0), .calls = 3, .root = {0, 1, 2}, .size_bytes = {7, 4, 5}}},
    {"flat", {"three, same root", PEERS(3, 0), .calls = 3, .root = {1, 1, 1}, .size_bytes = {5, 8, 3}}},
    {"flat", {"three, one reader", PEERS(3, 1), .calls = 3, .root = {0, 2, 1}, .size_bytes = {7, 4, 5}}},
    {"flat", {"three, two readers", PEERS(3, 2), .calls = 3, .root = {0, 2, 1}, .size_bytes = {7, 4, 5}}},
    {"flat", {"three, short and empty", PEERS(3, 0), .calls = 5, .root = {0, 1, 2, 0, 1}, .size_bytes = {1, 0, 3, 1, 2}}},
    {"chain", {"four ranks", PEERS(4, 0), .calls = 1, .root = {3}, .size_bytes = {9}}},
    {"flat", {"four, one reader", PEERS(4, 1), .calls = 2, .root = {0, 3}, .size_bytes = {3, 2}}},
    {"flat", {"four, two readers", PEERS(4, 2), .calls = 2, .root = {2, 1}, .size_bytes = {4, 1}}},
};

static const struct plan stress_plans[] = {
    {"flat", {"four, long", PEERS(4, 0), .calls = 2, .root = {0, 2}, .size_bytes = {9, 7}}},
    {"flat", {"four, two readers, long", PEERS(4, 2), .calls = 3, .root = {0, 2, 1}, .size_bytes = {7, 5, 4}}},
};

/* For single_copy alone: never more readers at once than were allowed. */
static const struct plan throttled_plans[] = {
    {"flat", {"three, throttled", PEERS(3, 1), .guests_most = 1, .calls = 3, .root = {0, 2, 1}, .size_bytes = {7, 4, 5}}},
    {"flat", {"four, throttled to one", PEERS(4, 1), .guests_most = 1, .calls = 2, .root = {0, 3}, .size_bytes = {3, 2}}},
    {"flat", {"four, throttled to two", PEERS(4, 2), .guests_most = 2, .calls = 2, .root = {2, 1}, .size_bytes = {4, 3}}},
};

static void holds(const struct protocol *protocol)
{
    plan_print_header();
    for (size_t i = 0; i < COUNT(plans); i++)
        plan_holds(&plans[i], protocol, 0);
    for (size_t i = 0; stress && i < COUNT(stress_plans); i++)
        plan_holds(&stress_plans[i], protocol, 0);
    for (size_t i = 0; i < COUNT(plans); i++)
        if (plans[i].c.procs < 4 || stress)
            plan_holds(&plans[i], protocol, 1);
}

static void single_copy_holds(void **state)
{
    (void)state;
    holds(&protocol_single_copy);
    for (size_t i = 0; i < COUNT(throttled_plans); i++)
        plan_holds(&throttled_plans[i], &protocol_single_copy, 0);
}

static void cooperative_holds(void **state)
{
    (void)state;
    holds(&protocol_cooperative);
}

static void shared_source_holds(void **state)
{
    (void)state;
    holds(&protocol_shared_source);
}

static void single_copy_mutants_are_caught(void **state)
{
    (void)state;
    mutants_are_caught(mutants_single_copy, mutants_single_copy_count - 1, plans, COUNT(plans));
    mutants_are_caught(mutants_single_copy + mutants_single_copy_count - 1, 1, throttled_plans,
                       COUNT(throttled_plans)); /* the turns' */
}

static void cooperative_mutants_are_caught(void **state)
{
    (void)state;
    mutants_are_caught(mutants_cooperative, mutants_cooperative_count, plans, COUNT(plans));
}

int main(int argc, char **argv)
{
    stress = argc > 1 && strcmp(argv[1], "stress") == 0;
    plan_verbose(argc > 1 && strcmp(argv[1], "verbose") == 0);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(single_copy_holds),
        cmocka_unit_test(cooperative_holds),
        cmocka_unit_test(shared_source_holds),
        cmocka_unit_test(single_copy_mutants_are_caught),
        cmocka_unit_test(cooperative_mutants_are_caught),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
