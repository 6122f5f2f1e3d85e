/* Traces: every step of every rank is there, in order; every byte is copied, and never before or after its time. */
#include "tests/model/cmocka_all.h"
#include "tests/sim/sim_case.h"

#include "model/protocol/eager.h"

#include <stdlib.h>
#include <string.h>

enum { RANKS = SIM_CASE_RANKS, FRAGMENTS = 256 };

struct seen {
    uint64_t end_ps[RANKS];                                                          /* of the last step */
    uint64_t begin_copy_ps[RANKS][FRAGMENTS], end_copy_ps[RANKS][FRAGMENTS], bytes[RANKS]; /* by fragment */
    uint32_t copies[RANKS], steps[RANKS][STEP_NAME_COUNT][STEP_FAULT + 1];
};

static void record(void *context, const struct trace_step *step)
{
    struct seen *seen = context;
    uint32_t r = step->rank;
    assert_true(step->start_ps >= seen->end_ps[r]);
    assert_true(step->start_ps <= step->wait_end_ps && step->wait_end_ps <= step->end_ps);
    seen->end_ps[r] = step->end_ps;
    seen->steps[r][step->name][step->op]++;
    if (step->op != STEP_COPY)
        return;
    assert_true(seen->copies[r] < FRAGMENTS && step->bytes > 0);
    seen->begin_copy_ps[r][seen->copies[r]] = step->start_ps;
    seen->end_copy_ps[r][seen->copies[r]++] = step->end_ps;
    seen->bytes[r] += step->bytes;
}

static void trace_case(const struct sim_case *c, struct seen *seen)
{
    struct trace_sink sink = {record, seen};
    struct outcome out;
    uint64_t last_ps = 0;
    memset(seen, 0, sizeof *seen);
    sim_case_evaluate(c, &sink, &out);
    for (uint32_t r = 0; r < c->scenario.job.procs; r++)
        last_ps = seen->end_ps[r] > last_ps ? seen->end_ps[r] : last_ps;
    assert_near(out.time_s, (double)last_ps * 1e-12, 1e-15);
    assert_true(out.copy_s >= 0 && out.wait_s >= 0 && out.notify_s >= 0);
    outcome_destroy(&out);
}

/* Counts follow from the protocol: fragments, sets, children. */
static void check_counts(const struct sim_case *c, const struct seen *seen)
{
    const struct params *p = &c->scenario.params;
    const struct job *job = &c->scenario.job;
    uint32_t fragments = (uint32_t)((job->bcast.size_bytes + p->fragment_bytes - 1) / p->fragment_bytes);
    uint32_t per_set = p->slots / p->sets, opened = (fragments + per_set - 1) / per_set, told = 0;
    for (uint32_t r = 0; r < job->procs; r++) {
        int root = r == job->bcast.root;
        assert_int_equal(seen->copies[r], fragments);
        assert_int_equal(seen->bytes[r], job->bcast.size_bytes);
        assert_int_equal(seen->steps[r][STEP_NAME_WS][STEP_WAIT_EQ], root ? opened : 0);
        assert_int_equal(seen->steps[r][STEP_NAME_SO][STEP_STORE], root ? opened : 0);
        assert_int_equal(seen->steps[r][STEP_NAME_WO][STEP_WAIT_EQ], root ? 0 : opened);
        assert_int_equal(seen->steps[r][STEP_NAME_A][STEP_ADD], root ? 0 : opened);
        assert_int_equal(seen->steps[r][STEP_NAME_W][STEP_WAIT_NE], root ? 0 : fragments);
        told += seen->steps[r][STEP_NAME_N][STEP_STORE];
    }
    assert_int_equal(told, fragments * (job->procs - 1));
}

/* A reader copies what the root has written; the root overwrites a slot when all have read it. */
static void check_order(const struct sim_case *c, const struct seen *seen)
{
    uint32_t root = c->scenario.job.bcast.root, slots = c->scenario.params.slots;
    for (uint32_t r = 0; r < c->scenario.job.procs; r++)
        for (uint32_t k = 0; r != root && k < seen->copies[r]; k++) {
            assert_true(seen->begin_copy_ps[r][k] >= seen->end_copy_ps[root][k]);
            if (k + slots < seen->copies[root])
                assert_true(seen->begin_copy_ps[root][k + slots] >= seen->end_copy_ps[r][k]);
        }
}

