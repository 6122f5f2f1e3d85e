#include "model/bcast_copies.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>

/* Thirds of a copy, as in the header; over a link a copy counts whole. */
enum { LOAD_READ = 1, LOAD_WRITE = 2, LOAD_COPY = 3 };

enum { STORE_BUFFER_BYTES = 1024 }; /* some 32 to 56 stores of 16 or 32 bytes wait in a core for their lines */

static uint32_t core_of(const struct scenario *s, uint32_t rank)
{
    return s->placement.core_of_rank[rank];
}

static uint32_t domain_of(const struct scenario *s, uint32_t rank)
{
    return s->machine.node->core_domain[core_of(s, rank)];
}

/* The part of the queue that one message uses. */
static uint64_t queue_bytes(const struct scenario *s)
{
    uint64_t whole = (uint64_t)s->params.slots * s->params.fragment_bytes, size = s->job.bcast.size_bytes;
    return size < whole ? size : whole;
}

static uint32_t ranks_at_cache(const struct scenario *s, uint32_t cache, uint32_t below)
{
    uint32_t ranks = 0;
    for (uint32_t r = 0; r < below; r++)
        ranks += s->machine.node->core_cache[core_of(s, r)] == cache;
    return ranks;
}

/* Warm buffers that their cache cannot hold together are not warm. */
static int users_in_memory(const struct scenario *s)
{
    const struct node *node = s->machine.node;
    if (s->conditions.buffers == BUFFERS_COLD)
        return 1;
    for (uint32_t r = 0; node->llc_bytes && r < s->job.procs; r++)
        if (s->job.bcast.size_bytes > node->llc_bytes / ranks_at_cache(s, node->core_cache[core_of(s, r)], s->job.procs))
            return 1;
    return 0;
}

/* Domain of a rank's user buffer. */
static uint32_t user_domain(const struct scenario *s, uint32_t rank)
{
    return s->conditions.buffer_domain >= 0 ? (uint32_t)s->conditions.buffer_domain : domain_of(s, rank);
}

/* Thirds of copies that load a domain's controller for every fragment, and by how many ranks. */
struct load {
    uint32_t thirds, ranks;
};

static void load_add(struct load *load, uint32_t thirds)
{
    load->thirds += thirds;
    load->ranks += thirds > 0;
}

static struct load controller_load(const struct scenario *s, uint32_t domain, int with_root)
{
    const struct node *node = s->machine.node;
    uint32_t root = s->job.bcast.root, root_cache = node->core_cache[core_of(s, root)];
    int users = users_in_memory(s), queue = node->llc_bytes && queue_bytes(s) > node->llc_bytes;
    int queue_here = queue && domain_of(s, root) == domain;
    struct load load = {0, 0};
    if (with_root)
        load_add(&load, (users && user_domain(s, root) == domain ? LOAD_READ : 0) + (queue_here ? LOAD_WRITE : 0));
    for (uint32_t r = 0; r < s->job.procs; r++) {
        uint32_t cache = node->core_cache[core_of(s, r)];
        uint32_t earlier_readers = ranks_at_cache(s, cache, r) - (root < r && root_cache == cache);
        uint32_t thirds =
            (users && user_domain(s, r) == domain ? LOAD_WRITE : 0) + (queue_here && earlier_readers == 0 ? LOAD_READ : 0);
        if (r != root)
            load_add(&load, thirds);
    }
    return load;
}

/* Copies that cross from the root's socket to `socket` for every fragment: one for each cache there. */
static uint32_t link_load(const struct scenario *s, uint32_t socket)
{
    const struct node *node = s->machine.node;
    uint32_t crossings = 0;
    for (uint32_t r = 0; r < s->job.procs; r++) {
        uint32_t core = core_of(s, r);
        crossings += node->core_socket[core] == socket && ranks_at_cache(s, node->core_cache[core], r) == 0;
    }
    return node->core_socket[core_of(s, s->job.bcast.root)] == socket ? 0 : crossings;
}

