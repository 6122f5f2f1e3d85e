/* What a GOAL program that runs has: for goal_run.c. */
#ifndef SHMCOLL_SIM_GOAL_STATE_H
#define SHMCOLL_SIM_GOAL_STATE_H

#include "sim/goal_copies.h"
#include "sim/goal_flight.h"
#include "sim/goal_match.h"
#include "sim/goal_run.h"
#include "sim/sim_radix.h"

/* Events of tasks, and of messages by their place in flight. Targets from SIM_CLUSTER_MEMORY_TARGETS on are memories'. */
enum goal_event_kind {
    GOAL_READY,     /* a task may begin */
    GOAL_ARRIVE,    /* the first byte of a send's message */
    GOAL_TAKE,      /* a receive wants its processor */
    GOAL_COPY,      /* a task's processor begins to copy */
    GOAL_CROSS,     /* a message has come to a link */
    GOAL_NIC_READS, /* it from memory, */
    GOAL_NIC_WRITES /* to memory */
};

struct goal_state {
    const struct goal_program *program;
    const struct goal_network *joined;
    const struct loggp *network; /* of it */
    struct sim_radix queue;
    struct goal_match match;
    struct goal_flight flight;
    struct goal_copies copies;
    uint32_t *rank_of;  /* [tasks] */
    uint32_t *waits;    /* [tasks] needs not yet fulfilled */
    /* [tasks] when it gets ready; of a begun send when its first byte arrives, unless links are shared; of a begun
     * receive when it was posted */
    uint64_t *stamp_ps;
    uint64_t *receive_ps; /* [tasks] of a matched receive, its processor's work; NULL: of all the overhead */
    uint64_t *cpu_ps;   /* [ranks * cpus] when it is free, as the next two; GOAL_COPYING_PS */
    uint64_t *out_ps;   /* [ranks * nics] */
    uint64_t *in_ps;    /* [ranks * nics] */
    uint32_t ended;
    uint32_t too_small, too_large; /* the receive and the send that do not fit */
    struct goal_outcome out;
};

/* The program is set. 0 or -ENOMEM; destroy after either. */
int goal_state_create(struct goal_state *run, const struct goal_network *network, int want_times);
void goal_state_destroy(struct goal_state *run);

static inline const struct goal_step *goal_step_of(const struct goal_state *run, uint32_t task)
{
    return goal_program_step(run->program, run->rank_of[task], task);
}

static inline uint32_t goal_peer_of(const struct goal_state *run, uint32_t task)
{
    return goal_program_peer(run->program, run->rank_of[task], task);
}

/* Its processor, of all ranks', and when that is free. */
static inline size_t goal_cpu_number(const struct goal_state *run, uint32_t task)
{
    return (size_t)run->rank_of[task] * run->program->cpus + goal_step_of(run, task)->cpu;
}

static inline uint64_t *goal_cpu_of(struct goal_state *run, uint32_t task)
{
    return &run->cpu_ps[goal_cpu_number(run, task)];
}

/* Its message passes no NIC. */
static inline int goal_is_inside(const struct goal_state *run, uint32_t send)
{
    return goal_network_inside(run->joined, run->rank_of[send], goal_peer_of(run, send));
}

static inline int goal_inside_cost(const struct goal_state *run, uint32_t send, struct sim_cluster_cost *out)
{
    uint32_t from = run->rank_of[send], to = goal_peer_of(run, send);
    return run->joined->inside(run->joined->context, from, to, goal_step_of(run, send)->size, out);
}

/* What the processor of a matched receive has to do. */
static inline uint64_t goal_receive_ps(const struct goal_state *run, uint32_t receive)
{
    return run->receive_ps ? run->receive_ps[receive] : run->network->overhead_ps;
}

/* goal_spent.c: where the time of processors goes, if somebody wants to know. */

/* A processor goes on with a task that it could have had from ready_ps on, and a NIC from begin_ps on. */
void goal_spend(struct goal_state *run, uint32_t task, uint64_t ready_ps, uint64_t begin_ps, uint64_t busy_ps);
/* A message has come in at now_ps, or has lain there until its receive was posted then. */
void goal_spend_on_message(struct goal_state *run, uint32_t task, uint64_t now_ps);
/* Tells the sink: a processor works on a task from begin_ps until it is free; of a message with whom. What slowed it stands
 * before its work. */
void goal_show(struct goal_state *run, uint32_t task, const char *what, uint32_t peer, uint64_t bytes, uint64_t begin_ps,
               uint64_t slowed_ps);

/* goal_run.c, for goal_copies.c; 0 or an error of goal_run_over(). */

/* Its processor has copied until then what alone takes so long, and is free. */
int goal_run_copied(struct goal_state *run, uint32_t task, uint64_t begin_ps, uint64_t alone_ps, uint64_t end_ps);
/* The task has its turn on its processor, which is not copying. */
int goal_run_work(struct goal_state *run, uint32_t task, uint64_t now_ps);
/* All bytes of a matched message are there. */
int goal_run_take(struct goal_state *run, uint32_t send, uint32_t receive);

#endif
