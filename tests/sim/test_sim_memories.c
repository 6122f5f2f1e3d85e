/* Flows through the memories of nodes: by closed forms and by hand. */
#include "memories_case.h"
#include "network_case.h"
#include "tests/model/cmocka_all.h"

#include "sim/sim_cluster.h"
#include "sim/sim_memories.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

struct flow {
    uint32_t node, class_id;
    uint64_t begin_ps, alone_ps, end_ps;
};

enum { BASE = 1000 }; /* targets below are flows that begin */

/* In the order of their numbers if at one time, until all have ended. */
static void flows_run(struct sim_memories *m, struct flow *flow, uint32_t count)
{
    struct sim_radix queue;
    struct sim_radix_event event = {.time_ps = 0};
    uint32_t node, owner;
    sim_radix_create(&queue);
    for (uint32_t i = 0; i < count; i++)
        assert_int_equal(sim_radix_push(&queue, flow[i].begin_ps, i, 0), 0);
    while (queue.count || m->unsettled_count) {
        if (m->unsettled_count && !sim_radix_same_time(&queue)) {
            assert_int_equal(sim_memories_settle(m, &queue, event.time_ps), 0);
            continue;
        }
        assert_int_equal(sim_radix_pop(&queue, &event), 0);
        if (event.target < BASE) {
            const struct flow *f = &flow[event.target];
            assert_int_equal(sim_memories_begin(m, f->node, f->class_id, event.target, f->alone_ps, event.time_ps), 0);
            continue;
        }
        while ((owner = sim_memories_end(m, event.target, event.generation, event.time_ps, &node)) != SIM_MEMORIES_NONE) {
            assert_int_equal(node, flow[owner].node);
            flow[owner].end_ps = event.time_ps;
        }
    }
    sim_radix_destroy(&queue);
}

/* So many nodes of two sockets. */
static void nodes_open(struct node *node, struct sim_memories *m, uint32_t nodes)
{
    memories_case_two_sockets(node);
    assert_int_equal(sim_memories_create(m, node, nodes, BASE), 0);
}

static void nodes_close(struct node *node, struct sim_memories *m)
{
    sim_memories_destroy(m);
    node_destroy(node);
}

static void assert_takes(uint64_t got_ps, double want_s)
{
    if (fabs((double)got_ps * 1e-12 - want_s) > 1e-11)
        fail_msg("%.12g s, not %.12g s", (double)got_ps * 1e-12, want_s);
}

static void copies_of_one_size_take_their_sum_over_the_bandwidth(void **state)
{
    struct node node;
    struct sim_memories m;
    (void)state;
    nodes_open(&node, &m, 3);
    uint32_t local = memories_case_copy_class(&m, 0, 0, 0);
    for (uint32_t n = 1; n <= 4; n++) {
        struct flow flow[4];
        for (uint32_t i = 0; i < n; i++)
            flow[i] = (struct flow){2, local, 1000, 500000000, 0}; /* 1 MB */
        flows_run(&m, flow, n);
        for (uint32_t i = 0; i < n; i++)
            assert_takes(flow[i].end_ps - 1000, n * 1e6 / node_bandwidth_bytes_per_s(&node, n));
    }
    nodes_close(&node, &m);
}

/* Socket 0's memory, with 3 GB/s for two: a local copy, and one to socket 1 by the link. The latter loads the memory with a third
 * of it and is held to 1 GB/s, a half of what it could. Speeds are max-min: the local one goes at its full 2 GB/s, as 2 + 1/3
 * < 3. A second local copy, one more user: 4 GB/s for three, 4 + 1/3 are too many: the link stays the scarcest, and the two share
 * 4 - 1/3. */
static void a_link_and_a_memory_are_shared(void **state)
{
    struct node node;
    struct sim_memories m;
    (void)state;
    nodes_open(&node, &m, 1);
    uint32_t local = memories_case_copy_class(&m, 0, 0, 0), across = memories_case_copy_class(&m, 0, 0, 1);
    struct flow two[] = {{0, across, 0, 500000000, 0}, {0, local, 0, 500000000, 0}};
    flows_run(&m, two, 2);
    assert_takes(two[0].end_ps, 1e-3);
    assert_takes(two[1].end_ps, 0.5e-3);
    struct flow three[] = {{0, across, 0, 500000000, 0}, {0, local, 0, 500000000, 0}, {0, local, 0, 500000000, 0}};
    flows_run(&m, three, 3);
    assert_takes(three[0].end_ps, 1e-3);
    assert_takes(three[1].end_ps, 2e6 / (11e9 / 3));
    assert_int_equal(three[1].end_ps, three[2].end_ps);
    nodes_close(&node, &m);
}

