/* Allgathers by the step clock: closed forms on the paper's node, what is extrapolated against what is run, and whom the kernel
 * serves. */
#include "tests/model/cmocka_all.h"
#include "tests/model/nodes.h"

#include "model/allgather_model.h"
#include "model/step_clock_state.h"

static void make_allgather(struct scenario *s, const struct protocol *protocol, uint64_t block_bytes)
{
    s->job = (struct job){.kind = JOB_ALLGATHER, .procs = s->job.procs, .allgather = {.block_bytes = block_bytes}};
    s->params.protocol = protocol;
}

static struct scenario described(struct test_bed *bed, uint32_t procs, uint32_t fragment, uint32_t slots, uint32_t sets)
{
    struct scenario s = test_bed_described(bed, procs, 1, fragment, slots, sets);
    bed->node.copy[COPY_PLAIN_COLD].s_per_byte = quantity_of(1.5e-10, "test");
    bed->node.copy[COPY_IN_WARM].s_per_byte = quantity_of(0.5e-10, "test");
    bed->node.copy[COPY_OUT_WARM].s_per_byte = quantity_of(0.6e-10, "test");
    return s;
}

static struct schedule_answer answer_of(const struct scenario *s)
{
    struct schedule_answer answer;
    char reason[200] = "";
    assert_int_equal(scenario_check(s, reason, sizeof reason), 0);
    if (allgather_model_time(s, &answer, reason, sizeof reason))
        fail_msg("%s", reason);
    return answer;
}

/* All ranks do the same at the same time: every copy counts once, and a wait for each other rank's set, block or line. */
static void test_closed_forms(void **state)
{
    (void)state;
    for (uint32_t procs = 2; procs <= 9; procs++)
        for (uint64_t fragments = 1; fragments <= 41; fragments += 5) {
            struct test_bed bed;
            struct scenario s = test_bed_paper(&bed, procs, 1, 1000, 8, 4);
            double t = bed.node.paper.t_s_per_byte.value, t_w = bed.node.paper.t_w_s.value;
            double block = (double)fragments * 1000 - 300, sets = (double)((fragments + 1) / 2), others = procs - 1;
            make_allgather(&s, &protocol_direct, (uint64_t)block);
            struct schedule_answer direct = answer_of(&s);
            assert_near(direct.time_s, (procs + 1) * block * t + others * sets * t_w, 1e-12);
            assert_near(direct.copy_s, procs * (procs + 1) * block * t, 1e-12);
            s.job.allgather.in_place = 1; /* the own block is not moved */
            assert_near(answer_of(&s).time_s, procs * block * t + others * sets * t_w, 1e-12);
            s.job.allgather.in_place = 0;
            s.params.protocol = &protocol_shared_blocks;
            assert_near(answer_of(&s).time_s, procs * block * t + others * t_w, 1e-12);
            make_allgather(&s, &protocol_direct_line, 100);
            assert_near(answer_of(&s).time_s, (procs + 1) * 100 * t + others * t_w, 1e-12);
            test_bed_destroy(&bed);
        }
}

static double in_full_s(const struct scenario *s)
{
    struct step_costs costs;
    struct bcast_prediction out;
    char reason[200];
    uint32_t set_slots = s->params.slots / s->params.sets, f = s->params.fragment_bytes;
    struct clock_shape shape = {set_slots, (s->job.allgather.block_bytes + f - 1) / f};
    assert_int_equal(step_costs_create(&costs, s, reason, sizeof reason), 0);
    assert_int_equal(step_clock_run(&costs, NULL, shape, &out), 0);
    step_costs_destroy(&costs);
    return out.time_s;
}

