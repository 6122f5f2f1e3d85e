/* schedule_cost: Allgathers on small nodes, added up by hand. Nanoseconds throughout. */
#include "tests/model/cmocka_all.h"

#include "model/scenario.h"
#include "model/schedule_cost.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { CORES = 64 };

/* One domain. A message of 1000 bytes, warm: in 62, over 40, out 102. Cold: in 152, out 252; within a rank 180, warm 60. */
struct bench {
    struct node node;
    uint32_t cores[CORES];
    struct schedule schedule;
    struct schedule_question q;
};

static struct copy_cost line(double start_ns, double ns_per_byte)
{
    return (struct copy_cost){quantity_of(start_ns, "assumed"), quantity_of(ns_per_byte * 1e-9, "assumed")};
}

static void bench_create(struct bench *b, uint32_t procs, const char *place)
{
    assert_int_equal(node_create(&b->node, 1, procs), 0);
    b->node.handover_ns[HANDOVER_SAME_CACHE] = quantity_of(40, "assumed");
    b->node.step_ns = quantity_of(2, "assumed");
    b->node.copy[COPY_IN_COLD] = line(50, 0.1);
    b->node.copy[COPY_IN_WARM] = line(10, 0.05);
    b->node.copy[COPY_OUT_COLD] = line(50, 0.2);
    b->node.copy[COPY_OUT_WARM] = line(20, 0.08);
    b->node.copy[COPY_PLAIN_COLD] = line(30, 0.15);
    b->node.page_bytes = 4096;
    assert_int_equal(placement_fill(place, &b->node, procs, b->cores), 0);
    b->q = (struct schedule_question){.node = &b->node, .core_of_rank = b->cores, .schedule = &b->schedule, .block_bytes = 1000};
    b->q.way = (struct message_way){.fragment_bytes = 100000, .queue_bytes = 200000, .fetch_bytes = UINT64_MAX};
    b->q.in_place = 1;
}

/* The same cores, half of them on a second socket, domain and cache. A line takes 100 between them, bytes twice as long. */
static void bench_split(struct bench *b, uint32_t procs, const char *place)
{
    struct node *n = &b->node;
    bench_create(b, procs, "compact");
    struct node two;
    assert_int_equal(node_create(&two, 2, procs), 0);
    memcpy(two.copy, n->copy, sizeof two.copy);
    two.step_ns = n->step_ns;
    two.sockets = 2;
    for (uint32_t i = 0; i < procs; i++)
        two.core_domain[i] = two.core_socket[i] = two.core_cache[i] = i / (procs / 2);
    two.handover_ns[HANDOVER_SAME_CACHE] = quantity_of(40, "assumed");
    two.handover_ns[HANDOVER_CROSS_SOCKET] = quantity_of(100, "assumed");
    two.remote_ratio = quantity_of(0.5, "assumed");
    node_destroy(n);
    *n = two;
    assert_int_equal(placement_fill(place, n, procs, b->cores), 0);
}

static struct schedule_answer answer(struct bench *b, const struct schedule_algorithm *algorithm, uint32_t procs)
{
    struct schedule_answer a = {0};
    char reason[200] = "";
    assert_int_equal(schedule_init(&b->schedule, algorithm, procs, 0), 0);
    if (schedule_cost(&b->q, &a, reason, sizeof reason))
        fail_msg("%s: %s", algorithm->name, reason);
    return a;
}

static double ns(struct bench *b, const struct schedule_algorithm *algorithm, uint32_t procs)
{
    return answer(b, algorithm, procs).time_s * 1e9;
}

static void test_two_ranks(void **state)
{
    (void)state;
    struct bench b;
    bench_create(&b, 2, "compact");
    const struct schedule_algorithm *const same[] = {&schedule_ring, &schedule_recursive_doubling, &schedule_sparbit,
                                                     &schedule_neighbour_exchange};
    for (int i = 0; i < 4; i++) {
        b.q.cold = 0, b.q.in_place = 1;
        assert_near(ns(&b, same[i], 2), 62 + 40 + 102, 1e-6);
        b.q.in_place = 0;
        assert_near(ns(&b, same[i], 2), 60 + 204, 1e-6);
        b.q.cold = 1;
        assert_near(ns(&b, same[i], 2), 180 + 62 + 40 + 252, 1e-6); /* what was moved is warm */
        b.q.in_place = 1;
        assert_near(ns(&b, same[i], 2), 152 + 40 + 252, 1e-6);
    }
    b.node.call_ns = quantity_of(7, "assumed");
    struct schedule_answer a = answer(&b, &schedule_ring, 2);
    assert_near(a.time_s * 1e9, 7 + 444, 1e-6);
    assert_near(a.copy_s * 1e9, 2 * (152 + 252), 1e-6);
    assert_near(a.latency_s * 1e9, 40, 1e-6);
    assert_near(a.limit_s, 0, 0);
    node_destroy(&b.node);
}

