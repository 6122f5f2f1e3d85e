/* The allgather protocols under all interleavings of small cases, alone and between broadcasts in the same slots, and mutants.
 *
 * `test_interleavings_allgather stress` runs the larger cases too, `verbose` prints how each mutant goes wrong. */
#include "tests/interleavings/plan.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

static int stress;

/* Fragments of two bytes, counters that wrap within the run. */
#define SHAPE(p, s, q) .procs = p, .fragment_bytes = 2, .slots = s, .sets = q, .op_start = UINT32_MAX - 2
#define LINES(p, l) .procs = p, .fragment_bytes = 1, .lines = l, .op_start = UINT32_MAX - 2
#define PEERS(p) .procs = p, .fragment_bytes = 2, .op_start = UINT32_MAX - 2

static const struct plan direct_plans[] = {
    {"flat", {"two ranks", SHAPE(2, 4, 2), .calls = 5, .size_bytes = {5, 1, 13, 3, 16}}},
    {"flat", {"two ranks, in place", SHAPE(2, 4, 2), .in_place = 3, .calls = 5, .size_bytes = {5, 16, 1, 9, 15}}},
    {"flat", {"two ranks, one slot", SHAPE(2, 1, 1), .calls = 4, .in_place = 1, .size_bytes = {5, 0, 9, 4}}},
    {"flat", {"two ranks, one set", SHAPE(2, 4, 1), .calls = 5, .in_place = 2, .size_bytes = {11, 2, 16, 1, 9}}},
    {"flat", {"two ranks, four sets", SHAPE(2, 4, 4), .calls = 5, .size_bytes = {13, 1, 16, 3, 5}}},
    {"flat", {"three ranks", SHAPE(3, 2, 2), .in_place = 2, .calls = 3, .size_bytes = {5, 2, 3}}},
    {"flat", {"three, one slot", SHAPE(3, 1, 1), .in_place = 7, .calls = 3, .size_bytes = {3, 2, 5}}},
    {"flat", {"three, one set", SHAPE(3, 2, 1), .in_place = 5, .calls = 3, .size_bytes = {5, 1, 4}}},
    {"flat", {"three, sets of two", SHAPE(3, 4, 2), .in_place = 7, .calls = 2, .size_bytes = {9, 3}}},
    {"flat", {"three, four sets", SHAPE(3, 4, 4), .in_place = 7, .calls = 2, .size_bytes = {10, 5}}},
    {"flat", {"three, short", SHAPE(3, 2, 2), .in_place = 4, .calls = 5, .size_bytes = {1, 2, 0, 1, 2}}},
    {"flat", {"four ranks", SHAPE(4, 1, 1), .in_place = 15, .calls = 1, .size_bytes = {3}}},
};

static const struct plan direct_stress_plans[] = {
    {"flat", {"four, two slots", SHAPE(4, 2, 2), .in_place = 15, .calls = 1, .size_bytes = {6}}},
    {"flat", {"three, long", SHAPE(3, 4, 4), .in_place = 7, .calls = 2, .size_bytes = {10, 9}}},
};

/* Calls 1 and 3 are fences, and call 2 is a broadcast, or the first and the last are. */
#define MIXED .in_place = 1, .calls = 5, .broadcasts = 4, .fences = 2 | 8, .root = {0, 0, 1, 0, 0}
#define BEGUN .in_place = 2, .calls = 5, .broadcasts = 1 | 16, .fences = 2 | 8, .root = {0, 0, 0, 0, 1}

static const struct plan mixed_plans[] = {
    {"flat", {"two ranks, mixed", SHAPE(2, 2, 2), MIXED, .size_bytes = {5, 0, 7, 0, 3}}},
    {"flat", {"two, broadcast first", SHAPE(2, 4, 2), BEGUN, .size_bytes = {9, 0, 13, 0, 9}}},
    {"flat", {"two, no fence to pass", SHAPE(2, 2, 1), MIXED, .size_bytes = {0, 0, 4, 0, 5}}},
    {"flat", {"three ranks, mixed", SHAPE(3, 1, 1), MIXED, .size_bytes = {2, 0, 3, 0, 1}}},
    {"flat", {"three, two slots", SHAPE(3, 2, 2), MIXED, .size_bytes = {3, 0, 4, 0, 2}}},
};

static const struct plan line_plans[] = {
    {"flat", {"two lines", LINES(2, 2), .calls = 7, .in_place = 1, .size_bytes = {3, 5, 1, 0, 4, 1, 2}}},
    {"flat", {"three, two lines", LINES(3, 2), .calls = 5, .in_place = 5, .size_bytes = {3, 5, 1, 4, 1}}},
    {"flat", {"three, not in place", LINES(3, 2), .calls = 4, .size_bytes = {3, 5, 1, 4}}},
    {"flat", {"three, four lines", LINES(3, 4), .calls = 7, .in_place = 7, .size_bytes = {3, 5, 1, 4, 1, 2, 9}}},
    {"flat", {"four ranks", LINES(4, 2), .calls = 2, .in_place = 15, .size_bytes = {3, 1}}},
};