/* A NIC waits for no lines: alone it gets all there is, three bytes for one that is copied; beside four cores as much of its rate
 * as they of theirs. 4 (2) + 6 / 3 = 10 are wanted, 4 are there: everyone goes at two fifths. */
static void a_nic_shares_with_cores(void **state)
{
    struct node node;
    struct sim_memories m;
    (void)state;
    nodes_open(&node, &m, 1);
    uint32_t local = memories_case_copy_class(&m, 0, 0, 0), slow = memories_case_nic_class(&m, 6e9, 0);
    uint32_t fast = memories_case_nic_class(&m, 24e9, 0);
    struct flow alone[] = {{0, slow, 0, 1000000000, 0}};
    flows_run(&m, alone, 1);
    assert_takes(alone[0].end_ps, 1e-3);
    alone[0].class_id = fast; /* at most 12 */
    flows_run(&m, alone, 1);
    assert_takes(alone[0].end_ps, 2e-3);
    struct flow five[5] = {{0, slow, 0, 1000000000, 0}};
    for (int i = 1; i < 5; i++)
        five[i] = (struct flow){0, local, 0, 1000000000, 0};
    flows_run(&m, five, 5);
    for (int i = 0; i < 5; i++)
        assert_takes(five[i].end_ps, 2.5e-3);
    nodes_close(&node, &m);
}

/* Whatever comes and goes: no memory passes on more than it can, none is idle while it could, nothing is faster than alone. */
static void nothing_is_lost_at_random(void **state)
{
    enum { FLOWS = 200 };
    struct node node;
    struct sim_memories m;
    struct flow flow[FLOWS];
    (void)state;
    nodes_open(&node, &m, 2);
    uint32_t classes[] = {memories_case_copy_class(&m, 0, 0, 0), memories_case_copy_class(&m, 4, 1, 1),
                          memories_case_nic_class(&m, 3e9, 0)}, seed = 5;
    for (int round = 0; round < 20; round++) {
        uint64_t thirds[2][2] = {{0}}, at_ps = 0;
        for (int i = 0; i < FLOWS; i++) {
            seed = seed * 1664525 + 1013904223;
            uint32_t kind = seed >> 8 & 3, which = kind == 3 ? 0 : kind;
            at_ps += seed >> 20 & 4095;
            flow[i] = (struct flow){seed >> 12 & 1, classes[which], at_ps, 1000 + (seed >> 4 & 0xfffff), 0};
            thirds[flow[i].node][which == 1] += flow[i].alone_ps * (which == 2 ? 1 : 2) * 3; /* 3 GB/s and a third, or 2 GB/s */
        }
        flows_run(&m, flow, FLOWS);
        uint64_t last_ps[2][2] = {{0}};
        for (int i = 0; i < FLOWS; i++) {
            int domain = flow[i].class_id == classes[1];
            assert_true(flow[i].end_ps >= flow[i].begin_ps + flow[i].alone_ps);
            if (flow[i].end_ps > last_ps[flow[i].node][domain])
                last_ps[flow[i].node][domain] = flow[i].end_ps;
        }
        for (int i = 0; i < 4; i++) /* 4 GB/s at most; all flows begin within 200 times 4 ns */
            assert_true((double)last_ps[i / 2][i % 2] * 4 * 3 >= (double)thirds[i / 2][i % 2] &&
                        (double)last_ps[i / 2][i % 2] * 2 < (double)thirds[i / 2][i % 2] / 3 + 2 * 5e6);
    }
    nodes_close(&node, &m);
}

