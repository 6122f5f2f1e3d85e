/* What messages within a node, and moves within a rank, cost there, and which of its resources they use. */
#include "sim/sim_network.h"
#include "sim/sim_time.h"

#include <errno.h>
#include <string.h>

static uint32_t core_of(const struct sim_network *n, uint32_t rank)
{
    return n->scenario->placement.core_of_rank[rank];
}

/* Of its node, at the last-level cache of that core. */
static uint32_t ranks_at_cache(const struct sim_network *n, uint32_t core)
{
    const uint32_t *cache = n->scenario->machine.node->core_cache;
    uint32_t procs = n->scenario->job.procs, ppn = n->scenario->machine.ppn, ranks = 0;
    for (uint32_t r = 0; r < ppn && r < procs; r++)
        ranks += cache[core_of(n, r)] == cache[core];
    return ranks ? ranks : 1;
}

/* Whether bytes of the user's do not fit the share of its last-level cache that a rank at that core has. */
static int outgrows(const struct sim_network *n, uint32_t core, uint64_t bytes)
{
    uint64_t llc_bytes = n->scenario->machine.node->llc_bytes;
    return llc_bytes > 0 && bytes > llc_bytes / ranks_at_cache(n, core);
}

/* All blocks of an Allgather, a broadcast's message. */
static uint64_t user_bytes(const struct sim_network *n)
{
    const struct job *job = &n->scenario->job;
    return job_size_bytes(job) * (job->kind == JOB_ALLGATHER ? job->procs : 1);
}

/* ---- classes ---- */

static int is_loading(const struct sim_class *class)
{
    return class->uses > 0;
}

/* A copy of one kind by a core, so many bytes in so much time. */
static int class_of(struct sim_network *n, struct sim_class *class, uint64_t bytes, uint64_t alone_ps, uint32_t *out)
{
    *out = SIM_NO_CLASS;
    if (!is_loading(class) || !alone_ps || !bytes)
        return 0;
    class->bytes_per_s = (double)bytes * SIM_PS_PER_S / (double)alone_ps;
    sim_memory_use_whole(&n->memories.shape, class);
    return sim_memories_class(&n->memories, class, out);
}

/* From the sender's buffer to the ring at the receiver, which is in a cache as long as that holds it. */
static void load_in(const struct sim_network *n, const struct message *m, int ring_in_memory, struct sim_class *out)
{
    const struct sim_memory *shape = &n->memories.shape;
    struct sim_side from = sim_memory_side(shape, m->from_core, -1, 0, m->source_cold);
    struct sim_side to = sim_memory_side(shape, m->to_core, -1, 1, ring_in_memory);
    *out = (struct sim_class){.beside = 1, .group = SIM_NO_GROUP, .rival = SIM_NO_GROUP};
    sim_memory_use_side(shape, out, m->from_core, &from);
    sim_memory_use_side(shape, out, m->from_core, &to);
    sim_memory_use_kind(shape, out, m->from_core, SIM_KIND_IN, m->source_cold, 1);
}

static void load_out(const struct sim_network *n, const struct message *m, int ring_in_memory, struct sim_class *out)
{
    const struct sim_memory *shape = &n->memories.shape;
    int reads = ring_in_memory || node_caches_by_bus(n->scenario->machine.node, m->from_core, m->to_core);
    struct sim_side from = sim_memory_side(shape, m->to_core, -1, 0, reads);
    struct sim_side to = sim_memory_side(shape, m->to_core, -1, 1, m->target_cold);
    *out = (struct sim_class){.beside = 1, .group = SIM_NO_GROUP, .rival = SIM_NO_GROUP};
    sim_memory_use_side(shape, out, m->to_core, &from);
    sim_memory_use_side(shape, out, m->to_core, &to);
    sim_memory_use_kind(shape, out, m->to_core, SIM_KIND_OUT, m->target_cold, 1);
}

static int classes_of(struct sim_network *n, const struct message *m, struct sim_cluster_cost *cost)
{
    uint64_t bytes = message_bytes(m), room = message_queue_bytes(&n->costs, m);
    int ring_in_memory = outgrows(n, m->to_core, bytes < room ? bytes : room);
    struct sim_class in, out;
    cost->send_class = cost->receive_class = SIM_NO_CLASS;
    if (!n->nodes.memories)
        return 0;
    load_in(n, m, ring_in_memory, &in);
    load_out(n, m, ring_in_memory, &out);
    int err = class_of(n, &in, bytes, cost->send_ps, &cost->send_class);
    return err ? err : class_of(n, &out, bytes, cost->receive_ps, &cost->receive_class);
}

/* ---- messages ---- */

