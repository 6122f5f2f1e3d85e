/* Any traffic between nodes over channels: nothing is lost, credits and units add up, no queue overflows, and memory is as the
 * closed form has it. */
#include "tests/model/cmocka_all.h"
#include "tests/sim/remote_case.h"

#include "model/channel/channel_memory.h"
#include "model/nic_cost.h"
#include "sim/sim_channel_count.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { RANKS_MOST = 12, ACTS_MOST = 4096 };

struct traffic {
    uint32_t acts[RANKS_MOST];
    struct sim_remote_act act[RANKS_MOST][ACTS_MOST];
    uint64_t bytes;
};

static void traffic_act(const void *context, uint32_t rank, uint32_t i, struct sim_remote_act *out)
{
    const struct traffic *t = context;
    *out = i < t->acts[rank] ? t->act[rank][i]
                             : (struct sim_remote_act){.kind = i == t->acts[rank] ? SIM_REMOTE_WAIT : SIM_REMOTE_OVER};
}

static void traffic_add(struct traffic *t, uint32_t from, uint32_t to, uint64_t bytes)
{
    assert_true(t->acts[from] < ACTS_MOST && t->acts[to] < ACTS_MOST);
    t->act[from][t->acts[from]++] = (struct sim_remote_act){.kind = SIM_REMOTE_SEND, .peer = to, .bytes = bytes};
    t->act[to][t->acts[to]++] = (struct sim_remote_act){.kind = SIM_REMOTE_RECEIVE, .peer = from, .bytes = bytes};
    t->bytes += bytes;
}

/* Calls until the second is over. */
static void check_traffic(const struct sim_remote_question *q, const struct traffic *t, uint64_t *ps, uint64_t *memory_bytes)
{
    struct sim_remote s;
    struct sim_remote_program program = {.act = traffic_act, .context = t};
    char reason[200] = "";
    assert_int_equal(sim_remote_create(&s, q, reason, sizeof reason), 0);
    for (int call = 0; call < 2; call++) {
        if (sim_remote_call(&s, &program, NULL, ps, reason, sizeof reason))
            fail_msg("%s among %u: %s", q->kind->name, q->procs, reason);
        if (!sim_remote_sound(&s))
            fail_msg("%s among %u: something is left, or does not add up", q->kind->name, q->procs);
        assert_int_equal(s.delivered_bytes, (uint64_t)(call + 1) * t->bytes);
    }
    for (uint32_t r = 0; r < q->procs && memory_bytes; r++)
        memory_bytes[r] = s.endpoint[r].memory_bytes;
    sim_remote_destroy(&s);
}

static uint32_t draw(uint32_t *state, uint32_t below)
{
    *state = *state * 1664525u + 1013904223u;
    return (uint32_t)(((uint64_t)*state * below) >> 32);
}

static void nothing_is_lost(void **state)
{
    (void)state;
    static struct traffic t;
    uint32_t seed = 20201105;
    for (int round = 0; round < 12; round++) {
        uint32_t procs = 2 + draw(&seed, RANKS_MOST - 1);
        memset(&t, 0, sizeof t);
        for (int i = 0; i < 250; i++) {
            uint32_t from = draw(&seed, procs), to = (from + 1 + draw(&seed, procs - 1)) % procs, scale = draw(&seed, 5);
            traffic_add(&t, from, to, draw(&seed, scale == 4 ? 150000 : scale == 3 ? 20000 : 300));
        }
        for (const struct channel_kind *const *k = channel_kind_table; *k; k++) {
            struct sim_remote_question q = remote_question(remote_tianhe(), round % 2 ? "ch4" : "ch3", *k, procs);
            uint64_t ps, again_ps;
            q.shape.queue_initial = 1 + draw(&seed, 4);
            q.shape.queue_extension = draw(&seed, 20);
            q.shape.rings_most = draw(&seed, 3);
            q.shape.pool_units = 1 + draw(&seed, 6);
            q.cold = round % 3 == 0;
            check_traffic(&q, &t, &ps, NULL);
            check_traffic(&q, &t, &again_ps, NULL);
            assert_int_equal(ps, again_ps);
        }
    }
}

/* Many to one, by packets: no sender waits for ever, and together they are as fast as the receiver. */
static void many_to_one(void **state)
{
    (void)state;
    static struct traffic t;
    struct sim_remote_question q = remote_question(remote_tianhe(), "ch4", &channel_kind_mp, 9);
    uint64_t ps;
    memset(&t, 0, sizeof t);
    for (int i = 0; i < 100; i++)
        for (uint32_t from = 1; from < 9; from++)
            traffic_add(&t, from, 0, 8);
    check_traffic(&q, &t, &ps, NULL);
    double pace_ps = (double)(q.costs.receive_ps + 40000 + 10800);
    assert_true((double)ps > 800 * pace_ps && (double)ps < 1.25 * 800 * pace_ps);
}

