/* Every optimum of few ranks, found by trying all partitions: what heuristics alone reach of them, and that search and formulas
 * find them all. Up to 16 ranks in equal parts and 12 in parts of any sizes with SHMCOLL_TEST_FULL, else up to 14 and 8. */
#include "tests/model/cmocka_all.h"
#include "partition/bound.h"
#include "partition/partitioner.h"
#include "tests/partition/brute.h"

#include <stdlib.h>
#include <string.h>

struct tally {
    unsigned cases, reached;
};

static int full(void)
{
    return getenv("SHMCOLL_TEST_FULL") != NULL;
}

static struct partition made_by_auto(const struct partition_problem *problem)
{
    struct partition made;
    char reason[200];
    if (partition_make(partitioner_find("auto"), problem, &made, reason, sizeof reason))
        fail_msg("auto: %s", reason);
    return made;
}

/* Search by itself, from runs. */
static void search_finds(const struct partition_problem *problem, uint64_t optimum)
{
    struct partition start;
    char reason[200];
    uint32_t part[32];
    assert_int_equal(partition_make(partitioner_find("block"), problem, &start, reason, sizeof reason), 0);
    partition_table(&start, part);
    partition_destroy(&start);
    assert_int_equal(partition_search(problem, part, UINT64_MAX), 0);
    start =
        (struct partition){.vertices = problem->graph->vertices, .parts = problem->parts, .form = PARTITION_TABLE, .table = part};
    assert_int_equal(partition_cut(problem->graph, &start), optimum);
}

static void one_case(const struct schedule *schedule, const struct graph *graph, const uint64_t *sent, const uint32_t *sizes,
                     uint32_t parts, struct tally *tally)
{
    uint32_t n = schedule->procs;
    struct partition_problem problem = {.graph = graph, .schedule = schedule, .parts = parts, .sizes = sizes, .seed = 1};
    uint64_t optimum = brute_optimum(sent, n, sizes, parts);
    struct partition made = made_by_auto(&problem);
    if (made.cut != optimum || !made.optimal)
        fail_msg("%s, %u ranks in %u parts, the first of %u: auto cuts %llu, proved: %d; the optimum is %llu",
                 schedule->algorithm->name, n, parts, sizes[0], (unsigned long long)made.cut, made.optimal,
                 (unsigned long long)optimum);
    partition_destroy(&made);
    search_finds(&problem, optimum);
    problem.without = PARTITION_WITHOUT_CLOSED | PARTITION_WITHOUT_SEARCH;
    made = made_by_auto(&problem);
    assert_true(made.cut >= optimum);
    tally->cases++;
    tally->reached += made.cut == optimum;
    if (made.cut > optimum)
        printf("%s, %u ranks in %u parts, the first of %u: heuristics cut %llu, %.1f %% above the optimum\n",
               schedule->algorithm->name, n, parts, sizes[0], (unsigned long long)made.cut,
               100.0 * (double)(made.cut - optimum) / (double)optimum);
    partition_destroy(&made);
}

static void equal_parts(const struct schedule *schedule, const struct graph *graph, const uint64_t *sent, struct tally *tally)
{
    uint32_t sizes[16];
    for (uint32_t parts = 2; parts < schedule->procs; parts++) {
        if (schedule->procs % parts)
            continue;
        for (uint32_t p = 0; p < parts; p++)
            sizes[p] = schedule->procs / parts;
        one_case(schedule, graph, sent, sizes, parts, tally);
    }
}

static void all_sizes(const struct schedule *schedule, const struct graph *graph, const uint64_t *sent, struct tally *tally)
{
    uint32_t sizes[16], parts = 0;
    while (brute_next_sizes(schedule->procs, sizes, &parts))
        if (parts > 1 && sizes[0] > 1)
            one_case(schedule, graph, sent, sizes, parts, tally);
}

static void all_ranks(void (*cases)(const struct schedule *, const struct graph *, const uint64_t *, struct tally *),
                      uint32_t most)
{
    struct tally tally = {0};
    for (const struct schedule_algorithm *const *a = schedule_table; *a; a++)
        for (uint32_t n = 2; n <= most; n++) {
            struct schedule schedule;
            struct graph graph;
            if ((*a)->kind != SCHEDULE_ALLGATHER || !schedule_valid(*a, n))
                continue;
            assert_int_equal(schedule_init(&schedule, *a, n, 0), 0);
            assert_int_equal(graph_of_schedule(&graph, &schedule), 0);
            uint64_t *sent = brute_sent(&schedule);
            cases(&schedule, &graph, sent, &tally);
            free(sent);
            graph_destroy(&graph);
        }
    printf("heuristics alone: %u of %u optima\n", tally.reached, tally.cases);
    assert_true(tally.reached * 100 >= tally.cases * 95);
}

static void equal(void **state)
{
    (void)state;
    all_ranks(equal_parts, full() ? 16 : 14);
}

static void unequal(void **state)
{
    (void)state;
    all_ranks(all_sizes, full() ? 12 : 8);
}

/* Bruck in three parts, where neither runs nor v mod 3 are any good. */
static void three_parts(void **state)
{
    (void)state;
    static const uint32_t want[][2] = {{12, 54}, {15, 96}, {18, 126}};
    for (size_t i = 0; i < 3; i++)
        for (unsigned without = 0; without < 2; without++) {
            struct schedule schedule;
            struct graph graph;
            assert_int_equal(schedule_init(&schedule, &schedule_bruck, want[i][0], 0), 0);
            assert_int_equal(graph_of_schedule(&graph, &schedule), 0);
            struct partition_problem problem = {
                .graph = &graph, .schedule = &schedule, .parts = 3, .without = without ? PARTITION_WITHOUT_SEARCH : 0};
            struct partition made = made_by_auto(&problem);
            assert_int_equal(made.cut, want[i][1]);
            assert_int_equal(made.optimal, !without);
            assert_int_equal(partition_bound(&problem), 2 * want[i][0]);
            partition_destroy(&made);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(equal), cmocka_unit_test(unequal), cmocka_unit_test(three_parts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
