/* The limits a run is held against, and the state the host was in: measured between the repetitions
 * of the run by the same ranks on the same cores, a little before and after every slice of them. */
#ifndef SHMCOLL_KERNELS_RUN_LIMITS_H
#define SHMCOLL_KERNELS_RUN_LIMITS_H

#include "kernels/copy.h"
#include "kernels/launcher.h"
#include "kernels/probe.h"

#include <stdint.h>

/* What is known of one slice of repetitions. In shared memory, written by rank 0. */
struct run_slice {
    double before_ns, after_ns;                /* hand-over; 0 where there is no line to hand over */
    double memcpy_cold_ns[COPY_ROUTINE_COUNT]; /* NAN if not measured, as all below */
    double copy_bound_ns[COPY_ROUTINE_COUNT];
};

struct run_limits {
    struct probe probe;
    struct waiter waiter;
    struct pool pool;
    uint64_t size_bytes;  /* what one core copies */
    uint64_t total_bytes; /* what all copy at one time, a part each: a broadcast's message, or everyone's own of an allgather */
    int with_state;  /* ranks have a core each, so there is a hand-over */
    int with_copies;
};

/* Collective. `shared` is zeroed; with_copies 0 leaves out all but the state. 0 or -errno. */
int run_limits_create(struct run_limits *limits, struct launch_rank *self, const struct clock *clock, uint64_t llc_bytes,
                      const struct job *job, struct probe_shared *shared, int with_copies);
void run_limits_destroy(struct run_limits *limits);

/* Collective: before and after the repetitions of a slice; rank 0 writes it. With a wanted_ns > 0 the slice begins when the host
 * is in that state, or at until_ns of clock_monotonic_ns if it does not come. */
int run_slice_begin(struct run_limits *limits, double wanted_ns, uint64_t until_ns, struct run_slice *slice);
int run_slice_end(struct run_limits *limits, struct run_slice *slice);

/* Whether the slice passed in one state of the host, that of state_ns; always if state_ns is 0. */
int run_slice_in_state(const struct run_slice *slice, double state_ns);
/* The hand-over whose state most of the slices were in; 0 if none has one. */
double run_slice_common_state_ns(const struct run_slice *slices, uint32_t count);

#endif
