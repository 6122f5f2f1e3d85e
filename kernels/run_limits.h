/* The limits a run is held against, measured by the same ranks on the same cores right after it. */
#ifndef SHMCOLL_KERNELS_RUN_LIMITS_H
#define SHMCOLL_KERNELS_RUN_LIMITS_H

#include "kernels/probe.h"
#include "kernels/run_rank.h"

/* Set by rank 0; NAN where it cannot be measured. */
struct run_limits {
    double memcpy_cold_s, copy_bound_s, handover_ns;
};

/* Called by all ranks, `shared` zeroed. 0 or -errno. */
int run_limits_measure(struct launch_rank *self, const struct run_job *job, struct probe_shared *shared, struct run_limits *out);

#endif
