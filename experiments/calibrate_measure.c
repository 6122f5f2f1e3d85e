#include "experiments/calibrate.h"

#include "kernels/launcher.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { ROUND_REPS = 3 };

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
    probe.first_ns = calloc(plan->reps, sizeof *probe.first_ns);
    probe.second_ns = calloc(plan->reps, sizeof *probe.second_ns);
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

static int probe_run(struct probe *probe, const struct calibrate_probe *what, double *first, double *second, uint32_t reps)
{
    switch (what->kind) {
    case CALIBRATE_HANDOVER:
        return probe_handover_lines(probe, what->lines, first, reps);
    case CALIBRATE_ATOMIC:
        return probe_atomic(probe, what->remote, first, reps);
    case CALIBRATE_DEADLINE:
        return probe_deadline(probe, first, reps);
    case CALIBRATE_PLAIN:
        return probe_copy_cold(probe, what->routine, what->message_bytes, first, reps);
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

/* The body of a rank: all probes in order; rank 0's samples go to its result. */
static int measure_rank(struct launch_rank *self, void *argument)
{
    const struct measure_task *task = argument;
    /* Every rank has a core of its own and never sleeps: an idle core is slow to come back, and a virtual one may move. */
    struct waiter waiter = {.spins = UINT32_MAX};
    struct pool pool;
    int err = pool_create(&pool, pool_size_bytes(task->llc_bytes, largest_message(task->plan), self->procs));
    if (err)
        return err;
    struct probe probe = {.rank = self->rank,
                          .procs = self->procs,
                          .shared = self->common,
                          .queue_bytes = CALIBRATE_QUEUE_BYTES,
                          .clock = task->clock,
                          .waiter = &waiter,
                          .pool = &pool,
                          .llc_bytes = task->llc_bytes,
                          .clock_read_ns = probe_clock_read_ns(&task->clock)};
    double *samples = self->result;
    const struct calibrate_plan *plan = task->plan;
    /* Round after round over all probes, so that a busy moment of the host spoils a few samples of each, not one probe. */
    for (uint32_t done = 0; done < plan->reps && !err; done += ROUND_REPS) {
        uint32_t reps = plan->reps - done < ROUND_REPS ? plan->reps - done : ROUND_REPS;
        for (size_t i = 0; i < plan->count && !err; i++)
            err = probe_run(&probe, &plan->probes[i], samples + 2 * i * plan->reps + done,
                            samples + (2 * i + 1) * plan->reps + done, reps);
    }
    pool_destroy(&pool);
    return err;
}

int calibrate_measure(struct calibrate_plan *plan, const struct node *node, const uint32_t *cores, uint32_t count,
                      char reason[CALIBRATE_REASON_BYTES])
{
    uint32_t *cpus = calloc(count, sizeof *cpus);
    size_t result_bytes = 2 * plan->count * plan->reps * sizeof(double);
    double *results = calloc(count, result_bytes);
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
    for (size_t i = 0; i < plan->count && !err; i++) {
        memcpy(plan->probes[i].first_ns, results + 2 * i * plan->reps, plan->reps * sizeof(double));
        memcpy(plan->probes[i].second_ns, results + (2 * i + 1) * plan->reps, plan->reps * sizeof(double));
    }
    free(results);
    free(cpus);
    return err;
}
