/* When stores are seen: not before their line has come from who has a copy of it, nor before what was stored earlier. */
#include "model/channel.h"
#include "model/schedule.h"
#include "tests/model/cmocka_all.h"
#include "tests/sim/sim_case.h"

static const double HANDOVER_PS = 300e3, FETCH_PS = 30e3;

/* Two ranks on one socket; a fetch of a line is a tenth of a hand-over. */
static void begin(struct sim_case *c, const struct protocol *protocol, uint64_t block)
{
    sim_case_preset(c, "broadwell-2x8");
    sim_case_bcast(c, 2, 0, 8192, 16, 4);
    c->scenario.job = (struct job){.kind = JOB_ALLGATHER, .procs = 2, .allgather = {.block_bytes = block}};
    c->scenario.params.protocol = protocol;
    c->node.handover_ns[HANDOVER_SAME_CACHE] = quantity_of(HANDOVER_PS / 1e3, "test");
    c->node.fetch_ns = quantity_of(FETCH_PS / 1e3, "test");
    c->node.step_ns = quantity_of(0, "test");
    c->node.packet_ns = quantity_of(0, "test");
}

static double line_ps(const struct copy_cost *cost, uint64_t bytes, int with_start)
{
    return (with_start ? 1e3 * cost->start_ns.value : 0) + 1e12 * (double)bytes * cost->s_per_byte.value;
}

/* Both announce at the same time; each sees the other a whole hand-over later, though it looks a while after. */
static void nobody_sees_a_store_sooner_than_a_handover_after_it(void **state)
{
    (void)state;
    struct sim_case c;
    begin(&c, &protocol_direct_line, 8);
    double in_ps = line_ps(&c.node.copy[COPY_IN_COLD], 8, 1), out_ps = line_ps(&c.node.copy[COPY_OUT_COLD], 8, 0);
    assert_near((double)sim_case_time_ps(&c), in_ps + HANDOVER_PS + out_ps, 10);
    sim_case_destroy(&c);
}

static void nor_does_a_receiver_see_a_packet(void **state)
{
    (void)state;
    struct sim_case c;
    struct outcome out;
    begin(&c, NULL, 8);
    c.scenario.algorithm = &schedule_ring;
    c.scenario.job.allgather.in_place = 1;
    double in_ps = line_ps(&c.node.copy[COPY_IN_COLD], 8, 1), out_ps = line_ps(&c.node.copy[COPY_OUT_COLD], 8, 0);
    sim_case_evaluate(&c, NULL, &out);
    assert_near(out.time_s * 1e12, in_ps + HANDOVER_PS + out_ps, 10);
    assert_near(out.notify_s * 1e12, 2 * (in_ps + HANDOVER_PS + out_ps), 20); /* who spun, and who came after */
    outcome_destroy(&out);
    sim_case_destroy(&c);
}

/* A short copy into a slot whose lines the reader has: they come first. */
static void a_short_copys_lines_come_first(void **state)
{
    (void)state;
    struct sim_case c;
    begin(&c, &protocol_direct, 256);
    double in_ps = line_ps(&c.node.copy[COPY_IN_COLD], 256, 1), out_ps = line_ps(&c.node.copy[COPY_OUT_COLD], 256, 1);
    assert_near((double)sim_case_time_ps(&c), in_ps + (HANDOVER_PS - FETCH_PS) + HANDOVER_PS + out_ps, 10);
    sim_case_destroy(&c);
}

struct copies {
    uint64_t ps[2];
    uint32_t count;
};

static void note_copy(void *context, const struct trace_step *step)
{
    struct copies *copies = context;
    if (step->op == STEP_COPY && step->rank == 0 && copies->count < 2)
        copies->ps[copies->count++] = step->end_ps - step->start_ps;
}

/* The store buffer is full before the notification in it has got its line from the other socket: the next copy waits. */
static void a_long_copy_waits_behind_a_notification(void **state)
{
    (void)state;
    struct sim_case c;
    struct copies copies = {.count = 0};
    struct trace_sink sink = {note_copy, &copies};
    struct outcome out;
    begin(&c, &protocol_direct, 2 * 8192);
    c.core_of_rank[1] = 8;
    c.node.handover_ns[HANDOVER_CROSS_SOCKET] = quantity_of(3000, "test");
    c.scenario.job.allgather.in_place = 1;
    sim_case_evaluate(&c, &sink, &out);
    double ahead_ps = 2048 * c.node.copy[COPY_IN_COLD].s_per_byte.value * 1e12, taken_ps = 3e6 * (1 - FETCH_PS / HANDOVER_PS);
    assert_int_equal(copies.count, 2);
    assert_near((double)copies.ps[1] - (double)copies.ps[0], taken_ps - ahead_ps, 50e3);
    outcome_destroy(&out);
    sim_case_destroy(&c);
}

/* Where a node says that short messages go into a queue faster than long ones, the rest is still on its way: the packet is seen
 * after it. */
static void what_waits_in_the_store_buffer_comes_first(void **state)
{
    (void)state;
    struct copy_point points[] = {
        {COPY_IN_WARM, 1024, 0, 4096, quantity_of(20e-9, "test"), quantity_unknown()},
        {COPY_IN_WARM, 1024, 0, 1 << 20, quantity_of(60e-9, "test"), quantity_unknown()}};
    struct sim_case c;
    sim_case_preset(&c, "broadwell-2x8");
    sim_case_bcast(&c, 2, 0, 8192, 8, 1);
    c.scenario.job = (struct job){.kind = JOB_P2P, .procs = 2, .p2p = {1024, P2P_PINGPONG, 1}};
    c.scenario.channel = &channel_kind_er;
    c.scenario.conditions.buffers = BUFFERS_WARM;
    c.node.copy_points = points;
    c.node.copy_point_count = 1;
    double without_ps = (double)sim_case_time_ps(&c);
    c.node.copy_point_count = 2;
    assert_near((double)sim_case_time_ps(&c), without_ps + 40e3, 100);
    c.node.copy_points = NULL;
    c.node.copy_point_count = 0;
    sim_case_destroy(&c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nobody_sees_a_store_sooner_than_a_handover_after_it),
        cmocka_unit_test(nor_does_a_receiver_see_a_packet),
        cmocka_unit_test(a_short_copys_lines_come_first),
        cmocka_unit_test(a_long_copy_waits_behind_a_notification),
        cmocka_unit_test(what_waits_in_the_store_buffer_comes_first),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
