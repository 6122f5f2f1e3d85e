/* choice_table for allgathers: lanes that fit and are accepted, as good as what exhaustive search of a grid finds. */
#include "tests/model/cmocka_all.h"
#include "tests/model/nodes.h"

#include "model/allgather_model.h"
#include "model/choice_table.h"
#include "model/protocol/eager.h"

#include <time.h>

static struct scenario described(struct test_bed *bed, uint32_t procs)
{
    struct scenario s = test_bed_described(bed, procs, 1, 1, 1, 1);
    bed->node.copy[COPY_PLAIN_COLD].s_per_byte = quantity_of(1.5e-10, "test");
    s.job = (struct job){.kind = JOB_ALLGATHER, .procs = procs};
    return s;
}

static struct choice_table made(const struct scenario *s, struct choice_permits permits)
{
    struct choice_table table;
    if (choice_table_make(s, &permits, &table))
        fail_msg("%s", table.reason);
    return table;
}

/* INFINITY if the parameters make no sense. */
static double time_s(struct scenario s, const struct params *params, uint64_t block_bytes)
{
    struct schedule_answer answer;
    char reason[200];
    s.params = *params;
    s.job.allgather.block_bytes = block_bytes;
    if (scenario_check(&s, reason, sizeof reason) || allgather_model_time(&s, &answer, reason, sizeof reason))
        return INFINITY;
    return answer.time_s;
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
        struct scenario s = described(&bed, procs);
        for (uint64_t budget = 64 << 10; budget <= (10 << 20); budget *= 8)
            for (uint32_t most = 1; most <= 4; most += 3) {
                struct choice_table t =
                    made(&s, (struct choice_permits){.budget_bytes = budget, .lanes_most = most, .no_lines = most == 1});
                uint64_t bytes = 0, last = 0;
                assert_true(t.lanes >= 1 && t.lanes <= most);
                for (uint32_t i = 0; i < t.lanes; i++) {
                    bytes += queue_bytes(&t.lane[i].params);
                    assert_true(isfinite(time_s(s, &t.lane[i].params, i + 1 < t.lanes ? t.lane[i].size_max_bytes : 1 << 20)));
                    assert_true(t.lane[i].size_max_bytes > last);
                    last = t.lane[i].size_max_bytes;
                }
                assert_true(last == UINT64_MAX);
                assert_true(bytes <= budget);
            }
        test_bed_destroy(&bed);
    }
}

static double grid_least_s(const struct scenario *s, uint64_t block_bytes)
{
    double least_s = INFINITY;
    struct params line = {&protocol_direct_line, 1024, 1, 1, {TREE_FLAT, 0}, 0};
    for (uint32_t f = 1024; f <= (512 << 10); f *= 2) {
        struct params peers = {&protocol_shared_blocks, f, 1, 1, {TREE_FLAT, 0}, 0};
        for (uint32_t slots = 1; slots <= 128 && slots * f <= (4 << 20); slots *= 2)
            for (uint32_t sets = 1; sets <= 4 && sets <= slots; sets *= 4)
                least_s =
                    fmin(least_s, time_s(*s, &(struct params){&protocol_direct, f, slots, sets, {TREE_FLAT, 0}, 0}, block_bytes));
        if (s->conditions.buffer_memory == BUFFER_MEMORY_SHARED)
            least_s = fmin(least_s, time_s(*s, &peers, block_bytes));
    }
    return fmin(least_s, time_s(*s, &line, block_bytes));
}

static void test_against_grid(void **state)
{
    (void)state;
    double worst = 0;
    for (uint32_t procs = 2; procs <= 4; procs++)
        for (int memory = BUFFER_MEMORY_PRIVATE; memory <= BUFFER_MEMORY_SHARED; memory++) {
            struct test_bed bed;
            struct scenario s = described(&bed, procs);
            s.conditions.buffer_memory = (enum buffer_memory)memory;
            struct choice_table t = made(&s, (struct choice_permits){.budget_bytes = 4 << 20});
            for (uint64_t block = 8; block <= (16 << 20); block = block * 21 / 2) {
                double chosen_s = time_s(s, &choice_table_find(&t, block)->params, block), least_s = grid_least_s(&s, block);
                worst = fmax(worst, chosen_s / least_s - 1);
                if (chosen_s > least_s * 1.05)
                    print_message("%u ranks, %llu bytes: %.3f us, grid %.3f\n", procs, (unsigned long long)block, chosen_s * 1e6,
                                  least_s * 1e6);
            }
            test_bed_destroy(&bed);
        }
    print_message("at most %.1f %% above the best of the grid\n", 100 * worst);
    assert_true(worst < 0.06);
}

