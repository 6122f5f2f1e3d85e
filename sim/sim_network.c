#include "sim/sim_network.h"

#include "model/channel/channel_way.h"
#include "sim/sim_execute.h"
#include "sim/sim_time.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

/* ---- messages within a node ---- */

static int inside_cost(struct sim_network *n, struct sim_network_kept *out)
{
    struct message m = {.from_core = out->from_core, .to_core = out->to_core, .run_bytes = out->key - 1, .runs = 1,
                        .target_cold = n->scenario->conditions.buffers == BUFFERS_COLD};
    double send_s = message_sender_s(&n->costs, &m), receive_s = message_receiver_s(&n->costs, &m);
    double time_s = message_time_s(&n->costs, &m);
    if (n->costs.missing[0])
        return -ENOTSUP;
    out->cost = (struct sim_cluster_cost){sim_ps_from_s(send_s), sim_ps_from_s(receive_s), sim_ps_from_s(time_s)};
    out->cost.time_ps = loggp_later_ps(out->cost.time_ps, loggp_later_ps(out->cost.send_ps, out->cost.receive_ps));
    return 0;
}

static int inside(void *context, uint32_t from, uint32_t to, uint64_t bytes, struct sim_cluster_cost *out)
{
    struct sim_network *n = context;
    const uint32_t *core = n->scenario->placement.core_of_rank;
    struct sim_network_kept *kept = &n->kept[(bytes * 31 + core[from] * 7 + core[to]) % SIM_NETWORK_INSIDE_KEPT];
    if (kept->key != bytes + 1 || kept->from_core != core[from] || kept->to_core != core[to]) {
        *kept = (struct sim_network_kept){.key = bytes + 1, .from_core = core[from], .to_core = core[to]};
        int err = inside_cost(n, kept);
        if (err) {
            kept->key = 0;
            return err;
        }
    }
    *out = kept->cost;
    return 0;
}

/* ---- shared memory of a node ---- */

/* A collective of `procs` ranks of one node, in picoseconds. Where there is one rank, or nothing to hand on, it takes none. */
static int node_ps(struct sim_network *n, const struct job *job, const struct params *params, uint64_t *out, char *reason,
                   size_t reason_bytes)
{
    struct scenario inner = *n->scenario;
    struct sim sim;
    *out = 0;
    if (job->procs < 2 || job_size_bytes(job) == 0)
        return 0;
    inner.machine = (struct machine){.node = n->scenario->machine.node, .nodes = 1};
    inner.job = *job;
    inner.params = *params;
    inner.algorithm = NULL;
    inner.conditions.skew_s = 0;
    int err = scenario_check(&inner, reason, reason_bytes);
    err = err ? err : sim_create(&sim, &inner, reason, reason_bytes);
    if (err)
        return err;
    err = sim_call(&sim, job_root(job), NULL, out, reason, reason_bytes);
    n->inside_events += sim.queue.popped;
    sim_destroy(&sim);
    return err;
}

static int spread_ps(struct sim_network *n, uint32_t procs, uint32_t root, uint64_t bytes, uint64_t *out, char *reason,
                     size_t reason_bytes)
{
    struct job job = {.kind = JOB_BCAST, .procs = procs, .bcast = {bytes, root}};
    return node_ps(n, &job, &n->scenario->params, out, reason, reason_bytes);
}

