/* Ranks that share the memory of their node: by closed forms, against the same without limits, and as a trace tells it. */
#include "network_case.h"
#include "tests/model/cmocka_all.h"
#include "tests/sim/sim_case.h"

#include "model/formats/network_load.h"
#include "model/formats/presets.h"
#include "model/network_rounds.h"
#include "sim/sim_network.h"

#include <math.h>
#include <stdlib.h>

enum { PPN = 8, PROCS = 64 };

static void assert_takes(uint64_t got_ps, double want_s)
{
    if (fabs((double)got_ps * 1e-12 - want_s) > 1e-11)
        fail_msg("%.12g s, not %.12g s", (double)got_ps * 1e-12, want_s);
}

static void cluster_case(struct sim_case *c, const char *preset, const struct network *network, uint32_t procs, uint32_t ppn,
                         const struct schedule_algorithm *algorithm, uint64_t bytes)
{
    sim_case_preset(c, preset);
    sim_case_bcast(c, SIM_CASE_RANKS, 0, 8192, 8, 2);
    for (uint32_t r = 0; r < SIM_CASE_RANKS; r++)
        c->core_of_rank[r] = r % ppn;
    c->scenario.machine = (struct machine){&c->node, (procs - 1) / ppn + 1, network, ppn, 1};
    c->scenario.algorithm = algorithm;
    c->scenario.job = (struct job){.kind = JOB_BCAST, .procs = procs, .bcast = {bytes, 0}};
    if (algorithm->kind == SCHEDULE_ALLGATHER)
        c->scenario.job = (struct job){.kind = JOB_ALLGATHER, .procs = procs, .allgather = {bytes, 0}};
}

static void no_limits(struct sim_case *c)
{
    c->node.bandwidth_count = 0;
    c->node.link_bytes_per_s = quantity_unknown();
}

/* On every node, between all its cores, of every size. */
static void one_message_takes_as_long_as_ever(void **state)
{
    static const char *const kinds[] = {"loggp:L=1us,o=1us,g=0ns,G=1ns", "switch:L=1us,o=1us,g=0ns,G=1ns"};
    (void)state;
    for (size_t p = 0; p < preset_count(); p++)
        for (uint64_t bytes = 1; bytes < 1 << 26; bytes *= 37) {
            uint64_t time_ps[2];
            for (int k = 0; k < 2; k++) {
                struct network network = network_case_of(kinds[k]);
                struct sim_case c;
                cluster_case(&c, preset_name(p), &network, 2, 2, &schedule_binomial, bytes);
                c.core_of_rank[1] = bytes % 2 ? c.node.cores - 1 : 1;
                time_ps[k] = sim_case_time_ps(&c);
                sim_case_destroy(&c);
            }
            if (time_ps[0] != time_ps[1])
                fail_msg("%s, %lu bytes: %lu ps, alone %lu", preset_name(p), bytes, time_ps[1], time_ps[0]);
        }
}

/* All ranks of a node move what they have, which no cache holds: so many copies take so long. */
static void move_step(const struct schedule *s, uint32_t rank, uint32_t k, struct schedule_step *out)
{
    (void)s, (void)rank, (void)k;
    out->op = SCHEDULE_ROTATE;
}

static const struct schedule_algorithm moves = {.name = "moves", .kind = SCHEDULE_ALLGATHER, .rounds = network_case_one_round,
                                                .steps = network_case_one_step, .step = move_step};

static void moves_take_their_sum_over_the_bandwidth(void **state)
{
    static const struct {
        const char *name;
        uint32_t in_domain;
    } nodes[] = {{"nehalem-2x4", 4}, {"harpertown-2x4", 8}};
    struct network network = network_case_of("switch");
    (void)state;
    for (int i = 0; i < 2; i++) {
        struct sim_case c;
        struct sim_network n;
        char reason[200] = "";
        uint64_t time_ps;
        cluster_case(&c, nodes[i].name, &network, PROCS, PPN, &moves, 1 << 20);
        assert_int_equal(sim_network_create(&n, &c.scenario, reason, sizeof reason), 0);
        assert_int_equal(sim_network_call(&n, 1, NULL, &time_ps, reason, sizeof reason), 0);
        assert_takes(time_ps, nodes[i].in_domain * 64.0 * (1 << 20) / node_bandwidth_bytes_per_s(&c.node, nodes[i].in_domain));
        assert_int_equal(n.answer.bytes_moved, UINT64_C(64) * 64 << 20);
        sim_network_destroy(&n);
        sim_case_destroy(&c);
    }
}

