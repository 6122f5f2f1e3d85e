/* The evaluator: published times through the front door, refusals, and both variants where they must agree. */
#include "tests/model/cmocka_all.h"
#include "tests/model/nodes.h"

#include "model/scenario.h"

#include <errno.h>
#include <string.h>

static double us(const struct scenario *s)
{
    struct outcome out;
    if (evaluator_model.evaluate(s, NULL, &out))
        fail_msg("%s", out.reason);
    outcome_destroy(&out);
    return out.time_s * 1e6;
}

static void test_published(void **state)
{
    (void)state;
    struct test_bed bed;
    struct scenario s = test_bed_paper(&bed, 2, 16 << 20, 16384, 256, 1);
    struct outcome out;
    assert_int_equal(evaluator_model.evaluate(&s, NULL, &out), 0);
    assert_near(out.time_s * 1e6, 16894.392, 5e-4);
    assert_near(out.fragment_opt_bytes, 14481.5, 0.05);
    assert_near(out.slots_opt, 289.6, 0.05);
    assert_near(out.copy_s, 2 * 16777.216e-6, 1e-12);
    assert_near(out.wait_s, 2 * (16894.392e-6 - 16777.216e-6), 1e-9);
    outcome_destroy(&out);
    s = test_bed_again(&bed, 16 << 20, 8192, 512, 1);
    assert_near(us(&s), 16912.824, 5e-4);
    s = test_bed_again(&bed, 16 << 20, 8192, 1, 1);
    assert_near(us(&s), 33882.112, 5e-4);
    s = test_bed_again(&bed, 16 << 20, 8192, 64, 2);
    assert_near(us(&s), 16894.848, 5e-4);
    s.variant = "paper";
    assert_near(us(&s), 16894.848, 5e-4);
    s.variant = NULL;
    assert_near(us(&s), 16894.848, 5e-4);
    test_bed_destroy(&bed);
}

static void refused(const struct scenario *s, int err, const char *words)
{
    struct outcome out;
    assert_int_equal(evaluator_model.evaluate(s, NULL, &out), err);
    if (!strstr(out.reason, words))
        fail_msg("reason \"%s\" lacks \"%s\"", out.reason, words);
    assert_true(isnan(out.time_s));
    outcome_destroy(&out);
}

static void test_refusals(void **state)
{
    (void)state;
    struct test_bed bed;
    struct scenario s = test_bed_paper(&bed, 2, 1 << 20, 8192, 8, 2);
    s.variant = "best", refused(&s, -EINVAL, "variant \"best\"");
    s.variant = "", s.machine.nodes = 2, refused(&s, -ENOTSUP, "one node");
    s.machine.nodes = 1, s.params.sets = 3, refused(&s, -EINVAL, "do not divide");
    s.params.sets = 2;
    const char *const variants[] = {"paper", "extended"};
    for (int i = 0; i < 2; i++) {
        s.variant = variants[i];
        bed.node.paper.t_w_s = quantity_unknown(), refused(&s, -ENOTSUP, "t_w");
        bed.node.contention_free = 0, refused(&s, -ENOTSUP, "hand-over");
        bed.node.handover_ns[HANDOVER_SAME_CACHE] = quantity_of(40, "assumed"), refused(&s, -ENOTSUP, "copy (in_cold)");
        bed.node.copy[COPY_IN_COLD].s_per_byte = quantity_of(1e-10, "assumed"), refused(&s, -ENOTSUP, "copy (out_cold)");
        bed.node.handover_ns[HANDOVER_SAME_CACHE] = quantity_unknown();
        bed.node.copy[COPY_IN_COLD].s_per_byte = quantity_unknown();
        bed.node.contention_free = 1;
        bed.node.paper.t_w_s = quantity_of(50e-9, "S1 Fig. 4");
    }
    test_bed_destroy(&bed);
}

/* Four stated costs are enough for the paper's form, not for the extended one. */
static void test_stated_costs(void **state)
{
    (void)state;
    struct test_bed bed;
    struct scenario s = test_bed_paper(&bed, 2, 16 << 20, 8192, 512, 1);
    bed.node.contention_free = 0;
    assert_near(us(&s), 16912.824, 5e-4);
    s.variant = "extended", refused(&s, -ENOTSUP, "hand-over");
    test_bed_destroy(&bed);
}

/* Nothing to do costs nothing; one rank, or no bytes. */
static void test_nothing_to_do(void **state)
{
    (void)state;
    struct test_bed bed;
    struct scenario s = test_bed_paper(&bed, 2, 0, 8192, 8, 2);
    const char *const variants[] = {"paper", "extended"};
    for (int i = 0; i < 2; i++) {
        s.variant = variants[i];
        assert_near(us(&s), 0, 0);
        s.params.protocol = &protocol_eager;
        assert_near(us(&s), 0, 0);
        s.params.protocol = &protocol_pipelined;
        s.job.procs = 1, s.job.bcast.size_bytes = 1 << 20;
        assert_near(us(&s), 0, 0);
        s.job.procs = 2, s.job.bcast.size_bytes = 0;
    }
    test_bed_destroy(&bed);
}

/* The numbers a simple node gives, added up by hand. */
static void test_derived_costs(void **state)
{
    (void)state;
    struct test_bed bed;
    struct scenario s = test_bed_described(&bed, 3, 1 << 20, 8192, 8, 2);
    s.params.tree = (struct tree_shape){TREE_CHAIN, 0};
    /* Chain of three on one cache: hand-over 40, step 2, store 10, atomic 5. W costs 42; the middle rank resets and tells its
     * child, 2 each. */
    double t_w = 2 + 42 + 2 + 2 + 42, t_wo = 42, t_a = 40 + 5 + 2, t_c = 8192 * 0.12 + 2;
    double want_ns = 32 * (t_wo + t_a) + 128 * t_w + (1 + 128) * t_c;
    assert_near(us(&s) * 1e3, want_ns, 1e-6 * want_ns);
    s.job.bcast.size_bytes = 8192; /* nothing overlaps: the mean of 1e-10 and 1.2e-10, twice */
    assert_near(us(&s) * 1e3, t_wo + t_a + t_w + 8192 * 0.22 + 4, 1e-6);
    test_bed_destroy(&bed);
}

/* Eager down a chain and a flat tree of 3, by hand: step 2, store 10, hand-over 40, in 0.8 ns and out 0.96 ns for 8 bytes. */
static void test_eager(void **state)
{
    (void)state;
    struct test_bed bed;
    struct scenario s = test_bed_described(&bed, 3, 8, 8192, 8, 2);
    s.params.protocol = &protocol_eager;
    s.params.tree = (struct tree_shape){TREE_CHAIN, 0};
    assert_near(us(&s) * 1e3, (2 + 2.8 + 10 + 2) + 42 + (2 + 2 + 10 + 2) + 42 + 2.96, 1e-9);
    s.params.tree = (struct tree_shape){TREE_FLAT, 0};
    assert_near(us(&s) * 1e3, 2 * (2 + 2.8 + 10 + 2) + 42 + 2.96, 1e-9);
    test_bed_destroy(&bed);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_published),     cmocka_unit_test(test_refusals),      cmocka_unit_test(test_stated_costs),
        cmocka_unit_test(test_nothing_to_do), cmocka_unit_test(test_derived_costs), cmocka_unit_test(test_eager),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
