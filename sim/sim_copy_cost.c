#include "sim/sim_copy_cost.h"

#include "sim/sim_time.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>

uint64_t sim_copy_queue_bytes(const struct scenario *s)
{
    uint64_t whole = (uint64_t)s->params.slots * s->params.fragment_bytes, size = job_size_bytes(&s->job);
    return size < whole ? size : whole;
}

static enum copy_class class_of(const struct sim_copy_costs *c, enum sim_copy_kind kind)
{
    switch (kind) {
    case SIM_COPY_IN:
        return c->users_in_memory ? COPY_IN_COLD : COPY_IN_WARM;
    case SIM_COPY_PULL:
    case SIM_COPY_MOVE:
    case SIM_COPY_MOVE_CACHED:
        return c->users_in_memory ? COPY_PLAIN_COLD : COPY_OUT_WARM;
    case SIM_COPY_PUSH:
        return c->users_in_memory ? COPY_PLAIN_COLD : COPY_IN_WARM;
    default:
        return c->users_in_memory ? COPY_OUT_COLD : COPY_OUT_WARM;
    }
}

/* The span of what is shared: slots, or the buffer itself. */
static uint64_t shared_bytes(const struct sim_copy_costs *c, enum sim_copy_kind kind)
{
    return kind < SIM_COPY_PULL ? sim_copy_queue_bytes(c->scenario) : job_size_bytes(&c->scenario->job);
}

/* What a rank copies of that kind in a call, together. */
static uint64_t streamed_bytes(const struct sim_copy_costs *c, enum sim_copy_kind kind)
{
    const struct job *job = &c->scenario->job;
    int others = kind == SIM_COPY_OUT || kind == SIM_COPY_PULL || kind == SIM_COPY_PULL_CACHED;
    return job->kind == JOB_ALLGATHER && others ? job_message_bytes(job) - job_size_bytes(job) : job_size_bytes(job);
}

static int know_copies(const struct sim_copy_costs *c, char *reason, size_t reason_bytes)
{
    const struct node *node = c->scenario->machine.node;
    uint32_t uses = c->scenario->params.protocol->uses;
    for (int kind = SIM_COPY_IN; kind <= SIM_COPY_PUSH; kind++) {
        enum copy_class class = class_of(c, (enum sim_copy_kind)kind);
        int used = kind < SIM_COPY_PULL ? uses & (PROTOCOL_SLOTS | PROTOCOL_LINES) : uses & PROTOCOL_PEERS;
        if (used && !(node_copy_s(node, class, 4096, shared_bytes(c, (enum sim_copy_kind)kind)) > 0)) {
            snprintf(reason, reason_bytes, "node %s does not say what a copy (%s) costs; calibrate it", node->name,
                     copy_class_name(class));
            return -ENOTSUP;
        }
    }
    return 0;
}

int sim_copy_costs_create(struct sim_copy_costs *c, const struct scenario *scenario, int users_in_memory, char *reason,
                          size_t reason_bytes)
{
    *c = (struct sim_copy_costs){.scenario = scenario, .users_in_memory = users_in_memory,
                                 .by_kernel = scenario_peers_by_kernel(scenario)};
    return know_copies(c, reason, reason_bytes);
}

/* Measured copies are whole ones. A start and a rate say when the first byte moves and how fast the others follow: the last
 * line is as long on its way as the first. */
static int has_points(const struct node *node, enum copy_class copy_class)
{
    for (size_t i = 0; i < node->copy_point_count; i++)
        if (node->copy_points[i].copy_class == copy_class)
            return 1;
    return 0;
}

/* Within a rank no line comes from another core: no costlier than the copies that meet some. */
static double move_s(const struct node *node, struct copy_context context, double whole_s)
{
    int cold = context.copy_class == COPY_PLAIN_COLD;
    context.copy_class = cold ? COPY_OUT_COLD : COPY_IN_WARM;
    return fmin(whole_s, node_copy_alone_s(node, &context));
}

static double whole_copy_s(const struct node *node, enum sim_copy_kind kind, const struct copy_context *context)
{
    double whole_s = node_copy_alone_s(node, context);
    if (kind == SIM_COPY_RELAY)
        return node_copy_relay_s(node, context->bytes, context->queue_bytes, context->message_bytes);
    if (kind == SIM_COPY_MOVE_CACHED || (kind == SIM_COPY_MOVE && context->copy_class != COPY_PLAIN_COLD))
        return move_s(node, *context, whole_s);
    return whole_s;
}

static int is_peer(enum sim_copy_kind kind)
{
    return kind == SIM_COPY_PULL || kind == SIM_COPY_PULL_CACHED || kind == SIM_COPY_PUSH;
}

static void ask_node(const struct sim_copy_costs *c, struct sim_copy_cost *cost)
{
    const struct node *node = c->scenario->machine.node;
    enum copy_class class = class_of(c, cost->kind);
    struct copy_context context = {class, cost->bytes, shared_bytes(c, cost->kind), streamed_bytes(c, cost->kind)};
    double whole_s = whole_copy_s(node, cost->kind, &context), beside_s = node_copy_beside_s(node, &context);
    double start_s = fmin(quantity_or(&node->copy[class].start_ns, 0) * 1e-9, whole_s);
    cost->start_ps = sim_ps_from_s(start_s);
    cost->alone_ps = sim_ps_from_s(whole_s - start_s);
    if (!has_points(node, class))
        cost->tail_ps = cost->start_ps;
    if (cost->kind <= SIM_COPY_OUT && beside_s > whole_s && whole_s > start_s)
        cost->beside = (whole_s - start_s) / (beside_s - start_s);
    if (is_peer(cost->kind) && c->by_kernel)
        cost->start_ps += sim_ps_from_s(node_peer_extra_s(node, cost->bytes));
}

const struct sim_copy_cost *sim_copy_costs_of(struct sim_copy_costs *c, enum sim_copy_kind kind, uint32_t bytes)
{
    for (uint32_t i = 0; i < c->count; i++)
        if (c->cost[i].kind == kind && c->cost[i].bytes == bytes)
            return &c->cost[i];
    struct sim_copy_cost *cost = &c->cost[c->count < SIM_COPY_COSTS ? c->count++ : SIM_COPY_COSTS - 1];
    *cost = (struct sim_copy_cost){.kind = kind, .bytes = bytes, .beside = 1};
    ask_node(c, cost);
    return cost;
}