/* Blocks of a line: each of them is a copy that starts. */
static void reordering_starts_every_copy(void **state)
{
    static const uint32_t backwards[PPN] = {7, 6, 5, 4, 3, 2, 1, 0};
    struct network network = network_case_of("switch");
    uint64_t time_ps[2];
    double move_s = 0;
    (void)state;
    for (int reorders = 0; reorders < 2; reorders++) {
        struct numbering n = {.virtual_of_rank = backwards, .rank_of_virtual = backwards,
                              .remap = reorders ? NUMBERING_REORDER : NUMBERING_PLACED};
        struct message_way way = {.fragment_bytes = 8192, .queue_bytes = 65536};
        struct message_costs costs;
        struct sim_case c;
        cluster_case(&c, "nehalem-2x4", &network, PPN, PPN, &schedule_ring, 64);
        c.scenario.numbering = &n;
        time_ps[reorders] = sim_case_time_ps(&c);
        assert_int_equal(numbering_moves(&n, PPN, 0), 12);
        message_costs_init(&costs, &c.node, &way);
        move_s = message_move_s(&costs, 64, 0);
        sim_case_destroy(&c);
    }
    assert_takes(time_ps[1] - time_ps[0], 12 * move_s);
}

/* Rank 0 to rank 2, alone. */
static uint32_t first_step(const struct schedule *s, uint32_t rank)
{
    (void)s;
    return rank % 2 == 0;
}

static void one_way_step(const struct schedule *s, uint32_t rank, uint32_t k, struct schedule_step *out)
{
    (void)s, (void)k;
    *(rank ? &out->receive_from : &out->send_to) = 2 - rank;
    *(rank ? &out->receive : &out->send) = (struct schedule_blocks){0, 1, 1};
}

static const struct schedule_algorithm one_way =
    {.name = "one_way", .kind = SCHEDULE_ALLGATHER, .rounds = network_case_one_round, .steps = first_step, .step = one_way_step};

/* As fast as the network, or as memory gives and takes it: three bytes for one that is copied, of which there are 3.5 GB/s at
 * most. */
static void a_message_between_nodes_passes_two_memories(void **state)
{
    static const struct {
        const char *network;
        double bytes, byte_ns;
    } cases[] = {{"switch:L=2us,o=1us,g=0ns,G=0.2ns", 1e8, 0.2},
                 {"switch:L=2us,o=1us,g=0ns,G=0.02ns", 1e8, 1 / (3 * 3.5)},
                 {"switch:L=2us,o=1us,g=0ns,G=0.02ns", 1, 0}};
    (void)state;
    for (int i = 0; i < 3; i++) {
        struct network network = network_case_of(cases[i].network);
        struct sim_case c;
        cluster_case(&c, "harpertown-2x4", &network, 4, 2, &one_way, (uint64_t)cases[i].bytes);
        double time_s = (double)sim_case_time_ps(&c) * 1e-12, want_s = 4e-6 + cases[i].bytes * cases[i].byte_ns * 1e-9;
        assert_true(fabs(time_s - want_s) < (cases[i].bytes > 1 ? 1e-9 : 1e-12));
        sim_case_destroy(&c);
    }
}

/* From the first half of a node's ranks to the second, to the next rank, or once, what caches hold. */
static uint32_t first_of_halves(const struct schedule *s, uint32_t rank)
{
    (void)s;
    return rank % (PPN / 2) == 0;
}

static void across(uint32_t rank, int sends, uint32_t far, struct schedule_step *out)
{
    *(sends ? &out->send_to : &out->receive_from) = sends ? rank + far : rank - far;
    *(sends ? &out->send : &out->receive) = (struct schedule_blocks){0, 1, 1};
}

static void halves_step(const struct schedule *s, uint32_t rank, uint32_t k, struct schedule_step *out)
{
    (void)s, (void)k;
    across(rank, rank < PPN / 2, PPN / 2, out);
}

static void next_step(const struct schedule *s, uint32_t rank, uint32_t k, struct schedule_step *out)
{
    (void)s, (void)k;
    across(rank, rank % 2 == 0, 1, out);
}

static uint32_t first_two(const struct schedule *s, uint32_t rank)
{
    (void)s;
    return rank < 2;
}

