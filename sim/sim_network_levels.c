/* Two levels: what ranks of a node do in shared memory, before and after one of each node exchanges messages with the others'. */
#include "sim/sim_execute.h"
#include "sim/sim_network.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

/* A collective of `procs` ranks of one node, in picoseconds. Where there is one rank, or nothing to hand on, it takes none. */
static int node_ps(struct sim_network *n, const struct job *job, const struct params *params, struct trace_sink *sink,
                   uint64_t *out, char *reason, size_t reason_bytes)
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
    err = sim_call(&sim, job_root(job), sink, out, reason, reason_bytes);
    n->inside_events += sink ? 0 : sim.queue.popped;
    sim_destroy(&sim);
    return err;
}

/* Ranks of a node, and of them who has what came from other nodes. */
static uint32_t ranks_of(const struct sim_network *n, uint32_t node)
{
    uint32_t procs = n->scenario->job.procs, ppn = n->scenario->machine.ppn, before = node * ppn;
    return procs - before < ppn ? procs - before : ppn;
}

static uint32_t leader_of(const struct sim_network *n, uint32_t node)
{
    uint32_t root = job_root(&n->scenario->job), ppn = n->scenario->machine.ppn;
    return root / ppn == node ? root % ppn : 0;
}

static int gather(struct sim_network *n, struct trace_sink *sink, uint64_t *out, char *reason, size_t reason_bytes)
{
    const struct job *job = &n->scenario->job;
    struct job inner = {.kind = JOB_ALLGATHER, .procs = ranks_of(n, 0),
                        .allgather = {job_size_bytes(job), job->allgather.in_place}};
    *out = 0;
    return job->kind == JOB_ALLGATHER ? node_ps(n, &inner, &n->scenario->params_gather, sink, out, reason, reason_bytes) : 0;
}

static int spread(struct sim_network *n, uint32_t node, struct trace_sink *sink, uint64_t *out, char *reason, size_t reason_bytes)
{
    uint32_t procs = n->scenario->job.procs, ppn = ranks_of(n, 0);
    uint64_t block = job_size_bytes(&n->scenario->job);
    uint64_t bytes = n->scenario->job.kind == JOB_ALLGATHER ? block * ppn * ((procs - 1) / ppn) : block;
    struct job inner = {.kind = JOB_BCAST, .procs = ranks_of(n, node), .bcast = {bytes, leader_of(n, node)}};
    return node_ps(n, &inner, &n->scenario->params, sink, out, reason, reason_bytes);
}

/* A node like all those that are not the first, which has the root, or the last. */
static uint32_t other_node(const struct sim_network *n, uint32_t nodes)
{
    uint32_t first = job_root(&n->scenario->job) / n->scenario->machine.ppn;
    for (uint32_t node = 0; node + 1 < nodes; node++)
        if (node != first)
            return node;
    return nodes - 1;
}

int sim_network_levels_create(struct sim_network *n, char *reason, size_t reason_bytes)
{
    const struct scenario *s = n->scenario;
    uint32_t ppn = s->machine.ppn, nodes = (s->job.procs - 1) / ppn + 1, root = job_root(&s->job);
    int err = gather(n, NULL, &n->gather_ps, reason, reason_bytes);
    if (s->job.kind == JOB_ALLGATHER)
        n->question.size_bytes *= ranks_of(n, 0);
    err = err ? err : spread(n, root / ppn, NULL, &n->first_ps, reason, reason_bytes);
    err = err || nodes < 2 ? err : spread(n, other_node(n, nodes), NULL, &n->other_ps, reason, reason_bytes);
    err = err || nodes < 2 ? err : spread(n, nodes - 1, NULL, &n->last_ps, reason, reason_bytes);
    n->end_ps = err ? NULL : calloc(nodes, sizeof *n->end_ps);
    n->question.end_ps = n->end_ps;
    n->nodes.ppn = 1;
    if (!err && !n->end_ps)
        err = -ENOMEM;
    err = err ? err : schedule_init(&n->schedule, s->algorithm, nodes, root / ppn);
    return err || !s->channel ? err : sim_network_leaders_create(n, reason, reason_bytes);
}

