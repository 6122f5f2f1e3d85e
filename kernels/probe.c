#include "kernels/probe.h"

#include "kernels/copy.h"

#include <errno.h>
#include <math.h>
#include <string.h>
#include <sys/uio.h>
#include <unistd.h>

enum { PING_ROUNDS = 2000, STATE_ROUNDS = 100, STATE_TRIES = 5, GROUP_BYTES = 16 << 10, DEADLINE_AHEAD_NS = 3000 };

double probe_clock_read_ns(const struct clock *clock)
{
    double least = 1e9;
    for (int i = 0; i < 1000; i++) {
        uint64_t start = clock_ticks(clock);
        double ns = clock_ns(clock, clock_ticks(clock) - start);
        least = ns < least ? ns : least;
    }
    return least;
}

int probe_barrier(struct probe *p)
{
    uint32_t seen;
    p->turn++;
    /* R1: the last to arrive publishes what all wrote before; pairs with A1 in wait_until. */
    if (word_add_acq_rel(&p->shared->arrived, 1) + 1 == p->turn * p->procs) {
        word_store_release(&p->shared->released, p->turn);
        wait_wake(p->waiter, &p->shared->released);
        return 0;
    }
    return wait_until(p->waiter, &p->shared->released, STEP_WAIT_GE, p->turn, &seen);
}

/* All ranks leave together, at an instant rank 0 picks. Returns it in *start. */
static int start_together(struct probe *p, uint64_t *start)
{
    int err = probe_barrier(p);
    if (!err && p->rank == 0)
        p->shared->deadline_ticks = clock_ticks(&p->clock) + clock_ticks_of_ns(&p->clock, DEADLINE_AHEAD_NS);
    if (!err)
        err = probe_barrier(p);
    *start = p->shared->deadline_ticks;
    if (!err)
        wait_deadline(&p->clock, *start, 0);
    return err;
}

/* Hands rank 1's figure of this repetition to rank 0. */
static int exchange(struct probe *p, double own_ns, double other_ns[2])
{
    if (p->rank < 2)
        p->shared->result_ns[p->rank * 8] = own_ns;
    int err = probe_barrier(p);
    other_ns[0] = p->shared->result_ns[0];
    other_ns[1] = p->shared->result_ns[8];
    return err ? err : probe_barrier(p);
}

/* Stores `lines` lines of this rank's side, the polled one (0) last. */
static void volley(struct probe *p, uint32_t lines, uint32_t value)
{
    for (uint32_t i = lines; i-- > 0;)
        word_store_release(&p->shared->line[p->rank][i].word, value); /* R2: pairs with A1 */
}

static int ping_pong(struct probe *p, uint32_t lines, uint32_t first, uint32_t rounds)
{
    uint32_t seen;
    int err = 0;
    for (uint32_t i = 0; i < rounds && !err; i++) {
        uint32_t value = first + i;
        if (p->rank == 0)
            volley(p, lines, value);
        for (uint32_t k = 0; k < lines && !err; k++)
            err = wait_until(p->waiter, &p->shared->line[!p->rank][k].word, STEP_WAIT_EQ, value, &seen);
        if (p->rank == 1)
            volley(p, lines, value);
    }
    return err;
}

/* One way of `rounds` round trips. */
static int ping_pong_ns(struct probe *p, uint32_t lines, uint32_t rounds, double *ns)
{
    /* Values of its own for every ping-pong: the words keep those of earlier ones. */
    uint32_t first = (p->turn + 1) * 2 * PING_ROUNDS;
    int err = probe_barrier(p);
    uint64_t start = clock_ticks(&p->clock);
    if (!err && p->rank < 2)
        err = ping_pong(p, lines, first, rounds);
    *ns = clock_ns(&p->clock, clock_ticks(&p->clock) - start) / (2 * rounds);
    return err ? err : probe_barrier(p);
}

int probe_state(struct probe *p, double *handover_ns)
{
    double least = INFINITY, both[2] = {NAN, NAN};
    int err = p->procs < 2 ? -EINVAL : 0;
    for (int i = 0; i < STATE_TRIES && !err; i++) {
        double ns = 0;
        err = ping_pong_ns(p, 1, STATE_ROUNDS, &ns);
        least = ns < least ? ns : least;
    }
    if (!err)
        err = exchange(p, least, both);
    *handover_ns = both[0];
    return err;
}

/* Hyperthreads of one core, cores of one cache and cores of two are half as far apart again, or more. */
static const double STATE_RATIO = 1.3;

