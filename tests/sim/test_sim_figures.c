/* What the presets of S1's servers must show: Fig. 7 (slots), Fig. 10 (trees), Figs. 12 and 13 (peers), also when their numbers
 * move by 20 %. */
#include "tests/model/cmocka_all.h"
#include "tests/sim/sim_case.h"

#include <string.h>

enum { FRAGMENT = 8192 };

static uint64_t tree_time_ps(struct sim_case *c, uint32_t procs, uint64_t size, const char *shape)
{
    sim_case_bcast(c, procs, size, FRAGMENT, 64, 1);
    sim_case_tree(c, shape);
    return sim_case_time_ps(c);
}

static double slots_gain(struct sim_case *c, uint64_t size, uint32_t slots)
{
    sim_case_bcast(c, 8, size, FRAGMENT, 1, 1);
    double one_ps = (double)sim_case_time_ps(c);
    sim_case_bcast(c, 8, size, FRAGMENT, slots, 1);
    return 1 - (double)sim_case_time_ps(c) / one_ps;
}

/* Fig. 7: eight ranks on one domain, flat tree. */
static void slots_of_figure_7(void **state)
{
    (void)state;
    struct sim_case c;
    sim_case_preset(&c, "broadwell-2x8");
    double two = slots_gain(&c, 16 << 10, 2), four = slots_gain(&c, 32 << 10, 4);
    print_message("2 slots at 16 KiB: %.1f %% below one, 4 at 32 KiB: %.1f %%\n", 100 * two, 100 * four);
    assert_true(two >= 0.25 && two <= 0.35);
    assert_true(four >= 0.37 && four <= 0.48);
    /* 32 to 64 buffers are enough. */
    assert_true(slots_gain(&c, 1 << 20, 128) - slots_gain(&c, 1 << 20, 32) < 0.02);
    sim_case_destroy(&c);
}

/* Fig. 10: both sockets, a notification from one rank to all others is slower than passing it on. */
static void trees_of_figure_10(void **state)
{
    (void)state;
    struct sim_case c;
    sim_case_preset(&c, "broadwell-2x8");
    for (uint64_t size = 16 << 10; size <= 4 << 20; size *= 2) {
        double flat = (double)tree_time_ps(&c, 16, size, "flat"), chain = (double)tree_time_ps(&c, 16, size, "chain"),
               binary = (double)tree_time_ps(&c, 16, size, "binary");
        print_message("%7llu bytes: chain %.3f, binary %.3f of flat\n", (unsigned long long)size, chain / flat, binary / flat);
        assert_true(chain < flat);
        assert_true(binary < flat);
    }
    sim_case_destroy(&c);
}

/* Eight ranks with cold buffers wait for their copies, whatever the tree. On two sockets of four the far readers' copies take
 * longest; on one of eight a cold copy-out takes as long as the root's copy-in and its seven notifications. */
static void eight_ranks_are_bound_by_copies(void **state)
{
    (void)state;
    static const char *preset[] = {"nehalem-2x4", "broadwell-2x8"}, *tree[] = {"chain", "binary", "kary:3", "kary:4"};
    for (int n = 0; n < 2; n++) {
        struct sim_case c;
        sim_case_preset(&c, preset[n]);
        for (uint64_t size = 16 << 10; size <= 4 << 20; size *= 4)
            for (int t = 0; t < 4; t++)
                assert_near((double)tree_time_ps(&c, 8, size, tree[t]) / (double)tree_time_ps(&c, 8, size, "flat"), 1, 0.03);
        sim_case_destroy(&c);
    }
}

static double warm_time_ps(struct sim_case *c, uint64_t size, const char *shape)
{
    sim_case_bcast(c, 8, size, FRAGMENT, 64, 1);
    sim_case_tree(c, shape);
    c->scenario.conditions.buffers = BUFFERS_WARM;
    return (double)sim_case_time_ps(c);
}

