/* node: classes, fallbacks and interpolation against values worked out by hand. */
#include "tests/model/cmocka_all.h"

#include "model/node.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* Two sockets of two domains of two cores; a cache for each domain. */
static struct node node_2x2x2(void)
{
    struct node node;
    assert_int_equal(node_create(&node, 4, 8), 0);
    node.sockets = 2;
    for (uint32_t i = 0; i < 8; i++) {
        node.core_domain[i] = node.core_cache[i] = i / 2;
        node.core_socket[i] = i / 4;
    }
    return node;
}

static void test_create(void **state)
{
    (void)state;
    struct node node;
    assert_int_equal(node_create(&node, 0, 4), -EINVAL);
    assert_int_equal(node_create(&node, 1, 0), -EINVAL);
    assert_int_equal(node_create(&node, 2, 3), 0);
    assert_near(node.distance[0], 10, 0);
    assert_near(node.distance[1], 20, 0);
    assert_int_equal(node.core_os[2], 2);
    assert_false(quantity_known(&node.atomic_ns));
    assert_true(isnan(node_handover_ns(&node, 0, 1)));
    assert_true(isnan(node_copy_s(&node, COPY_IN_COLD, 4096, 0)));
    assert_true(isnan(node_bandwidth_bytes_per_s(&node, 1)));
    node_destroy(&node);
}

static void test_quantity(void **state)
{
    (void)state;
    struct quantity q = quantity_within(2, 1, 4, "measured");
    assert_near(q.low, 1, 0);
    assert_near(q.high, 4, 0);
    assert_string_equal(q.source, "measured");
    assert_near(quantity_or(&q, 7), 2, 0);
    q = quantity_unknown();
    assert_near(quantity_or(&q, 7), 7, 0);
}

static void test_handover(void **state)
{
    (void)state;
    struct node node = node_2x2x2();
    assert_int_equal(node_handover_class(&node, 3, 3), HANDOVER_SAME_CORE);
    assert_int_equal(node_handover_class(&node, 0, 1), HANDOVER_SAME_CACHE);
    assert_int_equal(node_handover_class(&node, 1, 2), HANDOVER_SAME_SOCKET);
    assert_int_equal(node_handover_class(&node, 3, 4), HANDOVER_CROSS_SOCKET);
    node.handover_ns[HANDOVER_SAME_CACHE] = quantity_of(37, "assumed");
    assert_near(node_handover_ns(&node, 3, 4), 37, 0); /* the nearer class stands in */
    assert_near(node_handover_ns(&node, 3, 3), 37, 0); /* there is none nearer: the next farther */
    node.handover_ns[HANDOVER_CROSS_SOCKET] = quantity_of(74, "assumed");
    assert_near(node_handover_ns(&node, 3, 4), 74, 0);
    assert_near(node_handover_ns(&node, 1, 2), 37, 0);
    node.pair_handover_ns = malloc(64 * sizeof(double));
    for (int i = 0; i < 64; i++)
        node.pair_handover_ns[i] = NAN;
    node.pair_handover_ns[3 * 8 + 4] = 70;
    assert_near(node_handover_ns(&node, 3, 4), 70, 0);
    assert_near(node_handover_ns(&node, 4, 3), 74, 0); /* directed; NAN falls back */
    node_destroy(&node);
}

static void test_copy_line(void **state)
{
    (void)state;
    struct node node = node_2x2x2();
    node.copy[COPY_IN_COLD].s_per_byte = quantity_of(1e-10, "assumed");
    assert_near(node_copy_s(&node, COPY_IN_COLD, 1000, 1 << 20), 1e-7, 1e-18);
    node.copy[COPY_IN_COLD].start_ns = quantity_of(20, "assumed");
    assert_near(node_copy_s(&node, COPY_IN_COLD, 1000, 0), 1.2e-7, 1e-18);
    assert_true(isnan(node_copy_s(&node, COPY_OUT_COLD, 1000, 0)));
    node.contention_free = 1;
    node.paper.t_s_per_byte = quantity_of(1e-9, "S1 Fig. 4");
    assert_near(node_copy_s(&node, COPY_OUT_COLD, 1000, 0), 1e-6, 1e-18);
    node_destroy(&node);
}

static void add_point(struct node *node, uint64_t fragment, uint64_t queue, double time_s)
{
    size_t n = node->copy_point_count++;
    node->copy_points = realloc(node->copy_points, (n + 1) * sizeof *node->copy_points);
    node->copy_points[n] =
        (struct copy_point){COPY_OUT_COLD, fragment, queue, 0, quantity_of(time_s, "measured"), quantity_unknown()};
}

