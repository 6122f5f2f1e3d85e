/* Whether long messages are copied out past the caches, learnt from the calls themselves.
 *
 * What memcpy does at a length is the cpu's affair, and may change by itself: on Zen 5 its string instruction (rep movsb) reads
 * lines that another core wrote at 1.2 times the rate of non-temporal copies for some seconds, and then at 0.6 times for as long.
 * No calibration foresees that; a reader's own calls tell. Whole calls, because one rank's stores to memory slow the others'
 * copies, which the time of a single copy does not show. Each rank decides for itself: how bytes move is nobody else's business.
 * Not shared between threads. */
#ifndef SHMCOLL_KERNELS_COPY_WATCH_H
#define SHMCOLL_KERNELS_COPY_WATCH_H

#include "kernels/copy.h"

enum { COPY_WATCH_KEPT = 8 };

/* All zero to begin with. */
struct copy_watch {
    double ns_per_byte[COPY_ROUTINE_COUNT][COPY_WATCH_KEPT]; /* of the last calls by each routine; 0: none yet */
    uint32_t done[COPY_ROUTINE_COUNT], calls;
};

/* The routine for the next call: the one that was lately faster, now and then the other. */
enum copy_routine copy_watch_next(struct copy_watch *watch);
/* What a call by that routine took. */
void copy_watch_learn(struct copy_watch *watch, enum copy_routine routine, double ns_per_byte);

#endif
