#include "partition/refine.h"
#include "partition/side.h"

#include <errno.h>
#include <stdlib.h>

enum { DOWNHILL_SWAPS = 64 };           /* this many without a new best end a climb */
static const uint64_t budget_all = 1u << 29; /* ends of edges: a few seconds */

struct refine {
    const struct partition_problem *problem;
    const struct graph *graph;
    struct refine_metric metric;
    uint32_t *part;    /* the caller's, [vertices] */
    uint32_t *first;   /* [parts + 1] where each part's members begin */
    uint32_t *member;  /* [vertices] by part */
    uint32_t *slot;    /* [vertices] its place there */
    int64_t *gain;     /* [vertices] of going over, while in one of two queues */
    uint32_t *place;   /* [vertices] */
    uint8_t *open;     /* [vertices] 1 + its side, while it may go over */
    uint32_t *queue[2];
    uint32_t *swapped; /* [vertices] who went over, by pairs */
    uint32_t *changed; /* [parts] the last sweep in which it did, from 1 */
    uint32_t *near, *seen; /* [parts] the parts that one has edges to; the part for which it was last seen, plus one */
    uint64_t budget;
};

void refine_destroy(struct refine *r)
{
    if (!r)
        return;
    void *const all[] = {r->first, r->member,  r->slot,    r->gain, r->place, r->open, r->queue[0],
                         r->queue[1], r->swapped, r->changed, r->near, r->seen};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        free(all[i]);
    free(r);
}

static int64_t one_apart(const void *context, uint32_t p, uint32_t q)
{
    (void)context;
    return p != q;
}

int refine_create(struct refine **out, const struct partition_problem *problem, const struct refine_metric *metric)
{
    size_t n = problem->graph->vertices, h = problem->parts;
    struct refine *r = calloc(1, sizeof *r);
    if (!r)
        return -ENOMEM;
    r->problem = problem;
    r->graph = problem->graph;
    r->metric = metric ? *metric : (struct refine_metric){one_apart, NULL};
    r->first = malloc((h + 1) * sizeof *r->first);
    r->member = malloc(n * sizeof *r->member);
    r->slot = malloc(n * sizeof *r->slot);
    r->gain = malloc(n * sizeof *r->gain);
    r->place = malloc(n * sizeof *r->place);
    r->open = calloc(n, sizeof *r->open);
    r->queue[0] = malloc(n * sizeof *r->queue[0]);
    r->queue[1] = malloc(n * sizeof *r->queue[1]);
    r->swapped = malloc(n * sizeof *r->swapped);
    r->changed = malloc(h * sizeof *r->changed);
    r->near = malloc(h * sizeof *r->near);
    r->seen = malloc(h * sizeof *r->seen);
    if (!r->first || !r->member || !r->slot || !r->gain || !r->place || !r->open || !r->queue[0] || !r->queue[1] || !r->swapped ||
        !r->changed || !r->near || !r->seen) {
        refine_destroy(r);
        return -ENOMEM;
    }
    *out = r;
    return 0;
}

static void members_fill(struct refine *r)
{
    uint32_t h = r->problem->parts, at = 0;
    for (uint32_t p = 0; p < h; p++) {
        r->first[p] = at;
        at += partition_problem_size(r->problem, p);
        r->near[p] = r->first[p];
        r->changed[p] = 1;
    }
    r->first[h] = at;
    for (uint32_t v = 0; v < r->graph->vertices; v++) {
        r->slot[v] = r->near[r->part[v]]++;
        r->member[r->slot[v]] = v;
    }
}

/* Who has no edges is looked at, too. */
static void budget_use(struct refine *r, uint64_t ends)
{
    ends += !ends;
    r->budget = r->budget > ends ? r->budget - ends : 0;
}

static int64_t distance(const struct refine *r, uint32_t p, uint32_t q)
{
    return p == q ? 0 : r->metric.distance(r->metric.context, p, q);
}

/* What a member of `own` gains by going to `other`. */
static int64_t gain_of(const struct refine *r, uint32_t v, uint32_t own, uint32_t other)
{
    int64_t gain = 0;
    uint64_t weight;
    uint32_t degree = graph_degree(r->graph, v);
    for (uint32_t i = 0; i < degree; i++) {
        uint32_t part = r->part[graph_neighbour(r->graph, v, i, &weight)];
        gain += (int64_t)weight * (distance(r, own, part) - distance(r, other, part));
    }
    return gain;
}

static void side_open(struct refine *r, struct side *side, uint32_t which, uint32_t own, uint32_t other)
{
    *side = (struct side){.gain = r->gain, .place = r->place, .vertex = r->queue[which]};
    for (uint32_t i = r->first[own]; i < r->first[own + 1]; i++) {
        uint32_t v = r->member[i];
        r->gain[v] = gain_of(r, v, own, other);
        r->open[v] = (uint8_t)(1 + which);
        side_push(side, v);
        budget_use(r, graph_degree(r->graph, v));
    }
}

