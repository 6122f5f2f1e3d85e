/* Messages over channels: on a contention-free node against closed forms, to the picosecond; everything that is sent arrives,
 * whatever channel and shape; a pair takes memory when it is used. */
#include "tests/model/cmocka_all.h"
#include "tests/sim/sim_case.h"

#include "sim/sim_channel.h"

#include <errno.h>
#include <math.h>
#include <string.h>

static const uint64_t T = 1000, T_W = 50000; /* of sim_case_paper_default */
static const uint32_t FRAGMENT = 8192;

static void gather(struct sim_case *c, const char *algorithm, const struct channel_kind *channel, uint32_t procs, uint64_t block)
{
    sim_case_bcast(c, procs, 0, FRAGMENT, 8, 1);
    c->scenario.job = (struct job){.kind = JOB_ALLGATHER, .procs = procs, .allgather = {.block_bytes = block}};
    c->scenario.algorithm = schedule_find(SCHEDULE_ALLGATHER, algorithm);
    c->scenario.channel = channel;
    assert_non_null(c->scenario.algorithm);
}

static void two(struct sim_case *c, const struct channel_kind *channel, enum p2p_pattern pattern, uint64_t size)
{
    sim_case_bcast(c, 2, 0, FRAGMENT, 8, 1);
    c->scenario.job = (struct job){.kind = JOB_P2P, .procs = 2, .p2p = {size, pattern, 64}};
    c->scenario.channel = channel;
}

/* procs - 1 rounds of a copy in, a line, a copy out; before them the own block goes to its place. */
static void ring_of_one_fragment(void **state)
{
    (void)state;
    struct sim_case c;
    sim_case_paper_default(&c);
    for (uint32_t procs = 1; procs <= 64; procs += procs < 17 ? 1 : 47)
        for (uint64_t block = 1; block <= FRAGMENT; block *= 3) {
            gather(&c, "ring", NULL, procs, block);
            assert_int_equal(sim_case_time_ps(&c), T * block + (procs - 1) * (2 * T * block + T_W));
            c.scenario.job.allgather.in_place = 1;
            assert_int_equal(sim_case_time_ps(&c), (procs - 1) * (2 * T * block + T_W));
        }
    sim_case_destroy(&c);
}

/* Rounds of 1, 2, 4, ... blocks. */
static void doubling_of_one_fragment(void **state)
{
    (void)state;
    struct sim_case c;
    sim_case_paper_default(&c);
    for (uint32_t procs = 2; procs <= 64; procs *= 2) {
        uint64_t block = 2 * FRAGMENT / procs, want_ps = T * block;
        gather(&c, "recursive_doubling", NULL, procs, block);
        for (uint32_t blocks = 1; blocks < procs; blocks *= 2)
            want_ps += 2 * T * block * blocks + T_W;
        assert_int_equal(sim_case_time_ps(&c), want_ps);
    }
    sim_case_destroy(&c);
}

static void there_and_back(void **state)
{
    (void)state;
    struct sim_case c;
    sim_case_paper_default(&c);
    for (const struct channel_kind *const *k = channel_kind_table; *k; k++)
        for (uint64_t size = 0; size <= 224; size += 16) {
            two(&c, *k, P2P_PINGPONG, size);
            assert_int_equal(sim_case_time_ps(&c), 2 * T * size + T_W);
        }
    sim_case_destroy(&c);
}

/* The sender fills fragments while the receiver empties others; offered, a message is copied once. */
static void long_messages_overlap(void **state)
{
    (void)state;
    struct sim_case c;
    sim_case_paper_default(&c);
    const double once_ps = (double)T * (1 << 20);
    for (const struct channel_kind *const *k = channel_kind_table; *k; k++) {
        if (*k == &channel_kind_mp)
            continue;
        two(&c, *k, P2P_PINGPONG, 1 << 20);
        double fill_ps = *k == &channel_kind_zc ? 0 : (double)T * FRAGMENT, time_ps = (double)sim_case_time_ps(&c);
        assert_true(time_ps > once_ps && time_ps < 1.01 * once_ps + 2 * fill_ps);
        two(&c, *k, P2P_STREAM, 1 << 20);
        time_ps = (double)sim_case_time_ps(&c);
        assert_true(time_ps > once_ps && time_ps < 1.02 * once_ps);
    }
    sim_case_destroy(&c);
}

/* Eight bytes share the line that tells of them: a cold one to get them from, the sender's part of the packet, the hand-over, the
 * receiver's part; far cores are further. */
