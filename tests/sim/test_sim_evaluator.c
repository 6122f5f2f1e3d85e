/* The simulator as an evaluator: reproducible, what conditions do, what it refuses. */
#include "tests/model/cmocka_all.h"
#include "tests/sim/sim_case.h"

#include <errno.h>
#include <string.h>

static void noisy_case(struct sim_case *c, uint64_t seed)
{
    sim_case_preset(c, "broadwell-2x8");
    sim_case_bcast(c, 16, 200000, 8192, 8, 2);
    sim_case_tree(c, "kary:2");
    c->scenario.conditions.noise = 0.1;
    c->scenario.conditions.skew_s = 2e-6;
    c->scenario.conditions.reps = 9;
    c->scenario.conditions.seed = seed;
}

static void same_seed_same_bits(void **state)
{
    (void)state;
    struct sim_case c;
    struct outcome a, b, other;
    noisy_case(&c, 17);
    sim_case_evaluate(&c, NULL, &a);
    sim_case_evaluate(&c, NULL, &b);
    c.scenario.conditions.seed = 18;
    sim_case_evaluate(&c, NULL, &other);
    assert_int_equal(a.sample_count, 9);
    assert_memory_equal(a.samples_s, b.samples_s, 9 * sizeof *a.samples_s);
    assert_int_equal(a.events, b.events);
    assert_true(memcmp(a.samples_s, other.samples_s, 9 * sizeof *a.samples_s) != 0);
    assert_true(a.samples_s[0] != a.samples_s[1] && a.samples_s[7] != a.samples_s[8]);
    outcome_destroy(&a);
    outcome_destroy(&b);
    outcome_destroy(&other);
    sim_case_destroy(&c);
}

static void one_sample_where_all_are_equal(void **state)
{
    (void)state;
    struct sim_case c;
    struct outcome out;
    sim_case_preset(&c, "broadwell-2x8");
    sim_case_bcast(&c, 16, 200000, 8192, 8, 2);
    c.scenario.conditions.reps = 50;
    sim_case_evaluate(&c, NULL, &out);
    assert_int_equal(out.sample_count, 1);
    assert_int_equal(out.messages, 25 * 15);
    outcome_destroy(&out);
    c.scenario.conditions.root_shift = 1;
    sim_case_evaluate(&c, NULL, &out);
    assert_int_equal(out.sample_count, 50);
    outcome_destroy(&out);
    sim_case_destroy(&c);
}

/* The first call finds lines where every later one does, so that one sample stands for all. */
static void first_call_is_like_later_ones(void **state)
{
    (void)state;
    struct sim_case c;
    struct outcome out;
    sim_case_preset(&c, "broadwell-2x8");
    for (int eager = 0; eager < 2; eager++) {
        sim_case_bcast(&c, 16, eager ? 64 : 100000, 8192, 8, 2);
        c.scenario.params.protocol = eager ? &protocol_eager : &protocol_pipelined;
        c.scenario.conditions.noise = 1e-13; /* less than a picosecond, but it makes every call count */
        c.scenario.conditions.reps = 12;
        sim_case_evaluate(&c, NULL, &out);
        assert_int_equal(out.sample_count, 12);
        for (int i = 1; i < 12; i++)
            assert_near(out.samples_s[i], out.samples_s[0], 1e-10);
        outcome_destroy(&out);
    }
    sim_case_destroy(&c);
}

/* Noise widens, its mean stays; a late rank makes all late. */
static void noise_and_skew(void **state)
{
    (void)state;
    struct sim_case c;
    sim_case_preset(&c, "broadwell-2x8");
    sim_case_bcast(&c, 2, 1 << 20, 8192, 8, 1);
    double quiet_ps = (double)sim_case_time_ps(&c);
    c.scenario.conditions.reps = 101;
    c.scenario.conditions.noise = 0.05;
    assert_near((double)sim_case_time_ps(&c), quiet_ps, 0.1 * quiet_ps);
    c.scenario.conditions.noise = 0;
    c.scenario.conditions.skew_s = 1e-3;
    double late_ps = (double)sim_case_time_ps(&c);
    assert_true(late_ps > quiet_ps + 0.4e9 && late_ps < quiet_ps + 1e9);
    sim_case_destroy(&c);
}

static void farther_is_slower(void **state)
{
    (void)state;
    struct sim_case c;
    sim_case_preset(&c, "broadwell-2x8");
    sim_case_bcast(&c, 2, 1 << 20, 8192, 8, 1);
    uint64_t near_ps = sim_case_time_ps(&c);
    c.core_of_rank[1] = 8;
    uint64_t far_ps = sim_case_time_ps(&c);
    c.core_of_rank[1] = 1;
    c.scenario.conditions.buffer_domain = 1;
    uint64_t remote_buffers_ps = sim_case_time_ps(&c);
    c.scenario.conditions.buffer_domain = -1;
    c.scenario.conditions.buffers = BUFFERS_WARM;
    c.scenario.job.bcast.size_bytes = 1 << 20;
    uint64_t warm_ps = sim_case_time_ps(&c);
    assert_true(far_ps > near_ps);
    assert_true(remote_buffers_ps > near_ps);
    assert_true(warm_ps < near_ps);
    sim_case_destroy(&c);
}

