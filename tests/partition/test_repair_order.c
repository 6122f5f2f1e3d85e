/* Repair against an oracle that looks at every move there is before each: by how much what it leaves costs more. Refinement on
 * graphs of any kind, in parts of any sizes, directed traffic among them: costs never rise, sizes and the answer stay. */
#include "tests/model/cmocka_all.h"
#include "partition/refine.h"
#include "partition/repair.h"

#include <stdlib.h>
#include <string.h>

enum { MOST = 24, EDGES_MOST = 120 };

struct drawn {
    struct graph graph;
    struct partition_problem problem;
    uint32_t sizes[MOST], part[MOST];
};

static uint32_t draw(uint64_t *random, uint32_t below)
{
    *random = *random * 6364136223846793005 + 1442695040888963407;
    return (uint32_t)((*random >> 33) % below);
}

/* Messages one way: a pair's two directions differ, or only one is there. Weights from alike to far apart, some 0. */
static void draw_graph(struct drawn *d, uint32_t n, uint64_t *random)
{
    struct graph_edge edges[EDGES_MOST];
    char reason[200];
    uint32_t count = 1 + draw(random, n * 4 < EDGES_MOST ? n * 4 : EDGES_MOST), spread = 1 + draw(random, 1000);
    for (uint32_t i = 0; i < count; i++) {
        uint32_t a = draw(random, n);
        edges[i] = (struct graph_edge){a, (a + 1 + draw(random, n - 1)) % n, draw(random, spread + 1)};
    }
    assert_int_equal(graph_of_edges(&d->graph, n, edges, count, reason, sizeof reason), 0);
}

/* Equal sizes or any that add up. */
static void draw_problem(struct drawn *d, uint64_t *random)
{
    uint32_t n = 4 + draw(random, MOST - 3), parts = 2 + draw(random, n / 2 < 6 ? n / 2 : 6);
    draw_graph(d, n, random);
    d->problem = (struct partition_problem){.graph = &d->graph, .parts = parts};
    if (draw(random, 2)) {
        for (uint32_t p = 0; p < parts; p++)
            d->sizes[p] = 1;
        for (uint32_t left = n - parts; left; left--)
            d->sizes[draw(random, parts)]++;
        d->problem.sizes = d->sizes;
    }
}

static uint64_t cut(const struct drawn *d, const uint32_t *part)
{
    uint64_t sum = 0;
    for (uint32_t a = 0; a < d->graph.vertices; a++)
        for (uint32_t b = 0; b < a; b++)
            if (part[a] != part[b])
                sum += graph_between(&d->graph, a, b);
    return sum;
}

static void counts(const struct drawn *d, const uint32_t *part, uint32_t *count)
{
    memset(count, 0, MOST * sizeof *count);
    for (uint32_t v = 0; v < d->graph.vertices; v++)
        if (part[v] < d->problem.parts)
            count[part[v]]++;
}

static void sizes_are_exact(const struct drawn *d, const uint32_t *part)
{
    uint32_t count[MOST];
    counts(d, part, count);
    for (uint32_t p = 0; p < d->problem.parts; p++)
        assert_int_equal(count[p], partition_problem_size(&d->problem, p));
}

/* Every vertex that may leave, to every part with room: the one after which least is cut. 0 if nobody has to move. */
static int best_move(const struct drawn *d, uint32_t *part)
{
    uint32_t count[MOST], who = UINT32_MAX, where = 0;
    uint64_t least = UINT64_MAX;
    counts(d, part, count);
    for (uint32_t v = 0; v < d->graph.vertices; v++) {
        uint32_t own = part[v];
        if (own < d->problem.parts && count[own] <= partition_problem_size(&d->problem, own))
            continue;
        for (uint32_t p = 0; p < d->problem.parts; p++) {
            if (count[p] >= partition_problem_size(&d->problem, p))
                continue;
            part[v] = p;
            uint64_t now = cut(d, part);
            if (now < least)
                least = now, who = v, where = p;
        }
        part[v] = own;
    }
    if (who != UINT32_MAX)
        part[who] = where;
    return who != UINT32_MAX;
}

/* One vertex too many somewhere: there is one move to make, and repair makes one of the best. */
static void one_move_is_the_best(void **state)
{
    (void)state;
    uint64_t random = 11;
    for (int i = 0; i < 400; i++) {
        struct drawn d;
        uint32_t moved, by_oracle[MOST], left[MOST];
        draw_problem(&d, &random);
        for (uint32_t p = 0; p < d.problem.parts; p++)
            left[p] = partition_problem_size(&d.problem, p);
        for (uint32_t v = 0, p; v < d.graph.vertices; v++) {
            do
                p = draw(&random, d.problem.parts);
            while (!left[p]);
            left[p]--;
            d.part[v] = p;
        }
        uint32_t v = draw(&random, d.graph.vertices);
        d.part[v] = draw(&random, 3) ? (d.part[v] + 1) % d.problem.parts : UINT32_MAX;
        memcpy(by_oracle, d.part, sizeof by_oracle);
        assert_true(best_move(&d, by_oracle));
        assert_false(best_move(&d, by_oracle));
        assert_int_equal(partition_repair(&d.problem, d.part, &moved), 0);
        assert_int_equal(moved, 1);
        if (cut(&d, d.part) != cut(&d, by_oracle))
            fail_msg("case %d: one move leaves %llu, the best %llu", i, (unsigned long long)cut(&d, d.part),
                     (unsigned long long)cut(&d, by_oracle));
        graph_destroy(&d.graph);
    }
}

