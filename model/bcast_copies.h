/* What the copies of a broadcast cost on a node: residency, distance and what they share.
 *
 * Cold user memory lies in its domain's memory, warm memory in its core's cache while all ranks' buffers fit there; the queue
 * is in a cache while the part of it in use fits one. A side in memory loads its controller: a byte read is a third of a copy,
 * a byte written two thirds, as its line is fetched first; what it can give depends on how many ranks ask. The part of a copy
 * that lies on another domain goes at remote_ratio. A slot crosses to another socket once for each last-level cache that
 * reads it. Where the node gives start and rate only, the last line is as long on its way as the first: stores after it wait. */
#ifndef SHMCOLL_MODEL_BCAST_COPIES_H
#define SHMCOLL_MODEL_BCAST_COPIES_H

#include "model/scenario.h"

/* Seconds for one fragment of one size, with the step that begins it. `near` ranks share the root's domain. */
struct bcast_copies {
    double in_alone_s, in_beside_s;     /* beside: while a reader on the root's domain copies out */
    double near_alone_s, near_beside_s; /* copy-out on the root's domain */
    double far_s;                       /* copy-out elsewhere; the slowest if user buffers are not all at home */
    double in_tail_s, out_tail_s;       /* from the end of a copy until a store or decrement after it can be seen */
    double in_ahead_s, out_ahead_s;     /* the first part of a copy, which fits a core's store buffer */
    double out_floor_s;                 /* what controllers and links need if only readers copy */
    double all_floor_s;                 /* and if the root copies in at the same time */
};

/* 0; -ENOTSUP with one line in `reason` if the node does not know such copies. O(procs * domains). */
int bcast_copies_of(const struct scenario *scenario, uint64_t bytes, struct bcast_copies *out, char *reason, size_t reason_bytes);

#endif
