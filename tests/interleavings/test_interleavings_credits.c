/* The credits of the short packets, under all interleavings of small cases, and mutants of them.
 *
 * `test_interleavings_credits stress` runs the larger cases too, `verbose` prints how each mutant goes wrong. */
#include "tests/interleavings/credit_explorer.h"
#include "tests/interleavings/credit_mutants.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

enum { STATES_MAX = 30000000 };

static int stress, verbose;

#define COUNT(array) (sizeof(array) / sizeof *(array))
#define NODE(r, i, s, k, wrap) .ranks = r, .initial = i, .slots = s, .keeps = k, .total = UINT32_MAX - wrap

static const struct credit_case cases[] = {
    {"one way, one slot", NODE(2, 1, 1, 1, 2), .messages = {{0, 6}}},
    {"one way, a pool", NODE(2, 1, 4, 2, 3), .messages = {{0, 9}}},
    {"one way, bursts", NODE(2, 2, 5, 2, 4), .messages = {{0, 9}}, .burst = {{0, 3}}},
    {"both ways, one slot", NODE(2, 1, 1, 1, 1), .messages = {{0, 4}, {4}}},
    {"both ways, a pool", NODE(2, 1, 3, 1, 1), .messages = {{0, 4}, {4}}},
    {"both ways, bursts", NODE(2, 2, 3, 0, 2), .messages = {{0, 6}, {4}}, .burst = {{0, 2}, {1}}},
    {"two to one, no pool", NODE(3, 1, 2, 1, 2), .messages = {{0, 0, 3}, {0, 0, 3}}},
    {"two to one, a pool", NODE(3, 1, 4, 1, 1), .messages = {{0, 0, 3}, {0, 0, 3}}},
    {"two to one, the pool moves", NODE(3, 1, 4, 0, 1), .messages = {{0, 0, 3}, {0, 0, 6}}},
    {"two to one, more moves", NODE(3, 1, 5, 0, 1), .messages = {{0, 0, 5}, {0, 0, 7}}, .burst = {{0, 0, 5}}},
    {"a ring of three", NODE(3, 1, 2, 0, 0), .messages = {{0, 2}, {0, 0, 2}, {2}}},
    {"all to all", NODE(3, 1, 3, 0, 1), .messages = {{0, 1, 1}, {1, 0, 1}, {1, 1}}},
    {"two to one, and answers", NODE(3, 1, 4, 0, 1), .messages = {{0, 0, 2}, {0, 0, 3}, {1, 1}}},
};
static const struct credit_case stress_cases[] = {
    {"both ways, longer", NODE(2, 1, 4, 1, 2), .messages = {{0, 6}, {5}}},
    {"two to one, kept", NODE(3, 1, 5, 2, 2), .messages = {{0, 0, 4}, {0, 0, 4}}},
    {"two to one, bursts", NODE(3, 1, 6, 0, 1), .messages = {{0, 0, 6}, {0, 0, 8}}, .burst = {{0, 0, 6}, {0, 0, 4}}},
    {"all to all, kept", NODE(3, 1, 3, 1, 1), .messages = {{0, 1, 1}, {1, 0, 1}, {1, 1}}},
};

static void print_header(void)
{
    printf("%-30s %-30s %1s %1s %2s %10s %11s %6s %5s %s\n", "rules", "case", "p", "i", "s", "states", "transitions", "depth",
           "ends", "result");
}

static void print_row(const struct credit_rules *rules, const struct credit_case *c, const struct credit_result *r)
{
    printf("%-30s %-30s %u %u %2u %10llu %11llu %6llu %5llu %s\n", rules->name, c->name, c->ranks, c->initial, c->slots,
           (unsigned long long)r->found.states, (unsigned long long)r->found.transitions, (unsigned long long)r->found.depth,
           (unsigned long long)r->found.ends, credit_violation_string(r->found.violation));
}

static void case_holds(const struct credit_case *c, struct credit_result *sum)
{
    struct credit_result r;
    int err = credit_explorer_run(c, &credit_rules_right, STATES_MAX, &r);
    print_row(&credit_rules_right, c, &r);
    if (r.found.violation)
        printf("    %s\n", r.found.history);
    assert_int_equal(err, 0);
    assert_int_equal(r.found.violation, CREDIT_OK);
    assert_true(r.found.ends >= 1);
    for (uint32_t m = 0; m < CREDIT_MOVES; m++)
        sum->made[m] += r.made[m];
    sum->stores += r.stores;
    sum->extension_most = r.extension_most > sum->extension_most ? r.extension_most : sum->extension_most;
}

/* The cases hold, and whatever a rank may do has been done in them. */
static void credits_hold(void **state)
{
    (void)state;
    struct credit_result sum = {0};
    print_header();
    for (size_t i = 0; i < COUNT(cases); i++)
        case_holds(&cases[i], &sum);
    for (size_t i = 0; stress && i < COUNT(stress_cases); i++)
        case_holds(&stress_cases[i], &sum);
    static const uint32_t moves[] = {CREDIT_MOVE_READ, CREDIT_MOVE_KEEP, CREDIT_MOVE_ASK,  CREDIT_MOVE_POST,
                                     CREDIT_MOVE_SEND, CREDIT_MOVE_HEAR, CREDIT_MOVE_GIVE, CREDIT_MOVE_TAKE};
    for (size_t i = 0; i < COUNT(moves); i++)
        assert_true(sum.made[moves[i]] > 0);
    assert_true(sum.stores > 0);
    assert_true(sum.extension_most >= 3);
}

static int mutant_caught(const struct credit_mutant *mutant)
{
    struct credit_rules rules = credit_mutant_rules(mutant);
    struct credit_result r = {0};
    size_t i = 0;
    for (; i < COUNT(cases) && !r.found.violation; i++)
        assert_int_equal(credit_explorer_run(&cases[i], &rules, STATES_MAX, &r), 0);
    print_row(&rules, &cases[i - 1], &r);
    if (verbose)
        printf("    %s\n", r.found.history);
    return r.found.violation == mutant->violation;
}

static void mutants_are_caught(void **state)
{
    (void)state;
    unsigned wrong = 0;
    print_header();
    for (unsigned i = 0; i < credit_mutants_count; i++)
        wrong += !mutant_caught(&credit_mutants[i]);
    assert_int_equal(wrong, 0);
}

static void cases_that_do_not_fit(void **state)
{
    (void)state;
    struct credit_result r;
    struct credit_case few = {"few slots", NODE(3, 2, 3, 0, 0)}, many = {"many ranks", NODE(4, 1, 8, 0, 0)},
                       long_queue = {"long queue", NODE(2, 1, CREDIT_SLOTS_MAX + 1, 0, 0)};
    assert_true(credit_explorer_run(&few, &credit_rules_right, 0, &r) < 0);
    assert_true(credit_explorer_run(&many, &credit_rules_right, 0, &r) < 0);
    assert_true(credit_explorer_run(&long_queue, &credit_rules_right, 0, &r) < 0);
    assert_true(credit_explorer_run(&cases[0], &credit_rules_right, 3, &r) < 0);
}

int main(int argc, char **argv)
{
    for (int i = 1; i < argc; i++) {
        stress |= strcmp(argv[i], "stress") == 0;
        verbose |= strcmp(argv[i], "verbose") == 0;
    }
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(credits_hold),
        cmocka_unit_test(mutants_are_caught),
        cmocka_unit_test(cases_that_do_not_fit),
    };
    return cmocka_run_group_tests_name("interleavings of credits", tests, NULL, NULL);
}
