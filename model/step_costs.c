#include "model/step_costs.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static int paper_costs(struct step_costs *c, const struct node *node, char *reason, size_t reason_bytes)
{
    const struct paper_costs *p = &node->paper;
    if (!quantity_known(&p->t_s_per_byte) || !quantity_known(&p->t_w_s) || !quantity_known(&p->t_wo_s) ||
        !quantity_known(&p->t_a_s)) {
        snprintf(reason, reason_bytes, "node %s is contention-free but lacks one of t, t_w, t_wo, t_A", node->name);
        return -ENOTSUP;
    }
    c->t_s = p->t_s_per_byte.value;
    c->t_w_s = p->t_w_s.value;
    c->t_wo_s = p->t_wo_s.value;
    c->t_a_s = p->t_a_s.value;
    return 0;
}

static double ns_or_0(const struct quantity *q)
{
    return quantity_or(q, 0) * 1e-9;
}

/* The hand-over of the nearest class that is known. */
static double nearest_s(const struct node *node)
{
    for (int c = HANDOVER_SAME_CACHE; c < HANDOVER_CLASS_COUNT; c++)
        if (quantity_known(&node->handover_ns[c]))
            return node->handover_ns[c].value * 1e-9;
    return 0;
}

static int fill_handover(struct step_costs *c, const struct node *node, char *reason, size_t reason_bytes)
{
    c->handover_s = calloc((size_t)c->procs * c->procs, sizeof *c->handover_s);
    if (!c->handover_s) {
        snprintf(reason, reason_bytes, "no memory for the hand-overs of %u ranks", c->procs);
        return -ENOMEM;
    }
    for (uint32_t i = 0; i < c->procs; i++)
        for (uint32_t j = 0; j < c->procs; j++) {
            uint32_t from = step_costs_core(c, i), to = step_costs_core(c, j);
            double time_s = from == to ? 0 : node_handover_ns(node, from, to) * 1e-9;
            if (!(time_s >= 0)) {
                snprintf(reason, reason_bytes, "node %s does not say what a line hand-over costs; calibrate it", node->name);
                return -ENOTSUP;
            }
            c->handover_s[(size_t)i * c->procs + j] = time_s;
        }
    return 0;
}

static uint32_t ranks_at_cache(const struct step_costs *c, uint32_t cache)
{
    uint32_t ranks = 0;
    for (uint32_t r = 0; r < c->procs; r++)
        ranks += step_costs_cache(c, r) == cache;
    return ranks;
}

/* What a rank reads and writes of its own memory. */
static uint64_t user_bytes(const struct job *job)
{
    return job_message_bytes(job) + (job->kind == JOB_ALLGATHER ? job_size_bytes(job) : 0);
}

/* The most queues that are used at one cache. */
static uint32_t queues_at_cache(const struct step_costs *c)
{
    uint32_t most = 1;
    for (uint32_t r = 0; c->scenario->job.kind == JOB_ALLGATHER && r < c->procs; r++) {
        uint32_t n = ranks_at_cache(c, step_costs_cache(c, r));
        most = n > most ? n : most;
    }
    return most;
}

/* Warm buffers that their cache cannot hold together are not warm. */
static int users_cold(const struct step_costs *c)
{
    const struct scenario *s = c->scenario;
    uint64_t llc_bytes = s->machine.node->llc_bytes;
    if (s->conditions.buffers == BUFFERS_COLD)
        return 1;
    for (uint32_t r = 0; llc_bytes && r < c->procs; r++)
        if (user_bytes(&s->job) > llc_bytes / ranks_at_cache(c, step_costs_cache(c, r)))
            return 1;
    return 0;
}

static void fill_copies(struct step_costs *c)
{
    const struct scenario *s = c->scenario;
    const struct node *node = s->machine.node;
    uint64_t whole = (uint64_t)s->params.slots * s->params.fragment_bytes, size = job_size_bytes(&s->job);
    c->queue_bytes = size < whole ? size : whole;
    c->queue_in_memory = node->llc_bytes > 0 && c->queue_bytes > node->llc_bytes / queues_at_cache(c);
    c->users_cold = users_cold(c);
    for (size_t i = 0; i < node->copy_point_count; i++)
        c->pair_measured |= quantity_known(&node->copy_points[i].beside_s);
    for (uint32_t n = 1; n <= 4; n++) {
        double limit = node_bandwidth_bytes_per_s(node, n);
        c->bandwidth_bytes_per_s[n - 1] = limit > 0 ? limit : INFINITY;
    }
}

static enum copy_class class_of(const struct step_costs *c, enum step_copy_kind kind)
{
    switch (kind) {
    case STEP_COPY_IN:
        return c->users_cold ? COPY_IN_COLD : COPY_IN_WARM;
    case STEP_COPY_OWN:
    case STEP_COPY_PULL:
        return c->users_cold ? COPY_PLAIN_COLD : COPY_OUT_WARM;
    case STEP_COPY_PUSH:
        return c->users_cold ? COPY_PLAIN_COLD : COPY_IN_WARM;
    default:
        return c->users_cold ? COPY_OUT_COLD : COPY_OUT_WARM;
    }
}

