#include "kernels/run_limits.h"

#include "kernels/clock.h"

#include <math.h>

int run_limits_create(struct run_limits *limits, struct launch_rank *self, const struct clock *clock, uint64_t llc_bytes,
                      const struct job *job, struct probe_shared *shared, int with_copies)
{
    uint64_t size_bytes = job_message_bytes(job);
    *limits = (struct run_limits){.waiter = launcher_waiter(self), .size_bytes = size_bytes, .with_copies = with_copies};
    limits->total_bytes = size_bytes * (job->kind == JOB_ALLGATHER ? job->procs : 1);
    limits->with_state = self->procs > 1 && !launcher_crowded(self);
    if (with_copies) {
        int error = pool_create(&limits->pool, pool_size_bytes(llc_bytes, size_bytes, self->procs));
        if (error)
            return error;
    }
    limits->probe = (struct probe){.rank = self->rank, .procs = self->procs, .shared = shared, .clock = *clock,
                                   .waiter = &limits->waiter, .pool = &limits->pool, .llc_bytes = llc_bytes,
                                   .clock_read_ns = probe_clock_read_ns(clock)};
    return 0;
}

void run_limits_destroy(struct run_limits *limits)
{
    pool_destroy(&limits->pool);
}

static int measure_copies(struct run_limits *limits, struct run_slice *slice)
{
    int error = 0;
    for (int routine = 0; routine < COPY_ROUTINE_COUNT && !error; routine++) {
        double cold_ns = NAN, shared_ns = NAN;
        if (limits->with_copies && copy_routine_available((enum copy_routine)routine)) {
            error = probe_copy_cold(&limits->probe, routine, limits->size_bytes, &cold_ns, 1);
            if (!error)
                error = probe_copy_shared(&limits->probe, routine, limits->total_bytes, &shared_ns, 1);
        }
        if (limits->probe.rank == 0) {
            slice->memcpy_cold_ns[routine] = cold_ns;
            slice->copy_bound_ns[routine] = shared_ns;
        }
    }
    return error;
}

/* The same figure on all ranks; 0 where there is no line to hand over. */
static int measure_state(struct run_limits *limits, double *state_ns)
{
    *state_ns = 0;
    return limits->with_state ? probe_state(&limits->probe, state_ns) : 0;
}

/* Rank 0's clock decides, so that all ranks stop waiting together. */
static int time_is_up(struct run_limits *limits, uint64_t until_ns, int *up)
{
    double *shared = &limits->probe.shared->result_ns[16];
    if (limits->probe.rank == 0)
        *shared = clock_monotonic_ns() >= until_ns;
    int error = probe_barrier(&limits->probe);
    *up = *shared != 0;
    return error ? error : probe_barrier(&limits->probe);
}

int run_slice_begin(struct run_limits *limits, double wanted_ns, uint64_t until_ns, struct run_slice *slice)
{
    double state_ns = 0;
    int up = 0, error = measure_copies(limits, slice);
    do {
        error = error ? error : measure_state(limits, &state_ns);
        if (error || !limits->with_state || wanted_ns <= 0 || probe_state_same(state_ns, wanted_ns))
            break;
        error = time_is_up(limits, until_ns, &up);
    } while (!error && !up);
    if (!error && limits->probe.rank == 0)
        slice->before_ns = state_ns;
    return error;
}

int run_slice_end(struct run_limits *limits, struct run_slice *slice)
{
    double state_ns = 0;
    int error = measure_state(limits, &state_ns);
    if (!error && limits->probe.rank == 0)
        slice->after_ns = state_ns;
    return error;
}

int run_slice_in_state(const struct run_slice *slice, double state_ns)
{
    return state_ns == 0 || (probe_state_same(slice->before_ns, state_ns) && probe_state_same(slice->after_ns, state_ns));
}

static uint32_t slices_in_state(const struct run_slice *slices, uint32_t count, double state_ns)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < count; i++)
        n += (uint32_t)run_slice_in_state(&slices[i], state_ns);
    return n;
}

double run_slice_common_state_ns(const struct run_slice *slices, uint32_t count)
{
    enum { STATES_MOST = 16 }; /* a host has two or three; beyond that it is noise */
    double state_ns[STATES_MOST], best_ns = count > 0 ? slices[0].before_ns : 0;
    uint32_t states = 0, best = 0;
    for (uint32_t i = 0; i < count && states < STATES_MOST; i++) {
        uint32_t k = 0;
        while (k < states && !probe_state_same(slices[i].before_ns, state_ns[k]))
            k++;
        if (k < states)
            continue;
        state_ns[states++] = slices[i].before_ns;
        uint32_t n = slices_in_state(slices, count, slices[i].before_ns);
        if (n > best) {
            best = n;
            best_ns = slices[i].before_ns;
        }
    }
    return best_ns;
}
