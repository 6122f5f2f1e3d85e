#include "kernels/run_limits.h"

#include "kernels/copy.h"
#include "kernels/run_statistics.h"

#include <math.h>

enum { SAMPLES_MOST = 31, SAMPLES_LEAST = 7, SAMPLED_BYTES = 64 << 20 };

typedef int (*copy_probe)(struct probe *, int routine, uint64_t bytes, double *samples_ns, uint32_t count);

static double median_of(double *samples, uint32_t n)
{
    run_sort(samples, n);
    return run_summary_of(samples, n).median;
}

/* The better of the copy routines, seconds. */
static int best_copy(struct probe *p, copy_probe probe, uint64_t bytes, double *best_s)
{
    double samples[SAMPLES_MOST];
    uint64_t affordable = bytes ? SAMPLED_BYTES / bytes : SAMPLES_MOST;
    uint32_t count = affordable < SAMPLES_LEAST ? SAMPLES_LEAST : affordable > SAMPLES_MOST ? SAMPLES_MOST : (uint32_t)affordable;
    int error = 0;
    *best_s = NAN;
    for (int routine = 0; routine < COPY_ROUTINE_COUNT && !error; routine++) {
        if (!copy_routine_available((enum copy_routine)routine))
            continue;
        for (uint32_t i = 0; i < count; i++)
            samples[i] = 0; /* only rank 0 fills them */
        error = probe(p, routine, bytes, samples, count);
        double s = median_of(samples, count) * 1e-9;
        *best_s = isnan(*best_s) || s < *best_s ? s : *best_s;
    }
    return error;
}

static int measure(struct probe *p, uint64_t size_bytes, int crowded, struct run_limits *out)
{
    double samples[SAMPLES_MOST];
    int error = best_copy(p, probe_copy_cold, size_bytes, &out->memcpy_cold_s);
    if (!error)
        error = best_copy(p, probe_copy_shared, size_bytes, &out->copy_bound_s);
    if (error || p->procs < 2 || crowded) /* on one cpu there is no line to hand over */
        return error;
    error = probe_handover(p, samples, SAMPLES_LEAST);
    out->handover_ns = error ? NAN : median_of(samples, SAMPLES_LEAST);
    return error;
}

int run_limits_measure(struct launch_rank *self, const struct run_job *job, struct probe_shared *shared, struct run_limits *out)
{
    const struct scenario *s = job->scenario;
    struct waiter waiter = launcher_waiter(self);
    struct pool pool;
    struct probe probe = {.rank = self->rank, .procs = self->procs, .shared = shared, .clock = job->clock, .waiter = &waiter,
                          .pool = &pool, .llc_bytes = s->machine.node->llc_bytes};
    *out = (struct run_limits){NAN, NAN, NAN};
    int error = pool_create(&pool, pool_size_bytes(s->machine.node->llc_bytes, s->job.bcast.size_bytes, self->procs));
    if (error)
        return error;
    probe.clock_read_ns = probe_clock_read_ns(&probe.clock);
    error = launcher_barrier(self);
    if (!error)
        error = measure(&probe, s->job.bcast.size_bytes, launcher_crowded(self), out);
    pool_destroy(&pool);
    return error;
}