static void test_four_ranks(void **state)
{
    (void)state;
    struct bench b;
    bench_create(&b, 4, "compact");
    b.q.cold = 1;
    double first = 444, one = 62 + 40 + 252, two = (2 + 10 + 100) + 40 + (2 + 50 + 400);
    assert_near(ns(&b, &schedule_ring, 4), first + 2 * one, 1e-6);
    assert_near(ns(&b, &schedule_recursive_doubling, 4), first + two, 1e-6);
    assert_near(ns(&b, &schedule_neighbour_exchange, 4), first + two, 1e-6);
    assert_near(ns(&b, &schedule_bruck, 4), first + two, 1e-6);
    /* Two blocks that do not lie together. */
    assert_near(ns(&b, &schedule_sparbit, 4), first + (2 + 2 * 60) + 40 + (2 + 2 * 250), 1e-6);
    node_destroy(&b.node);
}

/* One domain, warm, any number of ranks: sums in closed form. */
static void test_many_ranks(void **state)
{
    (void)state;
    struct bench b;
    bench_create(&b, CORES, "compact");
    for (uint32_t n = 1; n <= CORES; n++) {
        double levels = 0;
        for (uint32_t reach = 1; reach < n; reach *= 2)
            levels++;
        /* A step costs 74 whatever it carries, and each block it carries 130. */
        assert_near(ns(&b, &schedule_ring, n), (n - 1) * 204.0, 1e-6);
        assert_near(ns(&b, &schedule_bruck, n), levels * 74 + (n - 1) * 130.0, 1e-6); /* nothing is rotated */
        if (n == 1u << (int)levels)
            assert_near(ns(&b, &schedule_recursive_doubling, n), levels * 74 + (n - 1) * 130.0, 1e-6);
        if (n % 2 == 0)
            assert_near(ns(&b, &schedule_neighbour_exchange, n), n / 2 * 74 + (n - 1) * 130.0, 1e-6);
        /* Here each block starts for itself: 30 of the 74. */
        assert_near(ns(&b, &schedule_sparbit, n), levels * 44 + (n - 1) * 160.0, 1e-6);
    }
    node_destroy(&b.node);
}

/* Two sockets: a third more of what is read, two thirds more of what is written there. */
static void test_distance(void **state)
{
    (void)state;
    uint32_t swapped[] = {0, 2, 1, 3};
    struct numbering numbering = {.virtual_of_rank = swapped, .rank_of_virtual = swapped};
    struct bench b;
    bench_split(&b, 4, "scatter");
    double far = 2 + 10 + 50 * 5 / 3.0 + 100 + 102, near = 204;
    double far_two = 2 + 10 + 100 * 5 / 3.0 + 100 + 182, near_two = 112 + 40 + 182;
    assert_near(ns(&b, &schedule_ring, 4), 3 * far, 1e-6);
    assert_near(ns(&b, &schedule_recursive_doubling, 4), far + near_two, 1e-6);
    b.q.numbering = &numbering;
    assert_near(ns(&b, &schedule_ring, 4), 3 * far, 1e-6);
    assert_near(ns(&b, &schedule_recursive_doubling, 4), near + far_two, 1e-6);
    b.q.way.fetch_bytes = 0; /* the line there and back; a third is read from afar */
    assert_near(ns(&b, &schedule_recursive_doubling, 4), (2 + 80 + 104) + (2 + 200 + 4 + 20 + 160 * 4 / 3.0), 1e-6);
    b.q.numbering = NULL;
    /* Of the ring's messages all cross with one numbering, half with the other. */
    b.q.way.fetch_bytes = UINT64_MAX;
    double copies = answer(&b, &schedule_ring, 4).copy_s * 1e9;
    b.q.numbering = &numbering;
    assert_near(copies - answer(&b, &schedule_ring, 4).copy_s * 1e9, 3 * 2 * 50 * 2 / 3.0, 1e-6);
    node_destroy(&b.node);
}

/* Three ranks, two of them on one socket with half a cache each: too little for what they gather. Of the messages from 0 to 1, to
 * 2, to 0 the near one takes longest here: it waits until rank 1 has sent across. */
