/* Nodes of several ranks of a GOAL program: what messages within one cost, and the memories that they share. Points into itself
 * and to the settings and the network. */
#ifndef SHMCOLL_EXPERIMENTS_GOAL_NODES_H
#define SHMCOLL_EXPERIMENTS_GOAL_NODES_H

#include "experiments/options.h"
#include "sim/sim_network.h"

struct goal_nodes {
    struct node node;
    uint32_t *core_of_rank;
    struct scenario scenario;
    struct sim_network costs; /* costs.nodes.inside, .memories, .nic_class and .context */
};

/* Of settings->ppn ranks, rank after rank. 0, or an exit code after telling why. */
int goal_nodes_create(struct goal_nodes *out, const struct settings *settings, const struct network *network, uint32_t ranks);
/* Links are shared: so is memory from now on. 0, or an exit code after telling why. */
int goal_nodes_share_memory(struct goal_nodes *nodes, struct sim_fabric *fabric);
void goal_nodes_destroy(struct goal_nodes *nodes);

#endif
