/* The best of all strategies, refined; by search where there are few vertices. */
#include "partition/bound.h"
#include "partition/refine.h"
#include "partition/repair.h"
#include "partition/strategies.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { SEARCH_VERTICES_MAX = 18, PATIENT_VERTICES_MAX = 1024 };
static const uint64_t search_nodes = 4000000;
static const uint64_t refine_ends_all = 1u << 29, poor_ends = 1u << 22; /* ends of edges that refinement looks at, a poor
                                                                           start's */
static const uint64_t start_ends_each = 1u << 14, start_ends_max = 1u << 22; /* ends of edges that random starts look at: a
                                                                                vertex, in all */

static const struct partitioner *const tried[] = {
    &partitioner_strided, &partitioner_metis_rb, &partitioner_metis_kway, &partitioner_scotch, &partitioner_block,
    &partitioner_cyclic,
};

/* The best so far; `start` is the table of what is tried next. */
struct contest {
    const struct partition_problem *problem;
    struct partition best;
    struct refine *refine;
    uint32_t *start;
    uint64_t random;
};

static uint64_t next_random(uint64_t *state)
{
    uint64_t z = *state += 0x9e3779b97f4a7c15;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
    z = (z ^ z >> 27) * 0x94d049bb133111eb;
    return z ^ z >> 31;
}

/* Keeps what lies in `start` if its cut is smaller; returns the cut. */
static uint64_t enter(struct contest *c, const char *by)
{
    struct partition p = c->best;
    p.form = PARTITION_TABLE;
    p.table = c->start;
    uint64_t cut = partition_cut(c->problem->graph, &p);
    if (c->best.by && cut >= c->best.cut)
        return cut;
    memcpy(c->best.table, c->start, c->best.vertices * sizeof *c->start);
    c->best.cut = cut;
    c->best.by = by;
    return cut;
}

/* Of many vertices only a start that is any good is worth much time. */
static uint64_t refine_start(struct contest *c, uint64_t cut, uint64_t *budget)
{
    int patient = c->best.vertices <= PATIENT_VERTICES_MAX || cut / 2 <= c->best.cut;
    uint64_t given = patient || *budget < poor_ends ? *budget : poor_ends, left = given;
    uint64_t gained = refine_run(c->refine, c->start, &left);
    *budget -= given - left;
    return gained;
}

static int try_one(struct contest *c, const struct partitioner *partitioner, uint64_t *budget)
{
    struct partition_problem plain = *c->problem;
    struct partition made;
    char reason[200];
    plain.refine = 0;
    int error = partition_make(partitioner, &plain, &made, reason, sizeof reason);
    if (error)
        return error == -ENOMEM || error == -EINTR ? error : 0;
    partition_table(&made, c->start);
    partition_destroy(&made);
    uint64_t cut = enter(c, partitioner->name);
    if (c->refine && refine_start(c, cut, budget))
        enter(c, partitioner->name);
    return 0;
}

/* All vertices in a random order, cut in runs. */
static void shuffle(struct contest *c)
{
    uint32_t n = c->best.vertices, v = 0;
    for (uint32_t p = 0; p < c->problem->parts; p++)
        for (uint32_t end = v + partition_problem_size(c->problem, p); v < end; v++)
            c->start[v] = p;
    for (uint32_t i = n - 1; i; i--) {
        uint32_t j = (uint32_t)(next_random(&c->random) % (i + 1)), part = c->start[i];
        c->start[i] = c->start[j];
        c->start[j] = part;
    }
}

/* Nobody cuts less than nothing. */
static int nothing_left(const struct contest *c)
{
    return c->best.by && c->best.cut == 0;
}

static int compete(struct contest *c)
{
    uint64_t budget = refine_ends_all;
    int error = 0;
    for (size_t i = 0; i < sizeof tried / sizeof *tried && !error && !nothing_left(c); i++)
        error = try_one(c, tried[i], &budget);
    budget = c->best.vertices * start_ends_each;
    budget = budget < start_ends_max ? budget : start_ends_max;
    for (uint64_t before = 0; c->refine && !error && budget && before != budget && !nothing_left(c);) {
        before = budget;
        shuffle(c);
        refine_run(c->refine, c->start, &budget);
        if (budget) /* else it was not brought to its end, and is no better than those before */
            enter(c, "random");
    }
    return error;
}

static int search(struct contest *c)
{
    if ((c->problem->without & PARTITION_WITHOUT_SEARCH) || c->best.vertices > SEARCH_VERTICES_MAX)
        return 0;
    memcpy(c->start, c->best.table, c->best.vertices * sizeof *c->start);
    int error = partition_search(c->problem, c->start, search_nodes);
    enter(c, "search");
    c->best.optimal = error == 0;
    return error == -ENOMEM ? error : 0;
}

static int contest(const struct partition_problem *problem, struct partition *out)
{
    struct contest c = {.problem = problem, .random = problem->seed};
    int error = partition_allocate(problem, &c.best);
    c.start = malloc(problem->graph->vertices * sizeof *c.start);
    if (!error && !c.start)
        error = -ENOMEM;
    if (!error && !(problem->without & PARTITION_WITHOUT_REFINEMENT))
        error = refine_create(&c.refine, problem, NULL);
    if (!error)
        error = compete(&c);
    if (!error)
        error = search(&c);
    refine_destroy(c.refine);
    free(c.start);
    if (error) {
        partition_destroy(&c.best);
        return error;
    }
    *out = c.best;
    return 0;
}

static int automatic(const struct partition_problem *problem, struct partition *out, char *reason, size_t bytes)
{
    if (!(problem->without & PARTITION_WITHOUT_CLOSED) && partitioner_closed.make(problem, out, reason, bytes) == 0) {
        out->by = partitioner_closed.name;
        return 0;
    }
    reason[0] = 0;
    return contest(problem, out);
}

const struct partitioner partitioner_auto = {
    .name = "auto", .summary = "the formula where one is known; else the best of all, refined, for few ranks by search",
    .make = automatic,
};
