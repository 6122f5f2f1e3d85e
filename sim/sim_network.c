#include "sim/sim_network.h"

#include "model/channel/channel_way.h"
#include "sim/sim_time.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

/* ---- the whole ---- */

/* Every block that is not in its place is copied within the rank: what it has received is in memory if no cache holds it. */
static int reorder_create(struct sim_network *n, char *reason, size_t reason_bytes)
{
    const struct scenario *s = n->scenario;
    const struct node *node = s->machine.node;
    uint64_t block = job_size_bytes(&s->job);
    uint64_t most = node->llc_bytes / (s->machine.ppn < s->job.procs ? s->machine.ppn : s->job.procs);
    if (!s->numbering || s->numbering->remap != NUMBERING_REORDER)
        return 0;
    uint64_t moves = numbering_moves(s->numbering, s->job.procs, 0);
    double move_s = moves ? message_move_s(&n->costs, block, node->llc_bytes > 0 && block * s->job.procs > most) : 0;
    if (n->costs.missing[0]) {
        snprintf(reason, reason_bytes, "node %s does not say what a %s costs, which reordering blocks needs: calibrate it",
                 node->name, n->costs.missing);
        return -ENOTSUP;
    }
    n->nodes.reorder_moves = moves;
    n->nodes.reorder_ps = moves * sim_ps_from_s(move_s);
    return 0;
}

static int costs_of_messages(struct sim_network *n, char *reason, size_t reason_bytes)
{
    struct scenario inner = *n->scenario;
    struct message_way way;
    inner.job.procs = inner.machine.ppn;
    inner.channel = &channel_kind_er;
    int err = channel_way_of(&inner, &way, reason, reason_bytes);
    if (!err)
        message_costs_init(&n->costs, inner.machine.node, &way);
    return err;
}

int sim_network_costs_create(struct sim_network *n, const struct scenario *s, char *reason, size_t reason_bytes)
{
    *n = (struct sim_network){.scenario = s, .loggp = network_loggp(s->machine.network), .nodes.ppn = s->machine.ppn};
    sim_network_inside(n);
    return costs_of_messages(n, reason, reason_bytes);
}

void sim_network_tell_missing(const struct sim_network *n, char *reason, size_t reason_bytes)
{
    snprintf(reason, reason_bytes, "node %s does not say what a %s costs, which messages between its ranks need: calibrate it",
             n->scenario->machine.node->name, n->costs.missing);
}

static int ranks_create(struct sim_network *n, char *reason, size_t reason_bytes)
{
    const struct scenario *s = n->scenario;
    int copies = s->machine.ppn > 1 || (s->numbering && s->numbering->remap == NUMBERING_REORDER);
    int err = copies ? costs_of_messages(n, reason, reason_bytes) : 0;
    n->nodes.ppn = s->machine.ppn;
    n->nodes.numbering = s->numbering;
    err = err ? err : reorder_create(n, reason, reason_bytes);
    return err ? err : schedule_init_regions(&n->schedule, s->algorithm, s->job.procs, job_root(&s->job), scenario_region(s));
}

static int links_create(struct sim_network *n, char *reason, size_t reason_bytes)
{
    const struct machine *machine = &n->scenario->machine;
    uint32_t nodes = (n->scenario->job.procs - 1) / machine->ppn + 1;
    if (machine->network->kind == NETWORK_LOGGP)
        return 0;
    int err = sim_fabric_create(&n->fabric, machine->network, nodes, reason, reason_bytes);
    if (!err)
        n->nodes.fabric = &n->fabric;
    return err;
}

int sim_network_create(struct sim_network *n, const struct scenario *s, char *reason, size_t reason_bytes)
{
    *n = (struct sim_network){.scenario = s, .loggp = network_loggp(s->machine.network)};
    n->question = (struct sim_cluster_question){.loggp = &n->loggp,
                                                .schedule = &n->schedule,
                                                .size_bytes = job_size_bytes(&s->job),
                                                .skew_ps = sim_ps_from_s(s->conditions.skew_s)};
    sim_network_inside(n);
    int err = s->machine.levels == 2 ? sim_network_levels_create(n, reason, reason_bytes) : ranks_create(n, reason, reason_bytes);
    if (!err)
        err = links_create(n, reason, reason_bytes);
    if (!err && (err = sim_network_share_memory(n)) == -ENOMEM)
        snprintf(reason, reason_bytes, "no memory for the memories of %u nodes: use fewer", s->machine.nodes);
    /* Without anything shared no queue is needed. */
    int shared = n->nodes.fabric || n->nodes.ppn > 1 || n->nodes.numbering;
    n->question.nodes = shared ? &n->nodes : NULL;
    n->question.order = shared ? SIM_ORDER_RADIX : SIM_ORDER_ROUNDS;
    if (err)
        sim_network_destroy(n);
    return err;
}

void sim_network_destroy(struct sim_network *n)
{
    sim_network_leaders_destroy(n);
    sim_fabric_destroy(&n->fabric);
    sim_memories_destroy(&n->memories);
    free(n->end_ps);
    n->end_ps = NULL;
}

int sim_network_call(struct sim_network *n, uint64_t seed, struct trace_sink *sink, uint64_t *time_ps, char *reason,
                     size_t reason_bytes)
{
    struct sim_network_levels levels;
    int err = sink && n->end_ps ? sim_network_levels_begin(&levels, n, sink, reason, reason_bytes) : 0;
    if (err)
        return err;
    struct trace_sink *among = sink && n->end_ps ? &levels.among : sink;
    struct sim_network_watch watch = {among, &n->loggp, n->nodes.ppn, n->nodes.fabric != NULL};
    struct sim_cluster_observer observer = sim_network_observer(&watch);
    n->question.seed = seed;
    n->question.observer = sink ? &observer : NULL;
    if (n->nodes.fabric)
        sim_fabric_reset(&n->fabric);
    err = n->leaders ? sim_network_leaders_call(n, seed, among, reason, reason_bytes)
                     : sim_cluster_run(&n->question, &n->answer, reason, reason_bytes);
    n->question.observer = NULL;
    if (err == -ENOTSUP && n->costs.missing[0])
        sim_network_tell_missing(n, reason, reason_bytes);
    if (sink && n->end_ps)
        err = sim_network_levels_end(&levels, err, reason, reason_bytes);
    if (!err)
        *time_ps = n->end_ps ? sim_network_levels_end_ps(n) : n->answer.time_ps;
    return err;
}
