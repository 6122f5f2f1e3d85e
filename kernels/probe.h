/* Probes: what the primitives cost on these cores, measured in one place.
 *
 * Every function is called by all ranks of the probe at the same time, each with its own
 * `struct probe`; samples are set on rank 0 alone. The limits that `run` reports and the numbers that
 * `calibrate` writes come from here; no collective code is involved. Pair probes use ranks 0 and 1,
 * the others wait. Times are nanoseconds. */
#ifndef SHMCOLL_KERNELS_PROBE_H
#define SHMCOLL_KERNELS_PROBE_H

#include "kernels/clock.h"
#include "kernels/pool.h"
#include "kernels/wait.h"

enum { PROBE_LINES = 32 };

/* Zeroed memory shared by the ranks; line-separated. The queue follows behind it. */
struct probe_shared {
    _Alignas(128) atomic_word arrived;
    _Alignas(128) atomic_word released;
    struct {
        _Alignas(128) atomic_word word;
    } line[2][PROBE_LINES];
    _Alignas(128) uint64_t deadline_ticks;
    uint64_t peer_address;
    int64_t peer_pid;
    _Alignas(128) double result_ns[64];
    _Alignas(4096) unsigned char queue[];
};

struct probe {
    uint32_t rank, procs;
    struct probe_shared *shared;
    size_t queue_bytes; /* of shared->queue */
    struct clock clock;
    struct waiter *waiter;
    struct pool *pool; /* the rank's own */
    uint64_t llc_bytes;
    double clock_read_ns; /* probe_clock_read_ns, taken off short intervals */
    uint32_t turn;        /* barriers so far; starts at 0 on every rank */
};

/* Whether message buffers are cold, as after pool_chill, or in the rank's own cache. */
enum probe_buffers { PROBE_COLD, PROBE_WARM };

/* A queue copied into by rank 0 and out of by rank 1 in lockstep, large fragments one by one, small ones in groups. */
struct probe_queue {
    uint64_t message_bytes, fragment_bytes, queue_bytes;
    enum probe_buffers buffers;
    int beside; /* 1: the reader copies a group out while the writer copies the next one in; 0: one after the other */
};

/* What two readings of the clock in a row differ by at least. */
double probe_clock_read_ns(const struct clock *clock);

/* Meets all ranks. */
int probe_barrier(struct probe *probe);

/* A quick hand-over, the same figure on all ranks: tells whether the host is still the one it was. Virtual cores
 * move between caches, and with them every cost; what was measured in one state says nothing about another. */
int probe_state(struct probe *probe, double *handover_ns);
/* Whether two hand-overs were measured in the same state. */
int probe_state_same(double a_ns, double b_ns);
/* One way of a store/poll ping-pong with `lines` lines stored in each direction, the last one polled first: the price of more
 * stores. */
int probe_handover_lines(struct probe *probe, uint32_t lines, double *samples_ns, uint32_t count);
/* Atomic addition to a line in the own cache, and to one the other rank wrote last. */
int probe_atomic(struct probe *probe, int remote, double *samples_ns, uint32_t count);
/* From an agreed deadline to the first clock reading after it: part of every timed call. */
int probe_deadline(struct probe *probe, double *samples_ns, uint32_t count);
/* Rank 0 alone copies a cold message to a cold buffer with one routine (enum copy_routine). */
int probe_copy_cold(struct probe *probe, int routine, uint64_t message_bytes, double *samples_ns, uint32_t count);
/* Rank 1 reads a cold message of rank 0's private memory into a cold buffer through the kernel, in one call.
 * -EPERM, -ENOSYS, ... where the kernel refuses; -ENOTSUP where the ranks are threads of one process. */
int probe_peer_read(struct probe *probe, uint64_t message_bytes, double *samples_ns, uint32_t count);
/* All ranks copy disjoint parts of one message at once; the last end counts. */
int probe_copy_shared(struct probe *probe, int routine, uint64_t message_bytes, double *samples_ns, uint32_t count);
/* Mean time of one copy-in and one copy-out within a message, per repetition. */
int probe_queue_copies(struct probe *probe, const struct probe_queue *queue, double *in_ns, double *out_ns, uint32_t count);

#endif
