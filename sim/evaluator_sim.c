/* The simulator as an evaluator: a scenario in, an outcome out. */
#include "model/channel.h"
#include "model/scenario.h"
#include "sim/sim_channel.h"
#include "sim/sim_execute.h"
#include "sim/sim_network.h"
#include "sim/sim_remote_p2p.h"
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

/* The first so many ranks, which are on one node, have a core each. */
static int check_cores(const struct scenario *scenario, uint32_t ranks, char *reason, size_t reason_bytes)
{
    const uint32_t *cores = scenario->placement.core_of_rank;
    for (uint32_t i = 1; i < ranks && i < scenario->job.procs && !scenario->machine.node->contention_free; i++)
        for (uint32_t j = 0; j < i; j++)
            if (cores[i] == cores[j]) {
                snprintf(reason, reason_bytes, "ranks %u and %u share core %u; of messages each rank needs one for itself", j, i,
                         cores[i]);
                return -ENOTSUP;
            }
    return 0;
}

/* What this network cannot be asked. */
static int supports_cluster(const struct scenario *scenario, int traced, char *reason, size_t reason_bytes)
{
    int levels = scenario->machine.levels == 2, p2p = scenario->job.kind == JOB_P2P;
    const char *what = scenario->conditions.noise > 0     ? "noise: use skew"
                       : levels && scenario->conditions.skew_s > 0 ? "skew in two levels: leave it out"
                       : p2p && scenario->conditions.skew_s > 0    ? "skew of messages: leave it out"
                       : scenario->conditions.root_shift  ? "a root that moves"
                       : traced && !p2p                   ? "a trace"
                                                          : NULL;
    if (what)
        snprintf(reason, reason_bytes, "the simulator of networks does not know %s", what);
    return what ? -ENOTSUP : check_cores(scenario, scenario->machine.ppn, reason, reason_bytes);
}

