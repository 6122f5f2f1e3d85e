/* choice: as good as anything in reach, within the budget, faithful to what is fixed. */
#include "tests/model/cmocka_all.h"
#include "tests/model/nodes.h"

#include "model/bcast_cost.h"
#include "model/choice.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static double time_s(struct scenario s, const char *by)
{
    struct outcome out;
    s.variant = by;
    if (evaluator_model.evaluate(&s, NULL, &out))
        fail_msg("%s", out.reason);
    outcome_destroy(&out);
    return out.time_s;
}

static struct choice chosen(const struct scenario *s, const char *by, const struct choice_space *space)
{
    struct choice c;
    if (choice_bcast_search(s, &evaluator_model, by, space, &c))
        fail_msg("%s", c.reason);
    return c;
}

/* No random configuration in the same budget is better by more than the grid is coarse. */
static void test_against_random(void **state)
{
    (void)state;
    const uint64_t sizes[] = {1, 120, 121, 4096, 16384, 65536, 1 << 20, 16 << 20};
    const char *const forms[] = {"paper", "extended"};
    struct test_bed bed;
    test_bed_described(&bed, 6, 1, 1, 1, 1);
    const char *given = getenv("SHMCOLL_TEST_SEED");
    unsigned seed = given ? (unsigned)strtoul(given, NULL, 0) : (unsigned)time(NULL);
    print_message("seed %u\n", seed);
    srand(seed);
    double worst = 1;
    for (int form = 0; form < 2; form++)
        for (int i = 0; i < 8; i++) {
            struct scenario s = test_bed_again(&bed, sizes[i], 1, 1, 1);
            struct choice c = chosen(&s, forms[form], &(struct choice_space){0});
            s.params = c.params;
            assert_near(time_s(s, forms[form]), c.time_s, 0);
            assert_true(c.params.protocol == &protocol_eager ||
                        (uint64_t)c.params.fragment_bytes * c.params.slots <= bcast_cost_budget_bytes(&bed.node));
            for (int k = 0; k < 1500; k++) {
                uint32_t f = 4096u * (1 + (unsigned)rand() % (1u << rand() % 8)), q = 1 + (unsigned)rand() % 4;
                uint32_t most = (uint32_t)(bcast_cost_budget_bytes(&bed.node) / f / q);
                if (most == 0)
                    continue;
                s.params = (struct params){
                    &protocol_pipelined, f, q * (1 + (unsigned)rand() % most), q, {TREE_KARY, 1 + (unsigned)rand() % 6}, 0};
                worst = fmin(worst, time_s(s, forms[form]) / c.time_s);
            }
        }
    print_message("best random configuration takes %.4f of the chosen one's time\n", worst);
    assert_true(worst > 0.97);
    test_bed_destroy(&bed);
}

static void test_protocol(void **state)
{
    (void)state;
    struct test_bed bed;
    struct scenario s = test_bed_described(&bed, 2, 8, 1, 1, 1);
    struct params p;
    assert_int_equal(choice_bcast(&s, "extended", &p), 0);
    assert_ptr_equal(p.protocol, &protocol_eager);
    s.job.bcast.size_bytes = 1 << 20;
    assert_int_equal(choice_bcast(&s, "extended", &p), 0);
    assert_ptr_equal(p.protocol, &protocol_pipelined);
    assert_true(p.slots > 1);
    test_bed_destroy(&bed);
}

/* The paper's node at 4 MiB: what the exact optimum knows, the grid must find too. */
static void test_paper(void **state)
{
    (void)state;
    struct test_bed bed;
    struct scenario s = test_bed_paper(&bed, 2, 16 << 20, 1, 1, 1);
    struct bcast_costs costs = {1e-9, 50e-9, 100e-9, 10e-9};
    struct bcast_queue best;
    struct choice c = chosen(&s, "paper", &(struct choice_space){.budget_bytes = 4 << 20, .fixed = {.sets = 1}});
    assert_int_equal(bcast_cost_optimum(&costs, 16 << 20, 4 << 20, 4096, 1, &best), 0);
    assert_true(c.time_s <= best.time_s * 1.001);
    c = chosen(&s, "paper", &(struct choice_space){.budget_bytes = 4 << 20});
    assert_int_equal(bcast_cost_optimum(&costs, 16 << 20, 4 << 20, 4096, 0, &best), 0);
    assert_true(c.time_s >= best.time_s && c.time_s <= best.time_s * 1.002);
    test_bed_destroy(&bed);
}

