/* Graphs of schedules against the sum over all ranks' steps; graphs of lists of edges. */
#include "tests/model/cmocka_all.h"
#include "partition/components.h"
#include "partition/graph.h"
#include "tests/partition/brute.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static uint64_t between(const uint64_t *sent, uint32_t n, uint32_t i, uint32_t j)
{
    return sent[i * n + j] + sent[j * n + i];
}

/* Every neighbour once, with the right weight, and none left out. */
static void matches(const struct graph *graph, const uint64_t *sent, uint32_t n, const char *name)
{
    uint64_t all = 0, edges = 0, weight;
    for (uint32_t i = 0; i < n; i++) {
        uint32_t count = 0;
        for (uint32_t j = 0; j < n; j++)
            if (i != j && between(sent, n, i, j)) {
                count++;
                all += between(sent, n, i, j);
                edges++;
                if (graph_between(graph, i, j) != between(sent, n, i, j))
                    fail_msg("%s %u: %u and %u exchange %llu, not %llu", name, n, i, j,
                             (unsigned long long)between(sent, n, i, j), (unsigned long long)graph_between(graph, i, j));
            }
        assert_int_equal(graph_degree(graph, i), count);
        for (uint32_t k = 0; k < count; k++) {
            uint32_t j = graph_neighbour(graph, i, k, &weight);
            assert_int_equal(weight, between(sent, n, i, j));
        }
    }
    assert_int_equal(graph_weight(graph), all / 2);
    assert_int_equal(graph_edges(graph), edges / 2);
}

static void one_schedule(const struct schedule_algorithm *algorithm, uint32_t n)
{
    struct schedule schedule;
    struct graph graph, rows;
    assert_int_equal(schedule_init(&schedule, algorithm, n, 0), 0);
    uint64_t *sent = brute_sent(&schedule);
    assert_int_equal(graph_of_schedule(&graph, &schedule), 0);
    matches(&graph, sent, n, algorithm->name);
    assert_int_equal(graph_rows(&rows, &graph), 0);
    assert_int_equal(rows.form, GRAPH_ROWS);
    matches(&rows, sent, n, algorithm->name);
    if (algorithm->kind == SCHEDULE_ALLGATHER) /* everyone gets what he has not */
        assert_int_equal(graph_weight(&graph), (uint64_t)n * (n - 1));
    graph_destroy(&rows);
    graph_destroy(&graph);
    free(sent);
}

static void of_schedules(void **state)
{
    (void)state;
    for (const struct schedule_algorithm *const *a = schedule_table; *a; a++)
        for (uint32_t n = 1; n <= 40; n++)
            if (schedule_valid(*a, n))
                one_schedule(*a, n);
}

/* A million ranks take no memory and no time. */
static void large(void **state)
{
    (void)state;
    struct schedule schedule;
    struct graph graph;
    uint32_t n = 1u << 30;
    assert_int_equal(schedule_init(&schedule, &schedule_bruck, n, 0), 0);
    assert_int_equal(graph_of_schedule(&graph, &schedule), 0);
    assert_null(graph.row);
    assert_int_equal(graph_weight(&graph), (uint64_t)n * (n - 1));
    assert_int_equal(graph_between(&graph, 5, 5 + n / 2), n);
    assert_int_equal(graph_between(&graph, 0, n - 1), 1);
}

static void of_edges(void **state)
{
    (void)state;
    struct graph graph, part;
    char reason[200];
    const struct graph_edge edges[] = {{0, 1, 5}, {3, 1, 7}, {1, 0, 2}, {2, 3, 0}, {0, 3, (uint64_t)1 << 40}};
    assert_int_equal(graph_of_edges(&graph, 5, edges, 5, reason, sizeof reason), 0);
    assert_int_equal(graph_between(&graph, 0, 1), 7);
    assert_int_equal(graph_between(&graph, 1, 3), 7);
    assert_int_equal(graph_between(&graph, 2, 3), 0);
    assert_int_equal(graph_degree(&graph, 2), 0);
    assert_int_equal(graph_edges(&graph), 3);
    assert_int_equal(graph_weight(&graph), 14 + ((uint64_t)1 << 40));
    const uint32_t some[] = {3, 4, 0};
    assert_int_equal(graph_of_vertices(&part, &graph, some, 3), 0);
    assert_int_equal(part.vertices, 3);
    assert_int_equal(graph_edges(&part), 1);
    assert_int_equal(graph_between(&part, 2, 0), (uint64_t)1 << 40);
    graph_destroy(&part);
    graph_destroy(&graph);
}

static void wrong_edges(void **state)
{
    (void)state;
    struct graph graph;
    char reason[200];
    const struct graph_edge outside[] = {{0, 4, 1}}, loop[] = {{0, 1, 1}, {2, 2, 1}},
                            heavy[] = {{0, 1, (uint64_t)1 << 61}, {0, 1, ((uint64_t)1 << 61) - 1}, {0, 2, 1}};
    assert_int_equal(graph_of_edges(&graph, 4, outside, 1, reason, sizeof reason), -EINVAL);
    assert_string_equal(reason, "edge 0 joins 0 and 4: vertices are 0 to 3");
    assert_int_equal(graph_of_edges(&graph, 4, loop, 2, reason, sizeof reason), -EINVAL);
    assert_string_equal(reason, "edge 1 joins 2 with itself");
    assert_int_equal(graph_of_edges(&graph, 4, heavy, 3, reason, sizeof reason), -EINVAL);
    assert_non_null(strstr(reason, "2^62 or more"));
    assert_int_equal(graph_of_edges(&graph, 4, heavy, 2, reason, sizeof reason), 0);
    assert_int_equal(graph_weight(&graph), GRAPH_WEIGHT_MAX);
    graph_destroy(&graph);
    assert_int_equal(graph_of_edges(&graph, 0, NULL, 0, reason, sizeof reason), -EINVAL);
}

static void pieces_are_counted(void **state)
{
    (void)state;
    struct graph graph;
    struct schedule schedule;
    uint32_t pieces;
    char reason[200];
    const struct graph_edge edges[] = {{7, 2, 1}, {4, 5, 1}, {2, 9, 1}, {5, 4, 1}, {3, 8, 0}, {9, 7, 1}};
    assert_int_equal(graph_of_edges(&graph, 10, edges, 6, reason, sizeof reason), 0);
    assert_int_equal(graph_components(&graph, &pieces), 0);
    assert_int_equal(pieces, 7); /* 2 7 9, 4 5, and five alone */
    graph_destroy(&graph);
    assert_int_equal(schedule_init(&schedule, &schedule_ring, 9, 0), 0);
    assert_int_equal(graph_of_schedule(&graph, &schedule), 0);
    assert_int_equal(graph_components(&graph, &pieces), 0);
    assert_int_equal(pieces, 1);
    graph_destroy(&graph);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(of_schedules), cmocka_unit_test(large), cmocka_unit_test(of_edges), cmocka_unit_test(wrong_edges),
        cmocka_unit_test(pieces_are_counted),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