#define EXCHANGE(who, how) \
    {.name = "exchange", .kind = SCHEDULE_ALLGATHER, .rounds = network_case_one_round, .steps = who, .step = how}
static const struct schedule_algorithm halves = EXCHANGE(network_case_one_step, halves_step),
                                       half_once = EXCHANGE(first_of_halves, halves_step),
                                       next = EXCHANGE(network_case_one_step, next_step),
                                       next_once = EXCHANGE(first_two, next_step);

/* Sockets before one memory share a bus, which what one cache has of another's passes; within a cache, and where every socket has
 * its memory, nobody meets. */
static void lines_between_caches_pass_the_bus(void **state)
{
    static const struct {
        const char *node;
        const struct schedule_algorithm *all, *once;
        int meet;
    } cases[] = {{"harpertown-2x4", &halves, &half_once, 1}, {"harpertown-2x4", &next, &next_once, 0},
                 {"nehalem-2x4", &halves, &half_once, 0}};
    struct network network = network_case_of("switch:L=2us,o=1us,g=0ns,G=0.2ns");
    (void)state;
    for (int i = 0; i < 3; i++) {
        uint64_t time_ps[2];
        for (int all = 0; all < 2; all++) {
            struct sim_case c;
            cluster_case(&c, cases[i].node, &network, PPN, PPN, all ? cases[i].all : cases[i].once, 1 << 16);
            c.node.link_bytes_per_s = quantity_unknown();
            c.scenario.conditions.buffers = BUFFERS_WARM;
            time_ps[all] = sim_case_time_ps(&c);
            sim_case_destroy(&c);
        }
        if (cases[i].meet ? time_ps[1] < time_ps[0] + time_ps[0] / 5 : time_ps[1] != time_ps[0])
            fail_msg("case %d: all %lu ps, one %lu ps", i, time_ps[1], time_ps[0]);
    }
}

/* Where all ranks go on together a sum of rounds, each as long as its scarcest memory, bus or link takes, is what is
 * simulated. */
static void rounds_add_up_to_what_is_simulated(void **state)
{
    static const char *const nodes[] = {"harpertown-2x4", "nehalem-2x4"},
                      *const networks[] = {"gigabit", "infiniband-ddr", "infiniband-hdr"};
    (void)state;
    for (int i = 0; i < 2 * 3 * 2; i++) {
        struct network network;
        struct network_rounds sum;
        struct sim_case c;
        char reason[200] = "";
        assert_int_equal(network_load(networks[i / 2 % 3], &network, reason, sizeof reason), 0);
        cluster_case(&c, nodes[i % 2], &network, PROCS, PPN, &schedule_recursive_doubling, i < 6 ? 1 << 14 : 1 << 18);
        assert_int_equal(network_rounds_sum(&c.scenario, &sum, reason, sizeof reason), 0);
        double ratio = (double)sum.time_ps / (double)sim_case_time_ps(&c);
        int scarce = i % 2 && i / 2 % 3 == 2;
        if (ratio < (scarce ? 0.95 : 0.99) || ratio > 1.01)
            fail_msg("%s, %s: %g of what is simulated", nodes[i % 2], networks[i / 2 % 3], ratio);
        sim_case_destroy(&c);
    }
}

static const struct schedule_algorithm *const algorithms[] = {&schedule_ring, &schedule_recursive_doubling, &schedule_bruck,
                                                              &schedule_neighbour_exchange, &schedule_sparbit};

/* What a sink is told of every rank: it does one thing at a time, from begin to end; and how long it was slowed. */
struct accounts {
    uint64_t at_ps[PROCS], slowed_ps[PROCS], bytes;
};

static void account(void *context, const struct trace_step *step)
{
    struct accounts *a = context;
    if (step->stage)
        return;
    assert_true(step->start_ps <= step->wait_end_ps && step->wait_end_ps <= step->end_ps);
    if (step->end_ps > a->at_ps[step->rank])
        a->at_ps[step->rank] = step->end_ps;
    uint64_t from_ps = step->alone_ps > step->start_ps ? step->alone_ps : step->start_ps;
    if (step->wait_end_ps > from_ps)
        a->slowed_ps[step->rank] += step->wait_end_ps - from_ps;
    a->bytes += step->op == STEP_WAIT_GE ? step->bytes : 0;
}

