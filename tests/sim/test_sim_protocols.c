/* Every protocol of the table: it simulates everywhere, repeats to the bit, and takes no time where nothing costs. */
#include "tests/model/cmocka_all.h"
#include "tests/sim/sim_case.h"

#include <string.h>

enum { FRAGMENT = 4096 };

/* A message the protocol supports on this node with the test's queue; false if there is none. */
static int choose(struct sim_case *c, const struct protocol *protocol, uint32_t procs, uint64_t size_bytes, const char *tree)
{
    char reason[200];
    int right = 0;
    for (uint32_t sets = 2; sets > 0 && !right; sets--) {
        sim_case_bcast(c, procs, size_bytes, FRAGMENT, 8, sets);
        sim_case_tree(c, tree);
        c->scenario.params.protocol = protocol;
        c->scenario.job.bcast.root = procs - 1;
        right = scenario_check(&c->scenario, reason, sizeof reason) == 0;
    }
    return right;
}

typedef void visit_function(struct sim_case *c);

static void visit(const char *node, visit_function *see)
{
    static const uint64_t sizes[] = {1, 40, FRAGMENT, 10 * FRAGMENT + 1, 100 * FRAGMENT};
    static const char *const trees[] = {"flat", "chain", "kary:4", "knomial:2"};
    for (const struct protocol *const *p = protocol_table; *p; p++) {
        uint32_t seen = 0;
        for (uint32_t procs = 2; procs <= 8; procs += procs < 4 ? 1 : 4)
            for (size_t i = 0; i < 5 * 4; i++) {
                struct sim_case c;
                sim_case_preset(&c, node);
                if (choose(&c, *p, procs, sizes[i / 4], trees[i % 4])) {
                    see(&c);
                    seen++;
                }
                sim_case_destroy(&c);
            }
        if (!seen)
            fail_msg("protocol %s was not simulated at all", (*p)->name);
    }
}

struct tally {
    uint64_t copied;
};

static void count(void *context, const struct trace_step *step)
{
    struct tally *tally = context;
    tally->copied += step->bytes;
}

/* Every reader's buffer is filled: at least p - 1 messages are copied, at most one more each for every rank's slots; each rank
 * that copies cannot do so faster than its copies alone. */
static void bytes_and_time(struct sim_case *c)
{
    struct tally tally = {0};
    struct trace_sink sink = {count, &tally};
    struct outcome out;
    uint64_t size = c->scenario.job.bcast.size_bytes, procs = c->scenario.job.procs;
    sim_case_evaluate(c, &sink, &out);
    assert_true(tally.copied >= (procs - 1) * size);
    assert_true(tally.copied <= 2 * procs * size);
    assert_true(out.time_s * (double)procs >= out.copy_s && out.time_s > 0);
    if (c->node.contention_free)
        assert_near(out.copy_s, (double)tally.copied * c->node.paper.t_s_per_byte.value, 1e-12);
    outcome_destroy(&out);
}

static void simulate_everywhere(void **state)
{
    (void)state;
    visit("paper", bytes_and_time);
    visit("broadwell-2x8", bytes_and_time);
    visit("nehalem-2x4", bytes_and_time);
}

static void repeat(struct sim_case *c)
{
    struct outcome a, b;
    c->scenario.conditions.reps = 5;
    c->scenario.conditions.root_shift = 1;
    c->scenario.conditions.noise = 0.1;
    c->scenario.conditions.skew_s = 1e-6;
    sim_case_evaluate(c, NULL, &a);
    sim_case_evaluate(c, NULL, &b);
    assert_memory_equal(a.samples_s, b.samples_s, 5 * sizeof *a.samples_s);
    assert_int_equal(a.events, b.events);
    outcome_destroy(&a);
    outcome_destroy(&b);
}

static void repeat_to_the_bit(void **state)
{
    (void)state;
    visit("broadwell-2x8", repeat);
}

static void nothing_costs(struct sim_case *c)
{
    const struct quantity zero = quantity_of(0, "test");
    c->node.paper = (struct paper_costs){zero, zero, zero, zero};
    assert_int_equal(sim_case_time_ps(c), 0);
    c->node.paper.t_s_per_byte = quantity_of(1e-9, "test");
    uint64_t bytes = c->scenario.job.bcast.size_bytes;
    uint64_t copies_ps = sim_case_time_ps(c);
    if (copies_ps < 1000 * bytes / c->scenario.job.procs)
        fail_msg("%s: %llu bytes in %llu ps", c->scenario.params.protocol->name, (unsigned long long)bytes,
                 (unsigned long long)copies_ps);
}

static void no_time_where_nothing_costs(void **state)
{
    (void)state;
    visit("paper", nothing_costs);
}

/* Calls follow one another with another root each, counters near their wrap. */
static void wrap(struct sim_case *c)
{
    struct outcome a, b;
    c->scenario.conditions.reps = 12;
    c->scenario.conditions.root_shift = 1;
    c->scenario.conditions.op_start = 0;
    sim_case_evaluate(c, NULL, &a);
    c->scenario.conditions.op_start = (uint32_t)-64;
    sim_case_evaluate(c, NULL, &b);
    assert_int_equal(a.sample_count, 12);
    assert_memory_equal(a.samples_s, b.samples_s, 12 * sizeof *a.samples_s);
    outcome_destroy(&a);
    outcome_destroy(&b);
}

static void counters_may_wrap(void **state)
{
    (void)state;
    visit("broadwell-2x8", wrap);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(simulate_everywhere),
        cmocka_unit_test(repeat_to_the_bit),
        cmocka_unit_test(no_time_where_nothing_costs),
        cmocka_unit_test(counters_may_wrap),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
