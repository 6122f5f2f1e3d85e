/* message_cost: single messages added up by hand, in nanoseconds. What exchanges are made of is tested with schedule_cost. */
#include "tests/model/cmocka_all.h"

#include "model/message_cost.h"

/* Two cores, 40 apart, a step 2; warm copies in 10 + 0.05 a byte and out 20 + 0.08, beside each other by half slower. */
static void bench_create(struct node *node)
{
    assert_int_equal(node_create(node, 1, 2), 0);
    node->handover_ns[HANDOVER_SAME_CACHE] = quantity_of(40, "assumed");
    node->step_ns = quantity_of(2, "assumed");
    node->copy[COPY_IN_WARM] = (struct copy_cost){quantity_of(10, "assumed"), quantity_of(5e-11, "assumed")};
    node->copy[COPY_OUT_WARM] = (struct copy_cost){quantity_of(20, "assumed"), quantity_of(8e-11, "assumed")};
    node->overlap_slowdown = quantity_of(1.5, "assumed");
    node->page_bytes = 4096;
}

static double ns(const struct node *node, struct message_way way, struct message m)
{
    struct message_costs c;
    message_costs_init(&c, node, &way);
    double time_s = message_time_s(&c, &m);
    assert_string_equal(c.missing, "");
    return time_s * 1e9;
}

static void test_one_way(void **state)
{
    (void)state;
    struct node node;
    bench_create(&node);
    struct message_way way = {.fragment_bytes = 1000, .queue_bytes = 2000, .fetch_bytes = UINT64_MAX};
    double in = 2 + 10 + 50, out = 2 + 20 + 80;
    double in_beside = 2 + 1.5 * 60, out_beside = 2 + 1.5 * 100;
    assert_near(ns(&node, way, (struct message){0, 1, 0, 1, 0, 0}), 2 + 40 + 2, 1e-9);
    assert_near(ns(&node, way, (struct message){0, 1, 1000, 1, 0, 0}), in + 40 + out, 1e-9);
    /* A slot goes around by way of both cores and two lines; four of them outpace the receiver, two do not. */
    double around = in_beside + out_beside + 80;
    assert_near(ns(&node, way, (struct message){0, 1, 4000, 1, 0, 0}), in + 3 * around / 2 + 40 + out, 1e-9);
    way.queue_bytes = 4000;
    assert_near(ns(&node, way, (struct message){0, 1, 9000, 1, 0, 0}), in + 8 * out_beside + 40 + out, 1e-9);
    way.queue_bytes = 2000;
    /* Asked for: two packets more at both ends, a line there and one back. */
    way.ask_bytes = 1001;
    assert_near(ns(&node, way, (struct message){0, 1, 1000, 1, 0, 0}), in + 40 + out, 1e-9);
    assert_near(ns(&node, way, (struct message){0, 1, 4000, 1, 0, 0}), 8 + 80 + in + 3 * around / 2 + 40 + out, 1e-9);
    way.ask_bytes = 0;
    /* A place among others' is taken for each fragment; briefs have other fragments. */
    node.atomic_ns = quantity_of(7, "assumed");
    way.shared = 1;
    assert_near(ns(&node, way, (struct message){0, 1, 1000, 1, 0, 0}), in + 7 + 40 + out, 1e-9);
    way.brief_bytes = 200, way.brief_fragment_bytes = 100, way.brief_queue_bytes = 100;
    assert_near(ns(&node, way, (struct message){0, 1, 200, 1, 0, 0}), 2 * (2 + 10 + 5) + 3 * 40 + 2 * (2 + 20 + 8), 1e-9);
    assert_near(ns(&node, way, (struct message){0, 1, 201, 1, 0, 0}), 2 + 7 + 20.05 + 40 + 2 + 36.08, 1e-9);
    way.brief_bytes = 0, way.shared = 0;
    /* Ten pieces of 100 in a fragment. */
    assert_near(ns(&node, way, (struct message){0, 1, 100, 10, 0, 0}), (2 + 10 * 15) + 40 + (2 + 10 * 28), 1e-9);
    /* No room for two: in, over, out, back, three times. */
    way.queue_bytes = 1999;
    assert_near(ns(&node, way, (struct message){0, 1, 3998, 1, 0, 0}), 4 * 12 + 199.9 + 7 * 40 + 4 * 22 + 319.84, 1e-9);
    /* Both ends have work with every packet. */
    node.packet_ns = quantity_of(50, "assumed");
    assert_near(ns(&node, way, (struct message){0, 1, 3998, 1, 0, 0}), 4 * 37 + 199.9 + 7 * 40 + 4 * 47 + 319.84, 1e-9);
    node.packet_ns = quantity_unknown();
    way.queue_bytes = 4000; /* fragments that follow the first are not waited for */
    node.packet_ns = quantity_of(50, "assumed");
    assert_near(ns(&node, way, (struct message){0, 1, 9000, 1, 0, 0}), 50 + in + 8 * out_beside + 40 + out, 1e-9);
    node.packet_ns = quantity_unknown();
    /* Nothing overlaps on one core. */
    assert_near(ns(&node, way, (struct message){0, 0, 4000, 1, 0, 0}), 4 * in + 4 * out, 1e-9);
    node_destroy(&node);
}

