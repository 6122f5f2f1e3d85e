/* One rank of a measured run: the body that the run evaluator launches. */
#ifndef SHMCOLL_KERNELS_RUN_RANK_H
#define SHMCOLL_KERNELS_RUN_RANK_H

#include "kernels/clock.h"
#include "kernels/launcher.h"
#include "kernels/run_limits.h"

#include <stdalign.h>

/* Inherited by all ranks. */
struct run_job {
    const struct scenario *scenario;
    struct clock clock;
    uint32_t warmup, reps;
    uint32_t attempts_max;   /* warm-up included: attempts for which a rank came late or the host moved do not count */
    uint32_t slice_attempts; /* attempts between two looks at the state of the host */
    struct comm_lane without_peers; /* for the communicator's; protocol NULL: it finds one */
    uint64_t area_bytes;     /* a rank: of user buffers in the segment; 0: they are private */
};

/* In the launcher's common memory. */
struct run_common {
    alignas(128) atomic_word round;   /* rank 0: deadline of attempt round-1 stands */
    alignas(128) atomic_word stop_at; /* rank 0: no attempt from this one on */
    alignas(128) uint32_t slices; /* begun, by rank 0 */
    alignas(128) uint64_t deadline_ticks[]; /* [attempts_max], then end_ticks[attempts_max * procs]; 0: the rank was late;
                                               then struct run_slice [attempts_max / slice_attempts + 1] */
};

struct run_result {
    int audited;
    struct comm_audit audit;
    struct comm_lane ran; /* how the messages went */
    char note[COMM_NOTE_BYTES];
};

/* The pool of one rank's user buffers. Asks for the free memory: all ranks use one answer. */
size_t run_pool_bytes(const struct scenario *scenario);

/* Common memory: struct run_common with its times, then, on a page, the probes' part. */
size_t run_times_bytes(const struct run_job *job);
size_t run_common_bytes(const struct run_job *job);

static inline uint64_t *run_end_ticks(struct run_common *common, const struct run_job *job, uint32_t attempt)
{
    return common->deadline_ticks + job->attempts_max + (size_t)attempt * job->scenario->job.procs;
}

static inline struct run_slice *run_slices(struct run_common *common, const struct run_job *job)
{
    return (struct run_slice *)(void *)run_end_ticks(common, job, job->attempts_max);
}

/* The hand-over of the state whose attempts count: the one asked for, or the commonest so far. */
double run_state_ns(struct run_common *common, const struct run_job *job);
/* Whether the attempt counts: past the warm-up, nobody late, and the host in that state. */
int run_attempt_counts(struct run_common *common, const struct run_job *job, uint32_t attempt, double state_ns);

int run_rank_body(struct launch_rank *self, void *job);

#endif
