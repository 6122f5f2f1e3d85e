/* The memories of a cluster's nodes, which copies by cores and what NICs read and write share (sim_memory.h).
 *
 * All nodes are alike and share nothing: each has its own controllers and links, made when somebody first uses them. Classes of
 * flows have one number on all nodes. A flow has an owner, a number that means something to the caller. Who has the events calls
 *     sim_memories_begin(...)                        when something begins to move
 *     sim_memories_settle(...)                       before time goes on from an instant at which anything began or ended
 *     sim_memories_end(...) until SIM_MEMORIES_NONE  at an event whose target is base_target or more
 * For one thread. */
#ifndef SHMCOLL_SIM_MEMORIES_H
#define SHMCOLL_SIM_MEMORIES_H

#include "sim/sim_memory.h"
#include "sim/sim_radix.h"

#define SIM_MEMORIES_NONE UINT32_MAX

struct sim_memories_node {
    struct sim_bandwidth bandwidth; /* without a plan: nobody has used it yet */
    uint32_t *owner;                /* [flows] of a free one the next that is free */
    uint32_t spare;
};

struct sim_memories {
    const struct node *node;
    struct sim_memory shape;      /* what resources a copy uses, and all classes: the plan of all nodes */
    struct sim_memories_node *at; /* [nodes] */
    uint32_t nodes, base_target, class_bits; /* targets of a node's classes follow one another */
    uint32_t *unsettled; /* [nodes] the first unsettled_count */
    uint32_t unsettled_count;
};

/* Targets of events are base_target and above. 0; -ENOMEM. */
int sim_memories_create(struct sim_memories *out, const struct node *node, uint32_t nodes, uint32_t base_target);
void sim_memories_destroy(struct sim_memories *memories);
/* Nothing moves, whatever a call before left unfinished. */
void sim_memories_reset(struct sim_memories *memories);
/* Finds or adds a class; its number in *id. 0 or -ENOMEM. */
int sim_memories_class(struct sim_memories *memories, const struct sim_class *wanted, uint32_t *id);
/* A flow that alone would take alone_ps. 0; -ENOMEM; -EOVERFLOW if that is longer than two minutes. */
int sim_memories_begin(struct sim_memories *memories, uint32_t node, uint32_t class_id, uint32_t owner, uint64_t alone_ps,
                       uint64_t now_ps);
/* New speeds and new events, where anything has begun or ended. 0 or -ENOMEM. */
int sim_memories_settle(struct sim_memories *memories, struct sim_radix *queue, uint64_t now_ps);
/* An event: the owner of the flow that has ended, in *node; SIM_MEMORIES_NONE if the event is stale or all that ended are
 * told. */
uint32_t sim_memories_end(struct sim_memories *memories, uint32_t target, uint32_t generation, uint64_t now_ps, uint32_t *node);

#endif
