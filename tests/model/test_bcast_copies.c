/* bcast_copies: what is near, far, in memory and shared, on a small node worked out by hand. */
#include "tests/model/cmocka_all.h"

#include "model/bcast_copies.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* Two sockets, each a domain, a cache of 1 MiB and four cores; 0.1 ns a byte in, 0.2 out, both 50 ns to start. */
struct bench {
    struct node node;
    uint32_t cores[8];
    struct scenario scenario;
};

static void bench_create(struct bench *b, uint32_t procs, const char *place)
{
    assert_int_equal(node_create(&b->node, 2, 8), 0);
    b->node.sockets = 2;
    for (uint32_t i = 0; i < 8; i++)
        b->node.core_domain[i] = b->node.core_socket[i] = b->node.core_cache[i] = i / 4;
    b->node.llc_bytes = 1 << 20;
    b->node.copy[COPY_IN_COLD] = (struct copy_cost){quantity_of(50, "assumed"), quantity_of(1e-10, "assumed")};
    b->node.copy[COPY_OUT_COLD] = (struct copy_cost){quantity_of(50, "assumed"), quantity_of(2e-10, "assumed")};
    b->node.bandwidth = calloc(1, sizeof *b->node.bandwidth);
    b->node.bandwidth[0] = (struct bandwidth_point){1, quantity_of(1e10, "assumed")};
    b->node.bandwidth_count = 1;
    b->scenario = (struct scenario){.machine = {.node = &b->node, .nodes = 1}, .placement = {place, b->cores}};
    b->scenario.job = (struct job){.kind = JOB_BCAST, .procs = procs, .bcast = {64 << 20, 0}};
    b->scenario.params = (struct params){&protocol_pipelined, 10000, 8, 2, {TREE_FLAT, 0}, 0};
    b->scenario.conditions.buffer_domain = -1;
    assert_int_equal(placement_fill(place, &b->node, procs, b->cores), 0);
}

static struct bcast_copies copies_of(const struct bench *b)
{
    struct bcast_copies c;
    char reason[200];
    assert_int_equal(bcast_copies_of(&b->scenario, 10000, &c, reason, sizeof reason), 0);
    return c;
}

static void test_distance(void **state)
{
    (void)state;
    struct bench b;
    bench_create(&b, 2, "scatter");
    struct bcast_copies c = copies_of(&b);
    assert_near(c.in_alone_s, 1.05e-6, 1e-15);
    assert_near(c.near_alone_s, 2.05e-6, 1e-15);
    assert_near(c.far_s, 2.05e-6, 1e-15);
    b.node.remote_ratio = quantity_of(0.5, "assumed");
    b.node.overlap_slowdown = quantity_of(1.25, "assumed");
    c = copies_of(&b);
    assert_near(c.far_s, 2.05e-6 + 2e-6 / 3, 1e-15); /* the third that is read takes twice as long, the start does not */
    assert_near(c.in_beside_s, 1.25 * 1.05e-6, 1e-15);
    assert_near(c.near_beside_s, 1.25 * 2.05e-6, 1e-15);
    b.scenario.conditions.buffer_domain = 1; /* the root's own buffer is away now, the reader's at home */
    c = copies_of(&b);
    assert_near(c.in_alone_s, 1.05e-6 + 1e-6 / 3, 1e-15);
    assert_near(c.far_s, 2.05e-6 + 2e-6 / 3, 1e-15);
    b.scenario.conditions.buffer_domain = 0; /* the reader reads and writes far */
    assert_near(copies_of(&b).far_s, 4.05e-6, 1e-15);
    node_destroy(&b.node);
}

/* A start cost delays stores after a copy once more, unless copies were measured whole. */
static void test_tail(void **state)
{
    (void)state;
    struct bench b;
    bench_create(&b, 2, "compact");
    b.node.step_ns = quantity_of(2, "assumed");
    struct bcast_copies c = copies_of(&b);
    assert_near(c.in_alone_s, 1.052e-6, 1e-15);
    assert_near(c.out_tail_s, 50e-9, 1e-15);
    assert_near(c.in_ahead_s, 1.05e-6 * 0.1024, 1e-15);
    b.node.copy_points = calloc(1, sizeof *b.node.copy_points);
    b.node.copy_point_count = 1;
    b.node.copy_points[0] = (struct copy_point){COPY_OUT_COLD, 10000, 0, 0, quantity_of(3e-6, "measured"), quantity_unknown()};
    c = copies_of(&b);
    assert_near(c.near_alone_s, 3.002e-6, 1e-15);
    assert_near(c.out_tail_s, 0, 0);
    assert_near(c.in_tail_s, 50e-9, 1e-15);
    node_destroy(&b.node);
}

