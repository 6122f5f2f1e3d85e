#include "model/bcast_copies.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>

/* Thirds of a copy, as in the header; over a link a copy counts whole. */
enum { LOAD_READ = 1, LOAD_WRITE = 2, LOAD_COPY = 3 };

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

/* Thirds of copies that load a domain's controller for every fragment. */
static uint32_t controller_load(const struct scenario *s, uint32_t domain, int with_root)
{
    const struct node *node = s->machine.node;
    uint32_t root = s->job.bcast.root, load = 0;
    int users = users_in_memory(s), queue = node->llc_bytes && queue_bytes(s) > node->llc_bytes;
    for (uint32_t r = 0; r < s->job.procs; r++) {
        if (r == root) {
            load += with_root && users && user_domain(s, r) == domain ? LOAD_READ : 0;
            load += with_root && queue && domain_of(s, r) == domain ? LOAD_WRITE : 0;
            continue;
        }
        load += users && user_domain(s, r) == domain ? LOAD_WRITE : 0;
        uint32_t cache = node->core_cache[core_of(s, r)];
        int first = ranks_at_cache(s, cache, r) == (root < r && node->core_cache[core_of(s, root)] == cache);
        load += queue && first && domain_of(s, root) == domain ? LOAD_READ : 0;
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
        double copies = (double)controller_load(s, d, with_root) / LOAD_COPY;
        double limit = node_bandwidth_bytes_per_s(node, copies);
        if (copies > 0 && limit > 0)
            worst_s = fmax(worst_s, (double)bytes * copies / limit);
    }
    for (uint32_t socket = 0; quantity_known(&node->link_bytes_per_s) && socket < node->sockets; socket++)
        worst_s = fmax(worst_s, (double)bytes * link_load(s, socket) / node->link_bytes_per_s.value);
    return worst_s;
}

/* A copy over a distance: its bytes take longer, its start does not. */
static double farther_s(const struct node *node, enum copy_class copy_class, double alone_s)
{
    double start_s = fmin(quantity_or(&node->copy[copy_class].start_ns, 0) * 1e-9, alone_s);
    return start_s + (alone_s - start_s) / quantity_or(&node->remote_ratio, 1);
}

int bcast_copies_of(const struct scenario *scenario, uint64_t bytes, struct bcast_copies *out, char *reason, size_t reason_bytes)
{
    const struct scenario *s = scenario;
    const struct node *node = s->machine.node;
    int cold = users_in_memory(s);
    struct copy_context in = {cold ? COPY_IN_COLD : COPY_IN_WARM, bytes, queue_bytes(s), s->job.bcast.size_bytes};
    struct copy_context away = in;
    away.copy_class = cold ? COPY_OUT_COLD : COPY_OUT_WARM;
    struct bcast_copies c = {.in_alone_s = node_copy_alone_s(node, &in), .near_alone_s = node_copy_alone_s(node, &away)};
    if (!(c.in_alone_s >= 0) || !(c.near_alone_s >= 0)) {
        snprintf(reason, reason_bytes, "node %s does not say what a copy (%s) costs; calibrate it", node->name,
                 copy_class_name(c.in_alone_s >= 0 ? away.copy_class : in.copy_class));
        return -ENOTSUP;
    }
    c.in_beside_s = node_copy_beside_s(node, &in);
    c.near_beside_s = node_copy_beside_s(node, &away);
    c.far_s = farther_s(node, away.copy_class, c.near_alone_s);
    if (s->conditions.buffer_domain >= 0 && cold && user_domain(s, s->job.bcast.root) != domain_of(s, s->job.bcast.root)) {
        c.in_alone_s = farther_s(node, in.copy_class, c.in_alone_s);
        c.in_beside_s = farther_s(node, in.copy_class, c.in_beside_s);
        c.near_alone_s = c.far_s; /* the root's neighbours write to that other domain too */
        c.near_beside_s = fmax(c.near_beside_s, c.far_s);
    }
    if (!node->contention_free) {
        c.out_floor_s = floor_s(s, bytes, 0);
        c.all_floor_s = floor_s(s, bytes, 1);
    }
    *out = c;
    return 0;
}
