#include "partition/repair.h"

#include <errno.h>
#include <stdlib.h>

/* A vertex that may leave its part, at the gain it had when it was looked at. */
struct offer {
    int64_t gain;
    uint32_t vertex, to;
};

struct repair {
    const struct graph *graph;
    uint32_t *part;
    uint32_t parts;
    uint32_t *count, *size; /* [parts] */
    uint64_t *to_part;      /* [parts] what the vertex looked at exchanges with each; 0 between looks */
    uint32_t empty;         /* no part below has room */
    struct offer *heap;     /* the best first; at most one offer a vertex */
    uint32_t offers;
    uint32_t *place;        /* [vertices] of a vertex's offer in the heap; UINT32_MAX: it has none */
    uint32_t moved;
};

static int better(const struct offer *a, const struct offer *b)
{
    return a->gain != b->gain ? a->gain > b->gain : a->vertex < b->vertex;
}

static void put(struct repair *r, uint32_t i, struct offer offer)
{
    r->heap[i] = offer;
    r->place[offer.vertex] = i;
}

static void sink(struct repair *r, uint32_t i)
{
    struct offer o = r->heap[i];
    for (uint32_t c = 2 * i + 1; c < r->offers; c = 2 * i + 1) {
        if (c + 1 < r->offers && better(&r->heap[c + 1], &r->heap[c]))
            c++;
        if (!better(&r->heap[c], &o))
            break;
        put(r, i, r->heap[c]);
        i = c;
    }
    put(r, i, o);
}

static void rise(struct repair *r, uint32_t i)
{
    struct offer o = r->heap[i];
    for (; i && better(&o, &r->heap[(i - 1) / 2]); i = (i - 1) / 2)
        put(r, i, r->heap[(i - 1) / 2]);
    put(r, i, o);
}

/* Whether the vertex may leave where it is. */
static int movable(const struct repair *r, uint32_t v)
{
    return r->part[v] >= r->parts || r->count[r->part[v]] > r->size[r->part[v]];
}

/* The best a vertex can do: a part with room that it exchanges most with, or the first with room. */
static struct offer look(struct repair *r, uint32_t v)
{
    uint32_t degree = graph_degree(r->graph, v);
    uint64_t weight;
    for (uint32_t i = 0; i < degree; i++) {
        uint32_t part = r->part[graph_neighbour(r->graph, v, i, &weight)];
        if (part < r->parts)
            r->to_part[part] += weight;
    }
    while (r->empty < r->parts && r->count[r->empty] >= r->size[r->empty])
        r->empty++;
    struct offer best = {.vertex = v, .to = r->empty};
    uint64_t most = r->empty < r->parts ? r->to_part[r->empty] : 0;
    for (uint32_t i = 0; i < degree; i++) {
        uint32_t part = r->part[graph_neighbour(r->graph, v, i, &weight)];
        if (part < r->parts && r->count[part] < r->size[part] && r->to_part[part] > most) {
            most = r->to_part[part];
            best.to = part;
        }
    }
    best.gain = (int64_t)most - (int64_t)(r->part[v] < r->parts ? r->to_part[r->part[v]] : 0);
    for (uint32_t i = 0; i < degree; i++) {
        uint32_t part = r->part[graph_neighbour(r->graph, v, i, &weight)];
        if (part < r->parts)
            r->to_part[part] = 0;
    }
    return best;
}

static void offers_begin(struct repair *r)
{
    for (uint32_t v = 0; v < r->graph->vertices; v++) {
        r->place[v] = UINT32_MAX;
        if (movable(r, v))
            put(r, r->offers++, look(r, v));
    }
    for (uint32_t i = r->offers / 2; i-- > 0;)
        sink(r, i);
}

static void offer_drop(struct repair *r)
{
    r->place[r->heap[0].vertex] = UINT32_MAX;
    struct offer last = r->heap[--r->offers];
    if (r->offers) {
        put(r, 0, last);
        sink(r, 0);
    }
}

/* What a vertex does not exchange any more, or now does, with those around it. */
static void neighbours_look(struct repair *r, uint32_t v)
{
    uint32_t degree = graph_degree(r->graph, v);
    uint64_t weight;
    for (uint32_t i = 0; i < degree; i++) {
        uint32_t u = graph_neighbour(r->graph, v, i, &weight), at = r->place[u];
        if (at == UINT32_MAX)
            continue;
        struct offer now = look(r, u), before = r->heap[at];
        r->heap[at] = now;
        now.gain > before.gain ? rise(r, at) : sink(r, at);
    }
}

static void move(struct repair *r, const struct offer *offer)
{
    uint32_t from = r->part[offer->vertex];
    if (from < r->parts)
        r->count[from]--;
    r->part[offer->vertex] = offer->to;
    r->count[offer->to]++;
    r->moved++;
}

/* A part that has become full makes offers worse: those are looked at again when they come first, and sink. */
static void move_all(struct repair *r)
{
    while (r->offers) {
        struct offer *first = &r->heap[0];
        if (!movable(r, first->vertex)) {
            offer_drop(r);
            continue;
        }
        struct offer now = look(r, first->vertex);
        if (now.to == r->parts)
            return;
        if (now.gain < first->gain) {
            *first = now;
            sink(r, 0);
            continue;
        }
        offer_drop(r);
        move(r, &now);
        neighbours_look(r, now.vertex);
    }
}

int partition_repair(const struct partition_problem *problem, uint32_t *part, uint32_t *moved)
{
    uint32_t n = problem->graph->vertices, h = problem->parts;
    struct repair r = {.graph = problem->graph, .part = part, .parts = h};
    r.count = calloc(h, sizeof *r.count);
    r.size = malloc(h * sizeof *r.size);
    r.to_part = calloc((size_t)h + 1, sizeof *r.to_part);
    int error = r.count && r.size && r.to_part ? 0 : -ENOMEM;
    uint32_t wrong = 0;
    for (uint32_t v = 0; v < n && !error; v++)
        if (part[v] < h)
            r.count[part[v]]++;
    for (uint32_t p = 0; p < h && !error; p++) {
        r.size[p] = partition_problem_size(problem, p);
        wrong += r.count[p] != r.size[p];
    }
    if (wrong && !error) {
        r.heap = malloc(n * sizeof *r.heap);
        r.place = malloc(n * sizeof *r.place);
        error = r.heap && r.place ? 0 : -ENOMEM;
        if (!error) {
            offers_begin(&r);
            move_all(&r);
        }
    }
    *moved = r.moved;
    free(r.count);
    free(r.size);
    free(r.to_part);
    free(r.heap);
    free(r.place);
    return error;
}
