/* Every preset: a node that is whole, that the simulator and the model take, and that a node file keeps. */
#include "tests/model/cmocka_all.h"

#include "model/formats/node_yaml.h"
#include "model/formats/presets.h"
#include "model/scenario.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static void for_each_preset(void (*check)(const struct node *))
{
    assert_true(preset_count() >= 10);
    for (size_t i = 0; i < preset_count(); i++) {
        struct node node;
        assert_int_equal(preset_create(preset_name(i), &node), 0);
        assert_string_equal(node.name, preset_name(i));
        assert_true(node.description[0] && strlen(node.description) < 110 && !strchr(node.description, '\n'));
        for (size_t other = 0; other < i; other++)
            assert_string_not_equal(preset_name(i), preset_name(other));
        check(&node);
        node_destroy(&node);
    }
}

/* Domains, sockets and caches are equal in size; a cache lies in one domain, a domain in one socket, unless there is only one. */
static void check_shape(const struct node *node)
{
    uint32_t n = node->cores;
    assert_true(n % node->domains == 0 && (node->domains == 1 || node->domains % node->sockets == 0));
    for (uint32_t a = 0; a < n; a++) {
        assert_int_equal(node->core_domain[a], a / (n / node->domains));
        assert_int_equal(node->core_socket[a], a / (n / node->sockets));
        for (uint32_t b = 0; b < n; b++) {
            assert_true(node->core_cache[a] != node->core_cache[b] || node->core_domain[a] == node->core_domain[b]);
            assert_int_equal(node_handover_class(node, a, b), node_handover_class(node, b, a));
        }
    }
    assert_true(node->line_bytes == 64 && node->page_bytes >= 4096);
    if (!node->contention_free)
        assert_true(0 < node->l1_bytes && node->l1_bytes < node->l2_bytes && node->l2_bytes <= node->llc_bytes);
}

static void test_shape(void **state)
{
    (void)state;
    for_each_preset(check_shape);
}

/* By class: the same both ways, farther off the farther apart. */
static void check_distance(const struct node *node)
{
    uint32_t n = node->domains, per_socket = n / node->sockets;
    for (uint32_t i = 0; i < n; i++)
        for (uint32_t j = 0; j < n; j++) {
            double d = node->distance[i * n + j], across = node->distance[n - 1];
            assert_true(d == node->distance[j * n + i]);
            assert_true(i == j ? d == 10 : i / per_socket == j / per_socket ? d > 10 && d < across : d == across);
        }
}

static void test_distance(void **state)
{
    (void)state;
    for_each_preset(check_distance);
}

/* Positive, within its interval, and it says where it is from. */
static void check_quantity(const struct quantity *q, int needed)
{
    assert_true(quantity_known(q) || !needed);
    if (!quantity_known(q))
        return;
    assert_true(isfinite(q->value) && q->value >= 0 && q->low <= q->value && q->value <= q->high);
    assert_true(!needed || q->value > 0);
    assert_true(strlen(q->source) > 3 && memchr(q->source, 0, QUANTITY_SOURCE_BYTES));
    assert_string_not_equal(q->source, "unknown");
}

static void check_costs(const struct node *node)
{
    const struct quantity *others[] = {&node->store_ns,         &node->atomic_ns,        &node->step_ns,
                                       &node->call_ns,          &node->serve_ns,         &node->detour,
                                       &node->fresh_s_per_byte, &node->slice_s_per_byte, &node->contested_s_per_byte,
                                       &node->lone_slowdown,    &node->link_bytes_per_s, &node->remote_ratio};
    int needed = !node->contention_free;
    check_quantity(&node->paper.t_s_per_byte, !needed);
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        check_quantity(others[i], 0);
    for (int c = 0; c < COPY_CLASS_COUNT; c++) {
        check_quantity(&node->copy[c].s_per_byte, needed);
        check_quantity(&node->copy[c].start_ns, 0);
    }
    for (int c = 0; c < HANDOVER_CLASS_COUNT; c++)
        check_quantity(&node->handover_ns[c], needed);
    for (int c = HANDOVER_SAME_CACHE; c < HANDOVER_CROSS_SOCKET && needed; c++)
        assert_true(node->handover_ns[c].value <= node->handover_ns[c + 1].value);
    for (size_t i = 0; i < node->bandwidth_count; i++) {
        check_quantity(&node->bandwidth[i].bytes_per_s, 1);
        assert_true(i == 0 || node->bandwidth[i].cores > node->bandwidth[i - 1].cores);
    }
    assert_true(!needed || node->bandwidth_count > 0);
    assert_true(quantity_or(&node->remote_ratio, 1) <= 1);
}

static void test_costs(void **state)
{
    (void)state;
    for_each_preset(check_costs);
}

static double time_by(const struct node *node, const struct evaluator *e, uint32_t procs, uint64_t size_bytes)
{
    uint32_t core[256];
    for (uint32_t r = 0; r < procs; r++)
        core[r] = r;
    struct scenario s = {.machine = {.node = node, .nodes = 1},
                         .placement = {"compact", core},
                         .job = {.kind = JOB_BCAST, .procs = procs, .bcast = {size_bytes, 0}},
                         .params = {.protocol = &protocol_pipelined, .fragment_bytes = 8192, .slots = 8, .sets = 2},
                         .conditions = {.buffers = BUFFERS_COLD, .buffer_domain = -1},
                         .variant = e == &evaluator_model ? "extended" : ""};
    struct outcome out;
    assert_int_equal(tree_shape_parse("binary", &s.params.tree), 0);
    if (e->evaluate(&s, NULL, &out))
        fail_msg("%s: %s", node->name, out.reason);
    double time_s = out.time_s;
    outcome_destroy(&out);
    return time_s;
}

/* More bytes and more ranks take longer, and a byte not longer than a slow machine's memory would let it. */
static void check_bcast(const struct node *node)
{
    assert_true(node->cores <= 256);
    double before_s = 0;
    for (uint64_t size = 64; size <= 4 << 20; size *= 16) {
        double two_s = time_by(node, &evaluator_sim, 2, size), all_s = time_by(node, &evaluator_sim, node->cores, size);
        double most_s = 20e-6 + (double)size * node->cores * 1e-9;
        if (!(two_s > before_s && all_s > two_s && all_s < most_s))
            fail_msg("%s, %llu bytes: 2 ranks %g s, all %g s", node->name, (unsigned long long)size, two_s, all_s);
        assert_true(time_by(node, &evaluator_model, node->cores, size) > 0);
        before_s = two_s;
    }
}

static void test_bcast(void **state)
{
    (void)state;
    for_each_preset(check_bcast);
}

static void check_file(const struct node *node)
{
    struct node again;
    char reason[200], *text, *second;
    size_t bytes, second_bytes;
    assert_int_equal(node_yaml_format(node, &text, &bytes), 0);
    if (node_yaml_parse("preset", text, bytes, &again, reason, sizeof reason))
        fail_msg("%s", reason);
    assert_int_equal(node_yaml_format(&again, &second, &second_bytes), 0);
    assert_int_equal(bytes, second_bytes);
    assert_memory_equal(text, second, bytes);
    assert_true(time_by(&again, &evaluator_sim, again.cores, 100000) == time_by(node, &evaluator_sim, node->cores, 100000));
    free(text);
    free(second);
    node_destroy(&again);
}

static void test_file(void **state)
{
    (void)state;
    for_each_preset(check_file);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_shape),  cmocka_unit_test(test_distance), cmocka_unit_test(test_costs),
        cmocka_unit_test(test_bcast),  cmocka_unit_test(test_file),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
