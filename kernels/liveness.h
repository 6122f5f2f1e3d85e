/* Liveness: is everyone still there?
 *
 * Sources, asked in this order: the segment's failure word (somebody else has found out), what the embedder
 * knows, marks of ranks that left before the present call, and a process descriptor for every peer process.
 * Owned by one rank; liveness_check is called from waits, liveness_leave and _fail once. */
#ifndef SHMCOLL_KERNELS_LIVENESS_H
#define SHMCOLL_KERNELS_LIVENESS_H

#include "kernels/segment.h"

#include <poll.h>
#include <sys/types.h>

/* What a rank tells the others about itself. */
struct liveness_identity {
    int32_t pid;
    uint64_t pid_space; /* inode of its pid namespace: only inside one are pids comparable */
};

struct liveness {
    uint32_t procs, rank;
    struct segment_head *head;
    int64_t (*dead_rank)(void *context); /* the embedder's knowledge; may be NULL */
    void *dead_rank_context;
    uint32_t calls;       /* calls entered so far, set by the owner */
    struct pollfd *peer;  /* [procs]; fd -1: nothing to ask the kernel about */
    int error;            /* once set, it stays */
    uint32_t failed_rank; /* valid if error */
};

struct liveness_identity liveness_identity_self(void);

/* identity[procs]. Peers in this process or in another pid namespace get no descriptor: for those the words must do.
 * 0; -ENOMEM; -EOWNERDEAD if a peer has gone already. */
int liveness_create(struct liveness *out, const struct liveness_identity *identity, uint32_t procs, uint32_t rank,
                    struct segment_head *head);
void liveness_destroy(struct liveness *liveness);

/* 0 while all is well; -EOWNERDEAD if a peer died, -EPIPE if one left before the present call, or what
 * a peer reported by liveness_fail. */
int liveness_check(struct liveness *liveness);

/* Tells everyone that `rank` failed with `error` (-errno); the first report wins. */
void liveness_fail(struct segment_head *head, uint32_t rank, int error);

/* This rank makes no further call and may exit. */
void liveness_leave(struct liveness *liveness);

#endif
