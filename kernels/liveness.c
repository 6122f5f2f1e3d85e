#include "kernels/liveness.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

struct liveness_identity liveness_identity_self(void)
{
    struct stat space;
    struct liveness_identity self = {.pid = getpid()};
    if (stat("/proc/self/ns/pid", &space) == 0)
        self.pid_space = space.st_ino;
    return self;
}

/* -1: no descriptor to be had; -ESRCH: gone. */
static int peer_open(const struct liveness_identity *self, const struct liveness_identity *peer)
{
    if (peer->pid_space != self->pid_space || peer->pid == self->pid)
        return -1;
    int fd = (int)syscall(SYS_pidfd_open, peer->pid, 0);
    return fd >= 0 ? fd : errno == ESRCH ? -ESRCH : -1;
}

int liveness_create(struct liveness *out, const struct liveness_identity *identity, uint32_t procs, uint32_t rank,
                    struct segment_head *head)
{
    struct liveness l = {.procs = procs, .rank = rank, .head = head, .peer = calloc(procs, sizeof *l.peer)};
    if (!l.peer)
        return -ENOMEM;
    int error = 0;
    for (uint32_t i = 0; i < procs; i++) {
        int fd = error ? -1 : peer_open(&identity[rank], &identity[i]);
        error = fd == -ESRCH ? -EOWNERDEAD : error;
        l.peer[i] = (struct pollfd){.fd = fd < 0 ? -1 : fd, .events = POLLIN};
    }
    if (error)
        liveness_destroy(&l);
    else
        *out = l;
    return error;
}

void liveness_destroy(struct liveness *liveness)
{
    for (uint32_t i = 0; liveness->peer && i < liveness->procs; i++)
        if (liveness->peer[i].fd >= 0)
            close(liveness->peer[i].fd);
    free(liveness->peer);
    liveness->peer = NULL;
}

void liveness_fail(struct segment_head *head, uint32_t rank, int error)
{
    word_replace_acq_rel(&head->failed, 0, (uint32_t)-error << 16 | (rank + 1)); /* R2: pairs with A2 */
}

void liveness_leave(struct liveness *liveness)
{
    struct segment_leave *mine = &liveness->head->leave[liveness->rank];
    word_store_relaxed(&mine->calls, liveness->calls);
    word_store_release(&mine->left, 1); /* R3: calls is written; pairs with A3 */
}

static int failed(struct liveness *l, uint32_t rank, int error)
{
    l->failed_rank = rank;
    l->error = error;
    return error;
}

/* A rank that left after as many calls as this one has entered owes nothing. */
static int left(const struct liveness *l, uint32_t rank, int *early)
{
    struct segment_leave *mark = &l->head->leave[rank];
    if (!word_load_acquire(&mark->left)) /* A3: pairs with R3; else `calls` could be stale */
        return 0;
    *early = (int32_t)(word_load_relaxed(&mark->calls) - l->calls) < 0;
    return 1;
}

enum { ERRNO_MOST = 4096 }; /* the kernel's bound */

int liveness_check(struct liveness *l)
{
    if (l->error)
        return l->error;
    uint32_t word = word_load_acquire(&l->head->failed); /* A2: pairs with R2 */
    uint32_t rank = (word & 0xffff) - 1, reason = word >> 16;
    if (word) /* if nobody can have written that, the segment is corrupted */
        return rank < l->procs && reason > 0 && reason < ERRNO_MOST ? failed(l, rank, -(int)reason) : failed(l, l->rank, -EPROTO);
    int64_t dead = l->dead_rank ? l->dead_rank(l->dead_rank_context) : -1;
    if (dead >= 0) {
        liveness_fail(l->head, (uint32_t)dead, -EOWNERDEAD);
        return failed(l, (uint32_t)dead, -EOWNERDEAD);
    }
    int died = l->procs > 1 ? poll(l->peer, l->procs, 0) > 0 : 0;
    for (uint32_t i = 0; i < l->procs; i++) {
        int early = 0, gone = died && l->peer[i].fd >= 0 && l->peer[i].revents;
        if (left(l, i, &early)) {
            if (early)
                return failed(l, i, -EPIPE);
        } else if (gone) {
            liveness_fail(l->head, i, -EOWNERDEAD);
            return failed(l, i, -EOWNERDEAD);
        }
    }
    return 0;
}