static void test_uneven(void **state)
{
    (void)state;
    struct bench b;
    bench_split(&b, 4, "list:0,1,2");
    b.node.llc_bytes = 4000;
    b.node.handover_ns[HANDOVER_SAME_CACHE] = quantity_of(400, "assumed");
    double across = 2 + 10 + 50 * 5 / 3.0, cold_out = 252, warm_out = 102;
    struct schedule_answer a = answer(&b, &schedule_ring, 3);
    assert_near(a.time_s * 1e9, 2 * (across + 400 + cold_out), 1e-6);
    assert_near(a.latency_s * 1e9, 2 * 400, 1e-6);
    assert_near(a.copy_s * 1e9, 2 * (62 + 2 * across + 2 * cold_out + warm_out), 1e-6);
    node_destroy(&b.node);
}

/* A message goes in fragments, and a line with each; a fetched one at once. */
static void test_ways(void **state)
{
    (void)state;
    struct bench b;
    bench_create(&b, 2, "compact");
    b.q.way = (struct message_way){.fragment_bytes = 200, .queue_bytes = 400, .fetch_bytes = 1001};
    assert_near(ns(&b, &schedule_ring, 2), 5 * (2 + 20) + 5 * 40 + 5 * (2 + 36), 1e-6);
    b.q.way.queue_bytes = 399; /* no room for two */
    assert_near(ns(&b, &schedule_ring, 2), 5 * (2 + 20) + (5 + 4) * 40 + 5 * (2 + 36), 1e-6);
    b.q.way.queue_bytes = 400;
    b.q.block_bytes = 401; /* a last fragment of one byte */
    assert_near(ns(&b, &schedule_ring, 2), 3 * 12 + 20.05 + 3 * 40 + 3 * 22 + 32.08, 1e-6);
    b.q.block_bytes = 400;
    assert_near(ns(&b, &schedule_ring, 2), 2 * 12 + 20 + 2 * 40 + 2 * 22 + 32, 1e-6);
    b.node.overlap_slowdown = quantity_of(1.5, "assumed"); /* others copy too */
    assert_near(ns(&b, &schedule_ring, 2), 2 * 2 + 1.5 * 40 + 2 * 40 + 2 * 2 + 1.5 * 72, 1e-6);
    b.q.block_bytes = 1000, b.q.way.fetch_bytes = 1000;
    assert_near(ns(&b, &schedule_ring, 2), 2 + 80 + 4 + 100, 1e-6);
    b.q.cold = 1;
    assert_near(ns(&b, &schedule_ring, 2), 2 + 80 + 4 + 180, 1e-6);
    b.node.peer_call_ns = quantity_of(300, "assumed");
    b.node.peer_page_ns = quantity_of(5, "assumed");
    assert_near(ns(&b, &schedule_ring, 2), 266, 1e-6);
    b.q.way.by_kernel = 1;
    assert_near(ns(&b, &schedule_ring, 2), 266 + 305, 1e-6);
    node_destroy(&b.node);
}

/* What the cache does not hold is cold. */
static void test_caches(void **state)
{
    (void)state;
    struct bench b;
    bench_create(&b, 2, "compact");
    b.q.block_bytes = 1000;
    b.node.llc_bytes = 4000; /* 2000 for each */
    assert_near(ns(&b, &schedule_ring, 2), 204, 1e-6);
    b.node.llc_bytes = 3999;
    assert_near(ns(&b, &schedule_ring, 2), 62 + 40 + 252, 1e-6);
    b.node.llc_bytes = 1999;
    assert_near(ns(&b, &schedule_ring, 2), 152 + 40 + 252, 1e-6);
    node_destroy(&b.node);
}

/* Rounds last as long as memory and links need. */
static void test_limits(void **state)
{
    (void)state;
    struct bench b;
    bench_create(&b, 2, "compact");
    b.q.cold = 1;
    b.node.bandwidth = calloc(3, sizeof *b.node.bandwidth);
    b.node.bandwidth[0] = (struct bandwidth_point){1, quantity_of(4e9, "assumed")};
    b.node.bandwidth[1] = (struct bandwidth_point){2, quantity_of(1e9, "assumed")};
    b.node.bandwidth[2] = (struct bandwidth_point){3, quantity_of(0.5e9, "assumed")};
    b.node.bandwidth_count = 3;
    struct schedule_answer a = answer(&b, &schedule_ring, 2); /* both read one third in, write two out */
    assert_near(a.time_s * 1e9, 2000 / 3.0 + 40 + 4000 / 3.0, 1e-6);
    assert_near(a.limit_s * 1e9, 2000 - 152 - 252, 1e-6);
    b.q.way.fetch_bytes = 0; /* whole copies, at the end */
    assert_near(ns(&b, &schedule_ring, 2), 2 + 80 + 2000, 1e-6);
    b.q.way.fetch_bytes = UINT64_MAX;
    b.q.cold = 0;
    assert_near(ns(&b, &schedule_ring, 2), 204, 1e-6); /* all from cache to cache */
    b.node.llc_bytes = 1999; /* nothing is, nor the queue: another two written, one read */
    assert_near(ns(&b, &schedule_ring, 2), 2000 + 40 + 2000, 1e-6);
    b.q.in_place = 0; /* and whole copies before */
    assert_near(ns(&b, &schedule_ring, 2), 2000 + 4040, 1e-6);
    node_destroy(&b.node);

    bench_split(&b, 4, "compact");
    b.node.link_bytes_per_s = quantity_of(1e8, "assumed");
    assert_near(ns(&b, &schedule_ring, 4), 3 * (10000 + 100 + 102), 1e-6); /* one message each way */
    assert_near(ns(&b, &schedule_recursive_doubling, 4), 204 + 40000 + 100 + 182, 1e-6); /* two of two blocks each way */
    node_destroy(&b.node);
}

