/* GOAL programs in simulated time: under LogGP on a network that is never in the way, or over shared links.
 *
 * Of a message of s bytes, with the bytes' time B = max(s - 1, 0) * G:
 *
 *   send   ready at r, when all it requires has ended (irequires: begun). It begins at
 *              t = max(r, processor free, NIC free to send)
 *          and takes the processor from t to t + o, where it ends: the sender is free, its NIC goes on by itself. The NIC is
 *          free to send again at t + g + B.
 *   wire   the first byte arrives at a = t + o + L, whoever else sends.
 *   recv   begun (posted) at p, when it is ready; matched at max(p, a), and then the NIC takes the bytes in
 *              from v = max(a, NIC free to receive) to w = v + B,
 *          and is free to receive again at w + gr. The processor takes the message in
 *              from u = max(p, w, processor free) to u + o,
 *          where the receive ends. Waiting takes no processor.
 *   calc   takes the processor for its nanoseconds.
 *
 * So a lone message takes o + L + B + o; sends of one rank begin max(o, g + B) apart; and step k + 1 of an exchange begins
 * max(2o + L, g, gr) + B after step k if all begin together. Where a rank posts one receive at a time this is model/loggp.h.
 *
 * Where links are shared (sim_fabric.h) the processor gives the message to the NIC at t + o, and a and w are when its first and
 * last bytes are in the receiver's memory, whether a receive is posted or not. A node has one NIC; what a rank that has one for
 * itself sends itself goes to its switch and back. A message that meets no other takes as long as without sharing, but for
 * switches beyond the first.
 *
 * Ranks may share nodes, rank after rank. What goes to a rank of the same node passes no NIC: the sender's processor does its
 * part of the work, the receiver's the other once the message is posted and can be taken in, as the node's costs say of a message
 * alone. Where nodes share their memories (sim_memories.h) both copy as fast as these let them, beside others and NICs: the
 * receiver ends no sooner than a piece after the sender, and a message from another node is there once all of it has been read,
 * sent, and written. When a copy ends is not known before: a send that waits for its processor to end one asks for its NIC then.
 *
 * Processors serve in the order in which tasks want them, ties in the order of the program (ranks, then tasks, then what they
 * bring about); a send that waits for its NIC keeps its processor. NICs receive in the order of matching: a message goes to
 * the receive first posted that it fits, a receive takes the message first arrived. Everything is integer and deterministic. */
#ifndef SHMCOLL_SIM_GOAL_RUN_H
#define SHMCOLL_SIM_GOAL_RUN_H

#include "model/goal_program.h"
#include "model/loggp.h"
#include "model/scenario.h"
#include "sim/sim_cluster.h"
#include "sim/sim_fabric.h"

#include <stddef.h>
#include <stdint.h>

/* What joins the ranks. */
struct goal_network {
    struct loggp loggp;
    struct sim_fabric *fabric; /* of all nodes; NULL: no link is shared */
    struct trace_sink *sink;   /* gets what processors, NICs and links do; NULL: none; needs `want_times` and a fabric */
    uint32_t ppn;              /* ranks of a node; 0, 1: one */
    int (*inside)(void *context, uint32_t from, uint32_t to, uint64_t bytes,
                  struct sim_cluster_cost *out); /* as of sim_cluster_nodes */
    struct sim_memories *memories;                               /* as of sim_cluster_nodes, and the next */
    uint32_t (*nic_class)(void *context, uint32_t rank, int in);
    void *context;
};

/* Whether messages between the two pass no NIC. */
static inline int goal_network_inside(const struct goal_network *network, uint32_t a, uint32_t b)
{
    return network->ppn > 1 && a / network->ppn == b / network->ppn;
}

/* When a task had what; of a send `end` is when the processor was free again. */
struct goal_times {
    uint64_t begin_ps, end_ps;
    uint64_t last_byte_ps; /* of a receive: its NIC has taken in the message, from its bytes' time before; within a node, it can
                              be taken */
    uint32_t match; /* of a receive the task that sent, of a send who received; GOAL_ANY */
};

/* What a rank's processors did until the last of their tasks ended, as sums over them: with one, they add up to its end. An idle
 * processor waits while what it needs next has not been sent; then for the network, as long as that takes when nothing is in the
 * way, or for its own NIC to send; and what is left is contention, of messages that come at once. */
struct goal_spent {
    uint64_t busy_ps, wait_ps, network_ps, contention_ps;
};

struct goal_outcome {
    uint64_t time_ps; /* the last task's end */
    uint64_t messages, bytes; /* received */
    uint64_t events;
    uint64_t *end_ps;         /* [ranks] */
    struct goal_times *times; /* [tasks], NULL unless asked for, as */
    struct goal_spent *spent; /* [ranks] */
};

/* A program that has been finished and checked; it is only read. `want_times`: fills outcome.times and .spent.
 * 0; -EDEADLK with who waits for whom in one line, -EMSGSIZE for a receive smaller than its message, -EOVERFLOW if time
 * might not fit into 64 bits, or a message takes longer than two minutes where memory is shared, -ENOTSUP for too many
 * processors, NICs over a fabric, or messages of unknown cost (no line then), -ENOMEM; one line in `reason` of all else. Out only
 * on success. */
int goal_run_over(const struct goal_program *program, const struct goal_network *network, int want_times,
                  struct goal_outcome *out, char *reason, size_t reason_bytes);
/* Without sharing. */
int goal_run(const struct goal_program *program, const struct loggp *network, int want_times, struct goal_outcome *out,
             char *reason, size_t reason_bytes);
void goal_outcome_destroy(struct goal_outcome *outcome);

#endif
