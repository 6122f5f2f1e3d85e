/* A schedule executed by very many ranks over a network, in integer picoseconds.
 *
 * Nothing is stored of the schedule, and of a rank only where it is. Ranks advance in one of several orders. As a message
 * meets no other, its times follow from its two ranks alone, so that every order gives the same times and only costs differ:
 *   ROUNDS   all ranks' sends of a round, then all their receives: both ends name the round alike, so nothing is ever
 *            matched or queued. The fastest for what model/schedule has
 *   ARRIVAL  a rank goes on until it has to wait; messages are taken in the order in which they were sent, those that come
 *            early are kept. Needs no rounds that rise alike
 *   HEAP     by time, with the binary heap of sim_queue.h
 *   RADIX    by time, with the radix heap of sim_radix.h
 * The last two are for networks on which messages meet. At 1,048,576 ranks that begin apart (Bruck) the four run at 51, 48, 2.0
 * and 6.2 million messages a second and take 65, 73, 108 and 315 MiB; together, the radix heap at 28.
 *
 * Ranks may also share nodes (struct sim_cluster_nodes), and nodes the links of a network (sim_fabric.h). Then messages meet:
 * those of a node's ranks at its NIC, in the order in which they come there, whoever is simulated first. A core does not wait for
 * what others have given the NIC, only for its own. Order HEAP or RADIX. If nodes have memories as well (sim_memories.h),
 * messages within them, what NICs read and write, and local rotations share these, in order RADIX; else rotations are free.
 *
 * Message for message the two ends are checked against each other, and no rank may wait in the end. One thread at a time a call;
 * calls share nothing. */
#ifndef SHMCOLL_SIM_CLUSTER_H
#define SHMCOLL_SIM_CLUSTER_H

#include "model/loggp.h"
#include "model/schedule.h"
#include "sim/sim_fabric.h"

#include <stddef.h>
#include <stdint.h>

struct sim_memories;

enum sim_order { SIM_ORDER_ROUNDS, SIM_ORDER_ARRIVAL, SIM_ORDER_HEAP, SIM_ORDER_RADIX, SIM_ORDER_COUNT };

/* A message that was received. */
struct sim_cluster_message {
    uint32_t from, to, round;
    uint64_t bytes;
    uint64_t ready_ps;      /* the sender's core would begin, but for its port */
    uint64_t send_ps;       /* it begins */
    uint64_t send_end_ps;   /* it has done */
    uint64_t send_work_ps;  /* and would have, had nothing slowed it, in so much */
    uint64_t first_byte_ps; /* at the receiver */
    uint64_t alone_ps;      /* the last byte would be there, had nothing been in its way */
    uint64_t last_byte_ps;  /* it is there */
    uint64_t want_ps;       /* the receiver waits from then on */
    uint64_t take_ps;       /* its core begins to take the message in */
    uint64_t end_ps;        /* the receiver has it */
};

/* Blocks that a rank has moved within its own memory. */
struct sim_cluster_move {
    uint32_t rank;
    uint64_t bytes, begin_ps, end_ps;
    uint64_t work_ps; /* had nothing slowed it */
};

/* Called for every message received, for every move, and for every link that one passes on a fabric, in the order of the
 * simulation. */
struct sim_cluster_observer {
    void (*message)(void *context, const struct sim_cluster_message *message);
    void (*crossing)(void *context, uint32_t from, uint32_t to, uint64_t bytes,
                     const struct sim_fabric_crossing *crossing);      /* or NULL */
    void (*moved)(void *context, const struct sim_cluster_move *move); /* or NULL */
    void *context;
};

/* What a message between two ranks of a node costs: the two cores' work, and the time from the beginning of the one to the end of
 * the other when none has to wait. */
struct sim_cluster_cost {
    uint64_t send_ps, receive_ps, time_ps; /* time_ps >= both */
    uint32_t send_class, receive_class; /* of what the two load, by sim_memories_class(); SIM_NO_CLASS: nothing that is shared */
};

#define SIM_NO_CLASS UINT32_MAX
#define SIM_CLUSTER_MEMORY_TARGETS (UINT32_C(1) << 31) /* base_target of memories */

