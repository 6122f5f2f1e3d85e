/* Ranks of a GOAL program whose copies, and NICs whose reads and writes, share the memory of their node (sim_memories.h), as
 * those of a schedule do (sim_cluster_copies.c); for goal_run.c.
 *
 * When a copy ends is not known before. So long its processor is free at GOAL_COPYING_PS, and tasks that want it wait in that
 * order. */
#ifndef SHMCOLL_SIM_GOAL_COPIES_H
#define SHMCOLL_SIM_GOAL_COPIES_H

#include "sim/sim_cluster.h"
#include "sim/sim_memories.h"

struct goal_state;

#define GOAL_COPYING_PS UINT64_MAX

struct goal_copier {
    uint32_t task, class_id;
    uint32_t first, last;  /* of the tasks that wait; GOAL_ANY: none */
    uint64_t begin_ps, alone_ps;
    uint64_t tail_ps;      /* of a send: from its end until the receiver can have all */
    uint64_t copied_ps;    /* of a receive that awaits its sender's end: since then it has what there was */
    int awaits;
};

struct goal_copies {
    struct sim_memories *memories; /* NULL: none are shared, and none of this is used */
    struct goal_copier *cpu;       /* [ranks * cpus] */
    uint32_t *other;               /* [tasks] of a matched send who receives, of a receive who sends; GOAL_ANY */
    uint32_t *next;                /* [tasks] that wait for a processor */
};

/* Memories, which are reset, are borrowed. 0 or -ENOMEM; destroy after either. */
int goal_copies_create(struct goal_copies *out, struct sim_memories *memories, size_t cpus, uint32_t tasks);
void goal_copies_destroy(struct goal_copies *copies);

/* What follows: 0, -ENOMEM, or -EOVERFLOW of what alone takes longer than two minutes. */

/* Its processor begins then to copy a message that it sends within the node, or one that it receives, as it comes. */
int goal_copies_send(struct goal_state *run, uint32_t task, const struct sim_cluster_cost *cost, uint64_t begin_ps);
int goal_copies_receive(struct goal_state *run, uint32_t task, const struct sim_cluster_cost *cost, uint64_t begin_ps);
/* The task is put behind those that wait for its processor. */
void goal_copies_wait(struct goal_state *run, uint32_t task);
/* The message has passed a link: if a NIC's, memory is read or written meanwhile. */
int goal_copies_nic(struct goal_state *run, uint32_t place, const struct sim_fabric_crossing *crossing);
/* An event of this file's kinds; and after every event. */
int goal_copies_event(struct goal_state *run, const struct sim_radix_event *event);
int goal_copies_settle(struct goal_state *run, uint64_t now_ps);

#endif
