/* An Allgather on a network, round by round: every round takes as long as the slowest that happens in it, and begins when the one
 * before has ended for all.
 *
 * Of a round counts the link that has most to pass, one message after the other (of loggp the port of a rank, else the NIC of a
 * node, which all its ranks share, and the links between switches), the rank that has most to copy for messages within its node,
 * and what a node's memory, or bus, needs for all that its ranks and NIC ask of it (network_memory.h). Ranks that run ahead of
 * others are not in here: the simulator has them. Where all ranks do the same it is the closed form (loggp.h), to the
 * picosecond. */
#ifndef SHMCOLL_MODEL_NETWORK_ROUNDS_H
#define SHMCOLL_MODEL_NETWORK_ROUNDS_H

#include "model/scenario.h"

#define NETWORK_ROUNDS_STEPS_MAX (UINT64_C(1) << 28) /* of all ranks */

struct network_rounds {
    uint64_t time_ps;
    uint64_t messages_inside, messages_between, bytes_inside, bytes_between; /* a node; nodes */
};

/* Of a scenario that scenario_check() has found sound: an Allgather on a network in one level, not over channels. 0; -ENOTSUP for
 * what the node does not say or too many steps, -EINVAL or -ENOMEM, with one line in `reason`. O(procs * rounds) time, O(procs)
 * memory. */
int network_rounds_sum(const struct scenario *scenario, struct network_rounds *out, char *reason, size_t reason_bytes);

#endif
