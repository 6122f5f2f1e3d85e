#include "sim/sim_channel_copy.h"

#include "sim/sim_time.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>

static enum copy_class class_of(const struct sim_channel_copy *copy)
{
    switch (copy->kind) {
    case SIM_CHANNEL_IN:
        return copy->source_cold ? COPY_IN_COLD : COPY_IN_WARM;
    case SIM_CHANNEL_OUT:
        return copy->target_cold ? COPY_OUT_COLD : COPY_OUT_WARM;
    default: /* a source in a cache is read as from a queue */
        return !copy->source_cold ? (copy->target_cold ? COPY_OUT_COLD : COPY_OUT_WARM) : COPY_PLAIN_COLD;
    }
}

static int know_copies(const struct scenario *s, char *reason, size_t reason_bytes)
{
    int cold = s->conditions.buffers == BUFFERS_COLD;
    const enum copy_class needed[] = {COPY_IN_WARM, cold ? COPY_IN_COLD : COPY_OUT_WARM, cold ? COPY_OUT_COLD : COPY_OUT_WARM};
    for (int i = 0; i < 3 && !s->machine.node->contention_free; i++)
        if (!(node_copy_s(s->machine.node, needed[i], 4096, 0) > 0)) {
            snprintf(reason, reason_bytes, "node %s does not say what a copy (%s) costs; calibrate it", s->machine.node->name,
                     copy_class_name(needed[i]));
            return -ENOTSUP;
        }
    return 0;
}

int sim_channel_copies_create(struct sim_channel_copies *c, const struct scenario *scenario, uint32_t base_target, char *reason,
                              size_t reason_bytes)
{
    *c = (struct sim_channel_copies){.scenario = scenario};
    int rc = know_copies(scenario, reason, reason_bytes);
    if (rc)
        return rc;
    rc = sim_memory_create(&c->memory, scenario->machine.node, scenario->job.procs, base_target);
    if (rc)
        snprintf(reason, reason_bytes, "no memory for the copies of %u ranks", scenario->job.procs);
    return rc;
}

void sim_channel_copies_destroy(struct sim_channel_copies *c)
{
    sim_memory_destroy(&c->memory);
}

static double alone_s(const struct node *node, const struct sim_channel_copy *copy, struct copy_context *context)
{
    double time_s = node_copy_alone_s(node, context);
    if (copy->kind != SIM_CHANNEL_MOVE || copy->source_cold)
        return time_s;
    struct copy_context other = *context; /* no line comes from another core: no costlier than the copies that meet some */
    other.copy_class = copy->target_cold ? COPY_PLAIN_COLD : COPY_IN_WARM;
    return fmin(time_s, node_copy_alone_s(node, &other));
}

/* What the core has copied into a queue still waits in its store buffer for lines that come as fast as in a long stream. */
static double tail_s(const struct node *node, const struct sim_channel_copy *copy, double whole_s)
{
    double stream_s = node_copy_s(node, COPY_IN_WARM, copy->bytes, copy->queue_bytes);
    double kept = fmin((double)copy->bytes, SIM_STORE_QUEUE_BYTES);
    if (copy->kind != SIM_CHANNEL_IN || copy->bytes == 0 || !(stream_s > whole_s))
        return 0;
    return fmin(stream_s - whole_s, stream_s * kept / (double)copy->bytes);
}

static void ask_node(const struct sim_channel_copies *c, const struct sim_channel_copy *copy, struct sim_channel_cost *out)
{
    const struct node *node = c->scenario->machine.node;
    enum copy_class class = class_of(copy);
    int queue = copy->kind <= SIM_CHANNEL_OUT && copy->queue_bytes < copy->message_bytes;
    uint64_t span = queue ? copy->queue_bytes : copy->message_bytes;
    struct copy_context context = {class, copy->bytes, span, copy->message_bytes};
    double whole_s = alone_s(node, copy, &context), beside_s = node_copy_beside_s(node, &context);
    double start_s = fmin(quantity_or(&node->copy[class].start_ns, 0) * 1e-9, whole_s);
    *out = (struct sim_channel_cost){*copy, sim_ps_from_s(start_s), sim_ps_from_s(whole_s - start_s),
                                     sim_ps_from_s(tail_s(node, copy, whole_s)), 1};
    if (node->contention_free)
        *out = (struct sim_channel_cost){*copy, 0, sim_ps_from_s((double)copy->bytes * node->paper.t_s_per_byte.value), 0, 1};
    else if (copy->kind <= SIM_CHANNEL_OUT && beside_s > whole_s && whole_s > start_s)
        out->beside = (whole_s - start_s) / (beside_s - start_s);
    if (copy->kind == SIM_CHANNEL_PULL && !node->contention_free && scenario_peers_by_kernel(c->scenario))
        out->start_ps += sim_ps_from_s(node_peer_extra_s(node, copy->bytes));
}

