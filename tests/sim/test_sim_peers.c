/* Copies between ranks' buffers: single_copy against closed forms, who pays for bringing what, and the kernel's part. */
#include "tests/model/cmocka_all.h"
#include "tests/sim/sim_case.h"

#include <math.h>
#include <string.h>

static void single_copy(struct sim_case *c, uint32_t procs, uint64_t size_bytes, uint32_t fragment_bytes, uint32_t readers_most)
{
    sim_case_bcast(c, procs, size_bytes, fragment_bytes, 1, 1);
    c->scenario.params.protocol = &protocol_single_copy;
    c->scenario.params.readers_most = readers_most;
}

/* k readers at a time, one after the other in each of the k: every one waits for its turn and copies the message. */
static void readers_in_turns(void **state)
{
    (void)state;
    struct sim_case c;
    sim_case_paper(&c, 1000, 50000, 100000, 10000);
    for (uint32_t procs = 2; procs <= 17; procs++)
        for (uint32_t k = 0; k <= procs; k++)
            for (uint64_t m = 1; m <= 100000; m *= 10) {
                uint64_t turns = k == 0 ? 1 : (procs - 1 + k - 1) / k;
                single_copy(&c, procs, m, 3000, k);
                c.scenario.job.bcast.root = m % procs;
                assert_int_equal(sim_case_time_ps(&c), turns * (50000 + 1000 * m));
            }
    sim_case_destroy(&c);
}

static double slower(const struct sim_case *c, double share)
{
    return 1 + share * (1 / c->node.remote_ratio.value - 1);
}

/* Two readers on the other socket, one after the other: the first makes a plain copy whose read side is far, the second copies
 * out of their cache, if the message is still there. */
static void the_first_far_reader_pays(void **state)
{
    (void)state;
    struct sim_case c;
    sim_case_preset(&c, "broadwell-2x8");
    const double plain = c.node.copy[COPY_PLAIN_COLD].s_per_byte.value, cached = c.node.copy[COPY_OUT_COLD].s_per_byte.value;
    for (uint64_t size = 1 << 20; size <= 64 << 20; size *= 64) {
        single_copy(&c, 3, size, 65536, 1);
        c.core_of_rank[1] = 8;
        c.core_of_rank[2] = 9;
        double first_s = (double)size * plain * slower(&c, 1.0 / 3), time_s = (double)sim_case_time_ps(&c) * 1e-12;
        double second_s = size <= c.node.llc_bytes ? (double)size * cached : first_s;
        assert_near(time_s, first_s + second_s, 0.01 * time_s);
    }
    sim_case_destroy(&c);
}

/* Together they go at the pace of the one who brings it: a second far reader costs nothing. */
static void who_comes_with_the_first_goes_at_its_pace(void **state)
{
    (void)state;
    struct sim_case c;
    sim_case_preset(&c, "broadwell-2x8");
    single_copy(&c, 2, 1 << 20, 65536, 0);
    c.core_of_rank[1] = 8;
    double alone_ps = (double)sim_case_time_ps(&c);
    single_copy(&c, 3, 1 << 20, 65536, 0);
    c.core_of_rank[1] = 8;
    c.core_of_rank[2] = 9;
    assert_near((double)sim_case_time_ps(&c), alone_ps, 0.01 * alone_ps);
    c.core_of_rank[1] = 1; /* near, and soon ahead: the far one finds the message in the root's cache, but for a few pieces */
    double cached_ps = (1 << 20) * c.node.copy[COPY_OUT_COLD].s_per_byte.value * slower(&c, 1.0 / 3) * 1e12;
    assert_true((double)sim_case_time_ps(&c) >= cached_ps && (double)sim_case_time_ps(&c) < (alone_ps + cached_ps) / 2);
    sim_case_destroy(&c);
}

/* Warm: the root's cache has it. */
static void warm_buffers_are_read_from_the_cache(void **state)
{
    (void)state;
    struct sim_case c;
    sim_case_preset(&c, "broadwell-2x8");
    single_copy(&c, 2, 1 << 20, 65536, 0);
    c.scenario.conditions.buffers = BUFFERS_WARM;
    double want_ps = (1 << 20) * c.node.copy[COPY_OUT_WARM].s_per_byte.value * 1e12;
    assert_near((double)sim_case_time_ps(&c), want_ps, 0.02 * want_ps);
    sim_case_destroy(&c);
}

/* Between processes a call and its pages cost what the node says, between threads nothing. */
static void the_kernel_has_its_price(void **state)
{
    (void)state;
    struct sim_case c;
    sim_case_preset(&c, "broadwell-2x8");
    single_copy(&c, 2, 1 << 20, 10000, 0);
    uint64_t free_ps = sim_case_time_ps(&c);
    c.node.peer_call_ns = quantity_of(700, "test");
    c.node.peer_page_ns = quantity_of(300, "test");
    uint64_t calls = ((1 << 20) + 9999) / 10000, last = (1 << 20) % 10000, pages = (calls - 1) * 3 + (last + 4095) / 4096;
    assert_near((double)sim_case_time_ps(&c), (double)free_ps + (double)(calls * 700 + pages * 300) * 1e3, (double)calls);
    c.scenario.conditions.backend = BACKEND_THREADS;
    assert_int_equal(sim_case_time_ps(&c), free_ps);
    sim_case_destroy(&c);
}