/* Moves a vertex that has left its queue over to `to`, and tells those neighbours that are still open. */
static void go_over(struct refine *r, struct side side[2], uint32_t v, uint32_t to)
{
    uint64_t weight;
    uint32_t degree = graph_degree(r->graph, v), from_side = r->open[v] - 1u;
    int64_t apart = distance(r, r->part[v], to);
    r->open[v] = 0;
    r->part[v] = to;
    for (uint32_t i = 0; i < degree; i++) {
        uint32_t u = graph_neighbour(r->graph, v, i, &weight);
        if (!r->open[u])
            continue;
        /* One who stays on the side that v has left would now follow it. */
        int64_t change = 2 * (int64_t)weight * apart;
        r->gain[u] += r->open[u] - 1u == from_side ? change : -change;
        side_update(&side[r->open[u] - 1], u);
    }
    budget_use(r, degree);
}

static void side_close(struct refine *r, struct side *side)
{
    for (uint32_t i = 0; i < side->count; i++)
        r->open[side->vertex[i]] = 0;
}

/* Members that have changed sides change places too. */
static void places_change(struct refine *r, uint32_t swaps)
{
    for (uint32_t i = 0; i < swaps; i++) {
        uint32_t a = r->swapped[2 * i], b = r->swapped[2 * i + 1], slot = r->slot[a];
        r->slot[a] = r->slot[b];
        r->slot[b] = slot;
        r->member[r->slot[a]] = a;
        r->member[r->slot[b]] = b;
    }
}

/* One climb between two parts; returns what it gained. */
static int64_t climb(struct refine *r, uint32_t p, uint32_t q)
{
    struct side side[2];
    int64_t gained = 0, best = 0;
    uint32_t swaps = 0, kept = 0;
    side_open(r, &side[0], 0, p, q);
    side_open(r, &side[1], 1, q, p);
    while (side[0].count && side[1].count && swaps - kept < DOWNHILL_SWAPS) {
        uint32_t a = side_pop(&side[0]);
        gained += r->gain[a];
        go_over(r, side, a, q);
        uint32_t b = side_pop(&side[1]);
        gained += r->gain[b];
        go_over(r, side, b, p);
        r->swapped[2 * swaps] = a;
        r->swapped[2 * swaps++ + 1] = b;
        if (gained > best) {
            best = gained;
            kept = swaps;
        }
    }
    side_close(r, &side[0]);
    side_close(r, &side[1]);
    for (uint32_t i = kept; i < swaps; i++) {
        r->part[r->swapped[2 * i]] = p;
        r->part[r->swapped[2 * i + 1]] = q;
    }
    places_change(r, kept);
    return best;
}

/* The parts above p that p has edges to; returns how many. */
static uint32_t near_fill(struct refine *r, uint32_t p)
{
    uint32_t count = 0;
    uint64_t weight;
    for (uint32_t i = r->first[p]; i < r->first[p + 1]; i++) {
        uint32_t degree = graph_degree(r->graph, r->member[i]);
        for (uint32_t k = 0; k < degree; k++) {
            uint32_t q = r->part[graph_neighbour(r->graph, r->member[i], k, &weight)];
            if (q > p && r->seen[q] != p + 1) {
                r->seen[q] = p + 1;
                r->near[count++] = q;
            }
        }
        budget_use(r, degree);
    }
    return count;
}

/* All pairs of which one has changed since the sweep before. */
static uint64_t sweep(struct refine *r, uint32_t number)
{
    uint64_t gained = 0;
    for (uint32_t p = 0; p < r->problem->parts; p++)
        r->seen[p] = 0;
    for (uint32_t p = 0; p < r->problem->parts && r->budget; p++) {
        uint32_t count = near_fill(r, p);
        for (uint32_t i = 0; i < count && r->budget; i++) {
            uint32_t q = r->near[i];
            if (r->changed[p] + 1 < number && r->changed[q] + 1 < number)
                continue;
            int64_t gain = climb(r, p, q);
            if (gain > 0)
                r->changed[p] = r->changed[q] = number;
            gained += (uint64_t)gain;
        }
    }
    return gained;
}

uint64_t refine_run(struct refine *r, uint32_t *part, uint64_t *budget)
{
    uint64_t all = 0, gained;
    r->part = part;
    r->budget = *budget;
    members_fill(r);
    uint32_t number = 2;
    do {
        gained = sweep(r, number++);
        all += gained;
    } while (gained && r->budget);
    *budget = r->budget;
    return all;
}

int partition_refine(const struct partition_problem *problem, uint32_t *part)
{
    struct refine *r;
    uint64_t budget = budget_all;
    int error = refine_create(&r, problem, NULL);
    if (error)
        return error;
    refine_run(r, part, &budget);
    refine_destroy(r);
    return 0;
}