static int cost_of(struct sim_network *n, struct sim_network_kept *kept)
{
    uint64_t bytes = kept->key - 1;
    struct message m = {.from_core = kept->from_core, .to_core = kept->to_core, .run_bytes = bytes, .runs = 1};
    m.source_cold = outgrows(n, m.from_core, bytes);
    m.target_cold = n->scenario->conditions.buffers == BUFFERS_COLD || outgrows(n, m.to_core, user_bytes(n));
    double send_s = message_sender_s(&n->costs, &m), receive_s = message_receiver_s(&n->costs, &m);
    double time_s = message_time_s(&n->costs, &m);
    if (n->costs.missing[0])
        return -ENOTSUP;
    kept->cost = (struct sim_cluster_cost){.send_ps = sim_ps_from_s(send_s), .receive_ps = sim_ps_from_s(receive_s)};
    kept->cost.time_ps = loggp_later_ps(sim_ps_from_s(time_s), loggp_later_ps(kept->cost.send_ps, kept->cost.receive_ps));
    return classes_of(n, &m, &kept->cost);
}

static int inside(void *context, uint32_t from, uint32_t to, uint64_t bytes, struct sim_cluster_cost *out)
{
    struct sim_network *n = context;
    uint32_t from_core = core_of(n, from), to_core = core_of(n, to);
    struct sim_network_kept *kept = &n->kept[(bytes * 31 + from_core * 7 + to_core) % SIM_NETWORK_INSIDE_KEPT];
    if (kept->key != bytes + 1 || kept->from_core != from_core || kept->to_core != to_core) {
        *kept = (struct sim_network_kept){.key = bytes + 1, .from_core = from_core, .to_core = to_core};
        int err = cost_of(n, kept);
        if (err) {
            kept->key = 0;
            return err;
        }
    }
    *out = kept->cost;
    return 0;
}

/* From one place to another of its own: as long as a cache holds both, nothing that is shared. */
static int move(void *context, uint32_t rank, uint64_t bytes, uint64_t copies, struct sim_cluster_cost *out)
{
    struct sim_network *n = context;
    const struct sim_memory *shape = &n->memories.shape;
    uint32_t core = core_of(n, rank);
    int cold = outgrows(n, core, 2 * bytes);
    struct sim_class class = {.beside = 1, .group = SIM_NO_GROUP, .rival = SIM_NO_GROUP};
    double time_s = bytes ? (double)copies * message_move_s(&n->costs, bytes / copies, cold) : 0;
    if (n->costs.missing[0])
        return -ENOTSUP;
    for (int write = 0; write < 2; write++) {
        struct sim_side side = sim_memory_side(shape, core, -1, write, cold);
        sim_memory_use_side(shape, &class, core, &side);
    }
    sim_memory_use_kind(shape, &class, core, SIM_KIND_PLAIN, cold ? 2 : 0, 1);
    *out = (struct sim_cluster_cost){.send_ps = sim_ps_from_s(time_s), .receive_class = SIM_NO_CLASS};
    return class_of(n, &class, bytes, out->send_ps, &out->send_class);
}

/* ---- NICs ---- */

static int nic_create(struct sim_network *n)
{
    const struct node *node = n->scenario->machine.node;
    for (uint32_t d = 0; d < node->domains; d++) {
        struct sim_class class = {.bytes_per_s = n->loggp.byte_fs ? 1e15 / (double)n->loggp.byte_fs : 1e18, .beside = 1,
                                  .group = SIM_NO_GROUP, .rival = SIM_NO_GROUP};
        uint32_t id;
        sim_memory_use_nic(&n->memories.shape, &class, d);
        int err = sim_memories_class(&n->memories, &class, &id);
        if (err)
            return err;
    }
    return 0;
}

static uint32_t nic_class(void *context, uint32_t rank, int in)
{
    const struct sim_network *n = context;
    (void)in;
    return n->scenario->machine.node->core_domain[core_of(n, rank)];
}

int sim_network_share_memory(struct sim_network *n)
{
    const struct machine *machine = &n->scenario->machine;
    uint32_t nodes = (n->scenario->job.procs - 1) / machine->ppn + 1;
    if (!n->nodes.fabric || n->nodes.ppn < 2 || machine->node->contention_free)
        return 0;
    int err = sim_memories_create(&n->memories, machine->node, nodes, SIM_CLUSTER_MEMORY_TARGETS);
    err = err ? err : nic_create(n);
    n->nodes.memories = err ? NULL : &n->memories;
    n->nodes.move = move;
    n->nodes.nic_class = nic_class;
    return err;
}

void sim_network_inside(struct sim_network *n)
{
    n->nodes.inside = inside;
    n->nodes.context = n;
}