static void refused(const struct sim_case *c, int expected, const char *words)
{
    struct outcome out;
    assert_int_equal(evaluator_sim.evaluate(&c->scenario, NULL, &out), expected);
    if (!strstr(out.reason, words))
        fail_msg("\"%s\" lacks \"%s\"", out.reason, words);
    outcome_destroy(&out);
}

static void refusals(void **state)
{
    (void)state;
    struct sim_case c;
    sim_case_preset(&c, "broadwell-2x8");
    sim_case_bcast(&c, 4, 1000, 512, 4, 1);
    c.scenario.machine.nodes = 2;
    refused(&c, -ENOTSUP, "one node");
    c.scenario.machine.nodes = 1;
    c.scenario.job.bcast.root = 4;
    refused(&c, -EINVAL, "root 4");
    c.scenario.job.bcast.root = 0;
    c.node.copy[COPY_IN_COLD].s_per_byte = quantity_unknown();
    refused(&c, -ENOTSUP, "copy");
    for (int i = 0; i < HANDOVER_CLASS_COUNT; i++)
        c.node.handover_ns[i] = quantity_unknown();
    refused(&c, -ENOTSUP, "hand-over");
    sim_case_destroy(&c);
    sim_case_paper_default(&c);
    sim_case_bcast(&c, 4, 1000, 512, 4, 1);
    c.node.paper.t_w_s = quantity_unknown();
    refused(&c, -ENOTSUP, "t_w");
    sim_case_destroy(&c);
}

/* Nothing to move, nobody to move it to. */
static void empty_calls(void **state)
{
    (void)state;
    struct sim_case c;
    sim_case_preset(&c, "broadwell-2x8");
    sim_case_bcast(&c, 8, 0, 8192, 8, 1);
    assert_int_equal(sim_case_time_ps(&c), 0);
    sim_case_bcast(&c, 1, 100000, 8192, 8, 1);
    assert_int_equal(sim_case_time_ps(&c), 0);
    sim_case_destroy(&c);
}

/* 16 ranks, 16 MiB: each copy and each notification takes a few events. The time itself is judged elsewhere, where no
 * other work is beside it. */
static void events_are_few(void **state)
{
    (void)state;
    struct sim_case c;
    struct outcome out;
    sim_case_preset(&c, "broadwell-2x8");
    sim_case_bcast(&c, 16, 16 << 20, 8192, 64, 1);
    sim_case_evaluate(&c, NULL, &out);
    print_message("%llu events, %llu messages, %.1f ms\n", (unsigned long long)out.events, (unsigned long long)out.messages,
                  out.wall_s * 1e3);
    assert_int_equal(out.messages, 2048 * 15);
    assert_true(out.events < 6 * 2048 * 16);
    assert_true(out.wall_s < 2);
    outcome_destroy(&out);
    sim_case_destroy(&c);
}

static void note_end(void *context, const struct trace_step *step)
{
    uint64_t *end_ps = context;
    if (step->end_ps > end_ps[step->rank])
        end_ps[step->rank] = step->end_ps;
}

/* A root that has filled its queue is done before its readers: of two ranks that take turns each has the mean of both ends. */
static void own_times(void **state)
{
    (void)state;
    struct sim_case c;
    struct outcome out;
    uint64_t end_ps[2] = {0, 0};
    struct trace_sink sink = {note_end, end_ps};
    sim_case_preset(&c, "broadwell-2x8");
    sim_case_bcast(&c, 2, 65536, 8192, 8, 1);
    sim_case_evaluate(&c, &sink, &out);
    assert_true(out.time_own_s == out.time_s);
    assert_near(out.time_s, (double)end_ps[1] * 1e-12, 1e-15);
    assert_true(end_ps[0] < end_ps[1]);
    outcome_destroy(&out);
    c.scenario.conditions.root_shift = 1;
    c.scenario.conditions.reps = 2;
    sim_case_evaluate(&c, NULL, &out);
    /* The second time lines come from another rank. */
    assert_near(out.time_own_s, (double)(end_ps[0] + end_ps[1]) * 0.5e-12, 100e-9);
    outcome_destroy(&out);
    sim_case_destroy(&c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(same_seed_same_bits), cmocka_unit_test(one_sample_where_all_are_equal),
        cmocka_unit_test(noise_and_skew),      cmocka_unit_test(farther_is_slower),
        cmocka_unit_test(refusals),            cmocka_unit_test(empty_calls),
        cmocka_unit_test(events_are_few),      cmocka_unit_test(first_call_is_like_later_ones),
        cmocka_unit_test(own_times),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