/* Readers on the root's domain share its controller: they load it by what they write and by what the first reads. */
static void readers_share_the_controller(void **state)
{
    (void)state;
    struct sim_case c;
    sim_case_preset(&c, "broadwell-2x8");
    single_copy(&c, 8, 1 << 20, 65536, 0);
    double plain_s = (1 << 20) * c.node.copy[COPY_PLAIN_COLD].s_per_byte.value;
    c.node.bandwidth_count = 1;
    c.node.bandwidth[0].bytes_per_s = quantity_of((1 << 20) / plain_s, "test"); /* one copy saturates it */
    double want_s = plain_s * (7 * 2 + 1) / 3;
    assert_near((double)sim_case_time_ps(&c) * 1e-12, want_s, 0.02 * want_s);
    sim_case_destroy(&c);
}

/* Where a copy-in and a copy-out beside each other were measured, two plain copies still share what was measured of those. */
static void plain_copies_share_though_pairs_are_measured(void **state)
{
    (void)state;
    struct sim_case c;
    struct copy_point point = {COPY_OUT_COLD, 65536, 0, 0, quantity_of(20e-6, "test"), quantity_of(25e-6, "test")};
    sim_case_preset(&c, "broadwell-2x8");
    single_copy(&c, 3, 1 << 20, 65536, 0);
    struct bandwidth_point *own = c.node.bandwidth, two[] = {{1, quantity_of(3e9, "test")}, {2, quantity_of(3.2e9, "test")}};
    c.node.bandwidth = two;
    c.node.bandwidth_count = 2;
    c.node.copy_points = &point;
    c.node.copy_point_count = 1;
    double want_s = 2 * (1 << 20) / 3.2e9;
    assert_near((double)sim_case_time_ps(&c) * 1e-12, want_s, 0.01 * want_s);
    c.node.bandwidth = own;
    c.node.copy_points = NULL;
    c.node.copy_point_count = 0;
    sim_case_destroy(&c);
}

static double copied_s(const struct sim_case *c)
{
    struct outcome out;
    sim_case_evaluate(c, NULL, &out);
    double copy_s = out.copy_s;
    outcome_destroy(&out);
    return copy_s;
}

/* One fragment along a chain of three: in, from slot to slot, and out twice. What a slot's two sides cost is what a copy-in and a
 * copy-out have beyond a plain copy: here 39.2 + 39.2 ns and 236 + 256 - 316 ps a byte. */
static void from_slot_to_slot(void **state)
{
    (void)state;
    struct sim_case c;
    sim_case_preset(&c, "broadwell-2x8");
    sim_case_bcast(&c, 3, 8192, 8192, 8, 2);
    sim_case_tree(&c, "chain");
    c.scenario.params.protocol = &protocol_banked;
    const double in_s = 39.2e-9 + 8192 * 236e-12, out_s = 39.2e-9 + 8192 * 256e-12, relay_s = 78.4e-9 + 8192 * 176e-12;
    assert_near(copied_s(&c), in_s + relay_s + 2 * out_s, 45e-9); /* the second out begins while its notification is on its way */
    c.node.copy[COPY_PLAIN_COLD].s_per_byte = quantity_unknown(); /* then at least the dearer warm one: in, 144 ps */
    assert_near(copied_s(&c), in_s + 39.2e-9 + 8192 * 144e-12 + 2 * out_s, 45e-9);
    sim_case_destroy(&c);
}

static void refuses_what_the_node_does_not_know(void **state)
{
    (void)state;
    struct sim_case c;
    struct outcome out;
    sim_case_preset(&c, "broadwell-2x8");
    single_copy(&c, 2, 1000, 500, 0);
    c.node.copy[COPY_PLAIN_COLD].s_per_byte = quantity_unknown();
    assert_true(evaluator_sim.evaluate(&c.scenario, NULL, &out) != 0);
    assert_non_null(strstr(out.reason, "plain_cold"));
    outcome_destroy(&out);
    sim_case_destroy(&c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(readers_in_turns),
        cmocka_unit_test(the_first_far_reader_pays),
        cmocka_unit_test(who_comes_with_the_first_goes_at_its_pace),
        cmocka_unit_test(warm_buffers_are_read_from_the_cache),
        cmocka_unit_test(the_kernel_has_its_price),
        cmocka_unit_test(readers_share_the_controller),
        cmocka_unit_test(plain_copies_share_though_pairs_are_measured),
        cmocka_unit_test(from_slot_to_slot),
        cmocka_unit_test(refuses_what_the_node_does_not_know),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