/* Ranks that share a core work in turn, and no line has to travel. */
static void test_shared_core(void **state)
{
    (void)state;
    struct bench b;
    bench_create(&b, 2, "list:0,0");
    assert_near(ns(&b, &schedule_ring, 2), 2 * 62 + 2 * 102, 1e-6);
    node_destroy(&b.node);
}

static void test_little(void **state)
{
    (void)state;
    struct bench b;
    bench_create(&b, 4, "compact");
    b.q.block_bytes = 0;
    assert_near(ns(&b, &schedule_ring, 4), 3 * (2 + 40 + 2), 1e-6);
    b.q.block_bytes = 1000;
    assert_near(ns(&b, &schedule_ring, 1), 0, 0);
    b.q.in_place = 0;
    assert_near(ns(&b, &schedule_ring, 1), 60, 1e-6);
    b.node.copy[COPY_IN_WARM] = line(90, 0.05);
    assert_near(ns(&b, &schedule_ring, 1), 100, 1e-6);
    /* The paper's idea of a node. */
    b.q.in_place = 1;
    b.node.contention_free = 1;
    for (int c = 0; c < COPY_CLASS_COUNT; c++)
        b.node.copy[c] = (struct copy_cost){quantity_unknown(), quantity_unknown()};
    b.node.paper = (struct paper_costs){quantity_of(1e-9, "S1 Fig. 4"), quantity_of(50e-9, "S1 Fig. 4"), quantity_unknown(),
                                        quantity_unknown()};
    assert_near(ns(&b, &schedule_ring, 4), 3 * (1000 + 50 + 1000), 1e-6);
    node_destroy(&b.node);
}

static void refused(struct bench *b, int error, const char *word)
{
    struct schedule_answer a = {.time_s = 77};
    char reason[200] = "";
    assert_int_equal(schedule_cost(&b->q, &a, reason, sizeof reason), error);
    if (!strstr(reason, word))
        fail_msg("\"%s\" does not say \"%s\"", reason, word);
    assert_near(a.time_s, 77, 0);
}

static void test_refusals(void **state)
{
    (void)state;
    struct bench b;
    bench_create(&b, 4, "compact");
    ns(&b, &schedule_ring, 4);
    b.q.way.queue_bytes = 99999, refused(&b, -EINVAL, "queues of 99999");
    b.q.way.fragment_bytes = 0, refused(&b, -EINVAL, "fragments of 0");
    b.q.way = (struct message_way){.fragment_bytes = 1000, .queue_bytes = 1000, .fetch_bytes = UINT64_MAX};
    b.q.in_place = 0, b.q.cold = 1;
    b.node.copy[COPY_PLAIN_COLD].s_per_byte = quantity_unknown(), refused(&b, -ENOTSUP, "copy (plain_cold)");
    b.q.in_place = 1;
    b.node.copy[COPY_OUT_COLD].s_per_byte = quantity_unknown(), refused(&b, -ENOTSUP, "copy (out_cold)");
    b.node.handover_ns[HANDOVER_SAME_CACHE] = quantity_unknown(), refused(&b, -ENOTSUP, "line hand-over");
    assert_int_equal(schedule_init(&b.schedule, &schedule_binomial, 4, 0), 0);
    refused(&b, -EINVAL, "binomial");
    assert_int_equal(schedule_init(&b.schedule, &schedule_ring, SCHEDULE_COST_PROCS_MAX + 1, 0), 0);
    refused(&b, -ENOTSUP, "at most 4096 ranks");
    node_destroy(&b.node);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_two_ranks), cmocka_unit_test(test_four_ranks), cmocka_unit_test(test_many_ranks),
        cmocka_unit_test(test_distance),  cmocka_unit_test(test_ways),       cmocka_unit_test(test_caches),
        cmocka_unit_test(test_limits),    cmocka_unit_test(test_shared_core), cmocka_unit_test(test_little),
        cmocka_unit_test(test_refusals),  cmocka_unit_test(test_uneven),    
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
