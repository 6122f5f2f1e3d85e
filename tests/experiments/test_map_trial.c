/* Applications made up at random, onto nodes and onto what is in them: `auto` is never worse than the best of the others. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "experiments/map_trial.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Two levels, three, and four with switches. */
static const struct {
    const char *node, *network;
    uint32_t parts;
} machines[] = {
    {NULL, "gigabit", 4},
    {"nehalem-2x4", "infiniband-ddr", 0},
    {"epyc7742-2x64", NULL, 2},
    {"nehalem-2x4", "tianhe", 40},
};

static void machine_of(size_t i, uint32_t procs, struct map_machine *out)
{
    const struct settings settings = {.command = "map", .node = machines[i].node, .network = machines[i].network,
                                      .parts = machines[i].parts < procs ? machines[i].parts : 4, .place = "scatter", .seed = 1};
    assert_int_equal(map_machine_create(&settings, procs, out), 0);
}

static void try(const struct map_trial *trial, const struct map_machine *machine, struct map_trial_means *means)
{
    struct map_trial_outcome o;
    assert_int_equal(map_trial_run(trial, machine, &o), 0);
    for (int way = 1; way < MAP_TRIAL_WAYS; way++)
        if (o.j[0] > o.j[way] * (1 + 1e-12))
            fail_msg("%s of %u ranks%s, seed %llu, %u levels: J of auto %.9g, of %s %.9g", trial->sample->name, trial->procs,
                     trial->shuffled ? " shuffled" : "", (unsigned long long)trial->seed, machine->hierarchy.levels, o.j[0],
                     map_trial_way[way], o.j[way]);
    map_trial_count(means, &o);
}

static void auto_is_never_worse(void **state)
{
    (void)state;
    static const uint32_t procs[] = {8, 16, 45, 64, 200};
    size_t counts = getenv("SHMCOLL_TEST_FULL") ? 5 : 3;
    struct map_trial_means means = {.count = 0};
    for (size_t m = 0; m < sizeof machines / sizeof *machines; m++)
        for (size_t p = 0; p < counts; p++) {
            struct map_machine machine;
            machine_of(m, procs[p], &machine);
            for (const struct traffic_sample *sample = traffic_sample_table; sample->name; sample++)
                for (int shuffled = 0; shuffled < 2; shuffled++)
                    try(&(struct map_trial){sample, procs[p], shuffled, p + 7}, &machine, &means);
            map_machine_destroy(&machine);
        }
    for (int way = 1; way < MAP_TRIAL_WAYS; way++)
        print_message("J of %s to that of auto, geometric mean of %u: %.3f\n", map_trial_way[way], means.count,
                      map_trial_mean(&means, way));
    assert_true(means.worst <= 1 + 1e-12);
    /* Numbers that say nothing must have cost a lot. */
    assert_true(map_trial_mean(&means, 2) > 1.1);
}

/* Whoever talks, at least once and both ways; the same for a seed. */
static void samples_are_sound(void **state)
{
    (void)state;
    for (const struct traffic_sample *sample = traffic_sample_table; sample->name; sample++)
        for (uint32_t ranks = 2; ranks < 70; ranks++) {
            struct traffic a, b;
            assert_int_equal(traffic_sample_create(&a, sample, ranks, ranks % 2, ranks), 0);
            assert_int_equal(traffic_sample_create(&b, sample, ranks, ranks % 2, ranks), 0);
            assert_int_equal(a.ranks, ranks);
            assert_true(a.total_bytes > 0 || ranks < 8);
            assert_memory_equal(a.first, b.first, (ranks + 1) * sizeof *a.first);
            assert_memory_equal(a.to, b.to, a.first[ranks] * sizeof *a.to);
            assert_memory_equal(a.bytes, b.bytes, a.first[ranks] * sizeof *a.bytes);
            traffic_destroy(&a);
            traffic_destroy(&b);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(samples_are_sound), cmocka_unit_test(auto_is_never_worse)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
