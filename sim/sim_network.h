/* A scenario on a network, simulated: who shares a node, a NIC or a link, and in how many levels a collective goes.
 *
 * Flat, all ranks exchange messages: between nodes over the network, within a node by its costs, over exclusive rings
 * (model/message_cost.h). Those within a node do not contend with each other; a ring holds what a message needs.
 * In two levels, a broadcast goes from the root to one rank of every node, and each hands it on through shared memory once it has
 * sent what it has to; an Allgather begins with one within every node, then those ranks exchange the blocks of their nodes, then
 * each hands on what came from elsewhere. What happens in shared memory is the simulation of the node (sim_execute.h), which has
 * contention of its own.
 *
 * The struct points into itself and to the scenario; one thread. */
#ifndef SHMCOLL_SIM_NETWORK_H
#define SHMCOLL_SIM_NETWORK_H

#include "model/message_cost.h"
#include "model/scenario.h"
#include "sim/sim_cluster.h"

enum { SIM_NETWORK_INSIDE_KEPT = 256 };

/* A message within a node whose cost is known; bytes + 1, 0: none. */
struct sim_network_kept {
    uint64_t key;
    uint32_t from_core, to_core;
    struct sim_cluster_cost cost;
};

struct sim_network {
    const struct scenario *scenario;
    struct loggp loggp;
    struct schedule schedule;
    struct sim_fabric fabric; /* if the network shares links */
    struct sim_cluster_nodes nodes;
    struct sim_cluster_question question;
    struct sim_cluster_answer answer;
    struct message_costs costs;
    struct sim_network_kept kept[SIM_NETWORK_INSIDE_KEPT];
    uint64_t *end_ps;                   /* two levels: [node] */
    uint64_t gather_ps;                 /* before the exchange between nodes */
    uint64_t first_ps, other_ps, last_ps; /* after it: in the root's node, in others, in the last, which may have fewer ranks */
    uint64_t inside_events;
};

/* 0; -ENOMEM; -EINVAL or -ENOTSUP with one line in `reason`. */
int sim_network_create(struct sim_network *out, const struct scenario *scenario, char *reason, size_t reason_bytes);
void sim_network_destroy(struct sim_network *network);
/* One call, all links free at its beginning. As sim_cluster_run. */
int sim_network_call(struct sim_network *network, uint64_t seed, uint64_t *time_ps, char *reason, size_t reason_bytes);

#endif
