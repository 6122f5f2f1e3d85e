/* Executes step programs in simulated time: every rank its own, on the words and costs of one node.
 *
 * A rank is in one step at a time. A wait that is not satisfied parks the rank on its word until a store
 * satisfies it; every other step ends at a time known when it begins, or when its copy has had
 * its share of the node's bandwidth. The struct owns its arrays; one thread at a time. */
#ifndef SHMCOLL_SIM_EXECUTE_H
#define SHMCOLL_SIM_EXECUTE_H

#include "model/scenario.h"
#include "sim/sim_copy.h"
#include "sim/sim_cores.h"
#include "sim/sim_costs.h"
#include "sim/sim_queue.h"
#include "sim/sim_words.h"

/* What a rank does when its time comes. */
enum sim_phase {
    SIM_NEXT,   /* its step is over: ask the program for another */
    SIM_PARKED, /* waits on a word */
    SIM_STORE,  /* its store becomes visible */
    SIM_ADD,    /* its addition becomes visible */
    SIM_COPY,   /* the first byte of its copy moves */
    SIM_COPYING,
    SIM_WAITED, /* what it waits for came while others had its core: it has yet to see it */
    SIM_OVER,
};

struct sim_rank {
    struct bcast_call call;
    struct cursor cursor;
    struct step step;
    uint32_t phase, seen;
    uint64_t start_ps;                    /* of the current step */
    uint64_t drain_ps;                    /* a further store cannot leave before, but to the line it is about */
    size_t drain_word;                    /* that line's */
    uint64_t stored_ps;                   /* its last store leaves the store buffer */
    uint64_t lag_ps;                      /* how long its last stores in a row have waited for that; the core has not */
    uint64_t poll_ps, poll_asked_ps;      /* parked: its last load of the word ends; it asks for the next */
    struct sim_copy copy;                 /* being prepared or under way */
    uint64_t copy_ps, wait_ps, notify_ps; /* sums */
    uint64_t own_ps;                      /* from the agreed starts to its ends, a sum too */
    uint64_t random;
};

struct sim {
    const struct scenario *scenario;
    const struct protocol *protocol;
    struct tree tree;
    struct sim_costs costs;
    struct sim_copies copies; /* described nodes */
    struct sim_words words;
    struct sim_queue queue;
    struct sim_cores cores;
    uint32_t idle_turns; /* of cores, since a rank did something */
    struct sim_rank *rank; /* [procs] */
    uint32_t *others;      /* [rank*(procs - 1)] allgather: in this order each reads the others; NULL: from the next one on */
    struct trace_sink *sink;
    uint64_t base_ps, now_ps, end_ps; /* the agreed start, the present, the end of the last rank so far */
    uint64_t ends_ps;                 /* sum over ranks of the time from the agreed start to their end */
    uint64_t messages;
    uint32_t procs, running;
};

/* Everything for calls of this scenario. 0; -ENOMEM; -ENOTSUP, with a line in `reason`. */
int sim_create(struct sim *sim, const struct scenario *scenario, char *reason, size_t reason_bytes);
void sim_destroy(struct sim *sim);

/* One call (of a broadcast with this root), begun when the previous one has ended everywhere; `sink` may be NULL. Sets
 * *time_ps: the last end minus the agreed start. 0; -ENOMEM; -EPROTO if the program found a fault or stopped for ever. */
int sim_call(struct sim *sim, uint32_t root, struct trace_sink *sink, uint64_t *time_ps, char *reason, size_t reason_bytes);

#endif
