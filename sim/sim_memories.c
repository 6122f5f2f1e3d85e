#include "sim/sim_memories.h"

#include <errno.h>
#include <stdlib.h>

enum { FLOWS_FIRST = 16 };

/* Progress has 16 binary places, and several flows follow one another. */
#define ALONE_PS_MOST (UINT64_C(1) << 47)

int sim_memories_create(struct sim_memories *m, const struct node *node, uint32_t nodes, uint32_t base_target)
{
    *m = (struct sim_memories){.node = node, .nodes = nodes, .base_target = base_target};
    while (m->class_bits < 20 && (UINT32_MAX - base_target) / nodes >> (m->class_bits + 1))
        m->class_bits++;
    m->at = calloc(nodes, sizeof *m->at);
    m->unsettled = calloc(nodes, sizeof *m->unsettled);
    int err = m->at && m->unsettled ? sim_memory_create_for_nics(&m->shape, node, 0, base_target) : -ENOMEM;
    if (err)
        sim_memories_destroy(m);
    return err;
}

static void node_destroy_at(struct sim_memories_node *n)
{
    sim_bandwidth_destroy(&n->bandwidth);
    free(n->owner);
    *n = (struct sim_memories_node){.spare = 0};
}

void sim_memories_destroy(struct sim_memories *m)
{
    for (uint32_t i = 0; m->at && i < m->nodes; i++)
        node_destroy_at(&m->at[i]);
    if (m->shape.node)
        sim_memory_destroy(&m->shape);
    free(m->at);
    free(m->unsettled);
    *m = (struct sim_memories){.nodes = 0};
}

void sim_memories_reset(struct sim_memories *m)
{
    for (uint32_t i = 0; i < m->nodes; i++)
        if (m->at[i].bandwidth.active_count || m->at[i].bandwidth.dirty)
            node_destroy_at(&m->at[i]);
    m->unsettled_count = 0;
}

int sim_memories_class(struct sim_memories *m, const struct sim_class *wanted, uint32_t *id)
{
    int err = sim_bandwidth_class(&m->shape.bandwidth, wanted, id);
    return err || *id >> m->class_bits == 0 ? err : -ENOMEM;
}

/* Places for more flows, free ones. */
static int more_flows(struct sim_memories_node *n)
{
    uint32_t had = n->bandwidth.flows, flows = had ? 2 * had : FLOWS_FIRST;
    uint32_t *owner = realloc(n->owner, flows * sizeof *owner);
    if (!owner)
        return -ENOMEM;
    n->owner = owner;
    if (sim_bandwidth_flows(&n->bandwidth, flows))
        return -ENOMEM;
    for (uint32_t i = had; i < flows; i++)
        owner[i] = i + 1 < flows ? i + 1 : SIM_MEMORIES_NONE;
    n->spare = had;
    return 0;
}

static int node_ready(const struct sim_memories *m, struct sim_memories_node *n, uint32_t class_id)
{
    int err = 0;
    if (!n->bandwidth.plan) {
        err = sim_bandwidth_create_alike(&n->bandwidth, &m->shape.bandwidth, 0);
        n->spare = SIM_MEMORIES_NONE;
    }
    if (!err && n->bandwidth.states <= class_id)
        err = sim_bandwidth_states(&n->bandwidth);
    return err || n->spare != SIM_MEMORIES_NONE ? err : more_flows(n);
}

static void unsettle(struct sim_memories *m, uint32_t node)
{
    struct sim_bandwidth *b = &m->at[node].bandwidth;
    if (!b->dirty)
        m->unsettled[m->unsettled_count++] = node;
    b->dirty = 1;
}

int sim_memories_begin(struct sim_memories *m, uint32_t node, uint32_t class_id, uint32_t owner, uint64_t alone_ps,
                       uint64_t now_ps)
{
    struct sim_memories_node *n = &m->at[node];
    int err = alone_ps < ALONE_PS_MOST ? node_ready(m, n, class_id) : -EOVERFLOW;
    if (err)
        return err;
    uint32_t flow = n->spare;
    n->spare = n->owner[flow];
    n->owner[flow] = owner;
    unsettle(m, node);
    sim_bandwidth_begin(&n->bandwidth, flow, class_id, alone_ps, now_ps);
    return 0;
}

static int settle(struct sim_memories *m, uint32_t node, struct sim_radix *queue, uint64_t now_ps)
{
    struct sim_bandwidth *b = &m->at[node].bandwidth;
    uint32_t endings = sim_bandwidth_speeds(b, now_ps), target = m->base_target + (node << m->class_bits);
    int err = 0;
    for (uint32_t i = 0; i < endings && !err; i++) {
        const struct sim_ending *ending = &b->plan->ending[i];
        err = sim_radix_push(queue, ending->time_ps, target + ending->class_id, ending->generation);
    }
    return err;
}

int sim_memories_settle(struct sim_memories *m, struct sim_radix *queue, uint64_t now_ps)
{
    int err = 0;
    for (uint32_t i = 0; i < m->unsettled_count && !err; i++)
        err = settle(m, m->unsettled[i], queue, now_ps);
    m->unsettled_count = 0;
    return err;
}

uint32_t sim_memories_end(struct sim_memories *m, uint32_t target, uint32_t generation, uint64_t now_ps, uint32_t *node)
{
    uint32_t place = target - m->base_target, class_id = place & ((UINT32_C(1) << m->class_bits) - 1);
    *node = place >> m->class_bits;
    struct sim_memories_node *n = &m->at[*node];
    int was_dirty = n->bandwidth.dirty;
    uint32_t flow = sim_bandwidth_end(&n->bandwidth, class_id, generation, now_ps);
    if (flow == SIM_MEMORIES_NONE)
        return SIM_MEMORIES_NONE;
    uint32_t owner = n->owner[flow];
    n->owner[flow] = n->spare;
    n->spare = flow;
    n->bandwidth.dirty = was_dirty;
    unsettle(m, *node);
    return owner;
}