/* What nodes do alone, and the exchange between them. */
static int levels_create(struct sim_network *n, char *reason, size_t reason_bytes)
{
    const struct scenario *s = n->scenario;
    uint32_t procs = s->job.procs, ppn = s->machine.ppn < procs ? s->machine.ppn : procs, nodes = (procs - 1) / ppn + 1;
    uint32_t root = job_root(&s->job), last = procs - (nodes - 1) * ppn;
    uint64_t block = job_size_bytes(&s->job), bytes = block;
    int err = 0;
    if (s->job.kind == JOB_ALLGATHER) {
        struct job gather = {.kind = JOB_ALLGATHER, .procs = ppn, .allgather = {block, s->job.allgather.in_place}};
        err = node_ps(n, &gather, &s->params_gather, &n->gather_ps, reason, reason_bytes);
        bytes = block * ppn * (nodes - 1);
        n->question.size_bytes = block * ppn;
    }
    uint32_t firsts = root / ppn == nodes - 1 ? last : ppn;
    err = err ? err : spread_ps(n, firsts, root % ppn, bytes, &n->first_ps, reason, reason_bytes);
    err = err || nodes < 2 ? err : spread_ps(n, ppn, 0, bytes, &n->other_ps, reason, reason_bytes);
    err = err || nodes < 2 ? err : spread_ps(n, last, 0, bytes, &n->last_ps, reason, reason_bytes);
    n->end_ps = err ? NULL : calloc(nodes, sizeof *n->end_ps);
    n->question.end_ps = n->end_ps;
    n->nodes.ppn = 1;
    if (!err && !n->end_ps)
        err = -ENOMEM;
    return err ? err : schedule_init(&n->schedule, s->algorithm, nodes, root / ppn);
}

/* The last rank of the last node. */
static uint64_t levels_end_ps(const struct sim_network *n)
{
    uint32_t nodes = n->schedule.procs, first = job_root(&n->scenario->job) / n->scenario->machine.ppn;
    uint64_t end_ps = 0;
    for (uint32_t i = 0; i < nodes; i++) {
        uint64_t after_ps = i == first ? n->first_ps : i == nodes - 1 ? n->last_ps : n->other_ps;
        end_ps = loggp_later_ps(end_ps, n->end_ps[i] + after_ps);
    }
    return n->gather_ps + end_ps;
}

/* ---- the whole ---- */

static int ranks_create(struct sim_network *n, char *reason, size_t reason_bytes)
{
    const struct scenario *s = n->scenario;
    struct scenario inner = *s;
    struct message_way way;
    int err = 0;
    if (s->machine.ppn > 1) {
        inner.job.procs = s->machine.ppn;
        inner.channel = &channel_kind_er;
        err = channel_way_of(&inner, &way, reason, reason_bytes);
    }
    if (!err && s->machine.ppn > 1)
        message_costs_init(&n->costs, s->machine.node, &way);
    n->nodes.ppn = s->machine.ppn;
    return err ? err : schedule_init(&n->schedule, s->algorithm, s->job.procs, job_root(&s->job));
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
    n->nodes.inside = inside;
    n->nodes.context = n;
    int err = s->machine.levels == 2 ? levels_create(n, reason, reason_bytes) : ranks_create(n, reason, reason_bytes);
    if (!err)
        err = links_create(n, reason, reason_bytes);
    /* Without anything shared no queue is needed. */
    int shared = n->nodes.fabric || n->nodes.ppn > 1;
    n->question.nodes = shared ? &n->nodes : NULL;
    n->question.order = shared ? SIM_ORDER_RADIX : SIM_ORDER_ROUNDS;
    if (err)
        sim_network_destroy(n);
    return err;
}

void sim_network_destroy(struct sim_network *n)
{
    sim_fabric_destroy(&n->fabric);
    free(n->end_ps);
    n->end_ps = NULL;
}

int sim_network_call(struct sim_network *n, uint64_t seed, uint64_t *time_ps, char *reason, size_t reason_bytes)
{
    n->question.seed = seed;
    if (n->nodes.fabric)
        sim_fabric_reset(&n->fabric);
    int err = sim_cluster_run(&n->question, &n->answer, reason, reason_bytes);
    if (err == -ENOTSUP && n->costs.missing[0])
        snprintf(reason, reason_bytes, "node %s does not say what a %s costs, which messages between its ranks need: calibrate it",
                 n->scenario->machine.node->name, n->costs.missing);
    if (!err)
        *time_ps = n->end_ps ? levels_end_ps(n) : n->answer.time_ps;
    return err;
}
