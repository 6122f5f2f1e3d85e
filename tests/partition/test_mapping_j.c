/* J of `auto`: never above another strategy's, on machines that are alike everywhere and on some that are not; and how often it
 * is the smallest there is, by trying all ways to put eight ranks on eight places. */
#include "tests/model/cmocka_all.h"
#include "partition/mapping_whole.h"

#include <stdlib.h>
#include <string.h>

static uint64_t next(uint64_t *state)
{
    *state = *state * 6364136223846793005 + 1442695040888963407;
    return *state >> 33;
}

/* A stencil on a square with some of its edges heavier, and a few at random. */
static void stencil(struct graph *graph, uint32_t side, uint64_t random)
{
    uint32_t n = side * side;
    struct graph_edge *edges = malloc(3 * (size_t)n * sizeof *edges);
    char reason[200];
    size_t count = 0;
    for (uint32_t v = 0; v < n; v++) {
        if (v % side + 1 < side)
            edges[count++] = (struct graph_edge){v, v + 1, 1 + next(&random) % 8};
        if (v + side < n)
            edges[count++] = (struct graph_edge){v, v + side, 1 + next(&random) % 40};
        uint32_t u = (uint32_t)(next(&random) % n);
        if (u != v && next(&random) % 3 == 0)
            edges[count++] = (struct graph_edge){u, v, 1 + next(&random) % 20};
    }
    assert_int_equal(graph_of_edges(graph, n, edges, count, reason, sizeof reason), 0);
    free(edges);
}

/* Two or three levels; with `uneven` the groups have different sizes. */
static void machine(struct hierarchy *h, uint32_t procs, uint32_t per_node, int uneven)
{
    uint32_t *node = malloc(procs * sizeof *node), *socket = malloc(procs * sizeof *socket);
    for (uint32_t r = 0; r < procs; r++) {
        node[r] = uneven ? r * r / (procs * per_node) : r / per_node;
        socket[r] = uneven ? r % 3 == 0 : r / (per_node / 2);
    }
    assert_int_equal(hierarchy_init(h, procs), 0);
    assert_int_equal(hierarchy_add(h, "node", node), 0);
    assert_int_equal(hierarchy_add(h, "socket", socket), 0);
    h->level[0].distance = 10;
    h->level[1].distance = 3;
    h->distance_within = 1;
    free(node);
    free(socket);
}

static double j_by(const struct partitioner *p, const struct graph *graph, const struct hierarchy *h)
{
    struct partition_problem problem = {.graph = graph, .seed = 1};
    struct mapping m;
    struct mapping_quality quality;
    char reason[200];
    if (mapping_make(&m, p, &problem, h, reason, sizeof reason))
        return INFINITY;
    for (uint32_t v = 0; v < graph->vertices; v++)
        assert_int_equal(mapping_virtual(&m, mapping_rank(&m, v)), v);
    assert_int_equal(mapping_quality(graph, &m, h, &quality), 0);
    mapping_destroy(&m);
    return quality.j;
}

static void auto_is_the_best(void **state)
{
    (void)state;
    const struct partitioner *automatic = partitioner_find("auto");
    for (uint64_t random = 1; random <= 3; random++)
        for (int uneven = 0; uneven < 2; uneven++) {
            struct graph graph;
            struct hierarchy h;
            stencil(&graph, 8, random);
            machine(&h, 64, 8, uneven);
            double j = j_by(automatic, &graph, &h);
            for (const struct partitioner *const *p = partitioner_table; *p; p++)
                if (j > j_by(*p, &graph, &h))
                    fail_msg("stencil %u: J of auto is %g, of %s %g", (unsigned)random, j, (*p)->name, j_by(*p, &graph, &h));
            hierarchy_destroy(&h);
            graph_destroy(&graph);
        }
}

/* From ranks as they come: far better, and what it says. */
static void refined(void **state)
{
    (void)state;
    for (int uneven = 0; uneven < 2; uneven++) {
        struct graph graph;
        struct hierarchy h;
        struct mapping m;
        struct mapping_quality before, after;
        stencil(&graph, 8, 4);
        machine(&h, 64, 8, uneven);
        mapping_identity(&m, 64);
        assert_int_equal(mapping_quality(&graph, &m, &h, &before), 0);
        assert_int_equal(mapping_refine(&m, &graph, &h), 0);
        assert_int_equal(mapping_quality(&graph, &m, &h, &after), 0);
        assert_true(after.j < 0.9 * before.j);
        mapping_destroy(&m);
        hierarchy_destroy(&h);
        graph_destroy(&graph);
    }
}

/* The smallest J of all ways to fill the places from `place` on. */
static void try_all(const struct graph *graph, const struct hierarchy *h, uint32_t *vertex, uint32_t place, double *best)
{
    uint32_t n = graph->vertices;
    if (place == n) {
        double j = 0;
        for (uint32_t a = 0; a < n; a++)
            for (uint32_t b = 0; b < a; b++)
                j += (double)graph_between(graph, vertex[a], vertex[b]) * hierarchy_distance(h, a, b);
        *best = j < *best ? j : *best;
        return;
    }
    for (uint32_t i = place; i < n; i++) {
        uint32_t v = vertex[place];
        vertex[place] = vertex[i];
        vertex[i] = v;
        try_all(graph, h, vertex, place + 1, best);
        vertex[i] = vertex[place];
        vertex[place] = v;
    }
}

static void eight_ranks(void **state)
{
    (void)state;
    unsigned reached = 0, cases = getenv("SHMCOLL_TEST_FULL") ? 100 : 6;
    for (uint64_t random = 1; random <= cases; random++) {
        struct graph graph;
        struct hierarchy h;
        struct graph_edge edges[20];
        char reason[200];
        uint32_t vertex[8];
        uint64_t draw = random * 7919;
        double best = INFINITY;
        for (size_t i = 0; i < 20; i++) {
            uint32_t a = (uint32_t)(next(&draw) % 8);
            edges[i] = (struct graph_edge){a, (uint32_t)((a + 1 + next(&draw) % 7) % 8), 1 + next(&draw) % 50};
        }
        assert_int_equal(graph_of_edges(&graph, 8, edges, 20, reason, sizeof reason), 0);
        machine(&h, 8, 4, random % 2);
        for (uint32_t v = 0; v < 8; v++)
            vertex[v] = v;
        try_all(&graph, &h, vertex, 0, &best);
        double j = j_by(partitioner_find("auto"), &graph, &h);
        assert_true(j >= best);
        reached += j == best;
        hierarchy_destroy(&h);
        graph_destroy(&graph);
    }
    printf("eight ranks: %u of %u smallest J\n", reached, cases);
    assert_true(reached * 3 >= cases * 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(auto_is_the_best), cmocka_unit_test(refined),
                                       cmocka_unit_test(eight_ranks)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