static void short_message_on_a_described_node(void **state)
{
    (void)state;
    struct sim_case c;
    sim_case_preset(&c, "broadwell-2x8");
    c.node.packet_ns = quantity_of(60, "test");
    two(&c, &channel_kind_er, P2P_PINGPONG, 8);
    const struct copy_cost *in = &c.node.copy[COPY_IN_COLD], *out = &c.node.copy[COPY_OUT_COLD];
    double copies_ps = in->start_ns.value * 1e3 + 8e12 * (in->s_per_byte.value + out->s_per_byte.value);
    const struct quantity *handover_ns = c.node.handover_ns;
    double near_ps = 1e3 * handover_ns[HANDOVER_SAME_CACHE].value, far_ps = 1e3 * handover_ns[HANDOVER_CROSS_SOCKET].value;
    assert_near((double)sim_case_time_ps(&c), copies_ps + 60e3 + near_ps, 10);
    c.core_of_rank[1] = 8;
    assert_near((double)sim_case_time_ps(&c), copies_ps + 60e3 + far_ps, 10);
    sim_case_destroy(&c);
}

/* Copies in and out beside each other share what the node says of that. */
static void copies_share_bandwidth(void **state)
{
    (void)state;
    struct sim_case c;
    sim_case_preset(&c, "broadwell-2x8");
    c.node.overlap_slowdown = quantity_of(1, "test");
    two(&c, &channel_kind_er, P2P_STREAM, 1 << 20);
    double free_ps = (double)sim_case_time_ps(&c);
    c.node.overlap_slowdown = quantity_of(1.5, "test");
    double slowed = (double)sim_case_time_ps(&c) / free_ps;
    assert_true(slowed > 1.4 && slowed < 1.51);
    sim_case_destroy(&c);
}

struct copied {
    uint64_t bytes[SIM_CASE_RANKS];
};

static void add_copy(void *context, const struct trace_step *step)
{
    struct copied *copied = context;
    assert_true(step->start_ps <= step->wait_end_ps && step->wait_end_ps <= step->end_ps);
    if (step->op == STEP_COPY)
        copied->bytes[step->rank] += step->bytes;
}

/* Into queues and out of them each block goes once a hop; offered ones are copied once. */
static void nothing_is_lost(void **state)
{
    (void)state;
    struct sim_case c;
    sim_case_paper_default(&c);
    for (uint32_t procs = 2; procs <= 9; procs++)
        for (int fetched = 0; fetched < 2; fetched++) {
            const uint64_t block = 200001;
            struct copied copied = {{0}};
            struct trace_sink sink = {add_copy, &copied};
            struct outcome out;
            gather(&c, "ring", fetched ? &channel_kind_zc : &channel_kind_er, procs, block);
            sim_case_evaluate(&c, &sink, &out);
            for (uint32_t r = 0; r < procs; r++) {
                uint64_t heads = 32 * (procs - 1); /* they are long enough to be announced */
                assert_int_equal(copied.bytes[r], block * (1 + (procs - 1) * (fetched ? 1 : 2)) + heads);
            }
            outcome_destroy(&out);
        }
    sim_case_destroy(&c);
}

static void assert_sound(const struct sim_channel *channel)
{
    for (uint32_t r = 0; r < channel->procs; r++) {
        const struct sim_endpoint *e = &channel->endpoint[r];
        const struct channel_shape *s = &channel->shape;
        for (uint32_t i = 0; i < e->slots; i++) {
            const struct sim_pair *p = e->slot[i];
            if (!p)
                continue;
            assert_true(er_room(&p->out) <= s->ring_bytes / CHANNEL_UNIT_BYTES);
            assert_null(p->open);
            assert_null(p->queue.head);
            assert_null(p->streams.head);
            assert_null(p->posted.head);
            assert_null(p->kept);
        }
        assert_true(e->idle_count + e->back_count <= s->pool_units);
    }
}

/* Several calls, one after the other, with counters that wrap: the same time as without, and nothing is left over. */
static void every_channel_carries_every_schedule(void **state)
{
    (void)state;
    static const char *const algorithms[] = {"ring", "bruck", "recursive_doubling", "neighbour_exchange", "sparbit"};
    static const uint32_t procs[] = {2, 9};
    static const uint64_t blocks[] = {0, 100, 9000, 70000};
    struct sim_case c;
    char reason[200] = "";
    sim_case_preset(&c, "broadwell-2x8");
    for (const struct channel_kind *const *k = channel_kind_table; *k; k++)
        for (size_t a = 0; a < 5; a++)
            for (size_t i = 0; i < 2 * 4; i++) {
                struct sim_channel channel;
                uint64_t time_ps[2];
                gather(&c, algorithms[a], *k, procs[i % 2] - (a >= 2 && i % 2), blocks[i / 2]);
                if (!schedule_valid(c.scenario.algorithm, c.scenario.job.procs))
                    continue;
                for (int wraps = 0; wraps < 2; wraps++) {
                    c.scenario.conditions.op_start = wraps ? UINT32_MAX - 40 : 0;
                    assert_int_equal(sim_channel_create(&channel, &c.scenario, reason, sizeof reason), 0);
                    for (int call = 0; call < 3; call++)
                        assert_int_equal(sim_channel_call(&channel, NULL, &time_ps[wraps], reason, sizeof reason), 0);
                    assert_sound(&channel);
                    sim_channel_destroy(&channel);
                }
                assert_int_equal(time_ps[0], time_ps[1]);
            }
    sim_case_destroy(&c);
}

