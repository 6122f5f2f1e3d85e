/* What comm.c and bcast.c share: the communicator itself. */
#ifndef SHMCOLL_KERNELS_COMM_INTERNAL_H
#define SHMCOLL_KERNELS_COMM_INTERNAL_H

#include "kernels/comm.h"
#include "kernels/liveness.h"
#include "kernels/segment.h"
#include "kernels/wait.h"

/* One mapping per process: ranks that are threads of one process share it, so that a race
 * between them is one that a thread checker can see. */
struct comm_mapping {
    void *base;
    atomic_word users;
};

struct comm {
    struct comm_config config;
    struct segment_plan plan;
    struct comm_mapping *mapping;
    char *base;
    struct tree tree;
    struct bcast_call pipelined_call, eager_call; /* templates: size and root vary */
    uint32_t pipelined_op, eager_op;              /* where the counters stand */
    int eager_allowed;
    int crowded;
    struct waiter waiter;
    struct liveness liveness;
    uint64_t random;
    uint64_t llc_bytes;
    int error;
    int64_t error_rank;
    char error_text[COMM_REASON_BYTES];
};

/* Puts the communicator into error and tells the others. Returns `error`. */
int comm_fail(struct comm *comm, int error, const char *what);

#endif
