#include "experiments/fit_node.h"

#include <errno.h>
#include <gsl/gsl_blas.h>
#include <gsl/gsl_errno.h>
#include <gsl/gsl_multifit_nlinear.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define AT(member) offsetof(struct node, member)
#define CLASS(c) AT(handover_ns) + (c) * sizeof(struct quantity)

const struct fit_parameter fit_parameters[] = {
    {"call_ns", "ns", AT(call_ns), 100},
    {"handover_ns.same_cache", "ns", CLASS(HANDOVER_SAME_CACHE), 50},
    {"handover_ns.cross_socket", "ns", CLASS(HANDOVER_CROSS_SOCKET), 150},
    {"serve_ns", "ns", AT(serve_ns), 5},
    {"detour", "", AT(detour), 1},
    {"copy.out_warm.s_per_byte", "s", AT(copy[COPY_OUT_WARM].s_per_byte), 100e-12},
    {"copy.plain_cold.s_per_byte", "s", AT(copy[COPY_PLAIN_COLD].s_per_byte), 200e-12},
    {"fresh_s_per_byte", "s", AT(fresh_s_per_byte), 120e-12},
    {"slice_s_per_byte", "s", AT(slice_s_per_byte), 80e-12},
    {"contested_s_per_byte", "s", AT(contested_s_per_byte), 200e-12},
    {"lone_slowdown", "", AT(lone_slowdown), 0.3},
    {"late_ns", "ns", FIT_OF_BENCHMARK, 50},
    {NULL, NULL, 0, 0},
};

enum { ITERATIONS_MAX = 100 };
static const double STEP = 1e-3; /* of a logarithm: far above the simulator's picosecond */

struct search {
    struct node *node;
    struct fit_problem *problem;
    const struct fit_parameter *parameter[FIT_PARAMETERS_MAX];
    size_t parameters, used;
    uint32_t *cores;
    char *reason;
    int err;
};

static struct quantity *quantity_at(struct search *s, const struct fit_parameter *p)
{
    return p->offset == FIT_OF_BENCHMARK ? &s->problem->late_ns : (struct quantity *)((char *)s->node + p->offset);
}

static void assume(struct quantity *q, double value, const char *source)
{
    if (!quantity_known(q))
        *q = quantity_of(value, source);
}

void fit_node_complete(struct node *node)
{
    for (const struct fit_parameter *p = fit_parameters; p->name; p++)
        if (p->offset != FIT_OF_BENCHMARK)
            assume((struct quantity *)((char *)node + p->offset), p->begin, "assumed: where a search begins");
    assume(&node->step_ns, 2, "assumed: a few instructions");
    for (int c = 0; c < COPY_CLASS_COUNT; c++) {
        const struct copy_cost *like = &node->copy[c == COPY_IN_WARM || c == COPY_OUT_WARM ? COPY_OUT_WARM : COPY_PLAIN_COLD];
        assume(&node->copy[c].s_per_byte, like->s_per_byte.value, "assumed: as the other way");
    }
}

static uint32_t most_procs(struct fit_problem *problem)
{
    uint32_t most = 1;
    for (size_t i = 0; i < problem->count; i++)
        most = problem->row[i].procs > most ? problem->row[i].procs : most;
    return most;
}

/* One row's time in the simulator. */
static double row_time_s(struct search *s, const struct fit_row *row)
{
    struct scenario scenario = *s->problem->scenario;
    struct outcome outcome;
    scenario.machine.node = s->node;
    scenario.placement.core_of_rank = s->cores;
    scenario.job.procs = row->procs;
    scenario.job.bcast.size_bytes = row->size_bytes;
    if (scenario.params.fragment_bytes == 0)
        scenario.params.fragment_bytes = row->size_bytes > UINT32_MAX ? UINT32_MAX : (uint32_t)row->size_bytes;
    int err = placement_fill(scenario.placement.name, s->node, row->procs, s->cores);
    if (err)
        snprintf(s->reason, FIT_REASON_BYTES, "%u ranks do not fit the placement on %u cores", row->procs, s->node->cores);
    outcome_init(&outcome);
    err = err ? err : evaluator_sim.evaluate(&scenario, NULL, &outcome);
    if (err && outcome.reason[0])
        snprintf(s->reason, FIT_REASON_BYTES, "%s", outcome.reason);
    double late_s = quantity_or(&s->problem->late_ns, 0) * 1e-9 * (row->procs - 1) / row->procs;
    double time_s = s->problem->mean ? fmax(outcome.time_mean_s - late_s, 1e-9) : outcome.time_s;
    outcome_destroy(&outcome);
    s->err = s->err ? s->err : err;
    return time_s;
}