int probe_state_same(double a_ns, double b_ns)
{
    return a_ns < STATE_RATIO * b_ns && b_ns < STATE_RATIO * a_ns;
}

int probe_handover_lines(struct probe *p, uint32_t lines, double *samples_ns, uint32_t count)
{
    if (p->procs < 2 || lines == 0 || lines > PROBE_LINES)
        return -EINVAL;
    int err = 0;
    for (uint32_t r = 0; r < count && !err; r++)
        err = ping_pong_ns(p, lines, PING_ROUNDS, &samples_ns[r]);
    return err;
}

int probe_atomic(struct probe *p, int remote, double *samples_ns, uint32_t count)
{
    enum { ADDS = 64 };
    int err = 0;
    for (uint32_t r = 0; r < count && !err; r++) {
        double ns = 0;
        for (int i = 0; i < ADDS && !err; i++) {
            atomic_word *word = &p->shared->line[0][i % PROBE_LINES].word;
            if (p->rank == 1 && remote)
                word_store_relaxed(word, (uint32_t)i);
            err = probe_barrier(p);
            uint64_t start = clock_ticks(&p->clock);
            if (p->rank == 0)
                word_add_acq_rel(word, 1);
            ns += clock_ns(&p->clock, clock_ticks(&p->clock) - start) - p->clock_read_ns;
            err = err ? err : probe_barrier(p);
        }
        samples_ns[r] = ns / ADDS;
    }
    return err;
}

int probe_deadline(struct probe *p, double *samples_ns, uint32_t count)
{
    int err = 0;
    for (uint32_t r = 0; r < count && !err; r++) {
        uint64_t start;
        err = start_together(p, &start);
        samples_ns[r] = clock_ns(&p->clock, clock_ticks(&p->clock) - start);
    }
    return err;
}

/* A buffer of the pool whose pages are touched and whose lines are in no cache. */
static unsigned char *cold_buffer(struct probe *p, uint64_t bytes)
{
    unsigned char *buffer = pool_next(p->pool, bytes);
    pool_chill(p->pool, buffer, bytes);
    return buffer;
}

int probe_copy_cold(struct probe *p, int routine, uint64_t bytes, double *samples_ns, uint32_t count)
{
    int err = 0;
    for (uint32_t r = 0; r < count && !err; r++) {
        if (p->rank == 0) {
            unsigned char *from = cold_buffer(p, bytes), *to = cold_buffer(p, bytes);
            uint64_t start = clock_ticks(&p->clock);
            copy_bytes((enum copy_routine)routine, to, from, bytes);
            copy_fence((enum copy_routine)routine);
            samples_ns[r] = clock_ns(&p->clock, clock_ticks(&p->clock) - start);
        }
        err = probe_barrier(p);
    }
    return err;
}

static int peer_read(pid_t pid, uint64_t address, void *to, size_t bytes)
{
    struct iovec here = {to, bytes}, there = {(void *)(uintptr_t)address, bytes};
    ssize_t got = process_vm_readv(pid, &here, 1, &there, 1, 0);
    return got < 0 ? -errno : (size_t)got == bytes ? 0 : -EFAULT;
}

int probe_peer_read(struct probe *p, uint64_t bytes, double *samples_ns, uint32_t count)
{
    double both[2] = {NAN, NAN};
    int err = p->procs < 2 ? -ENOTSUP : 0;
    for (uint32_t r = 0; r < count && !err; r++) {
        double ns = 0; /* below it: an error, the same for both */
        unsigned char *buffer = cold_buffer(p, bytes);
        if (p->rank == 0) {
            p->shared->peer_address = (uint64_t)(uintptr_t)buffer;
            p->shared->peer_pid = getpid();
        }
        err = probe_barrier(p);
        if (!err && p->rank == 1) {
            uint64_t start = clock_ticks(&p->clock);
            int refused = p->shared->peer_pid == getpid()
                              ? -ENOTSUP
                              : peer_read((pid_t)p->shared->peer_pid, p->shared->peer_address, buffer, bytes);
            ns = refused ? refused : clock_ns(&p->clock, clock_ticks(&p->clock) - start) - p->clock_read_ns;
        }
        if (!err)
            err = exchange(p, ns, both);
        if (!err && both[1] < 0)
            err = (int)both[1];
        samples_ns[r] = both[1];
    }
    return err;
}

