/* One rank of a measured run: the body that the run evaluator launches. */
#ifndef SHMCOLL_KERNELS_RUN_RANK_H
#define SHMCOLL_KERNELS_RUN_RANK_H

#include "kernels/clock.h"
#include "kernels/launcher.h"

#include <stdalign.h>

/* Inherited by all ranks. */
struct run_job {
    const struct scenario *scenario;
    struct clock clock;
    uint32_t warmup, reps;
    uint32_t attempts_max; /* warm-up included: an attempt for which a rank came too late does not count */
};

/* In the launcher's common memory. */
struct run_common {
    alignas(128) atomic_word round;   /* rank 0: deadline of attempt round-1 stands */
    alignas(128) atomic_word stop_at; /* rank 0: no attempt from this one on */
    alignas(128) uint64_t deadline_ticks[]; /* [attempts_max], then end_ticks[attempts_max * procs]; 0: the rank was late */
};

struct run_result {
    int audited;
    struct comm_audit audit;
    double memcpy_cold_s, copy_bound_s, handover_ns; /* of rank 0; NAN if not measured */
};

/* Common memory: struct run_common with its times, then, on a page, the probes' part. */
size_t run_times_bytes(const struct run_job *job);
size_t run_common_bytes(const struct run_job *job);

static inline uint64_t *run_end_ticks(struct run_common *common, const struct run_job *job, uint32_t attempt)
{
    return common->deadline_ticks + job->attempts_max + (size_t)attempt * job->scenario->job.procs;
}

int run_rank_body(struct launch_rank *self, void *job);

#endif
