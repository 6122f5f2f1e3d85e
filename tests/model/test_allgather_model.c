/* allgather_model: scenarios to schedules, their times as rows show them, and the fastest. */
#include "tests/model/cmocka_all.h"

#include "model/allgather_model.h"
#include "model/channel.h"

#include <errno.h>
#include <string.h>

enum { CORES = 8 };

struct bench {
    struct node node;
    uint32_t cores[CORES];
    struct scenario scenario;
};

/* As in test_schedule_cost.c: 1000 bytes warm are in 62, over 40, out 102; moved 60. Cold 152 and 252; moved 180. */
static void bench_create(struct bench *b, uint32_t procs)
{
    const double start_ns[] = {50, 10, 50, 20, 30}, ns_per_byte[] = {0.1, 0.05, 0.2, 0.08, 0.15};
    assert_int_equal(node_create(&b->node, 1, CORES), 0);
    b->node.handover_ns[HANDOVER_SAME_CACHE] = quantity_of(40, "assumed");
    b->node.step_ns = quantity_of(2, "assumed");
    for (int c = 0; c < COPY_CLASS_COUNT; c++)
        b->node.copy[c] =
            (struct copy_cost){quantity_of(start_ns[c], "assumed"), quantity_of(ns_per_byte[c] * 1e-9, "assumed")};
    assert_int_equal(placement_fill("compact", &b->node, procs, b->cores), 0);
    b->scenario =
        (struct scenario){.machine = {.node = &b->node, .nodes = 1}, .placement = {"compact", b->cores}, .variant = "extended"};
    b->scenario.job = (struct job){.kind = JOB_ALLGATHER, .procs = procs, .allgather = {.block_bytes = 1000}};
    b->scenario.params.fragment_bytes = 8192;
    b->scenario.params.slots = 8;
    b->scenario.algorithm = &schedule_ring;
    b->scenario.conditions.buffer_domain = -1;
    b->scenario.conditions.buffers = BUFFERS_WARM;
}

static void test_evaluator(void **state)
{
    (void)state;
    struct bench b;
    bench_create(&b, 4);
    struct outcome o;
    assert_int_equal(evaluator_model.evaluate(&b.scenario, NULL, &o), 0);
    assert_near(o.time_s * 1e9, 60 + 3 * 204, 1e-6);
    assert_near(o.copy_s * 1e9, 4 * (60 + 3 * 164), 1e-6);
    assert_near(o.wait_s * 1e9, 4 * 3 * 40, 1e-6);
    assert_true(o.wall_s >= 0);
    b.scenario.conditions.buffers = BUFFERS_COLD;
    b.scenario.algorithm = &schedule_recursive_doubling;
    assert_int_equal(evaluator_model.evaluate(&b.scenario, NULL, &o), 0);
    assert_near(o.time_s * 1e9, 180 + (62 + 40 + 252) + (112 + 40 + 452), 1e-6);
    b.scenario.params.fragment_bytes = 500; /* pairs of fragments, with a line each */
    b.scenario.params.slots = 2;
    b.scenario.algorithm = &schedule_ring;
    assert_int_equal(evaluator_model.evaluate(&b.scenario, NULL, &o), 0);
    assert_near(o.time_s * 1e9, 180 + 3 * (2 * 37 + 2 * 40 + 2 * 152), 1e-6);
    b.scenario.channel = &channel_kind_zc; /* whole in the pool; fetched beyond 16 KiB */
    assert_int_equal(evaluator_model.evaluate(&b.scenario, NULL, &o), 0);
    assert_near(o.time_s * 1e9, 180 + 3 * (62 + 40 + 252), 1e-6);
    node_destroy(&b.node);
}

static void refused(const struct scenario *s, int error, const char *word)
{
    struct outcome o;
    assert_int_equal(evaluator_model.evaluate(s, NULL, &o), error);
    if (!strstr(o.reason, word))
        fail_msg("\"%s\" does not say \"%s\"", o.reason, word);
    assert_true(isnan(o.time_s));
}

static void test_refusals(void **state)
{
    (void)state;
    struct bench b;
    bench_create(&b, 7);
    struct scenario s = b.scenario;
    s.algorithm = &schedule_recursive_doubling, refused(&s, -EINVAL, "needs a power of two of ranks");
    s.algorithm = &schedule_neighbour_exchange, refused(&s, -EINVAL, "needs an even number of ranks");
    s.algorithm = &schedule_binomial_scatter, refused(&s, -EINVAL, "none of allgather");
    s = b.scenario;
    s.job = (struct job){.kind = JOB_BCAST, .procs = 7, .bcast = {1000, 0}}, refused(&s, -EINVAL, "none of bcast");
    s = b.scenario;
    s.params.slots = 0, refused(&s, -EINVAL, "in 0 slots");
    s = b.scenario;
    s.params.slots = 1, refused(&s, -EINVAL, "a quarter of their slots");
    s = b.scenario;
    s.machine.nodes = 2, refused(&s, -ENOTSUP, "one node");
    s = b.scenario;
    b.node.copy[COPY_OUT_WARM].s_per_byte = quantity_unknown(), refused(&s, -ENOTSUP, "copy (out_warm)");
    node_destroy(&b.node);
}

