/* What launcher.c and launcher_bootstrap.c share. */
#ifndef SHMCOLL_KERNELS_LAUNCHER_INTERNAL_H
#define SHMCOLL_KERNELS_LAUNCHER_INTERNAL_H

#include "kernels/launcher.h"
#include "kernels/wait.h"

#include <stdalign.h>

enum { GATHER_BYTES = 1024 };

/* In an anonymous shared mapping; common, results and per-rank parts follow at page-independent offsets. */
struct launch_shared {
    alignas(128) atomic_word arrived;  /* barrier: all add */
    alignas(128) atomic_word released; /* barrier: the last to arrive stores */
    alignas(128) atomic_word sleepers;
    alignas(128) atomic_word dead;     /* 1 + rank that was killed; stored by the launcher */
    atomic_word failed;                /* 1 + rank whose body failed; stored by that rank */
    int fd;                            /* threads: rank 0's descriptor, between two barriers */
    int crowded;
    size_t common_offset, results_offset, result_stride, ranks_offset, bytes;
};

/* Per rank, at ranks_offset. */
struct launch_slot {
    alignas(128) int32_t status;
    atomic_word barriers; /* begun by this rank: for reports of stalls */
    int32_t ended; /* the body returned */
    char message[COMM_REASON_BYTES];
    unsigned char gather[GATHER_BYTES];
};

static inline struct launch_slot *launch_slot(struct launch_shared *shared, uint32_t rank)
{
    return (struct launch_slot *)(void *)((char *)shared + shared->ranks_offset) + rank;
}

/* Ranks against the cpus they will have. */
int launch_crowded(const struct launch_options *options);
void launch_rank_init(struct launch_rank *self, struct launch_shared *shared, uint32_t rank, uint32_t procs);
/* Runs the body and records how it ended. */
int launch_rank_run(struct launch_rank *self, launch_body body, void *argument);

#endif
