/* Where the time of every rank went, as csv: rank, busy_s, copy_s, wait_s, network_s, contention_s, end_s. A cell is empty where
 * a simulation does not tell it: on a node contention is in the copies, a network knows no copies, its channels no contention.
 * Busy is what a core does beside copying: words and lines on a node; on a network messages' overheads, and calculations.
 *
 * The sink, handed to the evaluator, adds up its steps. */
#ifndef SHMCOLL_EXPERIMENTS_PER_RANK_H
#define SHMCOLL_EXPERIMENTS_PER_RANK_H

#include "model/scenario.h"

struct per_rank_times {
    double busy_s, copy_s, wait_s, network_s, contention_s, end_s; /* NAN: not told */
};

struct per_rank {
    struct trace_sink sink;
    struct trace_sink *next; /* gets every step as well, if not NULL */
    struct per_rank_times *times; /* [procs] */
    uint32_t procs;
};

/* All times 0, those of a network as given. 0 or -ENOMEM. */
int per_rank_create(struct per_rank *out, uint32_t procs, double copy_s, double network_s);
void per_rank_destroy(struct per_rank *per_rank);
/* 0, or an exit code after telling why. */
int per_rank_write(const struct per_rank *per_rank, const char *path);

#endif
