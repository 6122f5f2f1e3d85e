/* choice_table: lanes that fit, that the protocols accept, and that are as good as what a plain grid finds. */
#include "tests/model/cmocka_all.h"
#include "tests/model/nodes.h"

#include "model/bcast_cost.h"
#include "model/choice_table.h"

#include <errno.h>
#include <string.h>
#include <time.h>

static struct choice_table made(const struct scenario *s, struct choice_permits permits)
{
    struct choice_table table;
    if (choice_table_make(s, &permits, &table))
        fail_msg("%s", table.reason);
    return table;
}

static double time_s(struct scenario s, const struct params *params, uint64_t size)
{
    struct outcome out;
    s.params = *params;
    s.job.bcast.size_bytes = size;
    s.variant = "extended";
    int err = evaluator_model.evaluate(&s, NULL, &out);
    outcome_destroy(&out);
    return err ? INFINITY : out.time_s;
}

static uint64_t queue_bytes(const struct params *p)
{
    return p->protocol->uses & PROTOCOL_SLOTS ? (uint64_t)p->fragment_bytes * p->slots : 0;
}

static void test_lanes_are_sound(void **state)
{
    (void)state;
    for (uint32_t procs = 1; procs <= 16; procs = procs * 2 + (procs == 2)) {
        struct test_bed bed;
        struct scenario s = test_bed_described(&bed, procs, 8, 1, 1, 1);
        for (uint64_t budget = 64 << 10; budget <= (10 << 20); budget *= 4) {
            struct choice_table t = made(&s, (struct choice_permits){.budget_bytes = budget});
            uint64_t bytes = 0, last = 0;
            assert_true(t.lanes >= 1 && t.lanes <= CHOICE_LANES_MAX);
            for (uint32_t i = 0; i < t.lanes; i++) {
                char reason[200];
                bytes += queue_bytes(&t.lane[i].params);
                s.params = t.lane[i].params;
                s.job.bcast.size_bytes = i + 1 < t.lanes ? t.lane[i].size_max_bytes : 1 << 30;
                if (scenario_check(&s, reason, sizeof reason))
                    fail_msg("%s", reason);
                assert_true(t.lane[i].size_max_bytes > last);
                last = t.lane[i].size_max_bytes;
            }
            assert_true(last == UINT64_MAX);
            assert_true(bytes <= budget);
        }
        test_bed_destroy(&bed);
    }
}

/* Eager below a line's payload, or something that predicts as well; else no queue of the grid is better by more than lanes
 * cost. */
static void test_against_grid(void **state)
{
    (void)state;
    static const struct protocol *const protocols[] = {&protocol_eager, &protocol_counted, &protocol_pipelined,
                                                       &protocol_slot_ring};
    double worst = 0;
    for (uint32_t procs = 2; procs <= 4; procs *= 2) {
        struct test_bed bed;
        struct scenario s = test_bed_described(&bed, procs, 8, 1, 1, 1);
        struct choice_table t = made(&s, (struct choice_permits){.budget_bytes = 4 << 20});
        for (uint64_t size = 8; size <= (64 << 20); size = size * 7 / 2) {
            double chosen_s = time_s(s, &choice_table_find(&t, size)->params, size), best_s = INFINITY;
            for (int i = 0; i < 4 * 10 * 8; i++) {
                uint32_t f = 1024u << i / 4 % 10, slots = 1u << i / 40;
                struct params p = {protocols[i % 4], f, slots, 1, {TREE_FLAT, 0}, 0};
                if ((uint64_t)f * slots <= (4 << 20))
                    best_s = fmin(best_s, time_s(s, &p, size));
            }
            worst = fmax(worst, chosen_s / best_s - 1);
            if (chosen_s > best_s * 1.05)
                print_message("%u ranks, %llu bytes: %.3f us, grid %.3f\n", procs, (unsigned long long)size, chosen_s * 1e6,
                              best_s * 1e6);
        }
        test_bed_destroy(&bed);
    }
    print_message("at most %.1f %% above the best of the grid\n", 100 * worst);
    assert_true(worst < 0.12); /* sizes between those searched for, such as 1200 bytes as 1024 and 176 */
}

