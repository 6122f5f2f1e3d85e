#include "partition/bound.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

uint64_t partition_bound(const struct partition_problem *problem)
{
    uint64_t sum = 0, n = problem->graph->vertices;
    if (!problem->schedule || problem->schedule->algorithm->kind != SCHEDULE_ALLGATHER)
        return 0;
    if (!problem->sizes) /* h parts import n blocks each but their own, n in all */
        return n * (problem->parts - 1);
    for (uint32_t p = 0; p < problem->parts; p++)
        sum += n - problem->sizes[p];
    return sum;
}

struct search {
    const struct graph *graph;
    uint32_t parts;
    uint32_t *order; /* [vertices] the order vertices are assigned in */
    uint32_t *part, *best; /* [vertices] */
    uint32_t *room;  /* [parts] */
    uint32_t *size;  /* [parts] */
    uint64_t *with;  /* [vertices * parts] what a vertex exchanges with the vertices assigned to each part */
    uint64_t *all;   /* [vertices] ... with all assigned ones */
    uint64_t best_cut, bound, nodes;
};

/* Every vertex that is left will have to cut what it exchanges with all parts but its own, of those assigned. */
static uint64_t rest_at_least(const struct search *s, uint32_t depth)
{
    uint64_t sum = 0;
    for (uint32_t i = depth; i < s->graph->vertices; i++) {
        uint32_t v = s->order[i];
        uint64_t most = 0;
        for (uint32_t p = 0; p < s->parts; p++)
            if (s->room[p] && s->with[(size_t)v * s->parts + p] > most)
                most = s->with[(size_t)v * s->parts + p];
        sum += s->all[v] - most;
    }
    return sum;
}

static void assign(struct search *s, uint32_t v, uint32_t p, int undo)
{
    uint64_t weight;
    for (uint32_t i = 0; i < graph_degree(s->graph, v); i++) {
        uint32_t u = graph_neighbour(s->graph, v, i, &weight);
        s->with[(size_t)u * s->parts + p] += undo ? -weight : weight;
        s->all[u] += undo ? -weight : weight;
    }
    s->part[v] = undo ? UINT32_MAX : p;
    s->room[p] += undo ? 1 : -1u;
}

/* Whether an earlier part is like this one: empty yet, and of its size. */
static int alike(const struct search *s, uint32_t p)
{
    if (s->room[p] < s->size[p])
        return 0;
    for (uint32_t q = 0; q < p; q++)
        if (s->size[q] == s->size[p] && s->room[q] == s->size[q])
            return 1;
    return 0;
}

/* Tries the parts for the next vertex. 0; 1: the bound is met, or no nodes are left. */
static int descend(struct search *s, uint32_t depth, uint64_t cut)
{
    uint32_t n = s->graph->vertices;
    if (s->nodes == 0)
        return 1;
    s->nodes--;
    if (depth == n) {
        s->best_cut = cut;
        memcpy(s->best, s->part, n * sizeof *s->best);
        return cut <= s->bound;
    }
    uint32_t v = s->order[depth];
    for (uint32_t p = 0; p < s->parts; p++) {
        if (!s->room[p] || alike(s, p))
            continue;
        uint64_t more = s->all[v] - s->with[(size_t)v * s->parts + p];
        if (cut + more >= s->best_cut)
            continue;
        assign(s, v, p, 0);
        int stop = cut + more + rest_at_least(s, depth + 1) < s->best_cut && descend(s, depth + 1, cut + more);
        assign(s, v, p, 1);
        if (stop)
            return 1;
    }
    return 0;
}

/* Next comes who exchanges most with those before, so that cuts are seen early. */
static void order_fill(struct search *s)
{
    uint32_t n = s->graph->vertices;
    uint64_t weight;
    for (uint32_t i = 0; i < n; i++) {
        uint32_t next = UINT32_MAX;
        for (uint32_t v = 0; v < n; v++)
            if (s->part[v] == UINT32_MAX && (next == UINT32_MAX || s->all[v] > s->all[next]))
                next = v;
        s->order[i] = next;
        s->part[next] = 0;
        for (uint32_t k = 0; k < graph_degree(s->graph, next); k++) {
            uint32_t u = graph_neighbour(s->graph, next, k, &weight);
            s->all[u] += weight;
        }
    }
    for (uint32_t v = 0; v < n; v++) {
        s->part[v] = UINT32_MAX;
        s->all[v] = 0;
    }
}

static int search_run(struct search *s, const struct partition_problem *problem, uint32_t *best)
{
    struct partition start = {.vertices = s->graph->vertices, .parts = s->parts, .form = PARTITION_TABLE, .table = best};
    for (uint32_t v = 0; v < s->graph->vertices; v++)
        s->part[v] = UINT32_MAX;
    for (uint32_t p = 0; p < s->parts; p++)
        s->room[p] = s->size[p] = partition_problem_size(problem, p);
    s->best_cut = partition_cut(s->graph, &start);
    s->bound = partition_bound(problem);
    if (s->best_cut <= s->bound)
        return 0;
    order_fill(s);
    int stopped = descend(s, 0, 0);
    return stopped && s->best_cut > s->bound ? -E2BIG : 0;
}

int partition_search(const struct partition_problem *problem, uint32_t *best, uint64_t nodes)
{
    uint32_t n = problem->graph->vertices;
    struct search s = {.graph = problem->graph, .parts = problem->parts, .best = best, .nodes = nodes};
    s.order = calloc(n, sizeof *s.order);
    s.part = calloc(n, sizeof *s.part);
    s.room = calloc(s.parts, sizeof *s.room);
    s.size = calloc(s.parts, sizeof *s.size);
    s.with = calloc((size_t)n * s.parts, sizeof *s.with);
    s.all = calloc(n, sizeof *s.all);
    int error = s.order && s.part && s.room && s.size && s.with && s.all ? search_run(&s, problem, best) : -ENOMEM;
    free(s.order);
    free(s.part);
    free(s.room);
    free(s.size);
    free(s.with);
    free(s.all);
    return error;
}