int probe_copy_shared(struct probe *p, int routine, uint64_t bytes, double *samples_ns, uint32_t count)
{
    uint64_t part = bytes / p->procs + (p->rank < bytes % p->procs);
    int err = 0;
    for (uint32_t r = 0; r < count && !err; r++) {
        unsigned char *from = cold_buffer(p, part), *to = cold_buffer(p, part);
        uint64_t start;
        err = start_together(p, &start);
        copy_bytes((enum copy_routine)routine, to, from, part);
        copy_fence((enum copy_routine)routine);
        double ns = clock_ns(&p->clock, clock_ticks(&p->clock) - start);
        if (p->rank < 64)
            p->shared->result_ns[p->rank] = ns;
        err = err ? err : probe_barrier(p);
        for (uint32_t i = 0; i < p->procs && i < 64; i++)
            ns = p->shared->result_ns[i] > ns ? p->shared->result_ns[i] : ns;
        samples_ns[r] = ns;
        err = err ? err : probe_barrier(p);
    }
    return err;
}

/* Copies of `count` fragments from fragment `first` on by the rank whose turn it is; returns their time. */
static double group_copy_ns(struct probe *p, const struct probe_queue *q, unsigned char *user, uint64_t first, uint64_t count,
                            int routine)
{
    uint64_t slots = q->queue_bytes > q->fragment_bytes ? q->queue_bytes / q->fragment_bytes : 1;
    uint64_t start = clock_ticks(&p->clock);
    for (uint64_t k = first; k < first + count; k++) {
        uint64_t offset = k * q->fragment_bytes, left = q->message_bytes - offset;
        uint64_t bytes = left < q->fragment_bytes ? left : q->fragment_bytes;
        unsigned char *slot = p->shared->queue + k % slots * q->fragment_bytes;
        if (p->rank == 0)
            copy_bytes(COPY_MEMCPY, slot, user + offset, bytes);
        else
            copy_bytes((enum copy_routine)routine, user + offset, slot, bytes);
    }
    return clock_ns(&p->clock, clock_ticks(&p->clock) - start) - p->clock_read_ns;
}

/* Fragments between two meetings: one if it is large. Small ones go in groups, because a stream that stops after
 * every fragment loses what the prefetcher has learnt, and a pipeline does not stop. The queue holds two groups. */
static uint64_t group_fragments(const struct probe_queue *q, uint64_t count)
{
    uint64_t group = GROUP_BYTES / q->fragment_bytes, room = q->queue_bytes / q->fragment_bytes / 2;
    group = group < room ? group : room;
    group = group < count / 4 ? group : count / 4;
    return group > 0 ? group : 1;
}

/* One message in lockstep; returns the mean time of this rank's copies. */
static int queue_message(struct probe *p, const struct probe_queue *q, unsigned char *user, double *mean_ns)
{
    uint64_t count = (q->message_bytes + q->fragment_bytes - 1) / q->fragment_bytes;
    uint64_t group = group_fragments(q, count), lag = q->beside ? group : 0;
    int routine = (int)copy_routine_choose(q->message_bytes, p->llc_bytes, p->procs);
    double ns = 0;
    int err = 0;
    for (uint64_t k = 0; k < count + lag && !err; k += group) {
        if (p->rank == 0 && k < count)
            ns += group_copy_ns(p, q, user, k, count - k < group ? count - k : group, routine);
        if (!lag)
            err = probe_barrier(p);
        if (p->rank == 1 && k >= lag)
            ns += group_copy_ns(p, q, user, k - lag, count - (k - lag) < group ? count - (k - lag) : group, routine);
        if (!err)
            err = probe_barrier(p);
    }
    *mean_ns = ns / (double)count;
    return err;
}

int probe_queue_copies(struct probe *p, const struct probe_queue *q, double *in_ns, double *out_ns, uint32_t count)
{
    if (p->procs != 2 || q->fragment_bytes == 0 || q->message_bytes == 0 || q->queue_bytes > p->queue_bytes ||
        q->fragment_bytes > p->queue_bytes)
        return -EINVAL;
    unsigned char *user = pool_next(p->pool, q->message_bytes);
    int err = 0;
    for (uint32_t r = 0; r < count && !err; r++) {
        double mean_ns = 0, both[2];
        uint64_t start;
        if (q->buffers == PROBE_COLD)
            user = cold_buffer(p, q->message_bytes);
        else if (p->rank < 2)
            memset(user, (int)r, q->message_bytes);
        err = start_together(p, &start);
        if (!err)
            err = queue_message(p, q, user, &mean_ns);
        if (!err)
            err = exchange(p, mean_ns, both);
        if (!err) {
            in_ns[r] = both[0];
            out_ns[r] = both[1];
        }
    }
    return err;
}
