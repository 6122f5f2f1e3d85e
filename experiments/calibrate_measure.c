#include "experiments/calibrate.h"

#include "kernels/channels/packet_probe.h"
#include "kernels/launcher.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { ROUND_REPS = 3, ROUNDS_WANTED = 8, ROUNDS_MAX = 48, SAMPLES = ROUND_REPS * ROUNDS_MAX };

void calibrate_plan_destroy(struct calibrate_plan *plan)
{
    for (size_t i = 0; i < plan->count; i++) {
        free(plan->probes[i].first_ns);
        free(plan->probes[i].second_ns);
    }
    free(plan->probes);
    *plan = (struct calibrate_plan){0};
}

int calibrate_plan_add(struct calibrate_plan *plan, struct calibrate_probe probe)
{
    if (plan->count == plan->capacity) {
        size_t capacity = plan->capacity ? 2 * plan->capacity : 64;
        struct calibrate_probe *probes = realloc(plan->probes, capacity * sizeof *probes);
        if (!probes)
            return -ENOMEM;
        plan->probes = probes;
        plan->capacity = capacity;
    }
    probe.first_ns = calloc(SAMPLES, sizeof *probe.first_ns);
    probe.second_ns = calloc(SAMPLES, sizeof *probe.second_ns);
    if (!probe.first_ns || !probe.second_ns) {
        free(probe.first_ns);
        free(probe.second_ns);
        return -ENOMEM;
    }
    plan->probes[plan->count++] = probe;
    return 0;
}

/* What every rank inherits. */
struct measure_task {
    const struct calibrate_plan *plan;
    uint64_t llc_bytes;
    struct clock clock;
};

/* Rank 0's result; behind it [probe][first, second][SAMPLES]. */
struct measure_result {
    uint32_t rounds;
    double before_ns[ROUNDS_MAX], after_ns[ROUNDS_MAX]; /* hand-over around each round; 0 with a single rank */
    double samples_ns[];
};

static size_t result_size_bytes(const struct calibrate_plan *plan)
{
    return sizeof(struct measure_result) + 2 * plan->count * SAMPLES * sizeof(double);
}

/* Whether round r passed in one state, that of state_ns. */
static int round_in_state(const struct measure_result *m, uint32_t r, double state_ns)
{
    return state_ns == 0 || (probe_state_same(m->before_ns[r], state_ns) && probe_state_same(m->after_ns[r], state_ns));
}

static uint32_t rounds_in_state(const struct measure_result *m, double state_ns)
{
    uint32_t n = 0;
    for (uint32_t r = 0; r < m->rounds; r++)
        n += (uint32_t)round_in_state(m, r, state_ns);
    return n;
}

/* The hand-over whose state most rounds were in. */
static double common_state_ns(const struct measure_result *m)
{
    double best_ns = m->before_ns[0];
    for (uint32_t r = 0; r < m->rounds; r++)
        if (rounds_in_state(m, m->before_ns[r]) > rounds_in_state(m, best_ns))
            best_ns = m->before_ns[r];
    return best_ns;
}

/* A kernel that refuses is an answer: the samples say so. */
static int peer_run(struct probe *probe, uint64_t bytes, double *samples, uint32_t reps)
{
    int err = probe_peer_read(probe, bytes, samples, reps);
    for (uint32_t i = 0; i < reps && (err == -EPERM || err == -ENOSYS || err == -EACCES || err == -ENOTSUP); i++)
        samples[i] = NAN;
    return err == -EPERM || err == -ENOSYS || err == -EACCES || err == -ENOTSUP ? 0 : err;
}

static int probe_run(struct probe *probe, struct endpoint *endpoint, const struct calibrate_probe *what, double *first,
                     double *second, uint32_t reps)
{
    switch (what->kind) {
    case CALIBRATE_HANDOVER:
        return probe_handover_lines(probe, what->lines, first, reps);
    case CALIBRATE_ATOMIC:
        return probe_atomic(probe, what->remote, first, reps);
    case CALIBRATE_DEADLINE:
        return probe_deadline(probe, first, reps);
    case CALIBRATE_PACKET:
        return packet_probe_run(endpoint, probe->rank, &probe->clock, first, reps);
    case CALIBRATE_COLD:
    case CALIBRATE_PLAIN:
        return probe_copy_cold(probe, what->routine, what->message_bytes, first, reps);
    case CALIBRATE_PEER:
        return peer_run(probe, what->message_bytes, first, reps);
    case CALIBRATE_SHARED:
        return probe_copy_shared(probe, what->routine, what->message_bytes, first, reps);
    case CALIBRATE_QUEUE:
        return probe_queue_copies(probe, &what->queue, first, second, reps);
    }
    return -EINVAL;
}

static uint64_t largest_message(const struct calibrate_plan *plan)
{
    uint64_t most = 1 << 20;
    for (size_t i = 0; i < plan->count; i++) {
        most = plan->probes[i].message_bytes > most ? plan->probes[i].message_bytes : most;
        most = plan->probes[i].queue.message_bytes > most ? plan->probes[i].queue.message_bytes : most;
    }
    return most;
}