struct sim_cluster_nodes {
    uint32_t ppn;                      /* ranks of a node, rank after rank: >= 1 */
    struct sim_fabric *fabric;         /* NULL: every rank has ports of its own, and no link is shared */
    const struct numbering *numbering; /* who plays whom in the schedule */
    uint64_t reorder_moves;            /* of a numbering that reorders: copies of a block with which a rank ends */
    uint64_t reorder_ps;               /* which take so long where no memories are shared */
    /* 0 or -errno; not called if ppn is 1. */
    int (*inside)(void *context, uint32_t from, uint32_t to, uint64_t bytes, struct sim_cluster_cost *out);
    /* What copies share; NULL: nothing, and moves within a rank are free. Only with a fabric, and in order RADIX. */
    struct sim_memories *memories;
    /* Of bytes in so many copies, one after the other: send_ps and send_class. */
    int (*move)(void *context, uint32_t rank, uint64_t bytes, uint64_t copies, struct sim_cluster_cost *out);
    uint32_t (*nic_class)(void *context, uint32_t rank, int in); /* of bytes on their way between the NIC and a rank */
    void *context;
};

struct sim_cluster_question {
    const struct loggp *loggp;
    const struct schedule *schedule;
    uint64_t size_bytes;    /* of an Allgather or a scatter a rank's block; of a broadcast the message */
    uint64_t skew_ps, seed; /* ranks begin uniformly late by up to that */
    enum sim_order order;
    const struct sim_cluster_observer *observer; /* NULL: none */
    const struct sim_cluster_nodes *nodes;       /* NULL: a node each, contention-free */
    uint64_t *end_ps;                            /* [procs] when each rank ends; NULL: is not asked for */
};

struct sim_cluster_answer {
    uint64_t time_ps; /* the last rank ends; they begin at 0, or late */
    uint64_t messages, bytes_sent, bytes_received;
    uint64_t messages_between, bytes_between; /* of them from node to node */
    uint64_t bytes_moved;                     /* within ranks */
    uint64_t pops; /* of the queue; by ROUNDS, which has none, steps of ranks */
};

/* "rounds", "arrival", "heap", "radix". */
const char *sim_order_name(enum sim_order order);

/* Bytes of some of a schedule's blocks: those of a broadcast differ by one byte at most. */
uint64_t sim_cluster_bytes(const struct sim_cluster_question *question, const struct schedule_blocks *blocks);

/* 0; -ENOMEM; -EOVERFLOW if the times do not fit; -EPROTO if the ends of a message disagree, or a rank waits for one
 * that nobody sends: with one line in `reason`. `out` is set only on success. */
int sim_cluster_run(const struct sim_cluster_question *question, struct sim_cluster_answer *out, char *reason,
                    size_t reason_bytes);

/* ---- what its files share ---- */

struct sim_cluster_call {
    const struct sim_cluster_question *question;
    struct sim_cluster_answer answer;
    uint64_t messages_inside, bytes_inside; /* received, within nodes */
    char *reason;
    size_t reason_bytes;
};

static inline const struct numbering *sim_cluster_numbering(const struct sim_cluster_question *question)
{
    return question->nodes ? question->nodes->numbering : NULL;
}
/* The next exchange of a rank, or rotation where it costs something, from *step on, which is moved behind it. 0 if there is
 * none. */
int sim_cluster_next(const struct sim_cluster_question *question, uint32_t rank, uint32_t *step, struct schedule_step *out);
/* When a rank begins. */
uint64_t sim_cluster_start_ps(const struct sim_cluster_question *question, uint32_t rank);
int sim_cluster_sweep(struct sim_cluster_call *call);
int sim_cluster_events(struct sim_cluster_call *call);

/* A message was received. */
static inline void sim_cluster_count(struct sim_cluster_call *call, uint32_t from, uint32_t to, uint64_t bytes)
{
    const struct sim_cluster_nodes *nodes = call->question->nodes;
    call->answer.messages++;
    call->answer.bytes_received += bytes;
    if (nodes && from / nodes->ppn == to / nodes->ppn) {
        call->messages_inside++;
        call->bytes_inside += bytes;
    }
}

/* The receiver's times are known: counts the message and tells the observer. */
static inline void sim_cluster_received(struct sim_cluster_call *call, const struct sim_cluster_message *message)
{
    sim_cluster_count(call, message->from, message->to, message->bytes);
    if (call->question->observer)
        call->question->observer->message(call->question->observer->context, message);
}

static inline void sim_cluster_moved(struct sim_cluster_call *call, uint32_t rank, uint64_t bytes, uint64_t begin_ps,
                                     uint64_t work_ps, uint64_t end_ps)
{
    const struct sim_cluster_observer *observer = call->question->observer;
    call->answer.bytes_moved += bytes;
    if (observer && observer->moved)
        observer->moved(observer->context, &(struct sim_cluster_move){rank, bytes, begin_ps, end_ps, work_ps});
}

#endif
