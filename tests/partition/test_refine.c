/* Repair moves as few vertices as there are too many; refinement gains what it says, by any metric, and keeps sizes. */
#include "tests/model/cmocka_all.h"
#include "partition/refine.h"
#include "partition/repair.h"

#include <stdlib.h>
#include <string.h>

enum { VERTICES = 120, EDGES = 600 };

static uint64_t next(uint64_t *state)
{
    *state = *state * 6364136223846793005 + 1442695040888963407;
    return *state >> 33;
}

static void random_graph(struct graph *graph, uint64_t *random)
{
    struct graph_edge edges[EDGES];
    char reason[200];
    for (size_t i = 0; i < EDGES; i++) {
        uint32_t a = (uint32_t)(next(random) % VERTICES);
        edges[i] =
            (struct graph_edge){a, (uint32_t)((a + 1 + next(random) % (VERTICES - 1)) % VERTICES), 1 + next(random) % 1000};
    }
    assert_int_equal(graph_of_edges(graph, VERTICES, edges, EDGES, reason, sizeof reason), 0);
}

/* Parts 0..3 and 4..7 are near to each other, and far from the others. */
static int64_t two_clusters(const void *context, uint32_t p, uint32_t q)
{
    (void)context;
    return p / 4 == q / 4 ? 2 : 9;
}

static uint64_t cost(const struct graph *graph, const uint32_t *part, int clusters)
{
    uint64_t sum = 0;
    for (uint32_t a = 0; a < VERTICES; a++)
        for (uint32_t b = 0; b < a; b++)
            if (part[a] != part[b])
                sum += graph_between(graph, a, b) * (clusters ? (uint64_t)two_clusters(NULL, part[a], part[b]) : 1);
    return sum;
}

static void sizes_are(const struct partition_problem *problem, const uint32_t *part)
{
    uint32_t count[VERTICES] = {0};
    for (uint32_t v = 0; v < VERTICES; v++)
        count[part[v]]++;
    for (uint32_t p = 0; p < problem->parts; p++)
        assert_int_equal(count[p], partition_problem_size(problem, p));
}

static void one_refinement(uint64_t *random, int clusters)
{
    struct graph graph;
    struct refine *refine;
    uint32_t part[VERTICES];
    const struct refine_metric metric = {two_clusters, NULL};
    random_graph(&graph, random);
    const uint32_t sizes[8] = {1, 30, 14, 15, 15, 15, 20, 10};
    struct partition_problem problem = {.graph = &graph, .parts = 8, .sizes = sizes};
    uint32_t left[8];
    memcpy(left, sizes, sizeof left);
    for (uint32_t v = 0, p = 0; v < VERTICES; v++) {
        do
            p = (uint32_t)(next(random) % 8);
        while (!left[p]);
        left[p]--;
        part[v] = p;
    }
    uint64_t before = cost(&graph, part, clusters), budget = 1u << 24;
    assert_int_equal(refine_create(&refine, &problem, clusters ? &metric : NULL), 0);
    uint64_t gained = refine_run(refine, part, &budget);
    sizes_are(&problem, part);
    assert_int_equal(before - cost(&graph, part, clusters), gained);
    assert_true(gained > before / 10);
    assert_true(budget < 1u << 24);
    uint64_t none = 0;
    assert_int_equal(refine_run(refine, part, &none), 0);
    refine_destroy(refine);
    graph_destroy(&graph);
}

static void gains_what_it_says(void **state)
{
    (void)state;
    uint64_t random = 5;
    for (int i = 0; i < 40; i++)
        one_refinement(&random, i % 2);
}

