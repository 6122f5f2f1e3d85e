#include "experiments/calibrate.h"

#include "experiments/statistics.h"

#include <gsl/gsl_fit.h>

#include <errno.h>
#include <math.h>
#include <stdlib.h>

struct quantity calibrate_quantity(const double *samples, size_t count, double scale)
{
    struct statistics s;
    if (statistics_of(samples, count, &s))
        return quantity_unknown();
    return quantity_within(s.median * scale, s.ci_low * scale, s.ci_high * scale, "measured");
}

/* The point of a class with these sizes, new if there is none. NULL if out of memory. */
static struct copy_point *point_at(struct node *node, enum copy_class copy_class, const struct probe_queue *q)
{
    for (size_t i = 0; i < node->copy_point_count; i++) {
        struct copy_point *p = &node->copy_points[i];
        if (p->copy_class == copy_class && p->fragment_bytes == q->fragment_bytes && p->queue_bytes == q->queue_bytes &&
            p->message_bytes == q->message_bytes)
            return p;
    }
    struct copy_point *points = realloc(node->copy_points, (node->copy_point_count + 1) * sizeof *points);
    if (!points)
        return NULL;
    node->copy_points = points;
    points += node->copy_point_count++;
    *points = (struct copy_point){.copy_class = copy_class,
                                  .fragment_bytes = q->fragment_bytes,
                                  .queue_bytes = q->queue_bytes,
                                  .message_bytes = q->message_bytes,
                                  .time_s = quantity_unknown(),
                                  .beside_s = quantity_unknown()};
    return points;
}

static int point_add(struct node *node, enum copy_class copy_class, const struct probe_queue *q, struct quantity time_s)
{
    struct copy_point *p = point_at(node, copy_class, q);
    if (!p)
        return -ENOMEM;
    *(q->beside ? &p->beside_s : &p->time_s) = time_s;
    return 0;
}

/* The least median over copy routines of a plain or the kernel's copy of so many bytes; unknown if there is none. */
static struct quantity least_ns(const struct calibrate_plan *plan, enum calibrate_kind kind, uint64_t message_bytes)
{
    struct quantity least = quantity_unknown();
    for (size_t i = 0; i < plan->count; i++) {
        const struct calibrate_probe *p = &plan->probes[i];
        if (p->kind != kind || p->message_bytes != message_bytes)
            continue;
        struct quantity q = calibrate_quantity(p->first_ns, plan->reps, 1);
        if (quantity_known(&q) && (!quantity_known(&least) || q.value < least.value))
            least = q;
    }
    return least;
}

struct quantity calibrate_least(const struct calibrate_plan *plan, enum calibrate_kind kind, uint64_t message_bytes, double scale)
{
    struct quantity ns = least_ns(plan, kind, message_bytes);
    return quantity_known(&ns) ? quantity_within(ns.value * scale, ns.low * scale, ns.high * scale, "measured") : ns;
}

/* (a - b) / divisor, never below nothing. */
struct quantity calibrate_difference(struct quantity a, struct quantity b, double divisor)
{
    return quantity_within(fmax(0, a.value - b.value) / divisor, fmax(0, a.low - b.high) / divisor,
                           fmax(0, a.high - b.low) / divisor, "measured");
}

void calibrate_fit_peers(const struct calibrate_plan *plan, struct node *node)
{
    struct quantity extra[2];
    const uint64_t bytes[2] = {CALIBRATE_PEER_SHORT_BYTES, CALIBRATE_PEER_LONG_BYTES};
    double pages = (double)(bytes[1] - bytes[0]) / node->page_bytes;
    for (int i = 0; i < 2; i++) {
        struct quantity peer = least_ns(plan, CALIBRATE_PEER, bytes[i]), plain = least_ns(plan, CALIBRATE_PLAIN, bytes[i]);
        if (!quantity_known(&peer) || !quantity_known(&plain))
            return;
        extra[i] = calibrate_difference(peer, plain, 1);
    }
    node->peer_page_ns = calibrate_difference(extra[1], extra[0], pages);
    node->peer_call_ns = calibrate_difference(extra[0], node->peer_page_ns, 1);
}

