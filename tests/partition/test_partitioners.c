/* All strategies: sizes are exact and the cut is what brute force counts, whatever the library behind it says. */
#include "tests/model/cmocka_all.h"
#include "partition/bound.h"
#include "partition/partitioner.h"
#include "tests/partition/brute.h"

#include <errno.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct setup {
    struct schedule schedule;
    struct graph graph;
    struct partition_problem problem;
};

static void set_up(struct setup *s, const struct schedule_algorithm *algorithm, uint32_t n, uint32_t parts, const uint32_t *sizes)
{
    assert_int_equal(schedule_init(&s->schedule, algorithm, n, 0), 0);
    assert_int_equal(graph_of_schedule(&s->graph, &s->schedule), 0);
    s->problem =
        (struct partition_problem){.graph = &s->graph, .schedule = &s->schedule, .parts = parts, .sizes = sizes, .seed = 1};
}

/* What a strategy makes; its cut, or UINT64_MAX if it has none. */
static uint64_t checked(const struct partitioner *p, const struct setup *s, const uint64_t *sent)
{
    struct partition made, again;
    char reason[200];
    uint32_t n = s->graph.vertices, *part = malloc(n * sizeof *part), *count = malloc(s->problem.parts * sizeof *count);
    int error = partition_make(p, &s->problem, &made, reason, sizeof reason);
    uint64_t cut = UINT64_MAX;
    if (error) {
        assert_string_equal(p->name, "closed");
        assert_int_equal(error, -ENOTSUP);
        assert_int_not_equal(reason[0], 0);
    } else {
        partition_table(&made, part);
        assert_int_equal(partition_counts(&made, count), 0);
        for (uint32_t u = 0; u < s->problem.parts; u++)
            if (count[u] != partition_problem_size(&s->problem, u))
                fail_msg("%s, %u ranks: part %u of %u has %u", p->name, n, u, s->problem.parts, count[u]);
        if (made.cut != brute_cut(sent, n, part))
            fail_msg("%s, %u ranks, %u parts: cut %llu, not %llu", p->name, n, s->problem.parts,
                     (unsigned long long)brute_cut(sent, n, part), (unsigned long long)made.cut);
        assert_true(made.cut >= partition_bound(&s->problem));
        cut = made.cut;
        assert_int_equal(partition_make(p, &s->problem, &again, reason, sizeof reason), 0);
        for (uint32_t v = 0; v < n; v++)
            assert_int_equal(partition_part(&again, v), part[v]);
        partition_destroy(&again);
        partition_destroy(&made);
    }
    free(part);
    free(count);
    return cut;
}

static void all_strategies(const struct schedule_algorithm *algorithm, uint32_t n, uint32_t parts, const uint32_t *sizes)
{
    struct setup s;
    set_up(&s, algorithm, n, parts, sizes);
    uint64_t *sent = brute_sent(&s.schedule), best = UINT64_MAX;
    for (const struct partitioner *const *p = partitioner_table; *p; p++) {
        uint64_t cut = checked(*p, &s, sent);
        if (strcmp((*p)->name, "auto") == 0 && cut > best)
            fail_msg("%s, %u ranks, %u parts: auto cuts %llu, another %llu", algorithm->name, n, parts, (unsigned long long)cut,
                     (unsigned long long)best);
        best = cut < best ? cut : best;
    }
    free(sent);
    graph_destroy(&s.graph);
}

static void equal_and_nearly(void **state)
{
    (void)state;
    static const uint32_t ranks[] = {2, 3, 7, 16, 37, 64, 96}, parts[] = {1, 2, 3, 5, 8, 12, 31, 64};
    size_t last = getenv("SHMCOLL_TEST_FULL") ? sizeof ranks / sizeof *ranks : 5;
    for (const struct schedule_algorithm *const *a = schedule_table; *a; a++)
        for (size_t i = 0; i < last; i++)
            for (size_t k = 0; k < sizeof parts / sizeof *parts; k++)
                if (schedule_valid(*a, ranks[i]) && parts[k] <= ranks[i])
                    all_strategies(*a, ranks[i], parts[k], NULL);
}

static void unequal(void **state)
{
    (void)state;
    static const uint32_t sizes[][5] = {{1, 2, 3, 4, 54}, {16, 16, 8, 16, 8}, {31, 1, 1, 1, 30}, {13, 13, 13, 13, 12}};
    for (const struct schedule_algorithm *const *a = schedule_table; *a; a++)
        for (size_t i = 0; i < (getenv("SHMCOLL_TEST_FULL") ? sizeof sizes / sizeof *sizes : 1); i++)
            all_strategies(*a, 64, 5, sizes[i]);
}

static void refuses(uint32_t n, uint32_t parts, const uint32_t *sizes, const char *want)
{
    struct setup s;
    struct partition made;
    char reason[200];
    set_up(&s, &schedule_bruck, n, parts, sizes);
    for (const struct partitioner *const *p = partitioner_table; *p; p++) {
        assert_int_equal(partition_make(*p, &s.problem, &made, reason, sizeof reason), -EINVAL);
        assert_string_equal(reason, want);
    }
}