/* The last rank of the last node. */
uint64_t sim_network_levels_end_ps(const struct sim_network *n)
{
    uint32_t nodes = n->schedule.procs, first = job_root(&n->scenario->job) / n->scenario->machine.ppn;
    uint64_t end_ps = 0;
    for (uint32_t i = 0; i < nodes; i++) {
        uint64_t after_ps = i == first ? n->first_ps : i == nodes - 1 ? n->last_ps : n->other_ps;
        end_ps = loggp_later_ps(end_ps, n->end_ps[i] + after_ps);
    }
    return n->gather_ps + end_ps;
}

/* ---- told ---- */

static void pass_on(struct sim_network_levels *l, struct trace_step step)
{
    if (step.stage == 0 && step.end_ps > l->told_ps[step.rank])
        l->told_ps[step.rank] = step.end_ps;
    l->next->emit(l->next->context, &step);
}

/* The rank has waited for others until then. */
static void wait_until(struct sim_network_levels *l, uint32_t rank, uint64_t to_ps)
{
    if (l->told_ps[rank] < to_ps)
        pass_on(l, (struct trace_step){.rank = rank, .op = STEP_WAIT_GE, .label = "wait", .start_ps = l->told_ps[rank],
                                       .wait_end_ps = to_ps, .end_ps = to_ps, .sent_ps = to_ps});
}

/* Of the node whose ranks begin at base_rank, from begin_ps on. */
static void emit_inside(void *context, const struct trace_step *told)
{
    struct sim_network_levels *l = context;
    struct trace_step step = *told;
    step.rank += l->base_rank;
    step.start_ps += l->begin_ps;
    step.wait_end_ps += l->begin_ps;
    step.end_ps += l->begin_ps;
    step.sent_ps = step.wait_end_ps;
    step.label = step.label ? step.label : step_name_string(step.name);
    wait_until(l, step.rank, step.start_ps);
    pass_on(l, step);
}

/* Of a node that exchanges, its leader. */
static void emit_among(void *context, const struct trace_step *told)
{
    struct sim_network_levels *l = context;
    struct trace_step step = *told;
    step.rank = told->rank * l->network->scenario->machine.ppn + leader_of(l->network, told->rank);
    step.start_ps += l->network->gather_ps;
    step.wait_end_ps += l->network->gather_ps;
    step.end_ps += l->network->gather_ps;
    step.sent_ps += l->network->gather_ps;
    step.alone_ps += l->network->gather_ps;
    pass_on(l, step);
}

int sim_network_levels_begin(struct sim_network_levels *l, struct sim_network *n, struct trace_sink *sink, char *reason,
                             size_t reason_bytes)
{
    uint32_t procs = n->scenario->job.procs, ppn = n->scenario->machine.ppn;
    uint64_t unused_ps;
    int err = 0;
    *l = (struct sim_network_levels){.among = {emit_among, l}, .inside = {emit_inside, l}, .next = sink, .network = n};
    l->told_ps = calloc(procs, sizeof *l->told_ps);
    if (!l->told_ps) {
        snprintf(reason, reason_bytes, "no memory to tell of %u ranks: use fewer", procs);
        return -ENOMEM;
    }
    for (; l->base_rank < procs && !err; l->base_rank += ppn)
        err = gather(n, &l->inside, &unused_ps, reason, reason_bytes);
    for (uint32_t r = 0; r < procs && !err; r++)
        wait_until(l, r, n->gather_ps);
    if (err)
        free(l->told_ps);
    return err;
}

int sim_network_levels_end(struct sim_network_levels *l, int err, char *reason, size_t reason_bytes)
{
    struct sim_network *n = l->network;
    uint64_t unused_ps;
    for (uint32_t node = 0; node < n->schedule.procs && !err; node++) {
        l->base_rank = node * n->scenario->machine.ppn;
        l->begin_ps = n->gather_ps + n->end_ps[node];
        err = spread(n, node, &l->inside, &unused_ps, reason, reason_bytes);
    }
    free(l->told_ps);
    return err;
}