/* Short messages to many: who has few neighbours uses few pairs, and combined gives rings to those that send much. */
static void memory_is_for_pairs_in_use(void **state)
{
    (void)state;
    struct sim_case c;
    char reason[200] = "";
    sim_case_paper_default(&c);
    for (const struct channel_kind *const *k = channel_kind_table; *k; k++) {
        struct sim_channel channel;
        uint64_t time_ps;
        gather(&c, "ring", *k, 64, 1000);
        assert_int_equal(sim_channel_create(&channel, &c.scenario, reason, sizeof reason), 0);
        assert_int_equal(sim_channel_call(&channel, NULL, &time_ps, reason, sizeof reason), 0);
        for (uint32_t r = 0; r < 64; r++) {
            assert_int_equal(channel.endpoint[r].pairs, 2);
            if (*k == &channel_kind_combined)
                assert_int_equal(channel.endpoint[r].ring_count, 1);
        }
        sim_channel_destroy(&channel);
    }
    sim_case_destroy(&c);
}

/* Many to many at once: a rank of er looks at all its rings, one of combined at a few and one queue. */
static void many_rings_take_time_to_look_at(void **state)
{
    (void)state;
    struct sim_case c;
    sim_case_preset(&c, "broadwell-2x8");
    c.node.step_ns = quantity_of(2, "test");
    gather(&c, "ring", &channel_kind_er, 8, 8); /* on one socket */
    double many_ps = (double)sim_case_time_ps(&c);
    c.node.step_ns = quantity_of(0, "test");
    assert_near(many_ps - (double)sim_case_time_ps(&c), 7 * 6 * 2e3 / 2, 1);
    sim_case_destroy(&c);
}

static void same_seed_same_bits(void **state)
{
    (void)state;
    struct sim_case c;
    struct outcome a, b, other;
    sim_case_preset(&c, "broadwell-2x8");
    gather(&c, "bruck", &channel_kind_combined, 13, 3000);
    c.scenario.conditions.noise = 0.1;
    c.scenario.conditions.skew_s = 2e-6;
    c.scenario.conditions.reps = 9;
    sim_case_evaluate(&c, NULL, &a);
    sim_case_evaluate(&c, NULL, &b);
    c.scenario.conditions.seed = 18;
    sim_case_evaluate(&c, NULL, &other);
    assert_int_equal(a.sample_count, 9);
    assert_memory_equal(a.samples_s, b.samples_s, 9 * sizeof *a.samples_s);
    assert_true(memcmp(a.samples_s, other.samples_s, 9 * sizeof *a.samples_s) != 0);
    outcome_destroy(&a);
    outcome_destroy(&b);
    outcome_destroy(&other);
    sim_case_destroy(&c);
}

static void refuses_what_it_cannot_do(void **state)
{
    (void)state;
    struct sim_case c;
    struct outcome out;
    sim_case_preset(&c, "broadwell-2x8");
    two(&c, &channel_kind_er, P2P_PINGPONG, 8);
    c.node.copy[COPY_IN_COLD].s_per_byte = quantity_unknown();
    assert_int_equal(evaluator_sim.evaluate(&c.scenario, NULL, &out), -ENOTSUP);
    assert_non_null(strstr(out.reason, "in_cold"));
    outcome_destroy(&out);
    two(&c, &channel_kind_er, P2P_PINGPONG, 8);
    c.scenario.params.slots = 2;
    assert_int_equal(evaluator_sim.evaluate(&c.scenario, NULL, &out), -ENOTSUP);
    assert_non_null(strstr(out.reason, "quarter"));
    outcome_destroy(&out);
    sim_case_destroy(&c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ring_of_one_fragment),
        cmocka_unit_test(doubling_of_one_fragment),
        cmocka_unit_test(there_and_back),
        cmocka_unit_test(long_messages_overlap),
        cmocka_unit_test(short_message_on_a_described_node),
        cmocka_unit_test(copies_share_bandwidth),
        cmocka_unit_test(nothing_is_lost),
        cmocka_unit_test(every_channel_carries_every_schedule),
        cmocka_unit_test(memory_is_for_pairs_in_use),
        cmocka_unit_test(many_rings_take_time_to_look_at),
        cmocka_unit_test(same_seed_same_bits),
        cmocka_unit_test(refuses_what_it_cannot_do),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