/* More than there was room for when a node was first used: known there all the same, and each at its own speed. */
static void classes_come_while_nodes_are_used(void **state)
{
    enum { CLASSES = 40 };
    struct node node;
    struct sim_memories m;
    (void)state;
    nodes_open(&node, &m, 2);
    for (uint32_t i = 0; i < CLASSES; i++) {
        uint32_t id = memories_case_nic_class(&m, 24e9 + 1e9 * i, 0); /* of 12 */
        struct flow flow[] = {{i % 2, id, 0, 1000000000, 0}, {1 - i % 2, 0, 0, 1000000000, 0}};
        assert_int_equal(id, i);
        flows_run(&m, flow, 2);
        assert_takes(flow[0].end_ps, (24 + i) / 12e3);
        assert_takes(flow[1].end_ps, 2e-3);
    }
    nodes_close(&node, &m);
}

static void what_is_too_long_is_refused(void **state)
{
    struct node node;
    struct sim_memories m;
    (void)state;
    nodes_open(&node, &m, 1);
    assert_int_equal(sim_memories_begin(&m, 0, memories_case_copy_class(&m, 0, 0, 0), 0, UINT64_C(1) << 47, 0), -EOVERFLOW);
    sim_memories_reset(&m);
    nodes_close(&node, &m);
}

/* ---- a message within a node ---- */

static void one_way_step(const struct schedule *s, uint32_t rank, uint32_t k, struct schedule_step *out)
{
    (void)s, (void)k;
    *(rank ? &out->receive_from : &out->send_to) = 1 - rank;
    *(rank ? &out->receive : &out->send) = (struct schedule_blocks){0, 1, 1};
}

static const struct schedule_algorithm one_way = {.name = "one_way", .kind = SCHEDULE_ALLGATHER, .rounds = network_case_one_round,
                                                  .steps = network_case_one_step, .step = one_way_step};

static int given(void *context, uint32_t from, uint32_t to, uint64_t bytes, struct sim_cluster_cost *out)
{
    (void)from, (void)to, (void)bytes;
    *out = *(const struct sim_cluster_cost *)context;
    return 0;
}

/* Alone the sender copies for 500 us, the receiver for 100 from 420 us on, so that it is 20 us behind. A copy over the link takes
 * twice as long. If it is the sender's, the receiver has done at 520 us with what there is, and has the rest 20 us after the
 * sender's end; if the receiver's, it cannot begin before. */
static void a_receiver_follows_its_sender(void **state)
{
    struct node node;
    struct sim_memories m;
    (void)state;
    memories_case_two_sockets(&node);
    assert_int_equal(sim_memories_create(&m, &node, 1, SIM_CLUSTER_MEMORY_TARGETS), 0);
    uint32_t across = memories_case_copy_class(&m, 0, 0, 1), none = SIM_NO_CLASS;
    const struct {
        uint32_t send_class, receive_class;
        double time_s;
    } cases[] = {{none, none, 520e-6}, {across, none, 1020e-6}, {none, across, 620e-6}, {across, across, 1020e-6}};
    for (int i = 0; i < 4; i++) {
        struct sim_cluster_cost cost = {500000000, 100000000, 520000000, cases[i].send_class, cases[i].receive_class};
        struct sim_cluster_nodes nodes = {.ppn = 2, .inside = given, .memories = &m, .context = &cost};
        struct loggp loggp = {.latency_ps = 1};
        struct schedule schedule;
        struct sim_cluster_question question = {
            .loggp = &loggp, .schedule = &schedule, .size_bytes = 1000000, .order = SIM_ORDER_RADIX, .nodes = &nodes};
        struct sim_cluster_answer answer;
        char reason[100];
        assert_int_equal(schedule_init(&schedule, &one_way, 2, 0), 0);
        assert_int_equal(sim_cluster_run(&question, &answer, reason, sizeof reason), 0);
        if (i < 3)
            assert_takes(answer.time_ps, cases[i].time_s);
        else /* both at a quarter from 420 us to 820; then 190 us are left of the sender's, at a half */
            assert_takes(answer.time_ps, 1220e-6);
    }
    nodes_close(&node, &m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(copies_of_one_size_take_their_sum_over_the_bandwidth),
        cmocka_unit_test(a_link_and_a_memory_are_shared),
        cmocka_unit_test(a_nic_shares_with_cores),
        cmocka_unit_test(nothing_is_lost_at_random),
        cmocka_unit_test(classes_come_while_nodes_are_used),
        cmocka_unit_test(what_is_too_long_is_refused),
        cmocka_unit_test(a_receiver_follows_its_sender),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
