/* Allgather by protocol: on a contention-free node against closed forms, to the picosecond; what every rank copies; what a
 * described node's domains and caches do. */
#include "tests/model/cmocka_all.h"
#include "tests/sim/sim_case.h"

#include <math.h>
#include <string.h>

enum { RANKS_MOST = 17 };

static const uint64_t T = 1000, T_W = 50000; /* of sim_case_paper_default */

static void gather(struct sim_case *c, const struct protocol *protocol, uint32_t procs, uint64_t block, uint32_t fragment)
{
    sim_case_bcast(c, procs, 0, fragment, 16, 4);
    c->scenario.job = (struct job){.kind = JOB_ALLGATHER, .procs = procs, .allgather = {.block_bytes = block}};
    c->scenario.params.protocol = protocol;
}

/* Ranks in step: each copies its block into its queue and to its place, and every other's out; it waits once for a set of each
 * other rank, which has written it by then. */
static void direct_closed_form(void **state)
{
    (void)state;
    struct sim_case c;
    sim_case_paper_default(&c);
    for (uint32_t procs = 2; procs <= RANKS_MOST; procs++)
        for (uint32_t sets = 1; sets <= 16; sets *= 2)
            for (uint64_t block = 1; block <= 200000; block *= 7) {
                gather(&c, &protocol_direct, procs, block, 3000);
                c.scenario.params.sets = sets;
                uint64_t set = 3000 * 16 / sets, waits = (block + set - 1) / set;
                assert_int_equal(sim_case_time_ps(&c), T * block * (procs + 1) + (procs - 1) * waits * T_W);
                c.scenario.job.allgather.in_place = 1; /* then ranks look while others announce, and see a part of more */
                if (block <= 3000)
                    assert_int_equal(sim_case_time_ps(&c), T * block * procs + (procs - 1) * T_W);
            }
    sim_case_destroy(&c);
}

static void direct_line_closed_form(void **state)
{
    (void)state;
    struct sim_case c;
    sim_case_paper_default(&c);
    for (uint32_t procs = 2; procs <= RANKS_MOST; procs++)
        for (uint64_t block = 1; block <= 120; block += 17) {
            gather(&c, &protocol_direct_line, procs, block, 3000);
            assert_int_equal(sim_case_time_ps(&c), T * block * (procs + 1) + (procs - 1) * T_W);
        }
    sim_case_destroy(&c);
}

/* One copy less: nothing goes into a queue. */
static void shared_blocks_closed_form(void **state)
{
    (void)state;
    struct sim_case c;
    sim_case_paper_default(&c);
    for (uint32_t procs = 2; procs <= RANKS_MOST; procs++)
        for (uint64_t block = 1; block <= 200000; block *= 7) {
            gather(&c, &protocol_shared_blocks, procs, block, 3000);
            assert_int_equal(sim_case_time_ps(&c), T * block * procs + (procs - 1) * T_W);
        }
    sim_case_destroy(&c);
}

struct copied {
    uint64_t bytes[RANKS_MOST];
};

static void add_copy(void *context, const struct trace_step *step)
{
    struct copied *copied = context;
    if (step->op == STEP_COPY)
        copied->bytes[step->rank] += step->bytes;
}

/* Every rank copies each other's block once, its own to its place, and what goes into a queue or a line once more. */
static void everyone_copies_every_block(void **state)
{
    (void)state;
    static const struct {
        const struct protocol *protocol;
        uint32_t blocks_beyond; /* procs */
        uint64_t block;
    } row[] = {{&protocol_direct, 1, 100001}, {&protocol_direct_line, 1, 77}, {&protocol_shared_blocks, 0, 100001}};
    struct sim_case c;
    sim_case_preset(&c, "broadwell-2x8");
    for (size_t i = 0; i < sizeof row / sizeof *row; i++)
        for (uint32_t procs = 1; procs <= 16; procs += 5) {
            struct copied copied = {{0}};
            struct trace_sink sink = {add_copy, &copied};
            struct outcome out;
            gather(&c, row[i].protocol, procs, row[i].block, 8192);
            sim_case_evaluate(&c, &sink, &out);
            for (uint32_t r = 0; r < procs; r++)
                assert_int_equal(copied.bytes[r], procs == 1 ? 0 : row[i].block * (procs + row[i].blocks_beyond));
            outcome_destroy(&out);
        }
    sim_case_destroy(&c);
}