static void test_copy_points(void **state)
{
    (void)state;
    struct node node = node_2x2x2();
    /* Rates of 1, 2 and 3 ns a byte at 4 K, 16 K, 64 K in a short queue; twice that in a queue 16 times as long. */
    for (int i = 0; i < 3; i++) {
        uint64_t f = 4096u << (2 * i);
        add_point(&node, f, 1 << 20, (double)f * (i + 1) * 1e-9);
        add_point(&node, f, 16 << 20, (double)f * (i + 1) * 2e-9);
    }
    const double e = 1e-15;
    assert_near(node_copy_s(&node, COPY_OUT_COLD, 16384, 1 << 20), 16384 * 2e-9, e);
    assert_near(node_copy_s(&node, COPY_OUT_COLD, 8192, 1 << 20), 8192 * 1.5e-9, e);
    assert_near(node_copy_s(&node, COPY_OUT_COLD, 16384, 4 << 20), 16384 * 3e-9, e); /* half way in log2 of the queue */
    assert_near(node_copy_s(&node, COPY_OUT_COLD, 8192, 2 << 20), 8192 * 1.5e-9 * 1.25, e);
    assert_near(node_copy_s(&node, COPY_OUT_COLD, 131072, 1 << 20), 131072 * 3e-9, e); /* rate held */
    assert_near(node_copy_s(&node, COPY_OUT_COLD, 4096, 64 << 20), 4096 * 2e-9, e);
    assert_near(node_copy_s(&node, COPY_OUT_COLD, 4096, 0), 4096 * 1e-9, e); /* 0: smallest measured */
    assert_near(node_copy_s(&node, COPY_OUT_COLD, 1024, 0), 1024 * 1e-9, e);
    node.copy[COPY_OUT_COLD].start_ns = quantity_of(96, "measured");
    assert_near(node_copy_s(&node, COPY_OUT_COLD, 1024, 0), 96e-9 + (4096e-9 - 96e-9) / 4, e);
    assert_true(isnan(node_copy_s(&node, COPY_IN_COLD, 4096, 0)));
    node_destroy(&node);
}

static void test_copy_points_by_message(void **state)
{
    (void)state;
    struct node node = node_2x2x2();
    add_point(&node, 4096, 1 << 20, 4096 * 3e-9);
    add_point(&node, 4096, 1 << 20, 4096 * 1e-9);
    node.copy_points[0].message_bytes = 1 << 14;
    node.copy_points[1].message_bytes = 1 << 20;
    node.copy_points[1].beside_s = quantity_of(4096 * 5e-9, "measured");
    node.overlap_slowdown = quantity_of(2, "measured");
    struct copy_context copy = {COPY_OUT_COLD, 4096, 1 << 20, 1 << 17};
    assert_near(node_copy_alone_s(&node, &copy), 4096 * 2e-9, 1e-15);                  /* half way between the messages */
    assert_near(node_copy_s(&node, COPY_OUT_COLD, 4096, 1 << 20), 4096 * 1e-9, 1e-15); /* a long message */
    copy.message_bytes = 1 << 22;
    assert_near(node_copy_beside_s(&node, &copy), 4096 * 5e-9, 1e-15);
    copy.message_bytes = 1;
    assert_near(node_copy_beside_s(&node, &copy), 4096 * 6e-9, 1e-15); /* not measured: slowed down */
    node_destroy(&node);
}

static void test_bandwidth(void **state)
{
    (void)state;
    struct node node = node_2x2x2();
    node.bandwidth = calloc(3, sizeof *node.bandwidth);
    node.bandwidth_count = 3;
    node.bandwidth[0] = (struct bandwidth_point){1, quantity_of(6e9, "a")};
    node.bandwidth[1] = (struct bandwidth_point){2, quantity_unknown()};
    node.bandwidth[2] = (struct bandwidth_point){5, quantity_of(14e9, "b")};
    assert_near(node_bandwidth_bytes_per_s(&node, 0.5), 6e9, 0);
    assert_near(node_bandwidth_bytes_per_s(&node, 1), 6e9, 0);
    assert_near(node_bandwidth_bytes_per_s(&node, 2), 8e9, 1);
    assert_near(node_bandwidth_bytes_per_s(&node, 4.5), 13e9, 1);
    assert_near(node_bandwidth_bytes_per_s(&node, 99), 14e9, 0);
    node_destroy(&node);
}

static void test_node_copy(void **state)
{
    (void)state;
    struct node node = node_2x2x2(), copy;
    add_point(&node, 4096, 0, 1e-6);
    assert_int_equal(node_copy(&copy, &node), 0);
    assert_ptr_not_equal(copy.core_domain, node.core_domain);
    assert_memory_equal(copy.core_socket, node.core_socket, 8 * sizeof(uint32_t));
    node_destroy(&node);
    assert_null(copy.pair_handover_ns);
    assert_null(copy.bandwidth);
    assert_near(node_copy_s(&copy, COPY_OUT_COLD, 4096, 0), 1e-6, 1e-18);
    node_destroy(&copy);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_create),    cmocka_unit_test(test_quantity),    cmocka_unit_test(test_handover),
        cmocka_unit_test(test_copy_line), cmocka_unit_test(test_copy_points), cmocka_unit_test(test_copy_points_by_message),
        cmocka_unit_test(test_bandwidth), cmocka_unit_test(test_node_copy),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