static int copies_known(struct step_costs *c, char *reason, size_t reason_bytes)
{
    const struct node *node = c->scenario->machine.node;
    uint32_t uses = c->scenario->params.protocol->uses;
    for (int kind = STEP_COPY_IN; kind <= STEP_COPY_PUSH; kind++) {
        uint32_t used =
            uses & (kind < STEP_COPY_OWN ? PROTOCOL_SLOTS | PROTOCOL_LINES : PROTOCOL_PEERS); /* else the own is cached */
        enum copy_class copy_class = class_of(c, (enum step_copy_kind)kind);
        if (used && !(node_copy_s(node, copy_class, 4096, 0) > 0)) {
            snprintf(reason, reason_bytes, "node %s does not say what a copy (%s) costs; calibrate it", node->name,
                     copy_class_name(copy_class));
            return -ENOTSUP;
        }
    }
    return 0;
}

static int described_costs(struct step_costs *c, const struct node *node, char *reason, size_t reason_bytes)
{
    double near_s = nearest_s(node);
    c->step_s = ns_or_0(&node->step_ns);
    c->atomic_s = ns_or_0(&node->atomic_ns);
    c->call_s = ns_or_0(&node->call_ns);
    c->fetch_share = node_fetch_share(node);
    c->store_share = quantity_known(&node->store_ns) && near_s > 0 ? node->store_ns.value * 1e-9 / near_s : 1;
    c->serve_s = node->serve_ns.value * 1e-9;
    c->detour = quantity_or(&node->detour, 0);
    fill_copies(c);
    int err = fill_handover(c, node, reason, reason_bytes);
    return err ? err : copies_known(c, reason, reason_bytes);
}

int step_costs_create(struct step_costs *out, const struct scenario *scenario, char *reason, size_t reason_bytes)
{
    const struct node *node = scenario->machine.node;
    *out = (struct step_costs){.scenario = scenario, .contention_free = node->contention_free, .procs = scenario->job.procs};
    int err = node->contention_free ? paper_costs(out, node, reason, reason_bytes)
                                    : described_costs(out, node, reason, reason_bytes);
    if (err)
        step_costs_destroy(out);
    return err;
}

void step_costs_destroy(struct step_costs *costs)
{
    free(costs->handover_s);
    costs->handover_s = NULL;
}

double step_costs_bandwidth(const struct step_costs *costs, uint32_t cores)
{
    if (cores == 0)
        return INFINITY;
    if (cores <= 4)
        return costs->bandwidth_bytes_per_s[cores - 1];
    double limit = node_bandwidth_bytes_per_s(costs->scenario->machine.node, cores);
    return limit > 0 ? limit : INFINITY;
}

/* Measured copies are whole ones; a start and a rate say that the last line is as long on its way as the first. */
static double tail_s(const struct node *node, enum copy_class copy_class, double start_s)
{
    for (size_t i = 0; i < node->copy_point_count; i++)
        if (node->copy_points[i].copy_class == copy_class)
            return 0;
    return start_s;
}

/* From the own cache to memory, a plain copy but for the first lines, which need not be waited for. What the node knows only of
 * copies out of another's cache is not dearer. */
static double own_cached_s(const struct step_costs *c, const struct copy_context *context)
{
    const struct node *node = c->scenario->machine.node;
    struct copy_context plain = *context;
    double out_s = node_copy_alone_s(node, context), share = (double)context->bytes / (double)context->message_bytes;
    plain.copy_class = COPY_PLAIN_COLD;
    return c->users_cold ? fmax(out_s, node_copy_alone_s(node, &plain) - share * ns_or_0(&node->cold_ns)) : out_s;
}

static void ask_node(const struct step_costs *c, struct step_copy_cost *cost)
{
    const struct scenario *s = c->scenario;
    const struct node *node = s->machine.node;
    enum copy_class copy_class = class_of(c, cost->kind);
    int peer = cost->kind >= STEP_COPY_PULL, user = cost->kind >= STEP_COPY_OWN;
    uint64_t size = job_size_bytes(&s->job);
    struct copy_context context = {copy_class, cost->bytes, user ? size : c->queue_bytes, size};
    cost->alone_s = cost->kind == STEP_COPY_RELAY        ? node_copy_relay_s(node, cost->bytes, c->queue_bytes, size)
                    : cost->kind == STEP_COPY_OWN_CACHED ? own_cached_s(c, &context)
                                                         : node_copy_alone_s(node, &context);
    cost->beside_s = cost->kind <= STEP_COPY_OUT ? fmax(node_copy_beside_s(node, &context), cost->alone_s) : cost->alone_s;
    cost->start_s = fmin(ns_or_0(&node->copy[copy_class].start_ns), cost->alone_s);
    cost->tail_s = tail_s(node, copy_class, cost->start_s);
    double extra_s = peer && scenario_peers_by_kernel(s) ? node_peer_extra_s(node, cost->bytes) : 0;
    cost->alone_s += extra_s;
    cost->beside_s += extra_s;
    cost->start_s += extra_s;
}

const struct step_copy_cost *step_costs_copy(struct step_costs *c, enum step_copy_kind kind, uint32_t bytes)
{
    for (uint32_t i = 0; i < c->kept_count; i++)
        if (c->kept[i].kind == kind && c->kept[i].bytes == bytes)
            return &c->kept[i];
    struct step_copy_cost *cost = &c->kept[c->kept_count < STEP_COSTS_KEPT ? c->kept_count++ : STEP_COSTS_KEPT - 1];
    *cost = (struct step_copy_cost){.kind = kind, .bytes = bytes};
    ask_node(c, cost);
    return cost;
}