/* Two ranks of one domain: in, to its place from the own cache, and the other's out, all of it at the rates of the node. */
static void direct_on_a_described_node(void **state)
{
    (void)state;
    struct sim_case c;
    sim_case_preset(&c, "broadwell-2x8");
    gather(&c, &protocol_direct, 2, 8192, 8192);
    const struct copy_cost *in = &c.node.copy[COPY_IN_COLD], *out = &c.node.copy[COPY_OUT_COLD];
    double copies_s = 3 * in->start_ns.value * 1e-9 + 8192 * (in->s_per_byte.value + 2 * out->s_per_byte.value);
    double handover_s = c.node.handover_ns[HANDOVER_SAME_CACHE].value * 1e-9;
    double time_s = (double)sim_case_time_ps(&c) * 1e-12;
    assert_true(time_s >= copies_s && time_s <= copies_s + 2 * handover_s);
    sim_case_destroy(&c);
}

/* From a block in memory the first reader at a cache brings it for all others there; its owner reads it too. */
static void shared_blocks_are_brought_once(void **state)
{
    (void)state;
    struct sim_case c;
    sim_case_preset(&c, "broadwell-2x8");
    const double plain = c.node.copy[COPY_PLAIN_COLD].s_per_byte.value, cached = c.node.copy[COPY_OUT_COLD].s_per_byte.value;
    const uint64_t block = 1 << 20;
    c.node.bandwidth_count = 0; /* nothing is shared but what is in the caches */
    gather(&c, &protocol_shared_blocks, 2, block, 65536);
    c.scenario.conditions.backend = BACKEND_THREADS;
    double want_s = (double)block * (plain + cached), time_s = (double)sim_case_time_ps(&c) * 1e-12;
    assert_near(time_s, want_s, 0.02 * want_s);
    c.scenario.conditions.buffers = BUFFERS_WARM;
    double warm = c.node.copy[COPY_OUT_WARM].s_per_byte.value, in = c.node.copy[COPY_IN_WARM].s_per_byte.value;
    want_s = (double)block * (warm + fmin(warm, in));
    time_s = (double)sim_case_time_ps(&c) * 1e-12;
    assert_near(time_s, want_s, 0.02 * want_s);
    sim_case_destroy(&c);
}

struct times {
    uint64_t copy_ps[5];
    uint32_t count;
};

static void note_copy(void *context, const struct trace_step *step)
{
    struct times *times = context;
    if (step->op == STEP_COPY && step->rank == 0 && times->count < 5)
        times->copy_ps[times->count++] = step->end_ps - step->start_ps;
}

/* Ranks 0 and 2 on one socket, 1 and 3 on the other: after its own two copies rank 0 reads rank 2, then those that are far. */
static void near_ones_first(void **state)
{
    (void)state;
    const uint32_t cores[] = {0, 8, 1, 9};
    struct times times = {.count = 0};
    struct trace_sink sink = {note_copy, &times};
    struct outcome out;
    struct sim_case c;
    sim_case_preset(&c, "broadwell-2x8");
    gather(&c, &protocol_direct, 4, 8192, 8192);
    memcpy(c.core_of_rank, cores, sizeof cores);
    sim_case_evaluate(&c, &sink, &out);
    assert_int_equal(times.count, 5);
    assert_true(times.copy_ps[2] < times.copy_ps[3]);
    outcome_destroy(&out);
    sim_case_destroy(&c);
}

static void first_call_is_like_later_ones(void **state)
{
    (void)state;
    static const struct protocol *const protocols[] = {&protocol_direct, &protocol_direct_line, &protocol_shared_blocks};
    struct sim_case c;
    sim_case_preset(&c, "broadwell-2x8");
    for (size_t i = 0; i < 3; i++) {
        struct outcome out;
        gather(&c, protocols[i], 16, i == 1 ? 64 : 32768, 8192);
        c.scenario.conditions.noise = 1e-13;
        c.scenario.conditions.reps = 8;
        c.scenario.conditions.op_start = UINT32_MAX - 3; /* counters wrap */
        sim_case_evaluate(&c, NULL, &out);
        assert_int_equal(out.sample_count, 8);
        for (int k = 1; k < 8; k++)
            assert_near(out.samples_s[k], out.samples_s[0], 0.02 * out.samples_s[0]);
        outcome_destroy(&out);
    }
    sim_case_destroy(&c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(direct_closed_form),
        cmocka_unit_test(direct_line_closed_form),
        cmocka_unit_test(shared_blocks_closed_form),
        cmocka_unit_test(everyone_copies_every_block),
        cmocka_unit_test(direct_on_a_described_node),
        cmocka_unit_test(shared_blocks_are_brought_once),
        cmocka_unit_test(near_ones_first),
        cmocka_unit_test(first_call_is_like_later_ones),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