/* A slot for each of eight ranks, all of whom have more for the first than fits: one packet beyond its credit would find none. */
static void a_credit_each_is_enough(void **state)
{
    (void)state;
    static struct traffic t;
    struct sim_remote_question q = remote_question(remote_tianhe(), "glex", &channel_kind_mp, 8);
    uint64_t ps;
    q.shape.queue_initial = 1;
    q.shape.queue_extension = 0;
    q.costs.poll_ps = 1000000; /* the receiver is slow */
    memset(&t, 0, sizeof t);
    for (int i = 0; i < 20; i++)
        for (uint32_t from = 1; from < 8; from++)
            traffic_add(&t, from, 0, 500);
    check_traffic(&q, &t, &ps, NULL);
    assert_true(ps > UINT64_C(140) * 3 * q.costs.poll_ps);
}

/* Eight at once into one port take eight times as long as one, as the receiver's link is shared. */
static void incast_shares_the_link(void **state)
{
    (void)state;
    static struct traffic t;
    struct sim_remote_question q = remote_question(remote_tianhe(), "ch4", &channel_kind_zc, 9);
    struct nic_ps costs = q.costs;
    uint64_t one_ps, ps;
    memset(&t, 0, sizeof t);
    traffic_add(&t, 1, 0, 4 << 20);
    check_traffic(&q, &t, &one_ps, NULL);
    for (uint32_t from = 2; from < 9; from++)
        traffic_add(&t, from, 0, 4 << 20);
    check_traffic(&q, &t, &ps, NULL);
    assert_near((double)ps * 1e-12, 8.0 * (4 << 20) / nic_bytes_per_s(&costs), 0.02 * (double)ps * 1e-12);
    assert_true(ps > 78 * one_ps / 10);
}

/* What is fetched is the sender's until its last byte has left. */
static void a_sender_waits_for_the_last_byte(void **state)
{
    (void)state;
    static struct traffic t;
    struct sim_remote s;
    struct sim_remote_question q = remote_question(remote_tianhe(), "ch4", &channel_kind_zc, 2);
    struct sim_remote_program program = {.act = traffic_act, .context = &t};
    uint64_t ps;
    char reason[200] = "";
    memset(&t, 0, sizeof t);
    traffic_add(&t, 0, 1, 1 << 20);
    assert_int_equal(sim_remote_create(&s, &q, reason, sizeof reason), 0);
    assert_int_equal(sim_remote_call(&s, &program, NULL, &ps, reason, sizeof reason), 0);
    assert_true((double)s.endpoint[0].end_ps * 1e-12 > (1 << 20) / nic_bytes_per_s(&q.costs) && s.endpoint[0].end_ps < ps);
    sim_remote_destroy(&s);
}

/* A queue shorter than the credits promise is found out. */
static void an_overflow_is_noticed(void **state)
{
    (void)state;
    struct sim_remote s;
    struct sim_remote_question q = remote_question(remote_tianhe(), "glex", &channel_kind_mp, 2);
    struct job_p2p job = {8, P2P_STREAM, 300};
    struct sim_remote_program program = sim_remote_p2p(&job);
    uint64_t ps;
    char reason[200] = "";
    assert_int_equal(sim_remote_create(&s, &q, reason, sizeof reason), 0);
    s.queue_slots = 1;
    s.costs.poll_ps = 1000000;
    assert_int_equal(sim_remote_call(&s, &program, NULL, &ps, reason, sizeof reason), -EPROTO);
    assert_non_null(strstr(reason, "overflowed"));
    sim_remote_destroy(&s);
}

/* Rings for who comes first, as many as either end may have; all others by the pool. */
static void rings_are_for_the_first(void **state)
{
    (void)state;
    static struct traffic t;
    for (int in = 0; in < 2; in++) {
        struct sim_remote s;
        struct sim_remote_question q = remote_question(remote_tianhe(), "ch4", &channel_kind_combined, 9);
        struct sim_remote_program program = {.act = traffic_act, .context = &t};
        uint64_t ps, rings = 0;
        char reason[200] = "";
        q.shape.rings_most = 3;
        memset(&t, 0, sizeof t);
        for (uint32_t i = 0; i < 40; i++)
            traffic_add(&t, in ? 1 + i % 8 : 0, in ? 0 : 1 + i % 8, 3000);
        assert_int_equal(sim_remote_create(&s, &q, reason, sizeof reason), 0);
        assert_int_equal(sim_remote_call(&s, &program, NULL, &ps, reason, sizeof reason), 0);
        for (uint32_t r = 1; r < 9; r++)
            rings += in ? s.endpoint[r].rings_out : s.endpoint[r].rings_in;
        assert_int_equal(rings, 3);
        assert_int_equal(in ? s.endpoint[0].rings_in : s.endpoint[0].rings_out, 3);
        assert_int_equal(s.endpoint[0].memory_bytes, channel_memory_fixed_bytes(q.kind, &q.shape, 9) + 8 * CHANNEL_STATE_BYTES +
                                                         UINT64_C(3) * q.shape.ring_bytes);
        sim_remote_destroy(&s);
    }
}