/* All probes once, ROUND_REPS samples each. */
static int round_run(struct probe *probe, struct endpoint *endpoint, const struct calibrate_plan *plan, struct measure_result *m)
{
    uint32_t r = m->rounds;
    int err = probe->procs > 1 ? probe_state(probe, &m->before_ns[r]) : 0;
    for (size_t i = 0; i < plan->count && !err; i++) {
        double *samples = m->samples_ns + 2 * i * SAMPLES + r * ROUND_REPS;
        err = probe_run(probe, endpoint, &plan->probes[i], samples, samples + SAMPLES, ROUND_REPS);
    }
    if (!err && probe->procs > 1)
        err = probe_state(probe, &m->after_ns[r]);
    m->rounds++;
    return err;
}

/* Round after round over all probes, so that a busy moment of the host spoils a few samples of each and not one probe, until
 * enough of them passed in one state. All ranks see the same states, so they stop together. */
static int rounds_run(struct probe *probe, struct endpoint *endpoint, const struct calibrate_plan *plan, struct measure_result *m)
{
    int err = 0;
    do
        err = round_run(probe, endpoint, plan, m);
    while (!err && m->rounds < ROUNDS_MAX &&
           rounds_in_state(m, plan->state_ns > 0 ? plan->state_ns : common_state_ns(m)) < ROUNDS_WANTED);
    return err;
}

/* Leaves *out NULL if no probe needs one. */
static int endpoint_open(struct launch_rank *self, const struct calibrate_plan *plan, struct endpoint **out)
{
    struct endpoint_config config = endpoint_config_default(self->procs, self->rank, channel_find("er"));
    for (size_t i = 0; i < plan->count; i++)
        if (plan->probes[i].kind == CALIBRATE_PACKET)
            return endpoint_create(&config, &self->bootstrap, out, self->message);
    return 0;
}

static int measure_rank(struct launch_rank *self, void *argument)
{
    const struct measure_task *task = argument;
    /* Every rank has a core of its own and never sleeps: an idle core is slow to come back, and a virtual one may move. */
    struct waiter waiter = {.spins = UINT32_MAX};
    struct pool pool;
    struct endpoint *endpoint = NULL;
    int err = endpoint_open(self, task->plan, &endpoint);
    if (err)
        return err;
    err = pool_create(&pool, pool_size_bytes(task->llc_bytes, largest_message(task->plan), self->procs));
    if (err)
        goto err_pool;
    struct probe probe = {.rank = self->rank,
                          .procs = self->procs,
                          .shared = self->common,
                          .queue_bytes = CALIBRATE_QUEUE_BYTES,
                          .clock = task->clock,
                          .waiter = &waiter,
                          .pool = &pool,
                          .llc_bytes = task->llc_bytes,
                          .clock_read_ns = probe_clock_read_ns(&task->clock)};
    err = rounds_run(&probe, endpoint, task->plan, self->result);
    pool_destroy(&pool);
err_pool:
    endpoint_destroy(endpoint);
    return err;
}

/* Moves the samples of the rounds that count to the plan; all rounds if none was in the state asked for. */
static void samples_keep(struct calibrate_plan *plan, const struct measure_result *m)
{
    double state_ns = plan->state_ns > 0 ? plan->state_ns : common_state_ns(m);
    plan->rounds = m->rounds;
    plan->kept = rounds_in_state(m, state_ns);
    plan->reps = 0;
    for (uint32_t r = 0; r < m->rounds; r++) {
        if (plan->kept > 0 && !round_in_state(m, r, state_ns))
            continue;
        for (size_t i = 0; i < plan->count; i++) {
            const double *samples = m->samples_ns + 2 * i * SAMPLES + r * ROUND_REPS;
            memcpy(plan->probes[i].first_ns + plan->reps, samples, ROUND_REPS * sizeof *samples);
            memcpy(plan->probes[i].second_ns + plan->reps, samples + SAMPLES, ROUND_REPS * sizeof *samples);
        }
        plan->reps += ROUND_REPS;
    }
    plan->state_ns = state_ns;
}

int calibrate_measure(struct calibrate_plan *plan, const struct node *node, const uint32_t *cores, uint32_t count,
                      char reason[CALIBRATE_REASON_BYTES])
{
    size_t result_bytes = result_size_bytes(plan);
    uint32_t *cpus = calloc(count, sizeof *cpus);
    char *results = calloc(count, result_bytes);
    int err = cpus && results ? 0 : -ENOMEM;
    struct launch_report report = {0};
    if (!err) {
        for (uint32_t r = 0; r < count; r++)
            cpus[r] = node->core_os[cores[r]];
        struct measure_task task = {.plan = plan, .llc_bytes = node->llc_bytes, .clock = clock_create()};
        struct launch_options options = {.procs = count,
                                         .backend = BACKEND_PROCS,
                                         .cpu_os = cpus,
                                         .timeout_s = 600,
                                         .result_bytes = result_bytes,
                                         .common_bytes = sizeof(struct probe_shared) + CALIBRATE_QUEUE_BYTES};
        err = launcher_run(&options, measure_rank, &task, results, NULL, &report);
    }
    snprintf(reason, CALIBRATE_REASON_BYTES, "%s", err == -ENOMEM && !report.reason[0] ? "out of memory" : report.reason);
    if (!err)
        samples_keep(plan, (const struct measure_result *)(void *)results);
    free(results);
    free(cpus);
    return err;
}
