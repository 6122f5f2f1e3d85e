/* LogGP: what messages cost that share no link with others (Alexandrov et al. 1995), in integer picoseconds.
 *
 * Sending keeps a rank busy for o. L later the first byte is at the receiver, and the others follow, G apart. Taking the message
 * in keeps the receiver busy for another o, once the last byte has come. The port of a rank that sends is ready for the next
 * message g after the last byte of this one, and the port that receives a receiver gap after it; sends and receives do not
 * hinder each other. Receptions are in the order in which the rank asks for them, so that times depend on who waits
 * for whom alone, and not on who is simulated first.
 *
 * A message alone takes 2o + L + (bytes - 1)G. All functions are pure. */
#ifndef SHMCOLL_MODEL_LOGGP_H
#define SHMCOLL_MODEL_LOGGP_H

#include "model/schedule.h"

#include <stdint.h>

struct loggp {
    uint64_t latency_ps;      /* L */
    uint64_t overhead_ps;     /* o, at each end */
    uint64_t gap_ps;          /* g, of a sending port */
    uint64_t receiver_gap_ps; /* of a receiving port */
    uint64_t byte_fs;         /* G: femtoseconds a byte */
};

/* Where a rank is: when its core, the port it sends by and the port it receives by are free. */
struct loggp_rank {
    uint64_t free_ps, out_ps, in_ps;
};

static inline uint64_t loggp_later_ps(uint64_t a_ps, uint64_t b_ps)
{
    return a_ps > b_ps ? a_ps : b_ps;
}

/* From the first byte to the last, to the nearest picosecond. In two parts, so that no product overflows. */
static inline uint64_t loggp_stream_ps(const struct loggp *p, uint64_t bytes)
{
    uint64_t after_first = bytes > 1 ? bytes - 1 : 0;
    return after_first / 1000 * p->byte_fs + (after_first % 1000 * p->byte_fs + 500) / 1000;
}

/* When the core begins to send, then. */
static inline uint64_t loggp_send_ps(const struct loggp_rank *rank)
{
    return loggp_later_ps(rank->free_ps, rank->out_ps);
}

/* Sends as soon as it can; returns when the first byte is at the receiver. */
static inline uint64_t loggp_send(const struct loggp *p, struct loggp_rank *rank, uint64_t bytes)
{
    uint64_t start_ps = loggp_send_ps(rank);
    rank->free_ps = start_ps + p->overhead_ps;
    rank->out_ps = start_ps + p->gap_ps + loggp_stream_ps(p, bytes);
    return rank->free_ps + p->latency_ps;
}

/* Waits for the message and takes it in. */
static inline void loggp_receive(const struct loggp *p, struct loggp_rank *rank, uint64_t first_byte_ps, uint64_t bytes)
{
    uint64_t last_byte_ps = loggp_later_ps(first_byte_ps, rank->in_ps) + loggp_stream_ps(p, bytes);
    rank->in_ps = last_byte_ps + p->receiver_gap_ps;
    rank->free_ps = loggp_later_ps(rank->free_ps, last_byte_ps) + p->overhead_ps;
}

/* Whether a schedule in which no message has more than `bytes` stays within 2^62 ps, 53 days. */
int loggp_fits(const struct loggp *p, const struct schedule *schedule, uint64_t bytes);

/* Closed form: ring, recursive_doubling and bruck (block_bytes: of each rank), binomial broadcast (block_bytes: the message),
 * of ranks that begin together. O(log procs).
 *   out  picoseconds until the last rank ends; set only on success
 * Returns 0; -ENOTSUP if there is no form for this schedule; -EOVERFLOW if the time does not fit. */
int loggp_schedule_ps(const struct loggp *p, const struct schedule *schedule, uint64_t block_bytes, uint64_t *out);

#endif