/* What the environment forbids is not chosen; what it costs nothing to reach is. */
static void test_permits(void **state)
{
    (void)state;
    struct test_bed bed;
    struct scenario s = test_bed_described(&bed, 2, 8, 1, 1, 1);
    bed.node.copy[COPY_PLAIN_COLD].s_per_byte = quantity_of(1.2e-10, "test");
    struct choice_table t = made(&s, (struct choice_permits){.peers = 1, .no_lines = 1});
    for (uint32_t i = 0; i < t.lanes; i++)
        assert_int_equal(t.lane[i].params.protocol->uses & (PROTOCOL_PEERS | PROTOCOL_LINES),
                         0); /* the kernel's price is unknown */
    bed.node.peer_call_ns = quantity_of(300, "test");
    bed.node.peer_page_ns = quantity_of(1, "test");
    t = made(&s, (struct choice_permits){.peers = 1});
    assert_true(choice_table_find(&t, 64 << 20)->params.protocol->uses & PROTOCOL_PEERS);
    t = made(&s, (struct choice_permits){.peers = 0});
    assert_false(choice_table_find(&t, 64 << 20)->params.protocol->uses & PROTOCOL_PEERS);
    bed.node.peer_page_ns = quantity_of(4000, "test");
    t = made(&s, (struct choice_permits){.peers = 1});
    assert_false(choice_table_find(&t, 64 << 20)->params.protocol->uses & PROTOCOL_PEERS);
    s.conditions.buffer_memory = BUFFER_MEMORY_SHARED;
    t = made(&s, (struct choice_permits){.peers = 0});
    assert_true(choice_table_find(&t, 64 << 20)->params.protocol->uses & PROTOCOL_PEERS);
    test_bed_destroy(&bed);
}

/* The numbers are the node's: where copies are dear to start, fragments grow. */
static void test_follows_the_node(void **state)
{
    (void)state;
    struct test_bed bed;
    struct scenario s = test_bed_described(&bed, 2, 8, 1, 1, 1);
    struct choice_table cheap = made(&s, (struct choice_permits){0});
    bed.node.copy[COPY_IN_COLD].start_ns = bed.node.copy[COPY_OUT_COLD].start_ns = quantity_of(1000, "test");
    struct choice_table dear = made(&s, (struct choice_permits){0});
    uint32_t cheap_bytes = choice_table_find(&cheap, 1 << 20)->params.fragment_bytes;
    uint32_t dear_bytes = choice_table_find(&dear, 1 << 20)->params.fragment_bytes;
    print_message("1 MiB: fragments of %u and %u bytes\n", cheap_bytes, dear_bytes);
    assert_true(dear_bytes >= 2 * cheap_bytes);
    bed.node.handover_ns[HANDOVER_SAME_CACHE] = quantity_unknown();
    struct choice_table none;
    assert_int_equal(choice_table_make(&s, &(struct choice_permits){0}, &none), -ENOTSUP);
    assert_non_null(strstr(none.reason, "hand-over"));
    test_bed_destroy(&bed);
}

static void test_quick(void **state)
{
    (void)state;
    struct test_bed bed;
    struct scenario s = test_bed_described(&bed, 2, 8, 1, 1, 1);
    clock_t start = clock();
    struct choice_table t = made(&s, (struct choice_permits){0});
    double ms = (double)(clock() - start) * 1e3 / CLOCKS_PER_SEC;
    print_message("%u candidates in %.1f ms\n", t.candidates, ms);
    assert_true(ms < 20000);
    test_bed_destroy(&bed);
}

/* Ranks that take turns on a core: one queue for every size, all readers told at once. */
static void test_ranks_that_share_cores(void **state)
{
    (void)state;
    struct test_bed bed;
    struct scenario s = test_bed_described(&bed, 4, 4, 1, 1, 1);
    assert_true(made(&s, (struct choice_permits){.peers = 1}).lanes > 1);
    uint32_t shared[4] = {0, 1, 0, 1};
    s.placement.core_of_rank = shared;
    struct choice_table t = made(&s, (struct choice_permits){.peers = 1});
    assert_int_equal(t.lanes, 1);
    assert_int_equal(t.lane[0].params.tree.kind, TREE_FLAT);
    assert_ptr_equal(t.lane[0].params.protocol, &protocol_counted);
    test_bed_destroy(&bed);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_lanes_are_sound),  cmocka_unit_test(test_against_grid), cmocka_unit_test(test_permits),
        cmocka_unit_test(test_follows_the_node), cmocka_unit_test(test_quick),
        cmocka_unit_test(test_ranks_that_share_cores),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