/* Where copies are cheaper the root's notifications show with eight ranks too, up to the size its cache holds for all. */
static void eight_ranks_with_warm_buffers_feel_the_tree(void **state)
{
    (void)state;
    static const struct {
        const char *preset;
        double most;
    } wanted[] = {{"nehalem-2x4", 1}, {"broadwell-2x8", 0.96}};
    for (int n = 0; n < 2; n++) {
        struct sim_case c;
        sim_case_preset(&c, wanted[n].preset);
        for (uint64_t size = 16 << 10; size <= 1 << 20; size *= 2) {
            double flat = warm_time_ps(&c, size, "flat");
            assert_true(warm_time_ps(&c, size, "chain") < wanted[n].most * flat);
            assert_true(warm_time_ps(&c, size, "binary") < wanted[n].most * flat);
        }
        sim_case_destroy(&c);
    }
}

enum { NUMBERS = 10 };

/* Multiplies one of the node's numbers. */
static void move(struct node *node, int number, double factor)
{
    struct quantity *single[] = {&node->store_ns, &node->atomic_ns, &node->step_ns, &node->remote_ratio, &node->link_bytes_per_s};
    if (number < 5)
        single[number]->value *= factor;
    for (int i = 0; number == 5 && i < HANDOVER_CLASS_COUNT; i++)
        node->handover_ns[i].value *= factor;
    if (number == 6)
        node->handover_ns[HANDOVER_CROSS_SOCKET].value *= factor;
    if (number == 7)
        node->copy[COPY_IN_COLD].s_per_byte.value *= factor;
    if (number == 8)
        node->copy[COPY_OUT_COLD].s_per_byte.value *= factor;
    for (size_t i = 0; number == 9 && i < node->bandwidth_count; i++)
        node->bandwidth[i].bytes_per_s.value *= factor;
}

/* No conclusion hangs on one number: each 20 % up and down. */
static void order_is_stable(void **state)
{
    (void)state;
    double worst = 0;
    for (int i = 0; i < 2 * NUMBERS; i++) {
        struct sim_case c;
        sim_case_preset(&c, "broadwell-2x8");
        move(&c.node, i / 2, i % 2 ? 1.2 : 0.8);
        for (uint64_t size = 16 << 10; size <= 1 << 20; size *= 4) {
            double flat = (double)tree_time_ps(&c, 16, size, "flat"), chain = (double)tree_time_ps(&c, 16, size, "chain"),
                   binary = (double)tree_time_ps(&c, 16, size, "binary");
            worst = fmax(worst, fmax(chain, binary) / flat);
            if (chain >= flat || binary >= flat)
                fail_msg("number %d, %llu bytes: chain %.3f, binary %.3f of flat", i, (unsigned long long)size, chain / flat,
                         binary / flat);
        }
        double two = slots_gain(&c, 32 << 10, 2), four = slots_gain(&c, 32 << 10, 4);
        assert_true(0.15 < two && two + 0.05 < four);
        sim_case_destroy(&c);
    }
    print_message("closest: %.3f of flat\n", worst);
}

/* Every rank once as the root. */
static double mean_over_roots_s(struct sim_case *c)
{
    struct outcome out;
    double sum_s = 0;
    c->scenario.conditions.root_shift = 1;
    c->scenario.conditions.reps = c->scenario.job.procs;
    sim_case_evaluate(c, NULL, &out);
    for (size_t i = 0; i < out.sample_count; i++)
        sum_s += out.samples_s[i];
    sum_s /= (double)out.sample_count;
    outcome_destroy(&out);
    return sum_s;
}

static double ours_s(struct sim_case *c, uint32_t procs, uint64_t size)
{
    sim_case_bcast(c, procs, size, FRAGMENT, 64, 1);
    sim_case_tree(c, "binary");
    return mean_over_roots_s(c);
}

static double slot_ring_s(struct sim_case *c, uint64_t size, int together)
{
    sim_case_bcast(c, 8, size, FRAGMENT, 128, 1);
    c->scenario.params.protocol = &protocol_slot_ring;
    c->scenario.conditions.queues_together = together;
    return mean_over_roots_s(c);
}