/* A plain copy is its own queue and fragment: what counts is how much is streamed. */
static int plain_points(const struct calibrate_plan *plan, struct node *node)
{
    int err = 0;
    for (size_t i = 0; i < plan->count && !err; i++) {
        uint64_t bytes = plan->probes[i].message_bytes;
        struct probe_queue q = {.message_bytes = bytes, .fragment_bytes = bytes, .queue_bytes = bytes};
        if (plan->probes[i].kind == CALIBRATE_PLAIN)
            err = point_add(node, COPY_PLAIN_COLD, &q, calibrate_least(plan, CALIBRATE_PLAIN, bytes, 1e-9));
    }
    return err;
}

int calibrate_fit_points(const struct calibrate_plan *plan, struct node *node)
{
    int err = plain_points(plan, node);
    for (size_t i = 0; i < plan->count && !err; i++) {
        const struct calibrate_probe *p = &plan->probes[i];
        if (p->kind != CALIBRATE_QUEUE)
            continue;
        int cold = p->queue.buffers == PROBE_COLD;
        err = point_add(node, cold ? COPY_IN_COLD : COPY_IN_WARM, &p->queue, calibrate_quantity(p->first_ns, plan->reps, 1e-9));
        if (!err)
            err = point_add(node, cold ? COPY_OUT_COLD : COPY_OUT_WARM, &p->queue,
                            calibrate_quantity(p->second_ns, plan->reps, 1e-9));
    }
    return err;
}

/* Points of one class as columns for the fit; weights make errors relative. Returns how many. */
static size_t columns_of(const struct node *node, enum copy_class copy_class, double *x, double *y, double *weight)
{
    size_t n = 0;
    for (size_t i = 0; i < node->copy_point_count; i++) {
        const struct copy_point *p = &node->copy_points[i];
        if (p->copy_class != copy_class || !quantity_known(&p->time_s) || p->time_s.value <= 0)
            continue;
        x[n] = (double)p->fragment_bytes;
        y[n] = p->time_s.value * 1e9;
        weight[n] = 1 / (y[n] * y[n]);
        n++;
    }
    return n;
}

static void line_fit(struct copy_cost *cost, const double *x, const double *y, const double *weight, size_t n)
{
    double start, slope, cov00, cov01, cov11, chi2;
    gsl_fit_wlinear(x, 1, weight, 1, y, 1, n, &start, &slope, &cov00, &cov01, &cov11, &chi2);
    /* The weights are relative, so the scatter itself is the scale of the errors; 1.96 standard errors either way. */
    double spread = 1.96 * sqrt(chi2 / (double)(n - 2));
    double wide0 = spread * sqrt(cov00), wide1 = spread * sqrt(cov11);
    cost->start_ns = quantity_within(fmax(0, start), fmax(0, start - wide0), fmax(0, start + wide0), "fitted to measured copies");
    cost->s_per_byte =
        quantity_within(slope * 1e-9, (slope - wide1) * 1e-9, (slope + wide1) * 1e-9, "fitted to measured copies");
}

int calibrate_fit_lines(struct node *node, struct calibrate_result *out)
{
    size_t most = node->copy_point_count;
    double *columns = calloc(3 * (most ? most : 1), sizeof *columns);
    struct calibrate_residual *residuals = calloc(most ? most : 1, sizeof *residuals);
    if (!columns || !residuals) {
        free(columns);
        free(residuals);
        return -ENOMEM;
    }
    for (int c = 0; c < COPY_CLASS_COUNT; c++) {
        size_t n = columns_of(node, (enum copy_class)c, columns, columns + most, columns + 2 * most);
        if (n >= 3 && c != COPY_PLAIN_COLD) /* that is the limit for long messages, as measured */
            line_fit(&node->copy[c], columns, columns + most, columns + 2 * most, n);
    }
    for (size_t i = 0; i < most; i++) {
        const struct copy_point *p = &node->copy_points[i];
        const struct copy_cost *cost = &node->copy[p->copy_class];
        residuals[i] = (struct calibrate_residual){
            .copy_class = p->copy_class,
            .message_bytes = p->message_bytes,
            .fragment_bytes = p->fragment_bytes,
            .queue_bytes = p->queue_bytes,
            .measured_ns = p->time_s.value * 1e9,
            .fitted_ns = cost->start_ns.value + (double)p->fragment_bytes * cost->s_per_byte.value * 1e9,
        };
    }
    free(columns);
    *out = (struct calibrate_result){.residuals = residuals, .count = most};
    return 0;
}
