/* A benchmark's loop between processes of one node: a broadcast down a tree, then a barrier, again and again, by short messages.
 *
 * What a rank's broadcast takes, from its own call of it to its own end, depends on when the barrier let it go: a receiver that
 * comes early waits. So the loop is run, barrier and all, until it repeats itself. A message costs its sender, then its way, and
 * its receiver from when that awaits it. Each rank has one queue for all that send to it, as UCX has between processes: who
 * is not the last to have sent there fetches that queue's line from who was.
 *
 * The barrier is that of Open MPI 4.1: of 4 to 7 ranks all tell rank 0, who tells all; of others recursive doubling, where ranks
 * beyond a power of two tell one below, who tells them at last and waits until that is confirmed. Integer picoseconds; nothing
 * is shared between calls. */
#ifndef SHMCOLL_SIM_CALLS_H
#define SHMCOLL_SIM_CALLS_H

#include "model/schedule.h"

#include <stddef.h>
#include <stdint.h>

enum { SIM_CALLS_PROCS_MAX = 63 /* its barrier of more is another one */ };

struct sim_call_cost {
    uint64_t send_ps;    /* the sender's core is busy */
    uint64_t way_ps;     /* from there until the receiver can see it */
    uint64_t receive_ps; /* the receiver's core is busy */
};

struct sim_calls_question {
    const struct schedule *schedule;     /* each rank but the root receives once, first */
    const struct sim_call_cost *message; /* [from*procs + to] of the broadcast */
    const struct sim_call_cost *empty;   /* of the barrier */
    const uint64_t *line_ps;             /* [last*procs + sender] to fetch a queue's line */
    uint64_t enter_ps;                   /* of a call of the broadcast, before it does anything */
    uint32_t calls, skipped;             /* calls > skipped, which are not counted */
};

struct sim_calls_answer {
    double time_mean_ps; /* over ranks and calls that count */
    double time_most_ps; /* of the rank with the longest calls, over calls */
};

/* 0; -ENOTSUP if the schedule is no tree or has too many ranks, with one line in `reason`; -ENOMEM. */
int sim_calls_run(const struct sim_calls_question *question, struct sim_calls_answer *out, char *reason, size_t reason_bytes);

#endif
