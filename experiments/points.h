/* Independent points of a grid evaluated by several processes beside each other; their rows come back in order.
 *
 * A process takes every so many-th point, so that nothing but rows passes between them. What a process cannot do it leaves: the
 * caller evaluates that point itself, and so it is the caller who tells what is wrong, once. Processes end with the caller. */
#ifndef SHMCOLL_EXPERIMENTS_POINTS_H
#define SHMCOLL_EXPERIMENTS_POINTS_H

#include "experiments/rows.h"

#include <sys/types.h>

enum { POINTS_JOBS_MAX = 256 };

struct points {
    uint32_t jobs; /* processes; 0: none, everything is left to the caller */
    pid_t pid[POINTS_JOBS_MAX];
    int from[POINTS_JOBS_MAX]; /* rows of point i come from from[i % jobs] */
};

/* Fills the row of a point. 0, or an exit code after telling why. */
typedef int points_evaluate(void *context, size_t point, struct row *row);

/* No thread may run, and no more than `count` processes are started. Those that cannot be are done without. */
void points_begin(struct points *points, uint32_t jobs, size_t count, points_evaluate *evaluate, void *context);
/* Rows of points 0, 1, 2 and so on, one a call. 0, or -ENODATA if it is left to the caller. */
int points_next(struct points *points, size_t point, struct row *row);
void points_end(struct points *points);

/* As many processes as there are processors for them. */
uint32_t points_jobs_default(void);

#endif
