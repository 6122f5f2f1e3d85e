/* From samples to the node: the kernel's copy beyond a plain one, and plain copies by length. */
#include "tests/model/cmocka_all.h"

#include "experiments/calibrate.h"

#include <math.h>

enum { REPS = 5 };

static void add(struct calibrate_plan *plan, enum calibrate_kind kind, int routine, uint64_t bytes, double ns)
{
    assert_int_equal(calibrate_plan_add(plan, (struct calibrate_probe){.kind = kind, .routine = routine, .message_bytes = bytes}),
                     0);
    for (int i = 0; i < REPS; i++)
        plan->probes[plan->count - 1].first_ns[i] = ns + i - REPS / 2;
}

static struct calibrate_plan plan_of(double peer_short_ns, double peer_long_ns)
{
    struct calibrate_plan plan = {.reps = REPS};
    add(&plan, CALIBRATE_PLAIN, 0, 4 << 10, 1000);
    add(&plan, CALIBRATE_PLAIN, 1, 4 << 10, 1700);
    add(&plan, CALIBRATE_PLAIN, 0, 1 << 20, 90000);
    add(&plan, CALIBRATE_PLAIN, 1, 1 << 20, 80000);
    add(&plan, CALIBRATE_PEER, 0, 4 << 10, peer_short_ns);
    add(&plan, CALIBRATE_PEER, 0, 1 << 20, peer_long_ns);
    return plan;
}

/* 300 ns a call and 200 a page beyond the faster plain copy. */
static void beyond_a_plain_copy(void **state)
{
    (void)state;
    struct node node;
    assert_int_equal(node_create(&node, 1, 2), 0);
    node.page_bytes = 4096;
    struct calibrate_plan plan = plan_of(1000 + 300 + 200, 80000 + 300 + 256 * 200);
    calibrate_fit_peers(&plan, &node);
    assert_true(fabs(node.peer_page_ns.value - 200) < 1e-6);
    assert_true(fabs(node.peer_call_ns.value - 300) < 1e-6);
    assert_true(node.peer_page_ns.low <= 200 && node.peer_page_ns.high >= 200);
    assert_int_equal(calibrate_fit_points(&plan, &node), 0);
    struct copy_context copy = {COPY_PLAIN_COLD, 1 << 20, 1 << 20, 1 << 20};
    assert_true(fabs(node_copy_alone_s(&node, &copy) - 80e-6) < 1e-12);
    copy = (struct copy_context){COPY_PLAIN_COLD, 4096, 4096, 4096};
    assert_true(fabs(node_copy_alone_s(&node, &copy) - 1e-6) < 1e-12);
    calibrate_plan_destroy(&plan);
    node_destroy(&node);
}

static void a_refusal_leaves_it_unknown(void **state)
{
    (void)state;
    struct node node;
    assert_int_equal(node_create(&node, 1, 2), 0);
    node.page_bytes = 4096;
    struct calibrate_plan plan = plan_of(NAN, NAN);
    calibrate_fit_peers(&plan, &node);
    assert_false(quantity_known(&node.peer_call_ns));
    assert_false(quantity_known(&node.peer_page_ns));
    calibrate_plan_destroy(&plan);
    node_destroy(&node);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(beyond_a_plain_copy),
        cmocka_unit_test(a_refusal_leaves_it_unknown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
