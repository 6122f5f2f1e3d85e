/* Any graph in any parts: sizes exact, cuts counted anew, the same for a seed; `auto` never above another strategy, as it is and
 * with the same repair, and its J on a machine of two levels neither. 12 cases up to 128 ranks; with SHMCOLL_TEST_FULL 400 up to
 * 4096. SHMCOLL_TEST_SEED: another sequence. */
#include "tests/model/cmocka_all.h"
#include "partition/bound.h"
#include "partition/mapping.h"
#include "tests/partition/random_graphs.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

struct tally {
    unsigned cases, better, refined_better, worse;
};

struct random_case {
    struct graph graph;
    struct partition_problem problem;
    struct schedule schedule;
    uint32_t *sizes;
    const char *name;
    uint64_t seed;
};

static uint64_t first_seed(void)
{
    const char *given = getenv("SHMCOLL_TEST_SEED");
    return given ? strtoull(given, NULL, 10) : 1;
}

static uint32_t most_cases(void)
{
    return getenv("SHMCOLL_TEST_FULL") ? 400 : 12;
}

/* One in four is an algorithm's. */
static void case_create(struct random_case *c, uint64_t seed)
{
    uint64_t random = seed * 1000003;
    uint32_t n = random_size(&random, 2, getenv("SHMCOLL_TEST_FULL") ? 4096 : 128), h = random_size(&random, 1, n),
             algorithms = 0;
    *c = (struct random_case){.seed = seed};
    while (schedule_table[algorithms])
        algorithms++;
    const struct schedule_algorithm *algorithm = schedule_table[random_below(&random, algorithms)];
    int scheduled = random_below(&random, 4) == 0 && schedule_valid(algorithm, n) &&
                    !schedule_init(&c->schedule, algorithm, n, 0);
    if (scheduled)
        assert_int_equal(graph_of_schedule(&c->graph, &c->schedule), 0);
    c->name = scheduled ? algorithm->name : random_graph(&c->graph, n, &random);
    assert_non_null(c->name);
    if (random_below(&random, 3) == 0)
        c->sizes = random_sizes(n, h, &random);
    c->problem = (struct partition_problem){.graph = &c->graph, .schedule = scheduled ? &c->schedule : NULL, .parts = h,
                                            .sizes = c->sizes, .seed = random_below(&random, 1000)};
}

static void case_destroy(struct random_case *c)
{
    graph_destroy(&c->graph);
    free(c->sizes);
}

static uint64_t cut_again(const struct graph *graph, const struct partition *made)
{
    uint64_t twice = 0, weight;
    for (uint32_t v = 0; v < graph->vertices; v++)
        for (uint32_t i = 0; i < graph_degree(graph, v); i++) {
            uint32_t u = graph_neighbour(graph, v, i, &weight);
            twice += partition_part(made, u) != partition_part(made, v) ? weight : 0;
        }
    return twice / 2;
}

/* UINT64_MAX where there is nothing. */
static uint64_t cut_by(const struct partitioner *p, const struct random_case *c, int refine)
{
    struct partition_problem problem = c->problem;
    struct partition made;
    char reason[200];
    uint32_t *count = malloc(problem.parts * sizeof *count);
    problem.refine = refine;
    int error = partition_make(p, &problem, &made, reason, sizeof reason);
    uint64_t cut = UINT64_MAX;
    if (error) {
        if (error != -ENOTSUP)
            fail_msg("seed %llu: %s of %u vertices in %u parts by %s: %s", (unsigned long long)c->seed, c->name,
                     c->graph.vertices, problem.parts, p->name, reason);
    } else {
        assert_int_equal(partition_counts(&made, count), 0);
        for (uint32_t u = 0; u < problem.parts; u++)
            assert_int_equal(count[u], partition_problem_size(&problem, u));
        cut = made.cut;
        assert_true(cut == cut_again(&c->graph, &made));
        partition_destroy(&made);
    }
    free(count);
    return cut;
}

