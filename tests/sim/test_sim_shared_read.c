/* Many readers of what one core has just written, on one socket and on two: rates, lines that many spin on, and the mean over
 * ranks; and the step clock by the same rules. */
#include "tests/model/cmocka_all.h"

#include "model/scenario.h"

enum { HALF = 8, CORES = 2 * HALF, L1_BYTES = 32 << 10 };

static const double FRESH = 110e-12, SLICE = 160e-12, RATE = 70e-12, CONTESTED = 170e-12, LONE = 0.5;

struct bed {
    struct node node;
    uint32_t cores[CORES];
};

static void bed_create(struct bed *b)
{
    assert_int_equal(node_create(&b->node, 2, CORES), 0);
    b->node.sockets = 2;
    b->node.l1_bytes = L1_BYTES;
    for (uint32_t c = 0; c < CORES; c++)
        b->node.core_domain[c] = b->node.core_socket[c] = b->node.core_cache[c] = c / HALF;
    for (int c = 0; c < COPY_CLASS_COUNT; c++)
        b->node.copy[c].s_per_byte = quantity_of(RATE, "test");
    b->node.handover_ns[HANDOVER_SAME_CACHE] = quantity_of(50, "test");
    b->node.handover_ns[HANDOVER_CROSS_SOCKET] = quantity_of(140, "test");
    b->node.step_ns = quantity_of(2, "test"); /* readers wait when the root offers */
    b->node.serve_ns = quantity_of(10, "test");
    b->node.detour = quantity_of(2, "test");
    b->node.fresh_s_per_byte = quantity_of(FRESH, "test");
    b->node.slice_s_per_byte = quantity_of(SLICE, "test");
    b->node.contested_s_per_byte = quantity_of(CONTESTED, "test");
    b->node.lone_slowdown = quantity_of(LONE, "test");
    for (uint32_t r = 0; r < CORES; r++)
        b->cores[r] = r;
}

static double time_by(struct bed *b, const struct evaluator *e, uint32_t procs, uint64_t size_bytes, double *mean_s)
{
    struct scenario s = {.machine = {.node = &b->node, .nodes = 1},
                         .placement = {"compact", b->cores},
                         .job = {.kind = JOB_BCAST, .procs = procs, .bcast = {size_bytes, 0}},
                         .params = {.protocol = &protocol_shared_source, .fragment_bytes = 1 << 24, .slots = 1, .sets = 1},
                         .conditions = {.buffers = BUFFERS_WARM, .buffer_domain = -1},
                         .variant = e == &evaluator_model ? "extended" : ""};
    struct outcome out;
    if (e->evaluate(&s, NULL, &out))
        fail_msg("%s", out.reason);
    double time_s = out.time_s;
    if (mean_s)
        *mean_s = out.time_mean_s;
    outcome_destroy(&out);
    return time_s;
}

/* What the second half of a message beyond the first-level cache takes, a byte. */
static double rate_of(struct bed *b, uint32_t procs)
{
    return (time_by(b, &evaluator_sim, procs, 2 << 20, NULL) - time_by(b, &evaluator_sim, procs, 1 << 20, NULL)) / (1 << 20);
}

static void rates(void **state)
{
    (void)state;
    struct bed b;
    bed_create(&b);
    double all = SLICE * (HALF - 1) / HALF, crowd = pow(pow(RATE, 4) + pow(all, 4), 0.25);
    assert_near(rate_of(&b, HALF) / crowd, 1, 1e-6);
    assert_near(rate_of(&b, HALF + 1) / (CONTESTED * (1 + LONE)), 1, 1e-6);
    assert_near(rate_of(&b, HALF + 2) / CONTESTED, 1, 1e-6);
    assert_near(rate_of(&b, CORES) / CONTESTED, 1, 1e-6);
    double fresh_s = time_by(&b, &evaluator_sim, 2, L1_BYTES, NULL) - time_by(&b, &evaluator_sim, 2, L1_BYTES / 2, NULL);
    assert_near(fresh_s / (FRESH * L1_BYTES / 2), 1, 1e-3);
    node_destroy(&b.node);
}

/* Spinners beside the writer wait for the line to come back from the other socket. */
static void lines_take_the_detour(void **state)
{
    (void)state;
    struct bed b;
    double near_s, far_s, straight_s;
    bed_create(&b);
    time_by(&b, &evaluator_sim, HALF, 1, &near_s);
    time_by(&b, &evaluator_sim, HALF + 1, 1, &far_s);
    b.node.detour = quantity_of(0, "test");
    time_by(&b, &evaluator_sim, HALF + 1, 1, &straight_s);
    assert_true(straight_s > near_s);
    assert_near(far_s - straight_s, 2 * 140e-9, 60e-9);
    node_destroy(&b.node);
}

static void the_mean_is_before_the_end(void **state)
{
    (void)state;
    struct bed b;
    bed_create(&b);
    for (uint32_t procs = 2; procs <= CORES; procs++) {
        double mean_s, time_s = time_by(&b, &evaluator_sim, procs, 4096, &mean_s);
        assert_true(mean_s > 4096 * RATE && mean_s < time_s);
    }
    node_destroy(&b.node);
}

static void the_step_clock_agrees(void **state)
{
    (void)state;
    struct bed b;
    bed_create(&b);
    for (uint32_t procs = 2; procs <= CORES; procs++)
        for (uint64_t size = 1; size <= 4 << 20; size *= 8) {
            double sim_mean_s, model_mean_s, sim_s = time_by(&b, &evaluator_sim, procs, size, &sim_mean_s);
            assert_near(time_by(&b, &evaluator_model, procs, size, &model_mean_s) / sim_s, 1, 0.001);
            assert_near(model_mean_s / sim_mean_s, 1, 0.001);
        }
    node_destroy(&b.node);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rates),
        cmocka_unit_test(lines_take_the_detour),
        cmocka_unit_test(the_mean_is_before_the_end),
        cmocka_unit_test(the_step_clock_agrees),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