static uint64_t run_once(const struct sim_case *c, struct accounts *accounts, struct sim_cluster_answer *answer)
{
    struct trace_sink sink = {account, accounts};
    struct sim_network n;
    char reason[200] = "";
    uint64_t time_ps, again_ps;
    *accounts = (struct accounts){.bytes = 0};
    assert_int_equal(sim_network_create(&n, &c->scenario, reason, sizeof reason), 0);
    if (sim_network_call(&n, 1, &sink, &time_ps, reason, sizeof reason))
        fail_msg("%s", reason);
    assert_int_equal(sim_network_call(&n, 1, NULL, &again_ps, reason, sizeof reason), 0);
    assert_int_equal(time_ps, again_ps);
    *answer = n.answer;
    sim_network_destroy(&n);
    return time_ps;
}

static void limits_only_slow_and_lose_no_bytes(void **state)
{
    struct network network = network_case_of("switch:L=2us,o=400ns,g=300ns,G=0.69ns");
    (void)state;
    for (int a = 0; a < 5; a++)
        for (uint64_t bytes = 1; bytes < 1 << 21; bytes *= 41) {
            struct accounts limited, free;
            struct sim_cluster_answer answer, other;
            struct sim_case c;
            cluster_case(&c, "harpertown-2x4", &network, PROCS, PPN, algorithms[a], bytes);
            uint64_t limited_ps = run_once(&c, &limited, &answer);
            no_limits(&c);
            uint64_t free_ps = run_once(&c, &free, &other);
            assert_true(limited_ps >= free_ps);
            assert_int_equal(answer.bytes_received, UINT64_C(64) * 63 * bytes);
            assert_int_equal(limited.bytes, answer.bytes_received);
            assert_int_equal(answer.bytes_between, other.bytes_between);
            assert_int_equal(answer.bytes_moved, a == 2 ? UINT64_C(63) * 64 * bytes : 0);
            if (bytes >= 1 << 16) { /* what passes a node's memory passes it at 3.5 GB/s at most: copies, and a third of what NICs
                                       do */
                double inside = (double)(answer.bytes_received - answer.bytes_between) / 8,
                       nic = 2 * (double)answer.bytes_between / 8 / 3;
                assert_true((double)limited_ps * 1e-12 > (inside * 0.6 + nic + (double)answer.bytes_moved / 8) / 3.5e9);
                assert_true(limited_ps > free_ps + 1000000);
            }
            sim_case_destroy(&c);
        }
}

/* Eight copies at once take longer than one by what the ranks are said to have been slowed. */
static void what_slows_is_accounted_for(void **state)
{
    struct network network = network_case_of("switch");
    struct accounts limited;
    struct sim_cluster_answer answer;
    struct sim_case c;
    (void)state;
    cluster_case(&c, "harpertown-2x4", &network, PPN, PPN, &moves, 1 << 20);
    uint64_t limited_ps = run_once(&c, &limited, &answer);
    double alone_s = 8 * (1 << 20) * 526e-12;
    for (uint32_t r = 0; r < PPN; r++) {
        assert_int_equal(limited.at_ps[r], limited_ps);
        assert_takes(limited.slowed_ps[r], (double)limited_ps * 1e-12 - alone_s);
    }
    sim_case_destroy(&c);
    cluster_case(&c, "harpertown-2x4", &network, PPN, PPN, &schedule_recursive_doubling, 1 << 20);
    limited_ps = run_once(&c, &limited, &answer);
    no_limits(&c);
    struct accounts free;
    uint64_t free_ps = run_once(&c, &free, &answer);
    for (uint32_t r = 0; r < PPN; r++) {
        assert_int_equal(free.slowed_ps[r], 0);
        assert_true(limited.slowed_ps[r] > 0.9 * (double)(limited_ps - free_ps) &&
                    limited.slowed_ps[r] < 1.1 * (double)(limited_ps - free_ps));
    }
    sim_case_destroy(&c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_message_takes_as_long_as_ever),
        cmocka_unit_test(moves_take_their_sum_over_the_bandwidth), cmocka_unit_test(reordering_starts_every_copy),
        cmocka_unit_test(a_message_between_nodes_passes_two_memories),
        cmocka_unit_test(lines_between_caches_pass_the_bus),
        cmocka_unit_test(rounds_add_up_to_what_is_simulated),
        cmocka_unit_test(limits_only_slow_and_lose_no_bytes),
        cmocka_unit_test(what_slows_is_accounted_for),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