static int supports(const struct scenario *scenario, int traced, char *reason, size_t reason_bytes)
{
    int rc = scenario_check(scenario, reason, reason_bytes);
    if (rc)
        return rc;
    if (scenario->machine.network)
        return supports_cluster(scenario, traced, reason, reason_bytes);
    if (scenario->machine.nodes > 1) {
        snprintf(reason, reason_bytes, "the simulator runs a collective on one node, not on %u", scenario->machine.nodes);
        return -ENOTSUP;
    }
    return scenario_by_messages(scenario) ? check_cores(scenario, scenario->job.procs, reason, reason_bytes) : 0;
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

/* Step programs, or messages over channels of a node, or of a network, or without any over a network. */
struct simulation {
    int by_messages, by_network, by_remote;
    union {
        struct sim_remote remote;
        struct sim sim;
        struct sim_channel channel;
        struct sim_network network;
    };
};

static int by_steps(const struct simulation *s)
{
    return !s->by_messages && !s->by_network && !s->by_remote;
}

static int remote_create(struct sim_remote *remote, const struct scenario *scenario, char *reason, size_t reason_bytes)
{
    struct sim_remote_question question;
    int err = sim_remote_question_of(scenario, &question, reason, reason_bytes);
    return err ? err : sim_remote_create(remote, &question, reason, reason_bytes);
}

static int simulation_create(struct simulation *s, const struct scenario *scenario, char *reason, size_t reason_bytes)
{
    s->by_remote = scenario->machine.network && scenario->job.kind == JOB_P2P;
    s->by_network = scenario->machine.network && !s->by_remote;
    s->by_messages = !scenario->machine.network && scenario_by_messages(scenario);
    if (s->by_remote)
        return remote_create(&s->remote, scenario, reason, reason_bytes);
    if (s->by_network)
        return sim_network_create(&s->network, scenario, reason, reason_bytes);
    return s->by_messages ? sim_channel_create(&s->channel, scenario, reason, reason_bytes)
                          : sim_create(&s->sim, scenario, reason, reason_bytes);
}

static void simulation_destroy(struct simulation *s)
{
    if (s->by_remote)
        sim_remote_destroy(&s->remote);
    else if (s->by_messages)
        sim_channel_destroy(&s->channel);
    else if (s->by_network)
        sim_network_destroy(&s->network);
    else
        sim_destroy(&s->sim);
}

/* What cores do beside copying is the software's and the interface's. */
static void report_remote(const struct sim_remote *remote, struct outcome *out)
{
    uint64_t copy_ps = 0, busy_ps = 0;
    for (uint32_t r = 0; r < remote->procs; r++) {
        copy_ps += remote->endpoint[r].copy_ps;
        busy_ps += remote->endpoint[r].busy_ps;
    }
    out->copy_s = sim_s_from_ps(copy_ps);
    out->notify_s = sim_s_from_ps(busy_ps - copy_ps);
    out->events = remote->queue.popped;
    out->messages = remote->messages;
}

static void report(const struct simulation *s, uint32_t procs, struct outcome *out)
{
    if (s->by_remote) {
        report_remote(&s->remote, out);
        return;
    }
    if (s->by_network) {
        out->events = s->network.answer.pops * out->sample_count + s->network.inside_events;
        out->messages = s->network.answer.messages * out->sample_count;
        return;
    }
    uint64_t copy_ps = 0, wait_ps = 0, notify_ps = 0, own_ps = 0;
    for (uint32_t r = 0; r < procs; r++) {
        const struct sim_endpoint *e = s->by_messages ? &s->channel.endpoint[r] : NULL;
        const struct sim_rank *rank = e ? NULL : &s->sim.rank[r];
        copy_ps += e ? e->copy_ps : rank->copy_ps;
        wait_ps += e ? e->wait_ps : rank->wait_ps;
        notify_ps += e ? e->notify_ps : rank->notify_ps;
        own_ps = rank && rank->own_ps > own_ps ? rank->own_ps : own_ps;
    }
    double samples = (double)out->sample_count;
    out->copy_s = sim_s_from_ps(copy_ps) / samples;
    out->wait_s = sim_s_from_ps(wait_ps) / samples;
    out->notify_s = sim_s_from_ps(notify_ps) / samples;
    out->time_own_s = s->by_messages ? NAN : sim_s_from_ps(own_ps) / samples;
    out->events = s->by_messages ? s->channel.queue.popped : s->sim.queue.popped;
    out->messages = s->by_messages ? s->channel.messages : s->sim.messages;
}

/* Sums begin anew. */
static void simulation_forget(struct simulation *s)
{
    for (uint32_t r = 0; s->by_remote && r < s->remote.procs; r++)
        s->remote.endpoint[r].copy_ps = s->remote.endpoint[r].busy_ps = 0;
    if (s->by_remote)
        s->remote.messages = s->remote.queue.popped = 0;
    if (!s->by_messages)
        return;
    s->channel.messages = s->channel.queue.popped = 0;
    for (uint32_t r = 0; r < s->channel.procs; r++)
        s->channel.endpoint[r].copy_ps = s->channel.endpoint[r].wait_ps = s->channel.endpoint[r].notify_ps = 0;
}

/* The i-th call. */
static int call(struct simulation *s, const struct scenario *scenario, uint32_t i, struct trace_sink *sink, uint64_t *time_ps,
                struct outcome *out)
{
    uint32_t root = job_root(&scenario->job);
    if (s->by_network) {
        int err = sim_network_call(&s->network, scenario->conditions.seed + i, time_ps, out->reason, sizeof out->reason);
        return err == -EOVERFLOW ? -EINVAL : err;
    }
    if (s->by_remote) {
        struct sim_remote_program program = sim_remote_p2p(&scenario->job.p2p);
        int err = sim_remote_call(&s->remote, &program, sink, time_ps, out->reason, sizeof out->reason);
        *time_ps = sim_remote_p2p_time_ps(&scenario->job.p2p, *time_ps);
        return err;
    }
    if (s->by_messages)
        return sim_channel_call(&s->channel, sink, time_ps, out->reason, sizeof out->reason);
    root = scenario->conditions.root_shift ? (root + i) % scenario->job.procs : root;
    return sim_call(&s->sim, root, sink, time_ps, out->reason, sizeof out->reason);
}

/* samples_s, means_s: [repetitions], the last end and the mean over ranks of each. */
static int sample(struct simulation *s, const struct scenario *scenario, struct trace_sink *sink, double start_s, double *means_s,
                  struct outcome *out)
{
    const struct conditions *conditions = &scenario->conditions;
    uint32_t reps = repetitions(conditions);
    uint64_t unused_ps; /* a call ahead makes what pairs need, and finds rings and credits where later ones do */
    int rc = s->by_messages || s->by_remote ? call(s, scenario, 0, NULL, &unused_ps, out) : 0;
    if (rc)
        return rc;
    simulation_forget(s);
    for (uint32_t i = 0; i < reps; i++) {
        uint64_t time_ps;
        rc = call(s, scenario, i, i == 0 ? sink : NULL, &time_ps, out);
        if (rc)
            return rc;
        means_s[i] = !by_steps(s) ? NAN : sim_s_from_ps(s->sim.ends_ps) / scenario->job.procs;
        out->samples_s[out->sample_count++] = sim_s_from_ps(time_ps);
        if (conditions->time_limit_s > 0 && clock_s() - start_s > conditions->time_limit_s)
            break;
    }
    return 0;
}

static int repeat(struct simulation *s, const struct scenario *scenario, struct trace_sink *sink, double start_s,
                  struct outcome *out)
{
    uint32_t reps = repetitions(&scenario->conditions);
    double *means_s = calloc(reps, sizeof *means_s);
    out->samples_s = calloc(reps, sizeof *out->samples_s);
    int rc = means_s && out->samples_s ? sample(s, scenario, sink, start_s, means_s, out) : -ENOMEM;
    rc = rc ? rc : median(out->samples_s, out->sample_count, &out->time_s);
    if (rc == 0 && by_steps(s))
        rc = median(means_s, out->sample_count, &out->time_mean_s);
    free(means_s);
    return rc;
}

/* A trace shows the first repetition. Events, messages and the breakdown are sums over all ranks; the breakdown
 * is the mean of the repetitions. */
static int evaluate(const struct scenario *scenario, struct trace_sink *sink, struct outcome *out)
{
    double start_s = clock_s();
    outcome_init(out);
    int rc = supports(scenario, sink != NULL, out->reason, sizeof out->reason);
    if (rc)
        return rc;
    struct simulation s;
    rc = simulation_create(&s, scenario, out->reason, sizeof out->reason);
    if (rc)
        return rc;
    rc = repeat(&s, scenario, sink, start_s, out);
    if (rc == 0) {
        report(&s, scenario->job.procs, out);
        out->wall_s = clock_s() - start_s;
    } else if (!out->reason[0]) {
        snprintf(out->reason, sizeof out->reason, "no memory for the samples");
    }
    simulation_destroy(&s);
    return rc;
}

const struct evaluator evaluator_sim = {.name = "sim", .evaluate = evaluate};