/* The message goes from each root but rank 0 to that first. */
static double to_leader_s(struct sim_case *c, uint64_t size)
{
    double sum_s = 0;
    for (uint32_t root = 1; root < 8; root++) {
        sim_case_bcast(c, 2, size, FRAGMENT, 64, 1);
        c->core_of_rank[0] = root;
        c->core_of_rank[1] = 0;
        sum_s += (double)sim_case_time_ps(c) * 1e-12;
    }
    return sum_s / 8;
}

/* Fig. 12. Copies are the same and hide the rest: the protocol alone makes no difference from a fragment on, and the place of the
 * queues, which S1 names as the reason, a twentieth, as writes go through caches. The published 20 to 40 % come out with what the
 * peer does besides: only rank 0 broadcasts, and any other root sends to it before. */
static void slot_ring_of_figure_12(void **state)
{
    (void)state;
    struct sim_case c;
    sim_case_preset(&c, "nehalem-2x4");
    for (uint64_t size = FRAGMENT; size <= 1 << 20; size *= 2) {
        double own = ours_s(&c, 8, size), peer = slot_ring_s(&c, size, 0), together = slot_ring_s(&c, size, 1);
        sim_case_bcast(&c, 8, size, FRAGMENT, 128, 1);
        c.scenario.params.protocol = &protocol_slot_ring;
        double leader = (double)sim_case_time_ps(&c) * 1e-12 + to_leader_s(&c, size);
        print_message("%7llu bytes: %.3f of slot_ring, %.3f with its queues together, %.3f with its leader\n",
                      (unsigned long long)size, own / peer, own / together, own / leader);
        assert_near(own / peer, 1, 0.05);
        assert_true(own / together > 0.92 && own / together < own / peer - 0.02);
        assert_true(own / leader > 0.6 && own / leader < 0.8);
    }
    sim_case_destroy(&c);
}

static double banked_s(struct sim_case *c, uint64_t size, int together)
{
    sim_case_bcast(c, 16, size, FRAGMENT, 8, 2);
    sim_case_tree(c, "kary:4");
    c->scenario.params.protocol = &protocol_banked;
    c->scenario.conditions.queues_together = together;
    return mean_over_roots_s(c);
}

/* Fig. 13: 20 to 60 % less time, and more so with the peer's queues where S1 found them; no number of the node decides that. */
static void banked_of_figure_13(void **state)
{
    (void)state;
    for (int i = -1; i < 2 * NUMBERS; i++) {
        struct sim_case c;
        sim_case_preset(&c, "broadwell-2x8");
        if (i >= 0)
            move(&c.node, i / 2, i % 2 ? 1.2 : 0.8);
        for (uint64_t size = FRAGMENT; size <= 1 << 20; size *= i < 0 ? 2 : 8) {
            double own = ours_s(&c, 16, size), apart = own / banked_s(&c, size, 0), together = own / banked_s(&c, size, 1);
            if (i < 0)
                print_message("%7llu bytes: %.3f of banked, %.3f with its queues together\n", (unsigned long long)size, apart,
                              together);
            if (apart >= (i < 0 ? 0.8 : 0.85) || together >= apart - 0.03 || together <= 0.4)
                fail_msg("number %d, %llu bytes: %.3f of banked, %.3f with its queues together", i, (unsigned long long)size,
                         apart, together);
        }
        sim_case_destroy(&c);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(slots_of_figure_7),
        cmocka_unit_test(trees_of_figure_10),
        cmocka_unit_test(eight_ranks_are_bound_by_copies),
        cmocka_unit_test(eight_ranks_with_warm_buffers_feel_the_tree),
        cmocka_unit_test(order_is_stable),
        cmocka_unit_test(slot_ring_of_figure_12),
        cmocka_unit_test(banked_of_figure_13),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