/* Thirds of copies at 1e10 bytes a second. */
static void test_controllers(void **state)
{
    (void)state;
    struct bench b;
    bench_create(&b, 4, "compact");
    struct bcast_copies c = copies_of(&b);
    assert_near(c.out_floor_s, 1e-6 * 3 * 2 / 3, 1e-15);       /* three readers write */
    assert_near(c.all_floor_s, 1e-6 * (3 * 2 + 1) / 3, 1e-15); /* the root reads */
    b.scenario.params.slots = 128; /* 1.28 MB of queue is in memory: written once, read by one cache */
    c = copies_of(&b);
    assert_near(c.out_floor_s, 1e-6 * (3 * 2 + 1) / 3, 1e-15);
    assert_near(c.all_floor_s, 1e-6 * (3 * 2 + 1 + 1 + 2) / 3, 1e-15);
    b.scenario.job.bcast.size_bytes = 100000; /* only ten slots are in use */
    assert_near(copies_of(&b).all_floor_s, 1e-6 * (3 * 2 + 1) / 3, 1e-15);
    node_destroy(&b.node);
    bench_create(&b, 4, "scatter"); /* root and one reader here, two readers there */
    assert_near(copies_of(&b).out_floor_s, 1e-6 * 2 * 2 / 3, 1e-15);
    b.scenario.conditions.buffer_domain = 0;
    assert_near(copies_of(&b).out_floor_s, 1e-6 * 3 * 2 / 3, 1e-15);
    b.node.bandwidth[0].cores = 3; /* measured with as many as ask */
    b.node.bandwidth[0].bytes_per_s.value = 2e10;
    assert_near(copies_of(&b).out_floor_s, 5e-7 * 3 * 2 / 3, 1e-15);
    node_destroy(&b.node);
}

static void test_link(void **state)
{
    (void)state;
    struct bench b;
    bench_create(&b, 8, "scatter");
    b.node.link_bytes_per_s = quantity_of(1e9, "assumed");
    assert_near(copies_of(&b).out_floor_s, 1e-5, 1e-15); /* four readers there, one cache: one crossing */
    b.node.core_cache[7] = 2;
    assert_near(copies_of(&b).out_floor_s, 2e-5, 1e-15);
    node_destroy(&b.node);
}

static void test_warm(void **state)
{
    (void)state;
    struct bench b;
    bench_create(&b, 4, "compact");
    b.node.copy[COPY_IN_WARM] = (struct copy_cost){quantity_of(0, "assumed"), quantity_of(3e-11, "assumed")};
    b.node.copy[COPY_OUT_WARM] = (struct copy_cost){quantity_of(0, "assumed"), quantity_of(4e-11, "assumed")};
    b.scenario.conditions.buffers = BUFFERS_WARM;
    b.scenario.job.bcast.size_bytes = 1 << 18; /* four of them fill the cache exactly */
    struct bcast_copies c = copies_of(&b);
    assert_near(c.in_alone_s, 3e-7, 1e-15);
    assert_near(c.near_alone_s, 4e-7, 1e-15);
    assert_near(c.all_floor_s, 0, 0);
    b.scenario.job.bcast.size_bytes++; /* no longer */
    assert_near(copies_of(&b).in_alone_s, 1.05e-6, 1e-15);
    node_destroy(&b.node);
}

static void test_unknown(void **state)
{
    (void)state;
    struct bench b;
    struct bcast_copies c;
    char reason[200];
    bench_create(&b, 2, "compact");
    b.scenario.conditions.buffers = BUFFERS_WARM, b.scenario.job.bcast.size_bytes = 1000;
    assert_int_equal(bcast_copies_of(&b.scenario, 1000, &c, reason, sizeof reason), -ENOTSUP);
    assert_non_null(strstr(reason, "in_warm"));
    node_destroy(&b.node);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_distance),    cmocka_unit_test(test_tail),
                                       cmocka_unit_test(test_controllers), cmocka_unit_test(test_link),
                                       cmocka_unit_test(test_warm),        cmocka_unit_test(test_unknown)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