static void test_fixed(void **state)
{
    (void)state;
    struct test_bed bed;
    struct scenario s = test_bed_described(&bed, 5, 1 << 20, 1, 1, 1);
    struct choice_space space = {.fixed = {.fragment_bytes = 5000, .sets = 2, .tree = {TREE_CHAIN, 0}}, .tree_fixed = 1};
    struct choice c = chosen(&s, "extended", &space);
    assert_int_equal(c.params.fragment_bytes, 5000);
    assert_int_equal(c.params.sets, 2);
    assert_int_equal(c.params.tree.kind, TREE_CHAIN);
    space = (struct choice_space){.fixed = {.slots = 6, .protocol = &protocol_pipelined}, .budget_bytes = 65536};
    s.job.bcast.size_bytes = 8;
    c = chosen(&s, "extended", &space);
    assert_int_equal(c.params.slots, 6);
    assert_true(6 % c.params.sets == 0 && c.params.fragment_bytes * 6 <= 65536);
    assert_ptr_equal(c.params.protocol, &protocol_pipelined);
    s.job.bcast.size_bytes = 64 << 20;
    space = (struct choice_space){.fixed = {.slots = 64}, .budget_bytes = 1 << 20};
    c = chosen(&s, "extended", &space);
    assert_true(c.params.fragment_bytes <= 16384);
    test_bed_destroy(&bed);
}

static void refused(const struct scenario *s, const char *by, const struct choice_space *space, int err, const char *words)
{
    struct choice c;
    assert_int_equal(choice_bcast_search(s, &evaluator_model, by, space, &c), err);
    if (!strstr(c.reason, words))
        fail_msg("reason \"%s\" lacks \"%s\"", c.reason, words);
}

static void test_refusals(void **state)
{
    (void)state;
    struct test_bed bed;
    struct scenario s = test_bed_described(&bed, 2, 1 << 20, 1, 1, 1);
    struct choice_space free_space = {0}, small = {.budget_bytes = 100}, eager = {.fixed = {.protocol = &protocol_eager}};
    refused(&s, "extended", &small, -EINVAL, "100 bytes");
    refused(&s, "extended", &eager, -EINVAL, "at most 120 bytes");
    refused(&s, "guess", &free_space, -EINVAL, "guess");
    s.job.bcast.root = 2, refused(&s, "paper", &free_space, -EINVAL, "root 2");
    s.job.bcast.root = 0, bed.node.handover_ns[HANDOVER_SAME_CACHE] = quantity_unknown();
    refused(&s, "paper", &free_space, -ENOTSUP, "hand-over");
    s.machine.node = NULL, refused(&s, "paper", &free_space, -EINVAL, "node");
    struct params untouched = {.slots = 77};
    assert_int_equal(choice_bcast(&s, "paper", &untouched), -EINVAL);
    assert_int_equal(untouched.slots, 77);
    test_bed_destroy(&bed);
}

/* One rank, no bytes: any answer will do, but there must be one. */
static void test_trivial(void **state)
{
    (void)state;
    struct test_bed bed;
    struct scenario s = test_bed_described(&bed, 1, 1 << 20, 1, 1, 1);
    struct params p;
    assert_int_equal(choice_bcast(&s, "extended", &p), 0);
    s.job.bcast.size_bytes = 0;
    assert_int_equal(choice_bcast(&s, "paper", &p), 0);
    test_bed_destroy(&bed);
}

static void test_quick(void **state)
{
    (void)state;
    struct test_bed bed;
    struct scenario s = test_bed_described(&bed, 16, 64 << 20, 1, 1, 1);
    clock_t start = clock();
    struct choice c = chosen(&s, "extended", &(struct choice_space){.budget_bytes = 10 << 20});
    double ms = (double)(clock() - start) * 1e3 / CLOCKS_PER_SEC;
    print_message("%u candidates in %.1f ms\n", c.candidates, ms);
    assert_true(ms < 10000);
    test_bed_destroy(&bed);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_against_random), cmocka_unit_test(test_protocol), cmocka_unit_test(test_paper),
        cmocka_unit_test(test_fixed),          cmocka_unit_test(test_refusals), cmocka_unit_test(test_trivial),
        cmocka_unit_test(test_quick),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
