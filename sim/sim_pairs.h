/* A broadcast of a long message down a tree between processes of one node, edge by edge, as MPI libraries send it; short ones are
 * sim_calls.
 *
 * A rank posts all its sends one after the other and has ended when they have. The receiver copies from the sender's memory, with
 * the kernel's help: the sender is busy until that has ended. Copies from different ranks do not hinder each other. Those who
 * copy from one rank at the same time do: the kernel pins each page under a lock of the process it belongs to, so that for
 * every page each waits until all of them have had the lock. Whoever gets it fetches two lines from who had it last, the lock's
 * and that of the page's count of users; of more than two, those who wait do so in a queue, whose line moves too.
 * Costs are by pair of ranks and for one size. Integer picoseconds; nothing is shared between calls. */
#ifndef SHMCOLL_SIM_PAIRS_H
#define SHMCOLL_SIM_PAIRS_H

#include "model/schedule.h"

#include <stddef.h>
#include <stdint.h>

struct sim_pair {
    uint64_t send_ps;  /* the sender's core is busy */
    uint64_t begin_ps; /* from the begin of that to the first byte's way */
    uint64_t bytes_ps; /* from there until the receiver has the message, if it is the only one who copies from there */
};

struct sim_pairs_question {
    const struct schedule *schedule; /* each rank but the root receives once, first */
    const struct sim_pair *pair;     /* [from*procs + to] */
    const uint64_t *line_ps;         /* [a*procs + b] what one of two ranks waits for a line that the other had; symmetric */
    uint32_t pages;                  /* of the message */
};

struct sim_pairs_answer {
    uint64_t time_ps;   /* the last rank's end; all begin at 0 */
    double time_mean_ps; /* over ranks */
};

/* 0; -ENOTSUP if the schedule is no tree, with one line in `reason`; -ENOMEM. */
int sim_pairs_run(const struct sim_pairs_question *question, struct sim_pairs_answer *out, char *reason, size_t reason_bytes);

#endif