/* Long blocks follow from shorter ones: as if every step were run. */
static void test_extrapolation(void **state)
{
    (void)state;
    const struct protocol *const protocols[] = {&protocol_direct, &protocol_shared_blocks};
    double worst = 0;
    for (uint32_t procs = 2; procs <= 6; procs += 2)
        for (uint32_t sets = 1; sets <= 8; sets *= 2)
            for (uint32_t set_slots = 1; set_slots <= 64; set_slots *= 8)
                for (uint64_t block = 70000; block < 4000000; block = block * 5 + 1234)
                    for (int p = 0; p < 2; p++) {
                        struct test_bed bed;
                        struct scenario s = described(&bed, procs, 4096, set_slots * sets, sets);
                        make_allgather(&s, protocols[p], block);
                        double full_s = in_full_s(&s), short_s = answer_of(&s).time_s;
                        worst = fmax(worst, fabs(short_s / full_s - 1));
                        if (fabs(short_s / full_s - 1) > 0.02)
                            fail_msg("%s, %u ranks, %u sets of %u, %llu bytes: %.3f us, not %.3f", protocols[p]->name, procs,
                                     sets, set_slots, (unsigned long long)block, short_s * 1e6, full_s * 1e6);
                        test_bed_destroy(&bed);
                    }
    print_message("worst %.2f %%\n", worst * 100);
}

/* Others' private memory through the kernel, a call for each piece; the own block without. */
static void test_the_kernel_copies_others_blocks_only(void **state)
{
    (void)state;
    for (uint32_t procs = 2; procs <= 4; procs++) {
        struct test_bed bed;
        struct scenario s = described(&bed, procs, 65536, 1, 1);
        make_allgather(&s, &protocol_shared_blocks, 3 * 65536);
        double plain_s = answer_of(&s).time_s;
        bed.node.peer_call_ns = quantity_of(1000, "test");
        assert_near(answer_of(&s).time_s - plain_s, (procs - 1) * 3 * 1e-6, 1e-12);
        s.conditions.buffer_memory = BUFFER_MEMORY_SHARED;
        assert_near(answer_of(&s).time_s, plain_s, 1e-12);
        test_bed_destroy(&bed);
    }
}

/* Whatever the others copy, cold copies by the queue are as slow as beside their counterpart; warm ones meet none. */
static void test_all_copy_at_one_time(void **state)
{
    (void)state;
    struct test_bed bed;
    struct scenario s = described(&bed, 2, 32768, 16, 4);
    make_allgather(&s, &protocol_direct, 1 << 20);
    s.job.allgather.in_place = 1;
    double cold_s = answer_of(&s).time_s, warm_s;
    s.conditions.buffers = BUFFERS_WARM;
    warm_s = answer_of(&s).time_s;
    bed.node.overlap_slowdown = quantity_of(1.5, "test");
    assert_near(answer_of(&s).time_s, warm_s, 0.01 * warm_s);
    s.conditions.buffers = BUFFERS_COLD;
    assert_near(answer_of(&s).time_s, 1.5 * cold_s, 0.01 * cold_s);
    test_bed_destroy(&bed);
}

/* A word's way: from cold memory, into the line, which is seen a hand-over later, and out of it. */
static void test_a_cold_word(void **state)
{
    (void)state;
    struct test_bed bed;
    struct scenario s = described(&bed, 2, 4096, 1, 1);
    make_allgather(&s, &protocol_direct_line, 8);
    double warm_s = answer_of(&s).time_s;
    bed.node.cold_ns = quantity_of(200, "test");
    assert_near(answer_of(&s).time_s - warm_s, 200e-9, 2e-9); /* once: then the own block is in the cache */
    s.conditions.buffers = BUFFERS_WARM;
    assert_true(answer_of(&s).time_s <= warm_s);
    test_bed_destroy(&bed);
}

/* A block that is alone is moved; nothing is nothing. */
static void test_ends(void **state)
{
    (void)state;
    struct test_bed bed;
    struct scenario s = test_bed_paper(&bed, 1, 1, 1000, 8, 4);
    make_allgather(&s, &protocol_direct, 5000);
    assert_near(answer_of(&s).time_s, 5000 * bed.node.paper.t_s_per_byte.value, 1e-15);
    test_bed_destroy(&bed);
    s = test_bed_paper(&bed, 4, 1, 1000, 8, 4);
    make_allgather(&s, &protocol_direct, 0);
    assert_near(answer_of(&s).time_s, 0, 1e-15);
    test_bed_destroy(&bed);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_closed_forms), cmocka_unit_test(test_extrapolation),
        cmocka_unit_test(test_the_kernel_copies_others_blocks_only), cmocka_unit_test(test_a_cold_word),
        cmocka_unit_test(test_all_copy_at_one_time), cmocka_unit_test(test_ends),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
