/* Within partition/: better cuts by exchanging vertices between two parts at a time, as Kernighan and Lin do: the pair that gains
 * most, or loses least, changes sides, then the next of those that have not yet, and what is kept is the best point on the way.
 * Sizes never change, the cut never rises.
 *
 * All pairs of parts that exchange anything are visited, again while either changes, until none gains or so many ends of edges
 * were looked at as a fixed budget allows: the answer depends on nothing but the question.
 * 0 or -ENOMEM. */
#ifndef SHMCOLL_PARTITION_REFINE_H
#define SHMCOLL_PARTITION_REFINE_H

#include "partition/partitioner.h"

int partition_refine(const struct partition_problem *problem, uint32_t *part);

/* How far two different parts are from each other, beyond how far a part's members are: what an edge between them counts. */
struct refine_metric {
    int64_t (*distance)(const void *context, uint32_t p, uint32_t q);
    const void *context;
};

/* The same from many starts, which keeps its memory between them. `metric` NULL: all parts are 1 apart, and what falls is the
 * cut. The problem is borrowed. `out` is set only on success; 0 or -ENOMEM. */
struct refine;
int refine_create(struct refine **out, const struct partition_problem *problem, const struct refine_metric *metric);
/* `budget`: ends of edges to look at, lowered by those that were. Returns by how much the cut has fallen. */
uint64_t refine_run(struct refine *refine, uint32_t *part, uint64_t *budget);
void refine_destroy(struct refine *refine);

#endif
