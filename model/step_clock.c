#include "model/step_clock.h"

#include "model/step_clock_state.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>

/* Above twice as many slots a set, or fragments in the last one, half of it is run, and as many again. */
enum { SLOTS_RUN = 16 };

/* A message of sets - 1 whole sets of n slots, and `rest` fragments in the last. */
struct laps {
    uint64_t sets, n, rest;
};

struct runner {
    struct step_costs *costs;
    const struct tree *tree;
    int err;
};

static uint64_t smaller(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

/* The least that is not below n. */
static uint64_t power_of_two(uint64_t n)
{
    uint64_t p = 1;
    while (p < n)
        p *= 2;
    return p;
}

/* Slots for the one set of a message: as full as the whole is, not nearly full if that is not, and a power of two if that was. */
static uint64_t set_for(uint64_t rest, struct laps whole)
{
    return whole.rest == whole.n ? rest : smaller(power_of_two(rest + 2), whole.n);
}

static struct bcast_prediction run(struct runner *runner, struct laps laps)
{
    struct bcast_prediction out = {0};
    struct clock_shape shape = {(uint32_t)laps.n, (laps.sets - 1) * laps.n + laps.rest};
    if (!runner->err)
        runner->err = step_clock_run(runner->costs, runner->tree, shape, &out);
    return out;
}

static void add(struct bcast_prediction *to, const struct bcast_prediction *more, const struct bcast_prediction *less,
                double times)
{
    to->time_s += times * (more->time_s - less->time_s);
    to->time_mean_s += times * (more->time_mean_s - less->time_mean_s);
    to->copy_s += times * (more->copy_s - less->copy_s);
}

/* time = a + (sets - 1) (b + c n) + d rest: what is long in `whole` is run short, and longer once for each slope. */
static struct bcast_prediction extrapolate(struct runner *runner, struct laps whole)
{
    struct laps run_at = whole;
    uint64_t period = runner->costs->scenario->params.sets, most_sets = (2 + SLOTS_RUN / whole.n) * period + 1;
    int long_sets = whole.n > 2 * SLOTS_RUN && whole.sets > 1, long_rest = whole.rest > 2 * SLOTS_RUN;
    run_at.n = long_sets ? SLOTS_RUN : whole.n;
    run_at.rest = long_rest ? SLOTS_RUN : whole.rest < run_at.n ? whole.rest : run_at.n;
    run_at.sets = whole.sets > most_sets ? most_sets : whole.sets;
    if (whole.sets == 1)
        run_at.n = set_for(run_at.rest, whole);
    struct bcast_prediction base = run(runner, run_at), sum = base, more;
    if (long_sets) {
        struct laps longer = {run_at.sets, 2 * run_at.n, run_at.rest};
        more = run(runner, longer);
        add(&sum, &more, &base,
            (double)(whole.sets - 1) / (double)(run_at.sets - 1) * (double)(whole.n - run_at.n) / (double)run_at.n);
    }
    if (run_at.sets < whole.sets) {
        struct laps longer = {run_at.sets + period, run_at.n, run_at.rest};
        more = run(runner, longer);
        add(&sum, &more, &base, (double)(whole.sets - run_at.sets) / (double)period);
    }
    if (run_at.rest < whole.rest) {
        struct laps shorter = {run_at.sets, whole.sets == 1 ? set_for(run_at.rest / 2, whole) : run_at.n, run_at.rest / 2};
        more = run(runner, shorter);
        add(&sum, &base, &more, (double)(whole.rest - run_at.rest) / (double)(run_at.rest - run_at.rest / 2));
    }
    return sum;
}

/* What repeats: sets, where there is a queue that is used in turn; else nothing does but the fragments. */
static struct laps laps_of(const struct scenario *s)
{
    const struct params *p = &s->params;
    uint64_t fragments = (job_size_bytes(&s->job) + p->fragment_bytes - 1) / p->fragment_bytes;
    if (!(p->protocol->uses & PROTOCOL_SLOTS))
        return (struct laps){1, fragments, fragments};
    uint64_t n = p->slots / p->sets, sets = (fragments + n - 1) / n;
    return (struct laps){sets, n, fragments - (sets - 1) * n};
}

int step_clock_time(const struct scenario *scenario, const struct tree *tree, struct bcast_prediction *out, char *reason,
                    size_t reason_bytes)
{
    struct step_costs costs;
    uint32_t procs = scenario->job.procs;
    *out = (struct bcast_prediction){0};
    if (job_size_bytes(&scenario->job) == 0 || procs == 1)
        return 0;
    if (procs > STEP_CLOCK_PROCS_MAX) {
        snprintf(reason, reason_bytes, "the model steps through protocol %s for at most %d ranks",
                 scenario->params.protocol->name, STEP_CLOCK_PROCS_MAX);
        return -ENOTSUP;
    }
    int err = step_costs_create(&costs, scenario, reason, reason_bytes);
    if (err)
        return err;
    struct runner runner = {.costs = &costs, .tree = tree};
    *out = extrapolate(&runner, laps_of(scenario));
    out->wait_s = fmax(procs * out->time_s - out->copy_s, 0);
    if (runner.err)
        snprintf(reason, reason_bytes, runner.err == -ENOMEM ? "no memory to step through protocol %s"
                                                             : "protocol %s stops for ever or finds a value that cannot be",
                 scenario->params.protocol->name);
    step_costs_destroy(&costs);
    return runner.err;
}