/* A line up to its payload; shared buffers are read where they lie, private ones where the kernel is asked for less. */
static void test_each_in_its_place(void **state)
{
    (void)state;
    struct test_bed bed;
    struct scenario s = described(&bed, 2);
    bed.node.fetch_ns = quantity_of(10, "test"); /* a slot's line before the one that announces it */
    struct choice_table t = made(&s, (struct choice_permits){.peers = 1});
    assert_ptr_equal(choice_table_find(&t, EAGER_PAYLOAD_BYTES)->params.protocol, &protocol_direct_line);
    assert_ptr_equal(choice_table_find(&t, EAGER_PAYLOAD_BYTES + 1)->params.protocol, &protocol_direct);
    assert_ptr_equal(choice_table_find(&t, 1 << 20)->params.protocol, &protocol_direct); /* what the kernel takes is unknown */
    bed.node.peer_call_ns = quantity_of(300, "test");
    t = made(&s, (struct choice_permits){.peers = 1});
    assert_ptr_equal(choice_table_find(&t, 64 << 20)->params.protocol, &protocol_shared_blocks);
    t = made(&s, (struct choice_permits){.peers = 0});
    assert_ptr_equal(choice_table_find(&t, 64 << 20)->params.protocol, &protocol_direct);
    s.conditions.buffer_memory = BUFFER_MEMORY_SHARED;
    t = made(&s, (struct choice_permits){.peers = 0});
    assert_ptr_equal(choice_table_find(&t, 64 << 20)->params.protocol, &protocol_shared_blocks);
    test_bed_destroy(&bed);
}

/* Where times are not known, the queue that was measured; shrunk to the budget. */
static void test_ranks_that_share_cores(void **state)
{
    (void)state;
    struct test_bed bed;
    struct scenario s = described(&bed, 4);
    uint32_t shared[4] = {0, 1, 0, 1};
    s.placement.core_of_rank = shared;
    struct choice_table t = made(&s, (struct choice_permits){.budget_bytes = 100000});
    assert_int_equal(t.lanes, 2);
    assert_true(t.candidates == 0 && isnan(t.lane[1].time_s));
    assert_ptr_equal(t.lane[0].params.protocol, &protocol_direct_line);
    assert_ptr_equal(t.lane[1].params.protocol, &protocol_direct);
    assert_true(queue_bytes(&t.lane[1].params) <= 100000 && queue_bytes(&t.lane[1].params) > 50000);
    t = made(&s, (struct choice_permits){.no_lines = 1});
    assert_int_equal(t.lanes, 1);
    s.conditions.buffer_memory = BUFFER_MEMORY_SHARED;
    t = made(&s, (struct choice_permits){0});
    assert_ptr_equal(choice_table_find(&t, 32 << 10)->params.protocol, &protocol_direct);
    assert_ptr_equal(choice_table_find(&t, 64 << 10)->params.protocol, &protocol_shared_blocks);
    test_bed_destroy(&bed);
}

static void test_quick(void **state)
{
    (void)state;
    for (uint32_t procs = 2; procs <= 32; procs *= 2) {
        struct test_bed bed;
        struct scenario s = described(&bed, procs);
        clock_t start = clock();
        struct choice_table t = made(&s, (struct choice_permits){.lanes_most = 4});
        double ms = (double)(clock() - start) * 1e3 / CLOCKS_PER_SEC;
        print_message("%u ranks: %u candidates in %.1f ms\n", procs, t.candidates, ms);
        assert_true(ms < 60000);
        test_bed_destroy(&bed);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_lanes_are_sound),
        cmocka_unit_test(test_against_grid),
        cmocka_unit_test(test_each_in_its_place),
        cmocka_unit_test(test_ranks_that_share_cores),
        cmocka_unit_test(test_quick),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