/* Every pair exchanges something else: the best move is one, and repair makes it each time. */
static void distinct_moves_are_the_same(void **state)
{
    (void)state;
    uint64_t random = 14;
    for (int i = 0; i < 100; i++) {
        struct drawn d;
        struct graph_edge edges[EDGES_MOST];
        char reason[200];
        uint32_t n = 6 + draw(&random, 10), count = 0, parts = 2 + draw(&random, 4), moved, by_oracle[MOST];
        for (uint32_t a = 0; a < n; a++)
            for (uint32_t b = 0; b < a; b++)
                edges[count++] = (struct graph_edge){a, b, 1 + draw(&random, 1u << 30)};
        assert_int_equal(graph_of_edges(&d.graph, n, edges, count, reason, sizeof reason), 0);
        d.problem = (struct partition_problem){.graph = &d.graph, .parts = parts};
        for (uint32_t v = 0; v < n; v++)
            d.part[v] = v < parts ? v : draw(&random, parts);
        memcpy(by_oracle, d.part, sizeof by_oracle);
        while (best_move(&d, by_oracle))
            ;
        assert_int_equal(partition_repair(&d.problem, d.part, &moved), 0);
        assert_memory_equal(d.part, by_oracle, n * sizeof *by_oracle);
        graph_destroy(&d.graph);
    }
}

/* Many to move: as many moves, and the cut differs by which of equal ones was made first. */
static void many_moves_are_as_good(void **state)
{
    (void)state;
    uint64_t random = 12, all = 0, all_by_oracle = 0;
    unsigned worse = 0, better = 0, cases = getenv("SHMCOLL_TEST_FULL") ? 4000 : 300;
    for (unsigned i = 0; i < cases; i++) {
        struct drawn d;
        uint32_t moved, by_oracle[MOST], steps = 0;
        draw_problem(&d, &random);
        for (uint32_t v = 0; v < d.graph.vertices; v++) {
            d.part[v] = draw(&random, d.problem.parts + 1);
            d.part[v] = d.part[v] == d.problem.parts ? UINT32_MAX : d.part[v];
        }
        memcpy(by_oracle, d.part, sizeof by_oracle);
        while (best_move(&d, by_oracle))
            steps++;
        assert_int_equal(partition_repair(&d.problem, d.part, &moved), 0);
        assert_int_equal(moved, steps);
        sizes_are_exact(&d, d.part);
        uint64_t ours = cut(&d, d.part), best = cut(&d, by_oracle);
        all += ours;
        all_by_oracle += best;
        worse += ours > best;
        better += ours < best;
        graph_destroy(&d.graph);
    }
    printf("cut to that of the best move each time: %.4f in all; %u of %u larger, %u smaller\n",
           (double)all / (double)all_by_oracle, worse, cases, better);
    assert_true(all * 100 <= all_by_oracle * 101);
}

static int64_t in_pairs(const void *context, uint32_t p, uint32_t q)
{
    (void)context;
    return p / 2 == q / 2 ? 1 : 5;
}

static uint64_t cost(const struct drawn *d, int metric)
{
    uint64_t sum = 0;
    for (uint32_t a = 0; a < d->graph.vertices; a++)
        for (uint32_t b = 0; b < a; b++)
            if (d->part[a] != d->part[b])
                sum += graph_between(&d->graph, a, b) * (metric ? (uint64_t)in_pairs(NULL, d->part[a], d->part[b]) : 1);
    return sum;
}

static void refinement_never_costs(void **state)
{
    (void)state;
    uint64_t random = 13;
    const struct refine_metric pairs = {in_pairs, NULL};
    for (int i = 0; i < 600; i++) {
        struct drawn d;
        struct refine *refine;
        uint32_t moved, again[MOST];
        uint64_t budget = i % 7 ? 1u << 20 : draw(&random, 200);
        draw_problem(&d, &random);
        for (uint32_t v = 0; v < d.graph.vertices; v++)
            d.part[v] = UINT32_MAX;
        assert_int_equal(partition_repair(&d.problem, d.part, &moved), 0);
        for (uint32_t v = 0; v < d.graph.vertices; v++) {
            uint32_t other = draw(&random, d.graph.vertices), part = d.part[v];
            d.part[v] = d.part[other];
            d.part[other] = part;
        }
        uint64_t before = cost(&d, i % 2);
        memcpy(again, d.part, sizeof again);
        assert_int_equal(refine_create(&refine, &d.problem, i % 2 ? &pairs : NULL), 0);
        uint64_t left = budget, gained = refine_run(refine, d.part, &left), after = cost(&d, i % 2);
        assert_true(after <= before);
        assert_int_equal(before - after, gained);
        sizes_are_exact(&d, d.part);
        left = budget;
        assert_int_equal(refine_run(refine, again, &left), gained);
        assert_memory_equal(again, d.part, d.graph.vertices * sizeof *again);
        refine_destroy(refine);
        graph_destroy(&d.graph);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_move_is_the_best), cmocka_unit_test(distinct_moves_are_the_same),
        cmocka_unit_test(many_moves_are_as_good), cmocka_unit_test(refinement_never_costs),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
