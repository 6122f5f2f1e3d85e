/* What the copies of a broadcast cost on a node: residency, distance and what they share.
 *
 * Cold user memory lies in its domain's memory, warm memory in its core's cache while all ranks' buffers fit there; the queue
 * is in a cache while the part of it in use fits one. A side in memory loads its controller: a byte read is a third of a copy,
 * a byte written two thirds, as its line is fetched first. A slot crosses to another socket once for each last-level
 * cache that reads it. */
#ifndef SHMCOLL_MODEL_BCAST_COPIES_H
#define SHMCOLL_MODEL_BCAST_COPIES_H

#include "model/scenario.h"

/* Seconds for one fragment of one size. `near` ranks share the root's domain. */
struct bcast_copies {
    double in_alone_s, in_beside_s;     /* beside: while a reader on the root's domain copies out */
    double near_alone_s, near_beside_s; /* copy-out on the root's domain */
    double far_s;                       /* copy-out elsewhere */
    double out_floor_s;                 /* what controllers and links need if only readers copy */
    double all_floor_s;                 /* and if the root copies in at the same time */
};

/* 0; -ENOTSUP with one line in `reason` if the node does not know such copies. O(procs * domains). */
int bcast_copies_of(const struct scenario *scenario, uint64_t bytes, struct bcast_copies *out, char *reason, size_t reason_bytes);

#endif
