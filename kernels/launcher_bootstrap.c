/* The ranks' side of the launcher: barrier, allgather and descriptor passing through shared memory. */
#include "kernels/fd_pass.h"
#include "kernels/launcher_internal.h"
#include "kernels/placement.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int64_t launcher_dead_rank(void *context)
{
    const struct launch_rank *self = context;
    uint32_t dead = word_load_acquire(&self->shared->dead); /* A6: pairs with R6 */
    uint32_t failed = word_load_acquire(&self->shared->failed); /* A5: pairs with R5 */
    return (int64_t)(dead ? dead : failed) - 1;
}

static int alive(void *context)
{
    return launcher_dead_rank(context) >= 0 ? -EOWNERDEAD : 0;
}

enum { SPINS_BETWEEN = 20000000 }; /* about a second */

/* Who has not come to the barrier that this rank is in, "" if it is in none. */
static void missing_format(const struct launch_rank *self, const atomic_word *word, char *text, size_t text_bytes)
{
    size_t used = 0;
    text[0] = 0;
    for (uint32_t r = 0; word == &self->shared->released && r < self->procs && used < text_bytes; r++)
        if ((int32_t)(word_load_relaxed(&launch_slot(self->shared, r)->barriers) - self->barriers) < 0)
            used += (size_t)snprintf(text + used, text_bytes - used, "%s%u", used ? ", " : " of all for rank ", r);
}

static void stalled(void *context, atomic_word *word, uint32_t seen, uint64_t waited_ns)
{
    const struct launch_rank *self = context;
    char missing[128], text[COMM_REASON_BYTES];
    missing_format(self, word, missing, sizeof missing);
    snprintf(text, sizeof text, "rank %u has waited %.3g s between broadcasts, at %s%s", self->rank, (double)waited_ns * 1e-9,
             missing[0] ? "a barrier" : "a word of another rank, which is", missing);
    if (!missing[0])
        snprintf(text + strlen(text), sizeof text - strlen(text), " %u", seen);
    self->stall(text);
}

struct waiter launcher_waiter(struct launch_rank *self)
{
    struct waiter waiter = {.sleepers = &self->shared->sleepers, .alive = alive, .alive_context = self,
                            .stall_ns = self->stall ? (uint64_t)(self->stall_report_s * 1e9) : 0, .stalled = stalled,
                            .stalled_context = self};
    wait_policy_set(&waiter, self->shared->crowded);
    /* Between measurements too a rank with a core of its own keeps it busy: an idle core is slow to come back, and
     * a virtual one may come back elsewhere. */
    if (!self->shared->crowded)
        waiter.spins = SPINS_BETWEEN;
    return waiter;
}

int launcher_wait(struct launch_rank *self, atomic_word *word, uint32_t op, uint32_t value)
{
    struct waiter waiter = launcher_waiter(self);
    uint32_t seen;
    return wait_until(&waiter, word, op, value, &seen);
}

void launcher_wake(struct launch_rank *self, atomic_word *word)
{
    struct waiter waiter = {.sleepers = &self->shared->sleepers};
    wait_wake(&waiter, word);
}

int launcher_crowded(const struct launch_rank *self)
{
    return self->shared->crowded;
}

int launcher_barrier(struct launch_rank *self)
{
    struct launch_shared *shared = self->shared;
    uint32_t target = ++self->barriers;
    word_store_relaxed(&launch_slot(shared, self->rank)->barriers, target);
    if (word_add_acq_rel(&shared->arrived, 1) + 1 == target * self->procs) {
        word_store_release(&shared->released, target); /* R4: all arrivals, acquired above; pairs with A1 */
        launcher_wake(self, &shared->released);
        return 0;
    }
    return launcher_wait(self, &shared->released, STEP_WAIT_GE, target);
}

static int allgather_part(struct launch_rank *self, const char *mine, char *all, size_t stride, size_t bytes)
{
    memcpy(launch_slot(self->shared, self->rank)->gather, mine, bytes);
    int error = launcher_barrier(self);
    for (uint32_t r = 0; r < self->procs && !error; r++)
        memcpy(all + r * stride, launch_slot(self->shared, r)->gather, bytes);
    return error ? error : launcher_barrier(self); /* nobody overwrites what another still reads */
}

static int allgather(void *context, const void *mine, void *all, size_t bytes)
{
    int error = 0;
    for (size_t done = 0; done < bytes && !error; done += GATHER_BYTES) {
        size_t part = bytes - done < GATHER_BYTES ? bytes - done : GATHER_BYTES;
        error = allgather_part(context, (const char *)mine + done, (char *)all + done, bytes, part);
    }
    return error;
}

static int share_fd_processes(void *context, int *fd)
{
    struct launch_rank *self = context;
    if (self->rank != 0)
        return fd_pass_receive(self->socket_from_root, fd);
    int error = 0;
    for (uint32_t r = 1; r < self->procs && !error; r++)
        error = fd_pass_send(self->socket_to_rank[r], *fd);
    return error;
}

static int share_fd_threads(void *context, int *fd)
{
    struct launch_rank *self = context;
    if (self->rank == 0)
        self->shared->fd = *fd;
    int error = launcher_barrier(self), duplicate_error = 0;
    if (!error && self->rank != 0) {
        *fd = fcntl(self->shared->fd, F_DUPFD_CLOEXEC, 0);
        duplicate_error = *fd < 0 ? -errno : 0;
    }
    if (!error)
        error = launcher_barrier(self); /* rank 0 may close only now */
    return error ? error : duplicate_error;
}

void launch_rank_init(struct launch_rank *self, struct launch_shared *shared, uint32_t rank, uint32_t procs)
{
    char *base = (char *)shared;
    int threads = self->socket_to_rank == NULL;
    self->rank = rank;
    self->procs = procs;
    self->shared = shared;
    self->result = base + shared->results_offset + rank * shared->result_stride;
    self->common = base + shared->common_offset;
    self->message = launch_slot(shared, rank)->message;
    self->bootstrap = (struct comm_bootstrap){
        .context = self, .allgather = allgather, .share_fd = threads ? share_fd_threads : share_fd_processes};
}

int launch_rank_run(struct launch_rank *self, launch_body body, void *argument)
{
    struct launch_slot *slot = launch_slot(self->shared, self->rank);
    int error = body(self, argument);
    slot->status = error;
    slot->ended = 1;
    if (error)
        word_replace_acq_rel(&self->shared->failed, 0, self->rank + 1); /* R5: pairs with the loads in alive() */
    return error;
}

int launch_crowded(const struct launch_options *o)
{
    uint64_t *mask = calloc(o->procs, PLACEMENT_MASK_WORDS * sizeof *mask);
    int crowded = 1;
    if (!mask)
        return crowded;
    for (uint32_t r = 0; r < o->procs; r++) {
        uint64_t *own = mask + (size_t)r * PLACEMENT_MASK_WORDS;
        if (o->cpu_os && o->cpu_os[r] < PLACEMENT_MASK_WORDS * 64)
            own[o->cpu_os[r] / 64] = (uint64_t)1 << o->cpu_os[r] % 64;
        else
            placement_allowed(own);
    }
    crowded = wait_crowded(mask, PLACEMENT_MASK_WORDS, o->procs);
    free(mask);
    return crowded;
}