static const struct plan shared_plans[] = {
    {"flat", {"two ranks", PEERS(2), .calls = 5, .in_place = 1, .size_bytes = {7, 4, 0, 9, 2}}},
    {"flat", {"three ranks", PEERS(3), .calls = 3, .in_place = 3, .size_bytes = {3, 4, 1}}},
    {"flat", {"three, not in place", PEERS(3), .calls = 2, .size_bytes = {3, 2}}},
    {"flat", {"four ranks", PEERS(4), .calls = 1, .in_place = 15, .size_bytes = {3}}},
};

static void hold(const struct plan *plans, size_t count, const struct protocol *protocol)
{
    plan_print_header();
    for (size_t i = 0; i < count; i++)
        plan_holds(&plans[i], protocol, 0);
    for (size_t i = 0; i < count; i++)
        if (plans[i].c.procs < 3 || (plans[i].c.procs < 4 && stress))
            plan_holds(&plans[i], protocol, 1);
}

static void direct_holds(void **state)
{
    (void)state;
    hold(direct_plans, COUNT(direct_plans), &protocol_direct);
    if (stress)
        hold(direct_stress_plans, COUNT(direct_stress_plans), &protocol_direct);
}

static void with_other(const struct protocol *other, const char *tree)
{
    for (size_t i = 0; i < COUNT(mixed_plans); i++) {
        struct plan plan = mixed_plans[i];
        plan.c.other = other;
        plan.tree = tree;
        plan_holds(&plan, &protocol_direct, 0);
        if (plan.c.procs < 3 || stress)
            plan_holds(&plan, &protocol_direct, 1);
    }
}

/* The broadcast's protocol knows nothing of the allgathers in its slots. */
static void direct_holds_between_broadcasts(void **state)
{
    (void)state;
    plan_print_header();
    with_other(&protocol_counted, "flat");
    with_other(&protocol_pipelined, "chain");
}

static void direct_line_holds(void **state)
{
    (void)state;
    hold(line_plans, COUNT(line_plans), &protocol_direct_line);
}

static void shared_blocks_hold(void **state)
{
    (void)state;
    hold(shared_plans, COUNT(shared_plans), &protocol_shared_blocks);
}

/* Sizes of two calls in all combinations, wherever within a set they begin. */
static void direct_holds_for_all_sizes(void **state)
{
    (void)state;
    static const uint32_t shapes[][2] = {{1, 1}, {2, 1}, {2, 2}, {4, 1}, {4, 2}, {4, 4}};
    uint64_t runs = 0, states = 0;
    for (size_t s = 0; s < COUNT(shapes); s++)
        for (uint32_t n = 0; n < 7 * 7 * 4; n++) {
            struct plan plan = {"flat", {"all sizes", SHAPE(2, shapes[s][0], shapes[s][1]), .calls = 2, .in_place = 3}};
            struct explorer_result r;
            plan.c.op_start = UINT32_MAX - n / 49;
            plan.c.size_bytes[0] = 1 + 2 * (n % 7);
            plan.c.size_bytes[1] = 2 + 2 * (n / 7 % 7);
            assert_int_equal(plan_run(&plan, &protocol_direct, "flat", 0, &r), 0);
            assert_int_equal(r.found.violation, TOY_OK);
            runs++;
            states += r.found.states;
        }
    printf("all sizes: %llu runs, %llu states\n", (unsigned long long)runs, (unsigned long long)states);
}

static void direct_mutants_are_caught(void **state)
{
    (void)state;
    struct plan plans[COUNT(direct_plans) + COUNT(mixed_plans)];
    memcpy(plans, direct_plans, sizeof direct_plans);
    memcpy(plans + COUNT(direct_plans), mixed_plans, sizeof mixed_plans);
    for (size_t i = 0; i < COUNT(mixed_plans); i++)
        plans[COUNT(direct_plans) + i].c.other = &protocol_counted;
    mutants_are_caught(mutants_direct, mutants_direct_count, plans, COUNT(plans));
}

static void other_mutants_are_caught(void **state)
{
    (void)state;
    mutants_are_caught(mutants_direct_line, mutants_direct_line_count, line_plans, COUNT(line_plans));
    mutants_are_caught(mutants_shared_blocks, mutants_shared_blocks_count, shared_plans, COUNT(shared_plans));
}

int main(int argc, char **argv)
{
    stress = argc > 1 && strcmp(argv[1], "stress") == 0;
    plan_verbose(argc > 1 && strcmp(argv[1], "verbose") == 0);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(direct_holds),
        cmocka_unit_test(direct_holds_between_broadcasts),
        cmocka_unit_test(direct_line_holds),
        cmocka_unit_test(shared_blocks_hold),
        cmocka_unit_test(direct_holds_for_all_sizes),
        cmocka_unit_test(direct_mutants_are_caught),
        cmocka_unit_test(other_mutants_are_caught),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
