/* A scenario on a network, simulated: who shares a node, a NIC or a link, and in how many levels a collective goes.
 *
 * Flat, all ranks exchange messages: between nodes over the network, within a node by its costs, over exclusive rings
 * (model/message_cost.h). Where links are shared, nodes share their memories as well: copies of messages within a node, what NICs
 * read and write, and rotations (sim_memories.h). Messages and buffers that outgrow a rank's share of its last-level cache lie in
 * memory; a ring holds what a message needs.
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
#include "sim/sim_memories.h"

struct sim_remote_schedule;

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
    struct sim_memories memories; /* if nodes share theirs */
    struct sim_cluster_nodes nodes;
    struct sim_cluster_question question;
    struct sim_cluster_answer answer;
    struct message_costs costs;
    struct sim_network_kept kept[SIM_NETWORK_INSIDE_KEPT];
    struct sim_remote_schedule *leaders; /* two levels over channels; NULL: by the network's costs */
    uint64_t *end_ps;                   /* two levels: [node] */
    uint64_t gather_ps;                 /* before the exchange between nodes */
    uint64_t first_ps, other_ps, last_ps; /* after it: in the root's node, in others, in the last, which may have fewer ranks */
    uint64_t inside_events;
};

/* 0; -ENOMEM; -EINVAL or -ENOTSUP with one line in `reason`. */
int sim_network_create(struct sim_network *out, const struct scenario *scenario, char *reason, size_t reason_bytes);
void sim_network_destroy(struct sim_network *network);
/* One call, all links free at its beginning. As sim_cluster_run. `sink`, if not NULL, gets every step of the ranks' cores in the
 * order in which messages are received, and what every NIC and link does. */
int sim_network_call(struct sim_network *network, uint64_t seed, struct trace_sink *sink, uint64_t *time_ps, char *reason,
                     size_t reason_bytes);

/* What a message between ranks of the scenario's nodes costs: for nodes.inside; and if nodes.fabric is set and
 * sim_network_share_memory() called, for nodes.memories and .nic_class; of nothing else. 0; -EINVAL or -ENOTSUP with one line in
 * `reason`. `out` points into itself. */
int sim_network_costs_create(struct sim_network *out, const struct scenario *scenario, char *reason, size_t reason_bytes);
/* What the node does not say, in one line. */
void sim_network_tell_missing(const struct sim_network *network, char *reason, size_t reason_bytes);

/* What ranks of a node do there costs this; for sim_network_create(). */
void sim_network_inside(struct sim_network *network);
/* Memory of nodes is shared from now on if links are. 0 or -ENOMEM. */
int sim_network_share_memory(struct sim_network *network);

/* Two levels, for sim_network_create() and sim_network_call(): when the last rank ends, and how a sink is told of all ranks. What
 * nodes do alone is simulated again for each, before and after what `among` is told of the exchange. */
struct sim_network_levels {
    struct trace_sink among, inside, *next;
    struct sim_network *network;
    uint64_t *told_ps; /* [procs] until when `next` knows what a rank does */
    uint64_t begin_ps;
    uint32_t base_rank;
};
int sim_network_levels_create(struct sim_network *network, char *reason, size_t reason_bytes);
uint64_t sim_network_levels_end_ps(const struct sim_network *network);
int sim_network_levels_begin(struct sim_network_levels *out, struct sim_network *network, struct trace_sink *sink, char *reason,
                             size_t reason_bytes);
/* After the exchange, which has ended with that error or 0: what comes of it. */
int sim_network_levels_end(struct sim_network_levels *levels, int err, char *reason, size_t reason_bytes);

/* Two levels over channels (sim_remote_schedule.h); for sim_network_create() and those below it. */
int sim_network_leaders_create(struct sim_network *network, char *reason, size_t reason_bytes);
void sim_network_leaders_destroy(struct sim_network *network);
int sim_network_leaders_call(struct sim_network *network, uint64_t seed, struct trace_sink *sink, char *reason,
                             size_t reason_bytes);
/* Of the rank whose channels have most memory; 0 without channels. */
uint64_t sim_network_channel_bytes(const struct sim_network *network);

/* What tells a sink of every message; for sim_network_call(). */
struct sim_network_watch {
    struct trace_sink *sink;
    const struct loggp *loggp;
    uint32_t ppn;
    int links; /* a fabric tells of them; else every rank has ports of its own */
};
struct sim_cluster_observer sim_network_observer(struct sim_network_watch *watch);

#endif