static void pipelined_traces(void **state)
{
    (void)state;
    static const char *node[] = {"paper", "nehalem-2x4", "broadwell-2x8"}, *tree[] = {"flat", "chain", "kary:2", "knomial:3"};
    static const uint32_t set[][2] = {{1, 1}, {2, 1}, {4, 2}, {8, 4}, {3, 3}};
    static const uint64_t size[] = {1, 511, 512, 513, 10000, 65536};
    struct seen *seen = malloc(sizeof *seen);
    int cases = 0;
    assert_non_null(seen);
    for (int n = 0; n < 3; n++) {
        struct sim_case c;
        sim_case_preset(&c, node[n]);
        for (uint32_t i = 0; i < 4 * 5 * 6; i++) {
            uint32_t procs = 2 + (i * 7 + (uint32_t)n) % 7;
            sim_case_bcast(&c, procs, size[i % 6], 512, set[i / 6 % 5][0], set[i / 6 % 5][1]);
            sim_case_tree(&c, tree[i / 30]);
            c.scenario.job.bcast.root = i % procs;
            c.scenario.conditions.noise = i % 3 == 2 ? 0.3 : 0;
            c.scenario.conditions.skew_s = i % 4 == 3 ? 1e-5 : 0;
            trace_case(&c, seen);
            check_counts(&c, seen);
            check_order(&c, seen);
            cases++;
        }
        sim_case_destroy(&c);
    }
    print_message("%d traces\n", cases);
    free(seen);
}

/* Short messages: one copy an edge and one out, one wait, one line a child. */
static void eager_traces(void **state)
{
    (void)state;
    struct seen *seen = malloc(sizeof *seen);
    struct sim_case c;
    assert_non_null(seen);
    sim_case_preset(&c, "broadwell-2x8");
    for (uint32_t procs = 2; procs <= 16; procs++) {
        sim_case_bcast(&c, procs, 64, 8192, 8, 1);
        sim_case_tree(&c, "kary:2");
        c.scenario.params.protocol = &protocol_eager;
        trace_case(&c, seen);
        uint32_t copies = 0, told = 0;
        for (uint32_t r = 0; r < procs; r++) {
            copies += seen->copies[r];
            told += seen->steps[r][STEP_NAME_N][STEP_STORE];
            assert_int_equal(seen->steps[r][STEP_NAME_W][STEP_WAIT_EQ], r != 0);
        }
        assert_int_equal(copies, 2 * (procs - 1));
        assert_int_equal(told, procs - 1);
    }
    sim_case_destroy(&c);
    free(seen);
}

/* Two ranks, one line: the payload crosses once, with its counter. */
static void eager_costs_one_hand_over(void **state)
{
    (void)state;
    struct sim_case c;
    sim_case_preset(&c, "broadwell-2x8");
    sim_case_bcast(&c, 2, 8, 8192, 8, 1);
    c.scenario.params.protocol = &protocol_eager;
    c.scenario.conditions.buffers = BUFFERS_WARM;
    double near_ns = (double)sim_case_time_ps(&c) * 1e-3, handover_ns = c.node.handover_ns[HANDOVER_SAME_CACHE].value;
    c.core_of_rank[1] = 8;
    double far_ns = (double)sim_case_time_ps(&c) * 1e-3;
    print_message("8 bytes: %.1f ns near, %.1f ns across sockets\n", near_ns, far_ns);
    assert_near(far_ns - near_ns, c.node.handover_ns[HANDOVER_CROSS_SOCKET].value - handover_ns, 1);
    assert_true(near_ns > handover_ns && near_ns < 3 * handover_ns);
    sim_case_destroy(&c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pipelined_traces),
        cmocka_unit_test(eager_traces),
        cmocka_unit_test(eager_costs_one_hand_over),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
