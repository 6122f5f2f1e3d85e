/* METIS, with 32-bit integers and weights.
 *
 * What it adds up are weights of edges from both ends: they are scaled so that this fits. It prints what it finds wrong with
 * its input, so nothing is given to it that it could find wrong; and it reports success with parts that are empty or numbers
 * that are none, so what it returns is read with suspicion and repaired. For as long as it runs it handles SIGABRT and SIGTERM:
 * a SIGTERM makes it end with METIS_ERROR, and is passed on, as nobody else has got it.
 *
 * Where parts are of a few vertices, its bisections, which are some vertices off, can leave more parts than vertices, of which it
 * complains on standard output. Then it is asked for one bisection at a time, and each is repaired before the next.
 *
 * Pieces that no edge joins it takes one after the other, and looks at all vertices for each: where they are many it is not
 * asked. */
#include "partition/components.h"
#include "partition/repair.h"
#include "partition/strategies.h"

#include <errno.h>
#include <metis.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>

enum { SMALL_PART = 4, PIECES_MAX = 1 << 17 }; /* so many take seconds, twice as many four times as long */

/* Below 2^31, with room for weights rounded up to 1 and for sums of two cuts. */
static const uint64_t weights_max = 1u << 29;

struct metis_graph {
    idx_t *row, *neighbour, *weight, *part;
    real_t *share; /* of every part */
};

static void graph_free(struct metis_graph *m)
{
    free(m->row);
    free(m->neighbour);
    free(m->weight);
    free(m->part);
    free(m->share);
}

static int graph_allocate(struct metis_graph *m, const struct partition_problem *problem, uint64_t ends)
{
    uint32_t n = problem->graph->vertices;
    m->row = malloc(((size_t)n + 1) * sizeof *m->row);
    m->neighbour = malloc((ends ? ends : 1) * sizeof *m->neighbour);
    m->weight = malloc((ends ? ends : 1) * sizeof *m->weight);
    m->part = malloc(n * sizeof *m->part);
    m->share = malloc(problem->parts * sizeof *m->share);
    return m->row && m->neighbour && m->weight && m->part && m->share ? 0 : -ENOMEM;
}

static void graph_fill(struct metis_graph *m, const struct partition_problem *problem)
{
    const struct graph *graph = problem->graph;
    uint64_t divisor = 2 * graph_weight(graph) / weights_max + 1, weight;
    idx_t at = 0;
    for (uint32_t v = 0; v < graph->vertices; v++) {
        m->row[v] = at;
        for (uint32_t i = 0; i < graph_degree(graph, v); i++, at++) {
            m->neighbour[at] = (idx_t)graph_neighbour(graph, v, i, &weight);
            m->weight[at] = (idx_t)((weight + divisor - 1) / divisor);
        }
        m->part[v] = -1;
    }
    m->row[graph->vertices] = at;
    for (uint32_t p = 0; p < problem->parts; p++)
        m->share[p] = (real_t)partition_problem_size(problem, p) / (real_t)graph->vertices;
}

static int metis_call(const struct partition_problem *problem, struct metis_graph *m, int kway)
{
    idx_t options[METIS_NOPTIONS], n = (idx_t)problem->graph->vertices, parts = (idx_t)problem->parts, constraints = 1, cut = 0;
    METIS_SetDefaultOptions(options);
    options[METIS_OPTION_SEED] = (idx_t)(problem->seed % INT32_MAX);
    options[METIS_OPTION_UFACTOR] = 1;
    real_t *share = partition_problem_equal(problem) ? NULL : m->share;
    struct sigaction term, abrt;
    sigaction(SIGTERM, NULL, &term);
    sigaction(SIGABRT, NULL, &abrt);
    int status = kway ? METIS_PartGraphKway(&n, &constraints, m->row, m->neighbour, NULL, NULL, m->weight, &parts, share, NULL,
                                            options, &cut, m->part)
                      : METIS_PartGraphRecursive(&n, &constraints, m->row, m->neighbour, NULL, NULL, m->weight, &parts, share,
                                                 NULL, options, &cut, m->part);
    /* It puts handlers back as System V had them, for one signal only. */
    sigaction(SIGTERM, &term, NULL);
    sigaction(SIGABRT, &abrt, NULL);
    if (status == METIS_ERROR) {
        raise(SIGTERM);
        return -EINTR;
    }
    return status == METIS_OK ? 0 : status == METIS_ERROR_MEMORY ? -ENOMEM : -EIO;
}

/* Into part[vertices], UINT32_MAX for what METIS left out. 0, -ENOMEM, -ENOTSUP, -EIO, or -EINTR after a SIGTERM. */
static int metis_parts(const struct partition_problem *problem, int kway, uint32_t *part)
{
    uint64_t ends = 2 * graph_edges(problem->graph);
    struct metis_graph m = {0};
    if (ends > INT32_MAX / 2)
        return -ENOTSUP;
    int error = graph_allocate(&m, problem, ends);
    if (!error)
        error = partition_room(2 * sizeof *m.row * (problem->graph->vertices + ends));
    if (!error) {
        graph_fill(&m, problem);
        error = metis_call(problem, &m, kway);
    }
    for (uint32_t v = 0; v < problem->graph->vertices && !error; v++)
        part[v] = m.part[v] < 0 ? UINT32_MAX : (uint32_t)m.part[v];
    graph_free(&m);
    return error;
}