static int search_create(struct search *s, struct node *node, struct fit_problem *problem, char *reason)
{
    *s = (struct search){.node = node, .problem = problem, .reason = reason};
    snprintf(reason, FIT_REASON_BYTES, "no memory for %zu rows", problem->count);
    for (size_t i = 0; i < problem->count; i++)
        s->used += problem->use[i] != 0;
    s->cores = calloc(most_procs(problem), sizeof *s->cores);
    return s->cores ? 0 : -ENOMEM;
}

int fit_node_predict(const struct node *node, struct fit_problem *problem, double *time_s, char reason[FIT_REASON_BYTES])
{
    struct search s;
    struct node copy;
    int err = node_copy(&copy, node);
    if (err)
        return err;
    err = search_create(&s, &copy, problem, reason);
    for (size_t i = 0; i < problem->count && !err; i++) {
        time_s[i] = row_time_s(&s, &problem->row[i]);
        err = s.err;
    }
    free(s.cores);
    node_destroy(&copy);
    return err;
}

/* Logarithms of the parameters, as the node has them or for it. */
static void node_get(struct search *s, gsl_vector *x)
{
    for (size_t i = 0; i < s->parameters; i++)
        gsl_vector_set(x, i, log(fmax(quantity_at(s, s->parameter[i])->value, 1e-30)));
}

static void node_set(struct search *s, const gsl_vector *x)
{
    for (size_t i = 0; i < s->parameters; i++)
        quantity_at(s, s->parameter[i])->value = exp(gsl_vector_get(x, i));
}

static int residuals(const gsl_vector *x, void *context, gsl_vector *f)
{
    struct search *s = context;
    size_t n = 0;
    node_set(s, x);
    for (size_t i = 0; i < s->problem->count && !s->err; i++)
        if (s->problem->use[i])
            gsl_vector_set(f, n++, log(row_time_s(s, &s->problem->row[i]) / s->problem->row[i].time_s));
    return s->err ? GSL_EFAILED : GSL_SUCCESS;
}

/* Central differences: steps that the simulator's picoseconds do not swallow. */
static int derivatives(const gsl_vector *x, void *context, gsl_matrix *j)
{
    struct search *s = context;
    gsl_vector *at = gsl_vector_alloc(x->size), *f = gsl_vector_alloc(s->used);
    int code = at && f ? GSL_SUCCESS : GSL_ENOMEM;
    for (size_t p = 0; p < x->size && code == GSL_SUCCESS; p++) {
        gsl_vector_view column = gsl_matrix_column(j, p);
        gsl_vector_memcpy(at, x);
        gsl_vector_set(at, p, gsl_vector_get(x, p) + STEP);
        code = residuals(at, s, &column.vector);
        gsl_vector_set(at, p, gsl_vector_get(x, p) - STEP);
        code = code ? code : residuals(at, s, f);
        gsl_vector_sub(&column.vector, f);
        gsl_vector_scale(&column.vector, 1 / (2 * STEP));
    }
    if (at)
        gsl_vector_free(at);
    if (f)
        gsl_vector_free(f);
    return code;
}

/* What the node has from elsewhere stays. */
static int is_open(const struct quantity *q)
{
    return !quantity_known(q) || strncmp(q->source, "assumed", 7) == 0 || strncmp(q->source, "fitted", 6) == 0;
}