static void all_strategies(const struct random_case *c, struct tally *tally)
{
    uint64_t automatic = cut_by(partitioner_find("auto"), c, 0), best = UINT64_MAX, best_refined = UINT64_MAX;
    assert_true(cut_by(partitioner_find("auto"), c, 0) == automatic);
    for (const struct partitioner *const *p = partitioner_table; *p; p++)
        for (int refine = 0; refine < 2 && strcmp((*p)->name, "auto") != 0; refine++) {
            uint64_t other = cut_by(*p, c, refine), *least = refine ? &best_refined : &best;
            if (other < automatic)
                printf("seed %llu: %s of %u vertices in %u parts%s: auto cuts %llu, %s %llu%s\n", (unsigned long long)c->seed,
                       c->name, c->graph.vertices, c->problem.parts, c->sizes ? " of any sizes" : "",
                       (unsigned long long)automatic, (*p)->name, (unsigned long long)other, refine ? " refined" : "");
            tally->worse += other < automatic;
            *least = other < *least ? other : *least;
        }
    tally->cases++;
    tally->better += automatic < best;
    tally->refined_better += automatic < best_refined;
}

static void auto_is_the_best(void **state)
{
    (void)state;
    struct tally tally = {0};
    for (uint64_t i = 0; i < most_cases(); i++) {
        struct random_case c;
        case_create(&c, first_seed() + i);
        all_strategies(&c, &tally);
        case_destroy(&c);
    }
    printf("from seed %llu: auto is better than all others in %u of %u cases, in %u if they are refined too\n",
           (unsigned long long)first_seed(), tally.better, tally.cases, tally.refined_better);
    assert_int_equal(tally.worse, 0);
}

static double j_by(const struct partitioner *p, const struct random_case *c, const struct hierarchy *h)
{
    struct mapping made;
    struct mapping_quality quality;
    char reason[200];
    int error = mapping_make(&made, p, &c->problem, h, reason, sizeof reason);
    if (error == -ENOTSUP)
        return INFINITY;
    if (error)
        fail_msg("seed %llu: mapping %s by %s: %s", (unsigned long long)c->seed, c->name, p->name, reason);
    assert_int_equal(mapping_quality(&c->graph, &made, h, &quality), 0);
    mapping_destroy(&made);
    return quality.j;
}

/* Nodes of the case's sizes, of up to four parts each. */
static void machine(struct hierarchy *h, const struct random_case *c, uint64_t *random)
{
    uint32_t n = c->graph.vertices, *node = malloc(2 * n * sizeof *node), *socket = node + n,
             sockets = 1 + random_below(random, 4);
    for (uint32_t p = 0, r = 0; p < c->problem.parts; p++) {
        uint32_t size = partition_problem_size(&c->problem, p);
        for (uint32_t i = 0; i < size; i++, r++) {
            node[r] = p;
            socket[r] = i * sockets / size;
        }
    }
    assert_int_equal(hierarchy_init(h, n), 0);
    assert_int_equal(hierarchy_add(h, "node", node), 0);
    assert_int_equal(hierarchy_add(h, "socket", socket), 0);
    if (h->levels)
        h->level[0].distance = 1 + random_below(random, 100);
    free(node);
}

static void j_of_auto_is_the_least(void **state)
{
    (void)state;
    unsigned worse = 0;
    for (uint64_t i = 0; i < most_cases(); i++) {
        struct random_case c;
        struct hierarchy h;
        uint64_t random = first_seed() + i;
        case_create(&c, first_seed() + i);
        machine(&h, &c, &random);
        double automatic = j_by(partitioner_find("auto"), &c, &h);
        for (const struct partitioner *const *p = partitioner_table; *p; p++) {
            double other = j_by(*p, &c, &h);
            if (automatic > other * (1 + 1e-12))
                printf("seed %llu: %s of %u ranks on %u nodes, %u levels: J of auto is %.9g, of %s %.9g\n",
                       (unsigned long long)c.seed, c.name, c.graph.vertices, c.problem.parts, h.levels, automatic, (*p)->name,
                       other);
            worse += automatic > other * (1 + 1e-12);
        }
        hierarchy_destroy(&h);
        case_destroy(&c);
    }
    assert_int_equal(worse, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(auto_is_the_best), cmocka_unit_test(j_of_auto_is_the_least)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