static void bad_input(void **state)
{
    (void)state;
    static const uint32_t zero[] = {4, 0, 4}, few[] = {3, 2, 2}, overflow[] = {UINT32_MAX, 9, 0};
    refuses(8, 3, zero, "part 1 has size 0: parts have at least one rank");
    refuses(8, 3, few, "the sizes of the 3 parts add up to 7, not to the 8 ranks");
    refuses(8, 2, overflow, "the sizes of the 2 parts add up to 4294967304, not to the 8 ranks");
    refuses(8, 9, NULL, "9 parts of 8 ranks: parts are from 1 to the number of ranks");
    refuses(8, 0, NULL, "0 parts of 8 ranks: parts are from 1 to the number of ranks");
    refuses(1, 1, NULL, "1 rank: there is nothing to partition below 2");
}

/* The formulas meet the bound, at once and without tables, at any size; brute force agrees where it can. */
static void formulas(void **state)
{
    (void)state;
    const struct schedule_algorithm *const algorithms[] = {&schedule_bruck, &schedule_recursive_doubling};
    const struct partitioner *automatic = partitioner_find("auto");
    /* All to 192, then 256, 384, 512, 768 and so on to 2^20. */
    for (uint32_t n = 2; n <= 1u << 20; n = n < 192 ? n + 1 : n & (n - 1) ? n / 3 * 4 : n / 2 * 3)
        for (uint32_t a = 0; a < 2; a++)
            for (uint32_t parts = 2; n % parts == 0; parts *= 2) {
                struct setup s;
                struct partition made;
                char reason[200];
                if (!schedule_valid(algorithms[a], n))
                    continue;
                set_up(&s, algorithms[a], n, parts, NULL);
                assert_int_equal(partition_make(automatic, &s.problem, &made, reason, sizeof reason), 0);
                assert_int_equal(made.cut, (uint64_t)n * (parts - 1));
                assert_int_equal(made.cut, partition_bound(&s.problem));
                assert_true(made.optimal);
                assert_null(made.table);
            }
}

/* A graph of runs of a circle, with gaps. */
static void broken_circle(struct graph *graph, uint32_t n, uint64_t random)
{
    struct graph_edge *edges = malloc(n * sizeof *edges);
    char reason[200];
    size_t count = 0;
    for (uint32_t v = 0; v < n; v++) {
        random = random * 6364136223846793005 + 1442695040888963407;
        if (random >> 60 > 2)
            edges[count++] = (struct graph_edge){v, (v + 1) % n, 1 + (random >> 50)};
    }
    assert_int_equal(graph_of_edges(graph, n, edges, count, reason, sizeof reason), 0);
    free(edges);
}

/* About as many parts as vertices, of which METIS by itself complains on standard output. */
static void many_parts(uint64_t random)
{
    struct graph graph;
    uint32_t n = 50 + (uint32_t)(random * 37 % 100), *count = malloc(n * sizeof *count);
    broken_circle(&graph, n, random);
    for (uint32_t parts = n - 3; parts < n; parts++)
        for (const struct partitioner *const *p = partitioner_table; *p; p++) {
            struct partition_problem problem = {.graph = &graph, .parts = parts, .seed = random};
            struct partition made;
            char reason[200];
            if (strncmp((*p)->name, "metis", 5) != 0 && strcmp((*p)->name, "scotch") != 0)
                continue;
            assert_int_equal(partition_make(*p, &problem, &made, reason, sizeof reason), 0);
            assert_int_equal(partition_counts(&made, count), 0);
            for (uint32_t u = 0; u < parts; u++)
                assert_int_equal(count[u], partition_problem_size(&problem, u));
            partition_destroy(&made);
        }
    graph_destroy(&graph);
    free(count);
}

static void nothing_is_printed(void **state)
{
    (void)state;
    FILE *said = tmpfile();
    assert_non_null(said);
    fflush(stdout);
    int out = dup(STDOUT_FILENO), err = dup(STDERR_FILENO);
    dup2(fileno(said), STDOUT_FILENO);
    dup2(fileno(said), STDERR_FILENO);
    for (uint64_t random = 0; random < 200; random++)
        many_parts(random);
    fflush(stdout);
    dup2(out, STDOUT_FILENO);
    dup2(err, STDERR_FILENO);
    close(out);
    close(err);
    long bytes = lseek(fileno(said), 0, SEEK_END);
    fclose(said);
    assert_int_equal(bytes, 0);
}

/* Scotch's thread is the caller, who keeps the cpus it may run on. */
static void cpus_are_kept(void **state)
{
    (void)state;
    cpu_set_t before, after;
    struct setup s;
    struct partition made;
    char reason[200];
    sched_getaffinity(0, sizeof before, &before);
    set_up(&s, &schedule_bruck, 48, 3, NULL);
    assert_int_equal(partition_make(partitioner_find("scotch"), &s.problem, &made, reason, sizeof reason), 0);
    partition_destroy(&made);
    sched_getaffinity(0, sizeof after, &after);
    assert_true(CPU_EQUAL(&before, &after));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(equal_and_nearly), cmocka_unit_test(unequal), cmocka_unit_test(bad_input), cmocka_unit_test(formulas),
        cmocka_unit_test(nothing_is_printed), cmocka_unit_test(cpus_are_kept),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