/* The parts first .. first + parts - 1 of the whole, to which the vertices of a graph go: `vertex` are their numbers there. */
struct bisection {
    const struct partition_problem *whole;
    uint32_t *part; /* [whole->graph->vertices] */
};

static int bisect(const struct bisection *b, const struct graph *graph, const uint32_t *vertex, uint32_t first, uint32_t parts);

/* One half: the vertices that are on that side, `side` [graph->vertices]. */
static int bisect_half(const struct bisection *b, const struct graph *graph, const uint32_t *vertex, const uint32_t *side,
                       uint32_t which, uint32_t first, uint32_t parts)
{
    uint32_t n = graph->vertices, count = 0, *here = malloc(2 * (size_t)n * sizeof *here);
    struct graph half;
    if (!here)
        return -ENOMEM;
    uint32_t *there = here + n;
    for (uint32_t v = 0; v < n; v++)
        if (side[v] == which) {
            here[count] = v;
            there[count++] = vertex[v];
        }
    int error = 0;
    if (parts == 1) {
        for (uint32_t i = 0; i < count; i++)
            b->part[there[i]] = first;
    } else {
        error = graph_of_vertices(&half, graph, here, count);
        if (!error) {
            error = bisect(b, &half, there, first, parts);
            graph_destroy(&half);
        }
    }
    free(here);
    return error;
}

static int bisect(const struct bisection *b, const struct graph *graph, const uint32_t *vertex, uint32_t first, uint32_t parts)
{
    uint32_t left = parts / 2, sizes[2] = {0, graph->vertices}, moved, *side = malloc(graph->vertices * sizeof *side);
    if (!side)
        return -ENOMEM;
    for (uint32_t p = 0; p < left; p++)
        sizes[0] += partition_problem_size(b->whole, first + p);
    sizes[1] -= sizes[0];
    struct partition_problem two = {.graph = graph, .parts = 2, .sizes = sizes, .seed = b->whole->seed};
    int error = metis_parts(&two, 0, side);
    if (!error)
        error = partition_repair(&two, side, &moved);
    if (!error)
        error = bisect_half(b, graph, vertex, side, 0, first, left);
    if (!error)
        error = bisect_half(b, graph, vertex, side, 1, first + left, parts - left);
    free(side);
    return error;
}

static int bisect_all(const struct partition_problem *problem, uint32_t *part)
{
    uint32_t n = problem->graph->vertices, *vertex = malloc(n * sizeof *vertex);
    if (!vertex)
        return -ENOMEM;
    for (uint32_t v = 0; v < n; v++)
        vertex[v] = v;
    int error = bisect(&(struct bisection){problem, part}, problem->graph, vertex, 0, problem->parts);
    free(vertex);
    return error;
}

static int small_parts(const struct partition_problem *problem)
{
    for (uint32_t p = 0; p < problem->parts; p++)
        if (partition_problem_size(problem, p) < SMALL_PART)
            return 1;
    return 0;
}

/* Graphs of schedules that are kept as a list of neighbours are of one piece. */
static int pieces_check(const struct partition_problem *problem, char *reason, size_t bytes)
{
    uint32_t pieces;
    if (problem->graph->form != GRAPH_ROWS || problem->graph->vertices <= PIECES_MAX)
        return 0;
    int error = graph_components(problem->graph, &pieces);
    if (error || pieces <= PIECES_MAX)
        return error;
    snprintf(reason, bytes, "%u groups of ranks that exchange nothing with others are too many for METIS: at most %d", pieces,
             PIECES_MAX);
    return -ENOTSUP;
}

static int metis(const struct partition_problem *problem, int kway, struct partition *out, char *reason, size_t bytes)
{
    int error = pieces_check(problem, reason, bytes);
    if (error)
        return error;
    error = partition_allocate(problem, out);
    if (!error)
        error = small_parts(problem) ? bisect_all(problem, out->table) : metis_parts(problem, kway, out->table);
    if (error == -ENOTSUP)
        snprintf(reason, bytes, "%llu edges are too many for METIS with 32-bit numbers",
                 (unsigned long long)graph_edges(problem->graph));
    if (error == -EIO)
        snprintf(reason, bytes, "METIS gave up on %u ranks in %u parts", problem->graph->vertices, problem->parts);
    return error;
}

static int metis_kway(const struct partition_problem *problem, struct partition *out, char *reason, size_t bytes)
{
    return metis(problem, 1, out, reason, bytes);
}

static int metis_rb(const struct partition_problem *problem, struct partition *out, char *reason, size_t bytes)
{
    return metis(problem, 0, out, reason, bytes);
}

const struct partitioner partitioner_metis_kway = {
    .name = "metis-kway", .summary = "METIS, all parts at once; sizes repaired", .make = metis_kway, .refinable = 1,
};
const struct partitioner partitioner_metis_rb = {
    .name = "metis-rb", .summary = "METIS, by recursive bisection; sizes repaired", .make = metis_rb, .refinable = 1,
};
