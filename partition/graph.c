#include "partition/graph_rows.h"

#include <errno.h>
#include <stdlib.h>

void graph_destroy(struct graph *graph)
{
    free(graph->row);
    free(graph->neighbour);
    free(graph->weight);
    *graph = (struct graph){0};
}

/* Twice the edges: every one is seen from both ends. */
static uint64_t ends(const struct graph *graph)
{
    if (graph->form == GRAPH_ROWS)
        return graph->row[graph->vertices];
    uint64_t sum = 0;
    for (uint32_t r = 0; r < graph->period; r++)
        sum += (uint64_t)graph->arcs[r] * (graph->vertices / graph->period);
    return sum;
}

uint64_t graph_edges(const struct graph *graph)
{
    return ends(graph) / 2;
}

static uint64_t weight_of_rows(const struct graph *graph)
{
    uint64_t twice = 0;
    for (uint64_t i = 0; i < graph->row[graph->vertices]; i++)
        twice += graph->weight[i];
    return twice / 2;
}

uint64_t graph_weight(const struct graph *graph)
{
    if (graph->form == GRAPH_ROWS)
        return weight_of_rows(graph);
    uint64_t twice = 0;
    for (uint32_t r = 0; r < graph->period; r++)
        for (uint32_t i = 0; i < graph->arcs[r]; i++)
            twice += graph->arc[r][i].weight * (graph->vertices / graph->period);
    return twice / 2;
}

uint64_t graph_between(const struct graph *graph, uint32_t a, uint32_t b)
{
    uint64_t weight;
    for (uint32_t i = 0; i < graph_degree(graph, a); i++)
        if (graph_neighbour(graph, a, i, &weight) == b)
            return weight;
    return 0;
}

/* Room for rows with so many ends. */
static int rows_allocate(struct graph *out, uint32_t vertices, uint64_t count)
{
    *out = (struct graph){.vertices = vertices, .form = GRAPH_ROWS, .period = 1};
    out->row = malloc(((size_t)vertices + 1) * sizeof *out->row);
    out->neighbour = malloc((count ? count : 1) * sizeof *out->neighbour);
    out->weight = malloc((count ? count : 1) * sizeof *out->weight);
    if (out->row && out->neighbour && out->weight)
        return 0;
    graph_destroy(out);
    return -ENOMEM;
}

struct end {
    uint32_t neighbour;
    uint64_t weight;
};

static int end_compare(const void *a, const void *b)
{
    const struct end *x = a, *y = b;
    return (x->neighbour > y->neighbour) - (x->neighbour < y->neighbour);
}

/* Appends a row, sorted and with the ends at one neighbour added up; returns where the next begins. */
static uint64_t row_append(struct graph *out, uint64_t at, struct end *ends_of, size_t count)
{
    uint64_t begin = at;
    qsort(ends_of, count, sizeof *ends_of, end_compare);
    for (size_t i = 0; i < count; i++) {
        if (at > begin && out->neighbour[at - 1] == ends_of[i].neighbour) {
            out->weight[at - 1] += ends_of[i].weight;
            continue;
        }
        out->neighbour[at] = ends_of[i].neighbour;
        out->weight[at++] = ends_of[i].weight;
    }
    return at;
}

/* Puts every edge at both its ends, `place` [vertices + 1] counting where each row is filled to. */
static void edges_spread(const struct graph_edge *edges, size_t count, uint64_t *place, struct end *all)
{
    for (size_t i = 0; i < count; i++) {
        if (!edges[i].weight)
            continue;
        all[place[edges[i].a]++] = (struct end){edges[i].b, edges[i].weight};
        all[place[edges[i].b]++] = (struct end){edges[i].a, edges[i].weight};
    }
}

static void rows_fill(struct graph *out, const struct graph_edge *edges, size_t count, uint64_t *place, struct end *all)
{
    uint32_t n = out->vertices;
    for (size_t i = 0; i < count; i++)
        if (edges[i].weight) {
            place[edges[i].a + 1]++;
            place[edges[i].b + 1]++;
        }
    for (uint32_t v = 0; v < n; v++)
        place[v + 1] += place[v];
    edges_spread(edges, count, place, all);
    /* Every row's place is now where the next begins. */
    uint64_t at = 0;
    for (uint32_t v = 0; v < n; v++) {
        uint64_t begin = v ? place[v - 1] : 0;
        out->row[v] = at;
        at = row_append(out, at, all + begin, place[v] - begin);
    }
    out->row[n] = at;
}

int graph_build_rows(struct graph *out, uint32_t vertices, const struct graph_edge *edges, size_t count)
{
    uint64_t *place = calloc((size_t)vertices + 1, sizeof *place);
    struct end *all = malloc((count ? 2 * count : 1) * sizeof *all);
    int error = place && all ? rows_allocate(out, vertices, 2 * (uint64_t)count) : -ENOMEM;
    if (!error)
        rows_fill(out, edges, count, place, all);
    free(place);
    free(all);
    return error;
}

int graph_rows(struct graph *out, const struct graph *graph)
{
    int error = rows_allocate(out, graph->vertices, ends(graph));
    if (error)
        return error;
    struct end of_vertex[GRAPH_ARCS_MAX];
    uint64_t at = 0;
    for (uint32_t v = 0; v < graph->vertices; v++) {
        uint32_t degree = graph_degree(graph, v);
        out->row[v] = at;
        if (graph->form == GRAPH_ROWS) {
            for (uint32_t i = 0; i < degree; i++, at++)
                out->neighbour[at] = graph_neighbour(graph, v, i, &out->weight[at]);
            continue;
        }
        for (uint32_t i = 0; i < degree; i++)
            of_vertex[i].neighbour = graph_neighbour(graph, v, i, &of_vertex[i].weight);
        at = row_append(out, at, of_vertex, degree);
    }
    out->row[graph->vertices] = at;
    return 0;
}

static uint64_t vertices_fill(struct graph *out, const struct graph *graph, const uint32_t *vertices, const uint32_t *number,
                              struct end *ends_of)
{
    uint64_t at = 0, weight;
    for (uint32_t v = 0; v < out->vertices; v++) {
        size_t count = 0;
        out->row[v] = at;
        for (uint32_t i = 0; i < graph_degree(graph, vertices[v]); i++) {
            uint32_t neighbour = number[graph_neighbour(graph, vertices[v], i, &weight)];
            if (neighbour != UINT32_MAX)
                ends_of[count++] = (struct end){neighbour, weight};
        }
        at = row_append(out, at, ends_of, count);
    }
    return at;
}

int graph_of_vertices(struct graph *out, const struct graph *graph, const uint32_t *vertices, uint32_t count)
{
    uint32_t *number = malloc(graph->vertices * sizeof *number), most = 1;
    uint64_t sum = 0;
    for (uint32_t v = 0; v < count; v++) {
        uint32_t degree = graph_degree(graph, vertices[v]);
        sum += degree;
        most = degree > most ? degree : most;
    }
    struct end *ends_of = malloc(most * sizeof *ends_of);
    int error = number && ends_of ? rows_allocate(out, count, sum) : -ENOMEM;
    if (!error) {
        for (uint32_t v = 0; v < graph->vertices; v++)
            number[v] = UINT32_MAX;
        for (uint32_t v = 0; v < count; v++)
            number[vertices[v]] = v;
        out->row[count] = vertices_fill(out, graph, vertices, number, ends_of);
    }
    free(number);
    free(ends_of);
    return error;
}