/* Takes the parameters that are open and some row depends on. */
static int choose_parameters(struct search *s)
{
    for (const struct fit_parameter *p = fit_parameters; p->name && !s->err; p++) {
        struct quantity *q = quantity_at(s, p);
        double value = q->value, differ = 0;
        if (!is_open(q))
            continue;
        for (size_t i = 0; i < s->problem->count && !s->err; i++) {
            if (!s->problem->use[i])
                continue;
            q->value = value * 1.1;
            double more_s = row_time_s(s, &s->problem->row[i]);
            q->value = value / 1.1;
            differ += fabs(log(more_s / row_time_s(s, &s->problem->row[i])));
        }
        q->value = value;
        if (differ > 1e-6)
            s->parameter[s->parameters++] = p;
    }
    if (s->err)
        return s->err;
    if (s->parameters && s->used > s->parameters)
        return 0;
    snprintf(s->reason, FIT_REASON_BYTES, "%zu rows cannot fix %zu parameters: measure more sizes and numbers of ranks", s->used,
             s->parameters);
    return -EINVAL;
}

/* A parameter of which the rows say next to nothing, or nothing apart from others: its interval has no use as a factor. */
static const double FACTOR_MAX = 1e3;

static struct fit_estimate estimate_of(const struct fit_parameter *p, double logarithm, double variance, double spread)
{
    double value = exp(logarithm), factor = exp(spread * sqrt(variance));
    int determined = variance > 0 && factor < FACTOR_MAX;
    if (!determined)
        return (struct fit_estimate){p, value, 0, value * FACTOR_MAX, 0};
    return (struct fit_estimate){p, value, value / factor, value * factor, 1};
}

/* Intervals from the curvature at the least, scaled by what is left over there. */
static int set_estimates(struct search *s, gsl_multifit_nlinear_workspace *w, const char *source, struct fit_result *out)
{
    double left = 0, spread = 1.96;
    gsl_matrix *covariance = gsl_matrix_alloc(s->parameters, s->parameters);
    const gsl_vector *x = gsl_multifit_nlinear_position(w), *f = gsl_multifit_nlinear_residual(w);
    if (!covariance)
        return -ENOMEM;
    gsl_multifit_nlinear_covar(gsl_multifit_nlinear_jac(w), 1e-9, covariance);
    gsl_blas_ddot(f, f, &left);
    spread *= sqrt(left / (double)(s->used - s->parameters));
    out->estimates = s->parameters;
    for (size_t i = 0; i < s->parameters; i++) {
        struct fit_estimate e = estimate_of(s->parameter[i], gsl_vector_get(x, i), gsl_matrix_get(covariance, i, i), spread);
        *quantity_at(s, s->parameter[i]) = quantity_within(e.value, e.low, e.high, source);
        out->estimate[i] = e;
    }
    gsl_matrix_free(covariance);
    return 0;
}

static int least_squares(struct search *s, const char *source, struct fit_result *out)
{
    gsl_multifit_nlinear_parameters how = gsl_multifit_nlinear_default_parameters();
    gsl_multifit_nlinear_fdf fdf = {.f = residuals, .df = derivatives, .n = s->used, .p = s->parameters, .params = s};
    gsl_multifit_nlinear_workspace *w = gsl_multifit_nlinear_alloc(gsl_multifit_nlinear_trust, &how, s->used, s->parameters);
    gsl_vector *x = gsl_vector_alloc(s->parameters);
    int err = w && x ? 0 : -ENOMEM, info;
    if (!err) {
        node_get(s, x);
        gsl_multifit_nlinear_init(x, &fdf, w);
        if (!s->err) /* that it stops short of its own tolerance is seen in the residuals */
            gsl_multifit_nlinear_driver(ITERATIONS_MAX, 1e-6, 1e-6, 1e-9, NULL, NULL, &info, w);
        err = s->err;
    }
    if (!err) {
        out->iterations = gsl_multifit_nlinear_niter(w);
        err = set_estimates(s, w, source, out);
    }
    if (x)
        gsl_vector_free(x);
    if (w)
        gsl_multifit_nlinear_free(w);
    return err;
}

int fit_node(struct node *node, struct fit_problem *problem, const char *source, struct fit_result *out,
             char reason[FIT_REASON_BYTES])
{
    struct search s;
    gsl_error_handler_t *handler = gsl_set_error_handler_off();
    int err = search_create(&s, node, problem, reason);
    *out = (struct fit_result){0};
    err = err ? err : choose_parameters(&s);
    err = err ? err : least_squares(&s, source, out);
    free(s.cores);
    gsl_set_error_handler(handler);
    return err;
}
