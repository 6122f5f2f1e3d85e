/* The simulator as an evaluator: a scenario in, an outcome out. */
#include "sim/sim_engine.h"
#include "sim/sim_time.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static double clock_s(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

/* Repetitions differ only by noise, skew or root; without them one is all. */
static uint32_t repetitions(const struct conditions *c)
{
    int differ = c->noise > 0 || c->skew_s > 0 || c->root_shift;
    return differ && c->reps > 1 ? c->reps : 1;
}

static int by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* 0 or -ENOMEM. */
static int median(const double *samples, size_t n, double *out)
{
    double *sorted = malloc(n * sizeof *sorted);
    if (!sorted)
        return -ENOMEM;
    memcpy(sorted, samples, n * sizeof *sorted);
    qsort(sorted, n, sizeof *sorted, by_value);
    *out = (sorted[(n - 1) / 2] + sorted[n / 2]) / 2;
    free(sorted);
    return 0;
}

/* What the repetitions share. */
struct simulation {
    const struct sim_engine *engine;
    const struct scenario *scenario;
    struct trace_sink *sink; /* of the first repetition; may be NULL */
    double start_s;
    union sim_state state;
};

static int call(struct simulation *s, uint32_t i, struct trace_sink *sink, uint64_t *time_ps, struct outcome *out)
{
    return s->engine->call(&s->state, s->scenario, i, sink, time_ps, out->reason, sizeof out->reason);
}

/* samples_s, means_s: [repetitions], the last end and the mean over ranks of each. */
static int sample(struct simulation *s, double *means_s, struct outcome *out)
{
    const struct conditions *conditions = &s->scenario->conditions;
    uint32_t reps = repetitions(conditions);
    uint64_t unused_ps;
    int rc = s->engine->forget ? call(s, 0, NULL, &unused_ps, out) : 0;
    if (rc)
        return rc;
    if (s->engine->forget)
        s->engine->forget(&s->state);
    for (uint32_t i = 0; i < reps; i++) {
        uint64_t time_ps;
        rc = call(s, i, i == 0 ? s->sink : NULL, &time_ps, out);
        if (rc)
            return rc;
        means_s[i] = s->engine->mean_s ? s->engine->mean_s(&s->state) : NAN;
        out->samples_s[out->sample_count++] = sim_s_from_ps(time_ps);
        if (conditions->time_limit_s > 0 && clock_s() - s->start_s > conditions->time_limit_s)
            break;
    }
    return 0;
}

static int repeat(struct simulation *s, struct outcome *out)
{
    uint32_t reps = repetitions(&s->scenario->conditions);
    double *means_s = calloc(reps, sizeof *means_s);
    out->samples_s = calloc(reps, sizeof *out->samples_s);
    int rc = means_s && out->samples_s ? sample(s, means_s, out) : -ENOMEM;
    rc = rc ? rc : median(out->samples_s, out->sample_count, &out->time_s);
    if (rc == 0 && s->engine->mean_s)
        rc = median(means_s, out->sample_count, &out->time_mean_s);
    free(means_s);
    return rc;
}

/* Whether any engine can do it, and what it needs. */
static int simulation_create(struct simulation *s, const struct scenario *scenario, struct trace_sink *sink, struct outcome *out)
{
    int rc = scenario_check(scenario, out->reason, sizeof out->reason);
    if (rc)
        return rc;
    s->engine = sim_engine_of(scenario);
    s->scenario = scenario;
    s->sink = sink;
    rc = s->engine->reason(scenario, sink != NULL, out->reason, sizeof out->reason);
    return rc ? rc : s->engine->create(&s->state, scenario, out->reason, sizeof out->reason);
}

/* A trace shows the first repetition. Events, messages and the breakdown are sums over all ranks; the breakdown
 * is the mean of the repetitions. */
static int evaluate(const struct scenario *scenario, struct trace_sink *sink, struct outcome *out)
{
    struct simulation s;
    s.start_s = clock_s();
    outcome_init(out);
    int rc = simulation_create(&s, scenario, sink, out);
    if (rc)
        return rc;
    rc = repeat(&s, out);
    if (rc == 0) {
        s.engine->report(&s.state, out);
        out->wall_s = clock_s() - s.start_s;
    } else if (!out->reason[0]) {
        snprintf(out->reason, sizeof out->reason, "no memory for the samples");
    }
    s.engine->destroy(&s.state);
    return rc;
}

const struct evaluator evaluator_sim = {.name = "sim", .evaluate = evaluate};
