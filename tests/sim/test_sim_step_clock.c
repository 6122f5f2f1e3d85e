/* The model's step clock against the simulator: the same where nothing is shared, close where lines and bandwidth are. */
#include "tests/model/cmocka_all.h"
#include "tests/sim/sim_case.h"

#include "model/step_clock.h"

#include <math.h>

static double clock_s(const struct sim_case *c)
{
    struct tree tree;
    struct bcast_prediction out;
    char reason[200] = "";
    assert_int_equal(tree_create(c->scenario.params.tree, c->scenario.job.procs, &tree), 0);
    if (step_clock_time(&c->scenario, &tree, &out, reason, sizeof reason))
        fail_msg("%s", reason);
    tree_destroy(&tree);
    return out.time_s;
}

static double sim_s(const struct sim_case *c)
{
    struct outcome out;
    sim_case_evaluate(c, NULL, &out);
    outcome_destroy(&out);
    return out.time_s;
}

static const char *const trees[] = {"flat", "kary:2", "chain"};
static const struct {
    uint32_t fragment, slots, sets;
} queues[] = {{4096, 1, 1}, {8192, 4, 1}, {8192, 8, 2}, {12288, 64, 4}, {8192, 512, 1}, {2048, 256, 2}};
static const uint64_t sizes[] = {1, 4096, 65536, 100000, 1 << 20, (4 << 20) + 12345};
#define COUNT(array) (sizeof(array) / sizeof *(array))

/* The largest relative difference over trees, queues and sizes from `first` on. */
static double worst_difference(struct sim_case *c, const struct protocol *protocol, uint32_t procs, size_t first)
{
    double worst = 0;
    for (size_t i = first * COUNT(trees) * COUNT(queues); i < COUNT(trees) * COUNT(queues) * COUNT(sizes); i++) {
        size_t q = i % COUNT(queues), t = i / COUNT(queues) % COUNT(trees), s = i / COUNT(queues) / COUNT(trees);
        sim_case_bcast(c, procs, sizes[s], queues[q].fragment, queues[q].slots, queues[q].sets);
        c->scenario.params.protocol = protocol;
        sim_case_tree(c, trees[t]);
        char reason[200];
        if (scenario_check(&c->scenario, reason, sizeof reason))
            continue;
        double sim = sim_s(c), difference = fabs(clock_s(c) / sim - 1);
        if (difference > worst && difference > 0.001)
            print_message("%s, %u ranks, %s, %llu bytes, f %u, s %u, q %u: sim %.3f us, %+.2f %%\n",
                          c->scenario.params.protocol->name, procs, trees[t], (unsigned long long)sizes[s], queues[q].fragment,
                          queues[q].slots, queues[q].sets, sim * 1e6, 100 * (clock_s(c) / sim - 1));
        worst = fmax(worst, difference);
    }
    return worst;
}

/* Whatever is extrapolated, to the picosecond but for the doubles. A reader that takes several fragments at once finds its pace
 * late. */
static void test_same_where_nothing_is_shared(void **state)
{
    (void)state;
    struct sim_case c;
    sim_case_paper_default(&c);
    for (uint32_t procs = 2; procs <= 16; procs *= 2) {
        assert_true(worst_difference(&c, &protocol_pipelined, procs, 0) < 1e-9);
        assert_true(worst_difference(&c, &protocol_counted, procs, 0) < 0.01);
    }
    sim_case_destroy(&c);
}

/* Every protocol of the table; slot_ring's lap is a slot shorter than its ring. */
static void test_every_protocol(void **state)
{
    (void)state;
    for (const struct protocol *const *p = protocol_table; *p; p++)
        for (int preset = 0; preset < 2; preset++) {
            struct sim_case c;
            if (preset)
                sim_case_preset(&c, "nehalem-2x4");
            else
                sim_case_paper_default(&c);
            double worst = worst_difference(&c, *p, 2, 2);
            print_message("%s on %s: at most %.1f %%\n", (*p)->name, c.node.name, 100 * worst);
            sim_case_destroy(&c);
            assert_true(worst < 0.07);
        }
}

static void test_close_on_described_nodes(void **state)
{
    (void)state;
    static const struct {
        const char *node;
        uint32_t procs;
    } cases[] = {{"nehalem-2x4", 2}, {"nehalem-2x4", 8}, {"broadwell-2x8", 2}, {"broadwell-2x8", 16}};
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct sim_case c;
        sim_case_preset(&c, cases[i].node);
        double worst = worst_difference(&c, &protocol_pipelined, cases[i].procs, 2);
        worst = fmax(worst, worst_difference(&c, &protocol_counted, cases[i].procs, 2));
        print_message("%s, %u ranks: at most %.1f %%\n", cases[i].node, cases[i].procs, 100 * worst);
        sim_case_destroy(&c);
        assert_true(worst < 0.15);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_same_where_nothing_is_shared),
        cmocka_unit_test(test_every_protocol),
        cmocka_unit_test(test_close_on_described_nodes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
