/* The step clock's own terms, which the simulator lacks: what waits in a store buffer behind a notification, and a short copy's
 * last line; ranks that take turns on a core; sizes that are extrapolated against those that are run. */
#include "tests/model/cmocka_all.h"
#include "tests/model/nodes.h"

#include "model/step_clock.h"

static double time_s(const struct scenario *s, const struct protocol *protocol)
{
    struct tree tree;
    struct bcast_prediction out;
    struct scenario own = *s;
    char reason[200] = "";
    own.params.protocol = protocol;
    assert_int_equal(tree_create(s->params.tree, s->job.procs, &tree), 0);
    if (step_clock_time(&own, &tree, &out, reason, sizeof reason))
        fail_msg("%s", reason);
    tree_destroy(&tree);
    assert_true(out.copy_s >= 0 && out.wait_s >= 0);
    return out.time_s;
}

/* Copy-in dearer than copy-out: the reader spins for every fragment, and each notification has to take its line first. A
 * hand-over of 400 ns of which 100 are the reader's fetch leaves 300, of which a full store buffer hides 512 bytes' worth. */
static void test_copies_wait_behind_a_notification(void **state)
{
    (void)state;
    struct test_bed bed;
    struct scenario s = test_bed_described(&bed, 2, 64 << 12, 4096, 64, 1);
    bed.node.copy[COPY_IN_COLD].s_per_byte = quantity_of(2.4e-10, "test");
    bed.node.handover_ns[HANDOVER_SAME_CACHE] = quantity_of(400, "test");
    double same_s = time_s(&s, &protocol_counted);
    bed.node.fetch_ns = quantity_of(100, "test");
    double taken_s = time_s(&s, &protocol_counted), hidden_s = 512 * 2.4e-10;
    print_message("%.3f and %.3f us\n", same_s * 1e6, taken_s * 1e6);
    assert_near(taken_s - same_s, 63 * (300e-9 - hidden_s), 0.2e-6);
    test_bed_destroy(&bed);
}

/* A reader that spins sees the whole hand-over: once along each edge of a chain. */
static void test_a_hand_over_counts_once(void **state)
{
    (void)state;
    for (uint32_t procs = 2; procs <= 4; procs++) {
        struct test_bed bed;
        struct scenario s = test_bed_described(&bed, procs, 64, 4096, 64, 1);
        s.params.tree = (struct tree_shape){TREE_CHAIN, 0};
        double near_s = time_s(&s, &protocol_counted);
        bed.node.handover_ns[HANDOVER_SAME_CACHE] = quantity_of(80, "test");
        assert_near(time_s(&s, &protocol_counted) - near_s, (procs - 1) * 40e-9, 1e-12);
        test_bed_destroy(&bed);
    }
}

/* One byte through a slot: the slot's line comes before the counter's. */
static void test_a_short_copy_has_a_last_line(void **state)
{
    (void)state;
    struct test_bed bed;
    struct scenario s = test_bed_described(&bed, 2, 1, 4096, 64, 1);
    double same_s = time_s(&s, &protocol_counted);
    bed.node.fetch_ns = quantity_of(10, "test");
    assert_near(time_s(&s, &protocol_counted) - same_s, 30e-9, 1e-12);
    s.job.bcast.size_bytes = 4096;
    double long_s = time_s(&s, &protocol_counted);
    bed.node.fetch_ns = quantity_unknown();
    assert_near(time_s(&s, &protocol_counted), long_s, 1e-12);
    test_bed_destroy(&bed);
}

/* Four ranks on one core copy one after the other. */
static void test_ranks_take_turns_on_a_core(void **state)
{
    (void)state;
    struct test_bed bed;
    struct scenario s = test_bed_described(&bed, 4, 1 << 20, 65536, 16, 1);
    double apart_s = time_s(&s, &protocol_counted);
    for (uint32_t r = 0; r < 4; r++)
        bed.cores[r] = 0;
    double together_s = time_s(&s, &protocol_counted), copies_s = (1 << 20) * (1e-10 + 3 * 1.2e-10);
    print_message("%.1f us on four cores, %.1f on one\n", apart_s * 1e6, together_s * 1e6);
    assert_true(apart_s < 0.45 * copies_s);
    assert_near(together_s, copies_s, 0.02 * copies_s);
    test_bed_destroy(&bed);
}

/* Time grows by the same for every lap. */
static void test_laps_are_alike(void **state)
{
    (void)state;
    struct test_bed bed;
    struct scenario s = test_bed_described(&bed, 3, 1 << 20, 4096, 128, 2);
    double before_s = time_s(&s, &protocol_counted), step_s = 0;
    for (uint64_t laps = 3; laps < 40; laps += 3) {
        s.job.bcast.size_bytes = laps * 4096 * 128;
        double now_s = time_s(&s, &protocol_counted);
        assert_true(now_s > before_s);
        if (laps > 9)
            assert_near(now_s - before_s, step_s, 0.02 * step_s);
        step_s = now_s - before_s;
        before_s = now_s;
    }
    test_bed_destroy(&bed);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_copies_wait_behind_a_notification),
        cmocka_unit_test(test_a_hand_over_counts_once),
        cmocka_unit_test(test_a_short_copy_has_a_last_line),
        cmocka_unit_test(test_ranks_take_turns_on_a_core),
        cmocka_unit_test(test_laps_are_alike),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
