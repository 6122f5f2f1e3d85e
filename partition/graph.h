/* Graphs: how many blocks (or bytes) any two vertices exchange in all, both ways added.
 *
 * A vertex is a virtual rank of a schedule, or a rank of an application. Edges have no direction: every block that crosses a
 * partition does so on one edge, one way, so the weight of the cut edges, each counted once, is the directed cut in blocks.
 *
 * Where all vertices have the same neighbours up to a shift (ring, Bruck, Sparbit, neighbour exchange in pairs) or an exclusive
 * or (recursive doubling), the graph is kept as that list, O(log vertices) of memory whatever it is asked for; else as rows. The
 * structure owns its rows: graph_destroy(). A filled graph is read-only and may be shared by threads. */
#ifndef SHMCOLL_PARTITION_GRAPH_H
#define SHMCOLL_PARTITION_GRAPH_H

#include "model/schedule.h"

#include <stddef.h>

enum { GRAPH_ARCS_MAX = 64, GRAPH_PERIOD_MAX = 2, GRAPH_VERTICES_MAX = 1 << 30 };

#define GRAPH_WEIGHT_MAX ((UINT64_C(1) << 62) - 1) /* of all edges: what two moves together gain still has a sign */

enum graph_form {
    GRAPH_SHIFT, /* vertex v has the neighbours v + arc[v % period][].delta mod vertices */
    GRAPH_XOR,   /* v ^ arc[0][].delta */
    GRAPH_ROWS,
};

struct graph_arc {
    uint32_t delta;
    uint64_t weight;
};

struct graph {
    uint32_t vertices;
    enum graph_form form;
    uint32_t period;                    /* 1 or 2 */
    uint32_t arcs[GRAPH_PERIOD_MAX];
    struct graph_arc arc[GRAPH_PERIOD_MAX][GRAPH_ARCS_MAX];
    /* GRAPH_ROWS: vertex v's are row[v] .. row[v + 1] - 1, by rising neighbour; every edge is in two rows */
    uint64_t *row;       /* [vertices + 1] */
    uint32_t *neighbour; /* [row[vertices]] */
    uint64_t *weight;    /* [row[vertices]] */
};

/* A pair of different vertices; pairs that are given more than once add up, whichever way round. */
struct graph_edge {
    uint32_t a, b;
    uint64_t weight;
};

/* Who exchanges how many blocks by the schedule. 0, or -ENOMEM. */
int graph_of_schedule(struct graph *out, const struct schedule *schedule);
/* 0; -EINVAL with one line in `reason` for a vertex that is none, a loop, no vertex, or weights whose sum is 2^62 or more;
 * -ENOMEM. Edges of weight 0 are left out. */
int graph_of_edges(struct graph *out, uint32_t vertices, const struct graph_edge *edges, size_t count, char *reason,
                   size_t reason_bytes);
/* Those vertices alone, renumbered in their order, all different. 0 or -ENOMEM. */
int graph_of_vertices(struct graph *out, const struct graph *graph, const uint32_t *vertices, uint32_t count);
/* The same graph as rows. 0 or -ENOMEM. */
int graph_rows(struct graph *out, const struct graph *graph);
void graph_destroy(struct graph *graph);

/* Number of neighbours. */
static inline uint32_t graph_degree(const struct graph *graph, uint32_t v)
{
    return graph->form == GRAPH_ROWS ? (uint32_t)(graph->row[v + 1] - graph->row[v]) : graph->arcs[v & (graph->period - 1)];
}

/* The i-th of them, i < graph_degree(), and what is exchanged with it. */
static inline uint32_t graph_neighbour(const struct graph *graph, uint32_t v, uint32_t i, uint64_t *weight)
{
    if (graph->form == GRAPH_ROWS) {
        *weight = graph->weight[graph->row[v] + i];
        return graph->neighbour[graph->row[v] + i];
    }
    const struct graph_arc *arc = &graph->arc[v & (graph->period - 1)][i];
    *weight = arc->weight;
    if (graph->form == GRAPH_XOR)
        return v ^ arc->delta;
    return v < graph->vertices - arc->delta ? v + arc->delta : v - (graph->vertices - arc->delta);
}

/* Edges, and the sum of their weights. */
uint64_t graph_edges(const struct graph *graph);
uint64_t graph_weight(const struct graph *graph);
/* What two vertices exchange; 0: they are no neighbours. */
uint64_t graph_between(const struct graph *graph, uint32_t a, uint32_t b);

#endif
