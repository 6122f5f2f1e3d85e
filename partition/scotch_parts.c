/* Scotch, with 64-bit integers: recursive bipartitioning onto a target, in one thread and from a seed of its own. */
#include "partition/strategies.h"

#include <errno.h>
#include <sched.h>
#include <stdint.h>
#include <stdio.h>
#include <scotch-int64/scotch.h>
#include <stdlib.h>

/* What Scotch prints if it is linked with its own: here, what it returns says enough. */
void SCOTCH_errorProg(const char *const program)
{
    (void)program;
}

void SCOTCH_errorPrint(const char *const format, ...)
{
    (void)format;
}

void SCOTCH_errorPrintW(const char *const format, ...)
{
    (void)format;
}

struct scotch_graph {
    SCOTCH_Num *row, *neighbour, *weight, *part, *share;
};

static void graph_free(struct scotch_graph *s)
{
    free(s->row);
    free(s->neighbour);
    free(s->weight);
    free(s->part);
    free(s->share);
}

static int graph_allocate(struct scotch_graph *s, const struct partition_problem *problem, uint64_t ends)
{
    uint32_t n = problem->graph->vertices;
    s->row = malloc(((size_t)n + 1) * sizeof *s->row);
    s->neighbour = malloc((ends ? ends : 1) * sizeof *s->neighbour);
    s->weight = malloc((ends ? ends : 1) * sizeof *s->weight);
    s->part = malloc(n * sizeof *s->part);
    s->share = malloc(problem->parts * sizeof *s->share);
    return s->row && s->neighbour && s->weight && s->part && s->share ? 0 : -ENOMEM;
}

/* Scotch multiplies weights by distances and adds them up from both ends. */
static void graph_fill(struct scotch_graph *s, const struct partition_problem *problem)
{
    const struct graph *graph = problem->graph;
    uint64_t divisor = graph_weight(graph) / ((uint64_t)1 << 48) + 1, weight;
    SCOTCH_Num at = 0;
    for (uint32_t v = 0; v < graph->vertices; v++) {
        s->row[v] = at;
        for (uint32_t i = 0; i < graph_degree(graph, v); i++, at++) {
            s->neighbour[at] = graph_neighbour(graph, v, i, &weight);
            s->weight[at] = (SCOTCH_Num)((weight + divisor - 1) / divisor);
        }
        s->part[v] = -1;
    }
    s->row[graph->vertices] = at;
    for (uint32_t p = 0; p < problem->parts; p++)
        s->share[p] = partition_problem_size(problem, p);
}

/* The machine: a tree if the problem has one, else parts of their sizes, all alike. */
static int target_build(const struct partition_problem *problem, struct scotch_graph *s, SCOTCH_Arch *arch)
{
    const struct partition_target *t = problem->target;
    if (!t || !partition_problem_equal(problem))
        return SCOTCH_archCmpltw(arch, problem->parts, s->share);
    SCOTCH_Num arity[PARTITION_LEVELS_MAX], distance[PARTITION_LEVELS_MAX];
    for (uint32_t l = 0; l < t->levels; l++) {
        arity[l] = t->arity[l];
        distance[l] = t->distance[l];
    }
    return SCOTCH_archTleaf(arch, t->levels, arity, distance);
}

/* One thread, on the cpu this one is on: it is this one, and keeps its affinity. */
static int context_prepare(SCOTCH_Context *context, uint64_t seed)
{
    int cpu = sched_getcpu();
    if (cpu < 0)
        cpu = 0;
    if (SCOTCH_contextOptionSetNum(context, SCOTCH_OPTIONNUMDETERMINISTIC, 1) || SCOTCH_contextRandomClone(context))
        return -EIO;
    SCOTCH_contextRandomSeed(context, (SCOTCH_Num)(seed % INT32_MAX));
    SCOTCH_contextRandomReset(context);
    return SCOTCH_contextThreadSpawn(context, 1, &cpu) ? -EIO : 0;
}

static int map(const struct partition_problem *problem, struct scotch_graph *s, SCOTCH_Graph *graph)
{
    SCOTCH_Arch arch;
    SCOTCH_Strat strategy;
    if (SCOTCH_archInit(&arch))
        return -EIO;
    if (SCOTCH_stratInit(&strategy)) {
        SCOTCH_archExit(&arch);
        return -EIO;
    }
    int failed = target_build(problem, s, &arch) ||
                 SCOTCH_stratGraphMapBuild(&strategy, SCOTCH_STRATRECURSIVE | SCOTCH_STRATBALANCE, problem->parts, 0.0) ||
                 SCOTCH_graphMap(graph, &arch, &strategy, s->part);
    SCOTCH_stratExit(&strategy);
    SCOTCH_archExit(&arch);
    return failed ? -EIO : 0;
}

static int map_in_context(const struct partition_problem *problem, struct scotch_graph *s)
{
    SCOTCH_Graph graph, bound;
    SCOTCH_Context *context = SCOTCH_contextAlloc();
    if (!context)
        return -ENOMEM;
    if (SCOTCH_contextInit(context)) {
        free(context);
        return -EIO;
    }
    int error = context_prepare(context, problem->seed) || SCOTCH_graphInit(&graph) ? -EIO : 0;
    if (!error) {
        error = SCOTCH_graphBuild(&graph, 0, problem->graph->vertices, s->row, s->row + 1, NULL, NULL,
                                  s->row[problem->graph->vertices], s->neighbour, s->weight) ||
                        SCOTCH_graphInit(&bound) || SCOTCH_contextBindGraph(context, &graph, &bound)
                    ? -EIO
                    : map(problem, s, &bound);
        if (!error)
            SCOTCH_graphExit(&bound);
        SCOTCH_graphExit(&graph);
    }
    SCOTCH_contextExit(context);
    free(context);
    return error;
}

static int scotch(const struct partition_problem *problem, struct partition *out, char *reason, size_t bytes)
{
    struct scotch_graph s = {0};
    /* The shared libraries of 32 and of 64 bits have one name: what was loaded decides. */
    if (SCOTCH_numSizeof() != sizeof(SCOTCH_Num)) {
        snprintf(reason, bytes, "this Scotch has integers of %d bytes, not %zu: link scotch-int64", SCOTCH_numSizeof(),
                 sizeof(SCOTCH_Num));
        return -ENOTSUP;
    }
    uint64_t ends = 2 * graph_edges(problem->graph);
    int error = graph_allocate(&s, problem, ends);
    if (!error)
        error = partition_room(2 * sizeof *s.row * (problem->graph->vertices + ends));
    if (!error) {
        graph_fill(&s, problem);
        error = map_in_context(problem, &s);
        if (error == -EIO)
            snprintf(reason, bytes, "Scotch gave up on %u ranks in %u parts", problem->graph->vertices, problem->parts);
    }
    if (!error)
        error = partition_allocate(problem, out);
    for (uint32_t v = 0; v < problem->graph->vertices && !error; v++)
        out->table[v] = s.part[v] < 0 ? UINT32_MAX : (uint32_t)s.part[v];
    graph_free(&s);
    return error;
}

const struct partitioner partitioner_scotch = {
    .name = "scotch",
    .summary = "Scotch, by recursive bipartitioning onto the machine; sizes repaired",
    .make = scotch,
    .refinable = 1,
};
