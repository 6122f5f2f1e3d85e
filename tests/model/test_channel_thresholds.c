/* Thresholds of channels: on a node whose costs are few enough that the sizes can be told beforehand. */
#include "tests/model/cmocka_all.h"

#include "model/channel/channel_thresholds.h"

#include <errno.h>

/* Through the pool n fragments of 8 KiB take 411.6 + 657.36 n + 40 ns: a copy-in, the copies-out, a line; and 88 before, to ask
 * and be answered. Fetched 655.36 n + 2 + 40 + 4 and what the kernel takes: so this pays where that is below 493.6 + 2 n. */
static void bench_create(struct node *node, double call_ns, double page_ns)
{
    assert_int_equal(node_create(node, 1, 2), 0);
    node->handover_ns[HANDOVER_SAME_CACHE] = quantity_of(40, "assumed");
    node->step_ns = quantity_of(2, "assumed");
    node->copy[COPY_IN_WARM] = (struct copy_cost){quantity_of(0, "assumed"), quantity_of(5e-11, "assumed")};
    node->copy[COPY_OUT_WARM] = (struct copy_cost){quantity_of(0, "assumed"), quantity_of(8e-11, "assumed")};
    node->overlap_slowdown = quantity_of(1, "assumed");
    node->page_bytes = 4096;
    node->peer_call_ns = quantity_of(call_ns, "assumed");
    node->peer_page_ns = quantity_of(page_ns, "assumed");
}

static uint32_t offer_of(double call_ns, double page_ns, const struct channel_ends *ends)
{
    struct channel_shape shape = channel_shape_default(&channel_kind_combined);
    struct node node;
    bench_create(&node, call_ns, page_ns);
    assert_int_equal(channel_thresholds_set(&shape, &channel_kind_combined, &node, ends), 0);
    node_destroy(&node);
    return shape.offer_bytes;
}

static void combined_fetches_where_it_pays(void **state)
{
    struct channel_ends processes = {0, 1, 1, 0}, threads = {0, 1, 0, 0};
    (void)state;
    assert_int_equal(offer_of(300, 0, &processes), (128 << 10) - 1); /* all that rings do not take */
    assert_int_equal(offer_of(650, 0, &processes), (1 << 20) - 1); /* n >= 78.2 */
    assert_int_equal(offer_of(1200, 0, &processes), (4 << 20) - 1); /* n >= 353.2 */
    assert_int_equal(offer_of(1200, 0, &threads), (128 << 10) - 1);
    /* Each page costs more than the second copy: short ones might gain, long ones never. */
    assert_int_equal(offer_of(300, 10, &processes), UINT32_MAX);
    assert_int_equal(offer_of(1e9, 0, &processes), UINT32_MAX);
}

static void what_is_not_known_changes_nothing(void **state)
{
    struct channel_shape shape = channel_shape_default(&channel_kind_combined), zc = channel_shape_default(&channel_kind_zc);
    struct channel_ends ends = {0, 1, 1, 0}, cold = {0, 1, 1, 1};
    uint32_t before = shape.offer_bytes, zc_before = zc.offer_bytes;
    struct node node;
    (void)state;
    bench_create(&node, 300, 0);
    assert_int_equal(channel_thresholds_set(&zc, &channel_kind_zc, &node, &ends), 0);
    assert_int_equal(zc.offer_bytes, zc_before);
    assert_int_equal(channel_thresholds_set(&shape, &channel_kind_combined, &node, &cold), -ENODATA);
    node.peer_call_ns = quantity_unknown();
    assert_int_equal(channel_thresholds_set(&shape, &channel_kind_combined, &node, &ends), -ENODATA);
    node.peer_call_ns = quantity_of(300, "assumed");
    node.handover_ns[HANDOVER_SAME_CACHE] = quantity_unknown();
    assert_int_equal(channel_thresholds_set(&shape, &channel_kind_combined, &node, &ends), -ENODATA);
    assert_int_equal(shape.offer_bytes, before);
    node_destroy(&node);
}

static void scenarios_have_theirs(void **state)
{
    static const uint32_t cores[2] = {0, 1};
    struct node node;
    struct channel_shape shape;
    (void)state;
    bench_create(&node, 650, 0);
    struct scenario s = {.machine = {.node = &node, .nodes = 1}, .placement = {"compact", cores},
                         .job = {.kind = JOB_P2P, .procs = 2}, .params = {.fragment_bytes = 4096, .slots = 16},
                         .channel = &channel_kind_combined, .conditions = {.buffers = BUFFERS_WARM}, .variant = ""};
    assert_int_equal(channel_shape_of_scenario(&s, &shape), 0);
    assert_int_equal(shape.fragment_bytes, 4096);
    assert_int_equal(shape.ring_bytes, 65536);
    assert_int_equal(shape.offer_bytes, (1 << 20) - 1);
    s.conditions.backend = BACKEND_THREADS;
    assert_int_equal(channel_shape_of_scenario(&s, &shape), 0);
    assert_int_equal(shape.offer_bytes, (128 << 10) - 1);
    s.conditions.buffers = BUFFERS_COLD; /* of which the node says nothing */
    assert_int_equal(channel_shape_of_scenario(&s, &shape), 0);
    assert_int_equal(shape.offer_bytes, channel_shape_default(&channel_kind_combined).offer_bytes);
    s.params.slots = 2;
    assert_int_equal(channel_shape_of_scenario(&s, &shape), -EINVAL);
    node_destroy(&node);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(combined_fetches_where_it_pays),
        cmocka_unit_test(what_is_not_known_changes_nothing),
        cmocka_unit_test(scenarios_have_theirs),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
