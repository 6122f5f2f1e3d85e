#include "tests/model/recurrence.h"

#include "tests/model/cmocka_all.h"

#include <stdlib.h>

/* Costs of the steps, and the time each virtual rank has reached. */
struct play {
    const struct scenario *scenario;
    struct tree tree;
    double w, wo, a_line, a_after, reset, gap, step, claim, poll; /* gap: between two stores in a row */
    double in_s, out_s;                                           /* per byte */
    double *now;                                                  /* [v] */
    double *told;                                                 /* [v*n + i] notification of v about the set's fragment i */
    double *released;                                             /* [k % q] last set of that place */
};

static void price(struct play *p)
{
    const struct node *node = p->scenario->machine.node;
    if (node->contention_free) {
        p->w = node->paper.t_w_s.value, p->wo = node->paper.t_wo_s.value, p->a_after = node->paper.t_a_s.value;
        p->in_s = p->out_s = node->paper.t_s_per_byte.value;
        return;
    }
    double hand = node->handover_ns[HANDOVER_SAME_CACHE].value * 1e-9;
    p->step = p->reset = node->step_ns.value * 1e-9, p->gap = node->store_ns.value * 1e-9;
    p->w = p->wo = hand + p->step, p->a_line = hand + node->atomic_ns.value * 1e-9, p->a_after = p->step;
    p->poll = hand;
    p->claim = hand + 3 * p->step + p->gap; /* WS sees the counter, stores it, and opens the set */
    p->in_s = node->copy[COPY_IN_COLD].s_per_byte.value, p->out_s = node->copy[COPY_OUT_COLD].s_per_byte.value;
}

static double later(double a, double b)
{
    return a > b ? a : b;
}

/* Tells v's children; the time its stores waited for their lines. */
static double notify(struct play *p, uint32_t v, uint32_t i, uint32_t n)
{
    double lag = 0;
    for (uint32_t c = p->tree.first[v]; c < p->tree.first[v + 1]; c++) {
        double gap = c > p->tree.first[v] ? p->gap : 0;
        p->now[v] += p->step + gap;
        p->told[(size_t)p->tree.child[c] * n + i] = p->now[v];
        lag += gap;
    }
    return lag;
}

/* A copy runs ahead, as far as a store buffer goes, while stores before it wait. */
static double copy_s(const struct play *p, double bytes, double rate, double lag)
{
    double ahead = (bytes < 1024 ? bytes : 1024) * rate;
    return p->step + bytes * rate - (lag < ahead ? lag : ahead);
}

/* The root fills a set of `count` fragments, the message's rest being `left` bytes; the time at which it opened it. */
static double root_fills(struct play *p, uint32_t count, uint32_t n, uint64_t left, double released)
{
    uint32_t f = p->scenario->params.fragment_bytes;
    double open = p->now[0] = later(p->now[0], released) + p->claim, lag = 0;
    for (uint32_t i = 0; i < count; i++, left -= left < f ? left : f) {
        p->now[0] += copy_s(p, (double)(left < f ? left : f), p->in_s, lag);
        lag = notify(p, 0, i, n);
    }
    return open;
}

static void reader_drains(struct play *p, uint32_t v, uint32_t count, uint32_t n, uint64_t left)
{
    uint32_t f = p->scenario->params.fragment_bytes;
    for (uint32_t i = 0; i < count; i++, left -= left < f ? left : f) {
        p->now[v] = later(p->now[v], p->told[(size_t)v * n + i]) + p->w + p->reset;
        double lag = notify(p, v, i, n);
        p->now[v] += copy_s(p, (double)(left < f ? left : f), p->out_s, lag);
    }
}

/* Serves all readers at one word in the order of their coming, `each` apart; the last one's time. `poll`: so long the line is
 * with a root that waits, between a reader and one that comes when that is being served. */
static double serve(struct play *p, double each, double after, double poll)
{
    double at = 0, last = 0, begun = INFINITY;
    uint32_t procs = p->tree.procs;
    char *served = calloc(procs, 1);
    for (uint32_t n = 1; n < procs; n++) {
        uint32_t next = 0;
        for (uint32_t v = 1; v < procs; v++)
            if (!served[v] && (next == 0 || p->now[v] < p->now[next]))
                next = v;
        served[next] = 1;
        at += p->now[next] > begun ? poll : 0;
        begun = later(at, p->now[next]);
        at = begun + each;
        last = later(last, p->now[next] = (each > 0 ? at : p->now[next]) + after);
    }
    free(served);
    return last;
}

static double play(struct play *p, uint64_t size, const struct params *params)
{
    uint32_t n = params->slots / params->sets, f = params->fragment_bytes;
    uint64_t done = 0, k = 0;
    double end = 0;
    for (; done < size; k++) {
        uint64_t left = size - done, fragments = (left + f - 1) / f;
        uint32_t count = fragments < n ? (uint32_t)fragments : n;
        double open = root_fills(p, count, n, left, p->released[k % params->sets]);
        int described = p->a_line > 0;
        for (uint32_t v = 1; v < p->tree.procs; v++)
            p->now[v] = later(p->now[v], open);
        serve(p, described ? p->wo - p->step : 0, described ? p->step : p->wo, 0);
        for (uint32_t v = 1; v < p->tree.procs; v++)
            reader_drains(p, v, count, n, left);
        end = p->released[k % params->sets] =
            serve(p, p->a_line, p->a_after, params->sets == 1 && left > (uint64_t)count * f ? p->poll : 0);
        done += (uint64_t)count * f;
    }
    return end;
}

double recurrence_s(const struct scenario *scenario)
{
    const struct params *params = &scenario->params;
    struct play p = {.scenario = scenario};
    price(&p);
    assert_int_equal(tree_create(params->tree, scenario->job.procs, &p.tree), 0);
    p.now = calloc(p.tree.procs, sizeof *p.now);
    p.told = calloc((size_t)p.tree.procs * (params->slots / params->sets), sizeof *p.told);
    p.released = calloc(params->sets, sizeof *p.released);
    double end = play(&p, scenario->job.bcast.size_bytes, params);
    free(p.now);
    free(p.told);
    free(p.released);
    tree_destroy(&p.tree);
    return end;
}