static int same_cost(const struct sim_channel_copy *a, const struct sim_channel_copy *b)
{
    return a->kind == b->kind && a->bytes == b->bytes && a->message_bytes == b->message_bytes &&
           a->queue_bytes == b->queue_bytes && a->source_cold == b->source_cold && a->target_cold == b->target_cold;
}

static const struct sim_channel_cost *cost_of(struct sim_channel_copies *c, const struct sim_channel_copy *copy)
{
    for (uint32_t i = 0; i < c->asked && i < SIM_CHANNEL_COSTS; i++)
        if (same_cost(&c->cost[i].copy, copy))
            return &c->cost[i];
    struct sim_channel_cost *cost = &c->cost[c->asked++ % SIM_CHANNEL_COSTS];
    ask_node(c, copy, cost);
    return cost;
}

static int outgrows(const struct sim_channel_copies *c, uint64_t bytes)
{
    uint64_t llc_bytes = c->scenario->machine.node->llc_bytes;
    return llc_bytes > 0 && bytes > llc_bytes;
}

/* The side next to the copying rank that is read, and that is written; or the other rank's. Returns the share that is far. */
static uint32_t use_sides(const struct sim_channel_copies *c, uint32_t rank, const struct sim_channel_copy *copy,
                          struct sim_class *class)
{
    const uint32_t *core = c->scenario->placement.core_of_rank;
    int32_t domain = c->scenario->conditions.buffer_domain;
    int queue = copy->kind <= SIM_CHANNEL_OUT, in_memory = queue && outgrows(c, copy->queue_bytes);
    int in = copy->kind == SIM_CHANNEL_IN, pull = copy->kind == SIM_CHANNEL_PULL;
    int reads_user = copy->kind != SIM_CHANNEL_OUT, read_memory = reads_user ? copy->source_cold : in_memory;
    uint32_t read_core = core[!in && copy->kind != SIM_CHANNEL_MOVE ? copy->owner : rank], far = 0;
    struct sim_side from = sim_memory_side(&c->memory, read_core, reads_user && copy->source_cold ? domain : -1, 0, read_memory);
    struct sim_side to = sim_memory_side(&c->memory, core[in ? copy->owner : rank], !in && copy->target_cold ? domain : -1, 1,
                                         in ? in_memory : copy->target_cold);
    if (from.in_memory || queue || pull)
        far += sim_memory_use_side(&c->memory, class, core[rank], &from);
    if (to.in_memory || in)
        far += sim_memory_use_side(&c->memory, class, core[rank], &to);
    return far;
}

int sim_channel_copies_prepare(struct sim_channel_copies *c, uint32_t rank, const struct sim_channel_copy *copy,
                               struct sim_copy *out)
{
    const struct node *node = c->scenario->machine.node;
    uint32_t core = c->scenario->placement.core_of_rank[rank];
    const struct sim_channel_cost *cost = cost_of(c, copy);
    struct sim_class class = {.beside = 1, .group = SIM_NO_GROUP, .rival = SIM_NO_GROUP};
    *out = (struct sim_copy){.start_ps = cost->start_ps, .alone_ps = cost->alone_ps, .tail_ps = cost->tail_ps};
    if (!node->contention_free) {
        uint32_t far = use_sides(c, rank, copy, &class);
        uint32_t sides = (copy->source_cold != 0) + (copy->target_cold != 0);
        int kind = copy->kind == SIM_CHANNEL_IN ? SIM_KIND_IN : copy->kind == SIM_CHANNEL_OUT ? SIM_KIND_OUT : SIM_KIND_PLAIN;
        sim_memory_use_kind(&c->memory, &class, core, kind, sides, cost->beside);
        out->alone_ps += (uint64_t)((double)out->alone_ps * (1 / quantity_or(&node->remote_ratio, 1) - 1) * far / SIM_LOAD_UNIT);
    }
    class.bytes_per_s = out->alone_ps ? (double)copy->bytes * SIM_PS_PER_S / (double)out->alone_ps : SIM_PS_PER_S;
    return sim_bandwidth_class(&c->memory.bandwidth, &class, &out->class_id);
}

uint64_t sim_channel_copies_line_ps(struct sim_channel_copies *c, const struct sim_channel_copy *copy)
{
    const struct sim_channel_cost *cost = cost_of(c, copy);
    return copy->kind == SIM_CHANNEL_IN ? cost->start_ps + cost->alone_ps : cost->alone_ps;
}