/* Seconds that the scarcest controller or link needs for one fragment of all who copy. */
static double floor_s(const struct scenario *s, uint64_t bytes, int with_root)
{
    const struct node *node = s->machine.node;
    double worst_s = 0;
    for (uint32_t d = 0; d < node->domains; d++) {
        struct load load = controller_load(s, d, with_root);
        double limit = node_bandwidth_bytes_per_s(node, load.ranks);
        if (load.ranks > 0 && limit > 0)
            worst_s = fmax(worst_s, (double)bytes * load.thirds / LOAD_COPY / limit);
    }
    for (uint32_t socket = 0; quantity_known(&node->link_bytes_per_s) && socket < node->sockets; socket++)
        worst_s = fmax(worst_s, (double)bytes * link_load(s, socket) / node->link_bytes_per_s.value);
    return worst_s;
}

/* A copy of which so many thirds lie on another domain: those bytes take longer, its start does not. */
static double farther_s(const struct node *node, enum copy_class copy_class, double alone_s, uint32_t thirds)
{
    double start_s = fmin(quantity_or(&node->copy[copy_class].start_ns, 0) * 1e-9, alone_s);
    return alone_s + (alone_s - start_s) * (1 / quantity_or(&node->remote_ratio, 1) - 1) * thirds / LOAD_COPY;
}

/* Thirds of a copy-out that lie elsewhere, at most, among the readers on the root's domain or among the others. */
static uint32_t far_thirds(const struct scenario *s, int on_root_domain)
{
    uint32_t root = s->job.bcast.root, most = 0;
    int users = users_in_memory(s);
    for (uint32_t r = 0; r < s->job.procs; r++) {
        if (r == root || (domain_of(s, r) == domain_of(s, root)) != on_root_domain)
            continue;
        uint32_t thirds = (on_root_domain ? 0 : LOAD_READ) + (users && user_domain(s, r) != domain_of(s, r) ? LOAD_WRITE : 0);
        most = thirds > most ? thirds : most;
    }
    return most;
}

static double tail_s(const struct node *node, enum copy_class copy_class)
{
    for (size_t i = 0; i < node->copy_point_count; i++)
        if (node->copy_points[i].copy_class == copy_class)
            return 0; /* measured copies are whole ones */
    return quantity_or(&node->copy[copy_class].start_ns, 0) * 1e-9;
}

int bcast_copies_of(const struct scenario *scenario, uint64_t bytes, struct bcast_copies *out, char *reason, size_t reason_bytes)
{
    const struct scenario *s = scenario;
    const struct node *node = s->machine.node;
    int cold = users_in_memory(s);
    struct copy_context in = {cold ? COPY_IN_COLD : COPY_IN_WARM, bytes, queue_bytes(s), s->job.bcast.size_bytes};
    struct copy_context away = in;
    away.copy_class = cold ? COPY_OUT_COLD : COPY_OUT_WARM;
    double in_s = node_copy_alone_s(node, &in), out_s = node_copy_alone_s(node, &away);
    if (!(in_s >= 0) || !(out_s >= 0)) {
        snprintf(reason, reason_bytes, "node %s does not say what a copy (%s) costs; calibrate it", node->name,
                 copy_class_name(in_s >= 0 ? away.copy_class : in.copy_class));
        return -ENOTSUP;
    }
    double step_s = node->contention_free ? 0 : quantity_or(&node->step_ns, 0) * 1e-9;
    uint32_t root = s->job.bcast.root, in_far = cold && user_domain(s, root) != domain_of(s, root) ? LOAD_READ : 0;
    uint32_t near_far = far_thirds(s, 1);
    double ahead = node->contention_free || bytes == 0 ? 0 : fmin(STORE_BUFFER_BYTES / (double)bytes, 1);
    *out = (struct bcast_copies){
        .in_alone_s = step_s + farther_s(node, in.copy_class, in_s, in_far),
        .in_beside_s = step_s + farther_s(node, in.copy_class, node_copy_beside_s(node, &in), in_far),
        .near_alone_s = step_s + farther_s(node, away.copy_class, out_s, near_far),
        .near_beside_s = step_s + farther_s(node, away.copy_class, node_copy_beside_s(node, &away), near_far),
        .far_s = step_s + farther_s(node, away.copy_class, out_s, far_thirds(s, 0)),
        .in_tail_s = node->contention_free ? 0 : tail_s(node, in.copy_class),
        .out_tail_s = node->contention_free ? 0 : tail_s(node, away.copy_class),
        .in_ahead_s = in_s * ahead,
        .out_ahead_s = out_s * ahead,
        .out_floor_s = node->contention_free ? 0 : floor_s(s, bytes, 0),
        .all_floor_s = node->contention_free ? 0 : floor_s(s, bytes, 1),
    };
    return 0;
}
