/* Graphs of schedules and of lists of edges. */
#include "partition/graph_rows.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

/* What all vertices of a schedule have in common, if anything. Checked by the tests against the sum over all ranks' steps. */
static const struct {
    const struct schedule_algorithm *algorithm;
    enum graph_form form;
    uint32_t period;
} symmetric[] = {
    {&schedule_ring, GRAPH_SHIFT, 1},
    {&schedule_bruck, GRAPH_SHIFT, 1},
    {&schedule_sparbit, GRAPH_SHIFT, 1},
    {&schedule_neighbour_exchange, GRAPH_SHIFT, 2},
    {&schedule_recursive_doubling, GRAPH_XOR, 1},
};

static void arc_add(struct graph *graph, uint32_t residue, uint32_t delta, uint64_t weight)
{
    struct graph_arc *arc = graph->arc[residue];
    uint32_t i = 0, n = graph->arcs[residue];
    while (i < n && arc[i].delta != delta)
        i++;
    if (i == n)
        arc[graph->arcs[residue]++] = (struct graph_arc){delta, 0};
    arc[i].weight += weight;
}

static uint32_t delta_of(const struct graph *graph, uint32_t from, uint32_t to)
{
    if (graph->form == GRAPH_XOR)
        return from ^ to;
    return to >= from ? to - from : to + graph->vertices - from;
}

static void arcs_of_rank(struct graph *graph, const struct schedule *schedule, uint32_t rank)
{
    struct schedule_step step;
    for (uint32_t k = 0; k < schedule_steps(schedule, rank); k++) {
        schedule_step(schedule, rank, k, &step);
        if (step.send_to != SCHEDULE_NONE)
            arc_add(graph, rank, delta_of(graph, rank, step.send_to), step.send.count);
        if (step.receive_from != SCHEDULE_NONE)
            arc_add(graph, rank, delta_of(graph, rank, step.receive_from), step.receive.count);
    }
}

/* Every send of every rank, as an edge; returns how many. `edges` NULL: only counts. */
static size_t sends(const struct schedule *schedule, struct graph_edge *edges)
{
    struct schedule_step step;
    size_t count = 0;
    for (uint32_t rank = 0; rank < schedule->procs; rank++)
        for (uint32_t k = 0; k < schedule_steps(schedule, rank); k++) {
            schedule_step(schedule, rank, k, &step);
            if (step.send_to == SCHEDULE_NONE || step.send_to == rank)
                continue;
            if (edges)
                edges[count] = (struct graph_edge){rank, step.send_to, step.send.count};
            count++;
        }
    return count;
}

int graph_of_schedule(struct graph *out, const struct schedule *schedule)
{
    for (size_t i = 0; i < sizeof symmetric / sizeof *symmetric; i++)
        if (symmetric[i].algorithm == schedule->algorithm) {
            *out = (struct graph){.vertices = schedule->procs, .form = symmetric[i].form, .period = symmetric[i].period};
            for (uint32_t rank = 0; rank < out->period; rank++)
                arcs_of_rank(out, schedule, rank);
            return 0;
        }
    size_t count = sends(schedule, NULL);
    struct graph_edge *edges = malloc((count ? count : 1) * sizeof *edges);
    if (!edges)
        return -ENOMEM;
    sends(schedule, edges);
    int error = graph_build_rows(out, schedule->procs, edges, count);
    free(edges);
    return error;
}

static int edge_check(uint32_t vertices, const struct graph_edge *edge, size_t i, uint64_t *sum, char *reason, size_t bytes)
{
    if (edge->a >= vertices || edge->b >= vertices) {
        snprintf(reason, bytes, "edge %zu joins %u and %u: vertices are 0 to %u", i, edge->a, edge->b, vertices - 1);
        return -EINVAL;
    }
    if (edge->a == edge->b) {
        snprintf(reason, bytes, "edge %zu joins %u with itself", i, edge->a);
        return -EINVAL;
    }
    if (edge->weight > GRAPH_WEIGHT_MAX - *sum) {
        snprintf(reason, bytes, "weights add up to 2^62 or more at edge %zu: use a larger unit", i);
        return -EINVAL;
    }
    *sum += edge->weight;
    return 0;
}

int graph_of_edges(struct graph *out, uint32_t vertices, const struct graph_edge *edges, size_t count, char *reason,
                   size_t reason_bytes)
{
    uint64_t sum = 0;
    if (vertices < 1 || vertices > GRAPH_VERTICES_MAX) {
        snprintf(reason, reason_bytes, "%u vertices: from 1 to %u", vertices, (unsigned)GRAPH_VERTICES_MAX);
        return -EINVAL;
    }
    for (size_t i = 0; i < count; i++) {
        int error = edge_check(vertices, &edges[i], i, &sum, reason, reason_bytes);
        if (error)
            return error;
    }
    int error = graph_build_rows(out, vertices, edges, count);
    if (error)
        snprintf(reason, reason_bytes, "no memory for %zu edges", count);
    return error;
}