static void test_fetched(void **state)
{
    (void)state;
    struct node node;
    bench_create(&node);
    struct message_way way = {.fragment_bytes = 1000, .queue_bytes = 2000, .fetch_bytes = 4000, .by_kernel = 1};
    node.peer_call_ns = quantity_of(300, "assumed");
    node.peer_page_ns = quantity_of(5, "assumed");
    node.packet_ns = quantity_of(50, "assumed"); /* announced, and the end told */
    assert_near(ns(&node, way, (struct message){0, 1, 5000, 1, 0, 0}), 27 + 40 + 54 + 310 + 20 + 400, 1e-9);
    node.packet_ns = quantity_unknown();
    assert_near(ns(&node, way, (struct message){0, 1, 5000, 1, 0, 0}), 2 + 40 + 4 + 310 + 20 + 400, 1e-9);
    assert_near(ns(&node, way, (struct message){0, 1, 3000, 1, 0, 0}), 62 + 2 * 162 + 40 + 102, 1e-9);
    node_destroy(&node);
}

/* The busier end, which fetches the lines; with little room, the way around. */
static void test_pace(void **state)
{
    (void)state;
    struct node node;
    struct message_costs c;
    bench_create(&node);
    struct message_way way = {.fragment_bytes = 1000, .queue_bytes = 16000, .fetch_bytes = UINT64_MAX};
    struct message m = {0, 1, 1000, 1, 0, 0};
    node.fetch_ns = quantity_of(10, "assumed");
    message_costs_init(&c, &node, &way);
    assert_near(message_pace_s(&c, &m) * 1e9, 152 + 10, 1e-9);
    c.way.queue_bytes = 1000;
    assert_near(message_pace_s(&c, &m) * 1e9, 92 + 152 + 10 + 80, 1e-9);
    m.to_core = 0;
    assert_near(message_pace_s(&c, &m) * 1e9, 92 + 152, 1e-9);
    node_destroy(&node);
}

/* What is one of several does not wait for memory alone. */
static void test_rows(void **state)
{
    (void)state;
    struct node node;
    struct message_costs c;
    bench_create(&node);
    node.copy[COPY_IN_COLD] = node.copy[COPY_IN_WARM];
    node.cold_ns = quantity_of(150, "assumed");
    struct message_way way = {.fragment_bytes = 1000, .queue_bytes = 2000, .fetch_bytes = UINT64_MAX};
    struct message m = {0, 1, 100, 1, 1, 0};
    message_costs_init(&c, &node, &way);
    assert_near(message_time_s(&c, &m) * 1e9, 2 + 150 + 40 + 2 + 28, 1e-9);
    message_costs_init(&c, &node, &way);
    c.row_bytes = 4000;
    assert_near(message_time_s(&c, &m) * 1e9, 2 + 15 + 40 + 2 + 28, 1e-9);
    node_destroy(&node);
}

static void test_missing(void **state)
{
    (void)state;
    struct node node;
    bench_create(&node);
    struct message_way way = {.fragment_bytes = 1000, .queue_bytes = 2000, .fetch_bytes = UINT64_MAX};
    struct message_costs c;
    message_costs_init(&c, &node, &way);
    assert_true(isnan(message_time_s(&c, &(struct message){0, 1, 100, 1, 1, 0})));
    assert_string_equal(c.missing, "copy (in_cold)");
    node_destroy(&node);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_one_way), cmocka_unit_test(test_fetched),
                                       cmocka_unit_test(test_pace), cmocka_unit_test(test_rows), cmocka_unit_test(test_missing)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