static void who_waits_is_named(void **state)
{
    (void)state;
    static struct traffic t;
    struct sim_remote s;
    struct sim_remote_question q = remote_question(remote_tianhe(), "ch4", &channel_kind_er, 3);
    struct sim_remote_program program = {.act = traffic_act, .context = &t};
    uint64_t ps;
    char reason[200] = "";
    memset(&t, 0, sizeof t);
    traffic_add(&t, 0, 2, 100);
    t.act[1][t.acts[1]++] = (struct sim_remote_act){.kind = SIM_REMOTE_RECEIVE, .peer = 2, .bytes = 8};
    assert_int_equal(sim_remote_create(&s, &q, reason, sizeof reason), 0);
    assert_int_equal(sim_remote_call(&s, &program, NULL, &ps, reason, sizeof reason), -EDEADLK);
    assert_non_null(strstr(reason, "1 of 3 ranks wait for ever, the first is rank 1"));
    sim_remote_destroy(&s);
}

/* Everybody to some neighbours: what ranks took is what the closed form says. */
static void memory_is_the_closed_form(void **state)
{
    (void)state;
    static struct traffic t;
    static const uint32_t neighbours[] = {1, 2, 3, 5, 11};
    for (const struct channel_kind *const *k = channel_kind_table; *k; k++)
        for (size_t n = 0; n < sizeof neighbours / sizeof *neighbours; n++) {
            struct sim_remote_question q = remote_question(remote_tianhe(), "ch4", *k, RANKS_MOST);
            uint32_t both = 2 * neighbours[n] < RANKS_MOST - 1 ? 2 * neighbours[n] : RANKS_MOST - 1;
            struct channel_use use = {RANKS_MOST, both, neighbours[n], neighbours[n]};
            uint64_t ps, memory_bytes[RANKS_MOST];
            q.shape.rings_most = 3;
            memset(&t, 0, sizeof t);
            for (uint32_t hop = 1; hop <= neighbours[n]; hop++)
                for (uint32_t r = 0; r < RANKS_MOST; r++)
                    traffic_add(&t, r, (r + hop) % RANKS_MOST, 1000);
            check_traffic(&q, &t, &ps, memory_bytes);
            uint64_t want_bytes = 0, got_bytes = 0;
            for (uint32_t r = 0; r < RANKS_MOST; r++) {
                want_bytes += channel_memory_bytes(*k, &q.shape, &use);
                got_bytes += memory_bytes[r];
            }
            if (got_bytes != want_bytes)
                fail_msg("%s, %u neighbours: %llu bytes, closed form %llu", (*k)->name, neighbours[n],
                         (unsigned long long)got_bytes, (unsigned long long)want_bytes);
        }
}

struct counted_traffic {
    uint32_t procs, everybody;
};

/* Bruck's peers, or all others one after the other. */
static uint32_t counted_to(const void *context, uint32_t rank, uint32_t round)
{
    const struct counted_traffic *t = context;
    uint32_t hop = t->everybody ? round + 1 : UINT32_C(1) << round;
    return (rank + t->procs - hop % t->procs) % t->procs;
}

/* Different ranks among those that rank 0 sends to and those that send to it. */
static uint32_t peers_of(const struct counted_traffic *t, uint32_t rounds)
{
    uint32_t peer[64], count = 0;
    for (uint32_t i = 0; i < 2 * rounds; i++) {
        uint32_t to = counted_to(t, 0, i / 2), other = i % 2 ? (t->procs - to) % t->procs : to, known = 0;
        for (uint32_t j = 0; j < count; j++)
            known |= peer[j] == other;
        if (!known)
            peer[count++] = other;
    }
    return count;
}

static void counting_is_the_closed_form(void **state)
{
    (void)state;
    static const struct counted_traffic traffics[] = {{2, 1}, {9, 1}, {300, 1}, {64, 0}, {4097, 0}, {65536, 0}};
    for (size_t i = 0; i < sizeof traffics / sizeof *traffics; i++)
        for (const struct channel_kind *const *k = channel_kind_table; *k; k++) {
            const struct counted_traffic *t = &traffics[i];
            struct channel_shape shape = channel_shape_default(*k);
            uint32_t rounds = t->procs - 1, both = t->procs - 1;
            if (!t->everybody) {
                rounds = 0;
                while (UINT32_C(1) << rounds < t->procs)
                    rounds++;
                both = peers_of(t, rounds);
            }
            struct channel_use use = {t->procs, both, rounds, rounds};
            struct sim_channel_traffic traffic = {t->procs, rounds, counted_to, t};
            struct sim_channel_counted counted;
            assert_int_equal(sim_channel_count(*k, &shape, &traffic, &counted), 0);
            assert_int_equal(counted.bytes_most, channel_memory_bytes(*k, &shape, &use));
            assert_int_equal(counted.bytes, t->procs * counted.bytes_most);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nothing_is_lost),
        cmocka_unit_test(many_to_one),
        cmocka_unit_test(a_credit_each_is_enough),
        cmocka_unit_test(incast_shares_the_link),
        cmocka_unit_test(an_overflow_is_noticed),
        cmocka_unit_test(who_waits_is_named),
        cmocka_unit_test(rings_are_for_the_first),
        cmocka_unit_test(memory_is_the_closed_form),
        cmocka_unit_test(counting_is_the_closed_form),
        cmocka_unit_test(a_sender_waits_for_the_last_byte),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