/* Two halves of heavy edges with a few light ones between are found again from any start. */
static void planted_halves(void **state)
{
    (void)state;
    struct graph graph;
    struct graph_edge edges[EDGES];
    char reason[200];
    uint64_t random = 9, between = 0;
    uint32_t part[VERTICES];
    for (size_t i = 0; i < EDGES; i++) {
        uint32_t half = (uint32_t)(next(&random) % 2) * (VERTICES / 2), a = (uint32_t)(i % (VERTICES / 2));
        int across = i % 50 == 0;
        uint32_t b = (uint32_t)((a + 1 + next(&random) % (VERTICES / 2 - 1)) % (VERTICES / 2));
        edges[i] = (struct graph_edge){a + half, across ? b + VERTICES / 2 - half : b + half, across ? 1 : 50};
        between += across;
    }
    assert_int_equal(graph_of_edges(&graph, VERTICES, edges, EDGES, reason, sizeof reason), 0);
    struct partition_problem problem = {.graph = &graph, .parts = 2};
    for (uint32_t v = 0; v < VERTICES; v++)
        part[v] = v % 2;
    assert_int_equal(partition_refine(&problem, part), 0);
    assert_int_equal(cost(&graph, part, 0), between);
    graph_destroy(&graph);
}

static void moves_no_more_than_it_must(void **state)
{
    (void)state;
    uint64_t random = 3;
    for (int i = 0; i < 50; i++) {
        struct graph graph;
        uint32_t part[VERTICES], before[VERTICES], count[16] = {0}, least = 0, moved, changed = 0;
        random_graph(&graph, &random);
        struct partition_problem problem = {.graph = &graph, .parts = 16};
        for (uint32_t v = 0; v < VERTICES; v++) {
            part[v] = (uint32_t)(next(&random) % 17); /* 16 is no part */
            part[v] = part[v] == 16 ? UINT32_MAX : part[v];
            if (part[v] < 16)
                count[part[v]]++;
            else
                least++;
        }
        for (uint32_t p = 0; p < 16; p++)
            least += count[p] > partition_problem_size(&problem, p) ? count[p] - partition_problem_size(&problem, p) : 0;
        memcpy(before, part, sizeof part);
        assert_int_equal(partition_repair(&problem, part, &moved), 0);
        sizes_are(&problem, part);
        for (uint32_t v = 0; v < VERTICES; v++)
            changed += part[v] != before[v];
        assert_int_equal(moved, least);
        assert_int_equal(changed, least);
        graph_destroy(&graph);
    }
}

/* A chain in which one end of a block went to the wrong part: it is that one that comes back. */
static void moves_the_right_one(void **state)
{
    (void)state;
    struct graph graph;
    struct graph_edge edges[11];
    char reason[200];
    uint32_t part[12], moved;
    for (uint32_t v = 0; v < 11; v++)
        edges[v] = (struct graph_edge){v, v + 1, 10};
    assert_int_equal(graph_of_edges(&graph, 12, edges, 11, reason, sizeof reason), 0);
    struct partition_problem problem = {.graph = &graph, .parts = 3};
    for (uint32_t v = 0; v < 12; v++)
        part[v] = v / 4;
    part[9] = 0;
    assert_int_equal(partition_repair(&problem, part, &moved), 0);
    assert_int_equal(moved, 1);
    for (uint32_t v = 0; v < 12; v++)
        assert_int_equal(part[v], v / 4);
    graph_destroy(&graph);
}

/* Looking at those without edges is work as well: without an end to it many would be looked at again and again. */
static void loners_use_the_budget(void **state)
{
    (void)state;
    enum { LONERS = 5000 };
    struct graph graph;
    struct refine *refine;
    char reason[200];
    const struct graph_edge edge = {0, LONERS - 1, 1};
    const struct partition_problem problem = {.graph = &graph, .parts = 2};
    uint32_t part[LONERS];
    uint64_t budget = 3 * LONERS;
    for (uint32_t v = 0; v < LONERS; v++)
        part[v] = v / (LONERS / 2);
    assert_int_equal(graph_of_edges(&graph, LONERS, &edge, 1, reason, sizeof reason), 0);
    assert_int_equal(refine_create(&refine, &problem, NULL), 0);
    assert_int_equal(refine_run(refine, part, &budget), 1);
    assert_in_range(budget, 0, LONERS);
    refine_destroy(refine);
    graph_destroy(&graph);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(gains_what_it_says),         cmocka_unit_test(planted_halves),
        cmocka_unit_test(moves_no_more_than_it_must), cmocka_unit_test(moves_the_right_one),
        cmocka_unit_test(loners_use_the_budget),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
