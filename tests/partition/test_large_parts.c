/* Parts that are no power of two, of many ranks: `auto` is never worse than another strategy with the same repair, and nobody's
 * sizes or cuts are off. Up to 65536 ranks with SHMCOLL_TEST_FULL, else up to 400. */
#include "tests/model/cmocka_all.h"
#include "partition/bound.h"
#include "partition/partitioner.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static uint64_t cut_again(const struct schedule *schedule, const struct partition *made)
{
    struct schedule_step step;
    uint64_t cut = 0;
    for (uint32_t r = 0; r < schedule->procs; r++)
        for (uint32_t k = 0; k < schedule_steps(schedule, r); k++) {
            schedule_step(schedule, r, k, &step);
            if (step.send_to != SCHEDULE_NONE && partition_part(made, r) != partition_part(made, step.send_to))
                cut += step.send.count;
        }
    return cut;
}

static uint64_t cut_by(const struct partitioner *p, const struct partition_problem *problem)
{
    struct partition made;
    char reason[200];
    uint32_t *count = malloc(problem->parts * sizeof *count);
    int error = partition_make(p, problem, &made, reason, sizeof reason);
    uint64_t cut = UINT64_MAX;
    if (error)
        assert_int_equal(error, -ENOTSUP);
    else {
        assert_int_equal(partition_counts(&made, count), 0);
        for (uint32_t u = 0; u < problem->parts; u++)
            assert_int_equal(count[u], partition_problem_size(problem, u));
        cut = cut_again(problem->schedule, &made);
        assert_int_equal(made.cut, cut);
        assert_true(cut >= partition_bound(problem));
        partition_destroy(&made);
    }
    free(count);
    return cut;
}

static void all_strategies(const struct schedule_algorithm *algorithm, uint32_t n, uint32_t parts)
{
    struct schedule schedule;
    struct graph graph;
    assert_int_equal(schedule_init(&schedule, algorithm, n, 0), 0);
    assert_int_equal(graph_of_schedule(&graph, &schedule), 0);
    struct partition_problem problem = {.graph = &graph, .schedule = &schedule, .parts = parts, .seed = 1};
    uint64_t automatic = cut_by(partitioner_find("auto"), &problem);
    for (const struct partitioner *const *p = partitioner_table; *p; p++)
        if (strcmp((*p)->name, "auto") != 0) {
            uint64_t other = cut_by(*p, &problem);
            if (other < automatic)
                fail_msg("%s, %u ranks, %u parts: auto cuts %llu, %s %llu", algorithm->name, n, parts,
                         (unsigned long long)automatic, (*p)->name, (unsigned long long)other);
        }
    graph_destroy(&graph);
}

static void auto_is_the_best(void **state)
{
    (void)state;
    static const uint32_t ranks[] = {12, 20, 13, 192, 160, 257, 3072, 5120, 4099, 49152, 40960, 65521},
                          parts[] = {3, 5, 6, 12, 100};
    uint32_t most = getenv("SHMCOLL_TEST_FULL") ? 65536 : 400;
    for (size_t i = 0; i < sizeof ranks / sizeof *ranks; i++)
        for (size_t k = 0; k < sizeof parts / sizeof *parts; k++)
            if (ranks[i] <= most && parts[k] < ranks[i])
                all_strategies(&schedule_bruck, ranks[i], parts[k]);
    all_strategies(&schedule_sparbit, 192, 12);
    all_strategies(&schedule_recursive_doubling, 256, 12);
    all_strategies(&schedule_binomial, 200, 12);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(auto_is_the_best)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