static const char *fastest(struct bench *b, uint32_t procs, uint64_t block_bytes)
{
    const struct schedule_algorithm *algorithm = NULL;
    char reason[200];
    b->scenario.job.procs = procs;
    b->scenario.job.allgather.block_bytes = block_bytes;
    assert_int_equal(allgather_model_fastest(&b->scenario, &algorithm, reason, sizeof reason), 0);
    /* No other takes less. */
    struct schedule_answer best, other;
    b->scenario.algorithm = algorithm;
    assert_int_equal(allgather_model_time(&b->scenario, &best, reason, sizeof reason), 0);
    for (const struct schedule_algorithm *const *a = schedule_table; *a; a++) {
        b->scenario.algorithm = *a;
        int is_bruck = *a == &schedule_locality_bruck && scenario_region(&b->scenario) == 1;
        if ((*a)->kind == SCHEDULE_ALLGATHER && !is_bruck && schedule_valid(*a, procs)) {
            assert_int_equal(allgather_model_time(&b->scenario, &other, reason, sizeof reason), 0);
            assert_true(best.time_s <= other.time_s);
        }
    }
    return algorithm->name;
}

/* Few rounds for little; for much, what is sent again while it is still in the cache. Queues hold everything here. */
static void test_fastest(void **state)
{
    (void)state;
    struct bench b;
    bench_create(&b, 8);
    b.scenario.params.fragment_bytes = 1 << 20;
    b.node.llc_bytes = 8 << 20;
    assert_string_equal(fastest(&b, 8, 8), "recursive_doubling");
    assert_string_equal(fastest(&b, 8, 900000), "ring");
    assert_string_equal(fastest(&b, 2, 8), "ring"); /* all alike */
    assert_string_equal(fastest(&b, 1, 8), "ring");
    assert_string_equal(fastest(&b, 7, 8), "bruck");
    assert_string_equal(fastest(&b, 7, 1000), "bruck"); /* as few rounds, and nothing is rotated */
    node_destroy(&b.node);
}

/* One message in one fragment into a buffer that is in no cache, as bench_create() has it: in, over, out. It is asked for, so
 * each core tells and is told once: a step and half a hand-over. */
static double message_ns(double bytes, int source_cold)
{
    return (source_cold ? 52 + 0.1 * bytes : 12 + 0.05 * bytes) + 40 + 52 + 0.2 * bytes + 2 * 2 * (2 + 40 / 2);
}

/* Two blocks at a time are still in a rank's cache when it sends them on, the four of recursive doubling's last round are not;
 * and they are half the rounds of a ring. Added up by hand. */
static void test_neighbour_exchange_is_fastest(void **state)
{
    (void)state;
    struct bench b;
    struct schedule_answer answer;
    char reason[200];
    const double m = 300000, moved_ns = 30 + 0.15 * m;
    bench_create(&b, 8);
    b.scenario.params.fragment_bytes = 8 << 20;
    b.node.llc_bytes = 8 << 20; /* 1 MiB a rank */
    const struct {
        const struct schedule_algorithm *algorithm;
        double time_ns;
    } all[] = {
        {&schedule_neighbour_exchange, moved_ns + message_ns(m, 0) + 3 * message_ns(2 * m, 0)},
        {&schedule_recursive_doubling, moved_ns + message_ns(m, 0) + message_ns(2 * m, 0) + message_ns(4 * m, 1)},
        {&schedule_ring, moved_ns + 7 * message_ns(m, 0)},
    };
    assert_string_equal(fastest(&b, 8, (uint64_t)m), "neighbour_exchange");
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        b.scenario.algorithm = all[i].algorithm;
        assert_int_equal(allgather_model_time(&b.scenario, &answer, reason, sizeof reason), 0);
        assert_near(answer.time_s * 1e9, all[i].time_ns, 1e-6);
        assert_true(i == 0 || all[0].time_ns < all[i].time_ns);
    }
    node_destroy(&b.node);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_evaluator), cmocka_unit_test(test_refusals),
                                       cmocka_unit_test(test_fastest), cmocka_unit_test(test_neighbour_exchange_is_fastest)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
