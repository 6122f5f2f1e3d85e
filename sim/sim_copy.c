#include "sim/sim_copy.h"

#include "sim/sim_time.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LOAD_READ = 1, LOAD_WRITE = 2, LOAD_LINK = SIM_LOAD_UNIT };

static uint32_t most(const uint32_t *values, uint32_t n)
{
    uint32_t max = 0;
    for (uint32_t i = 0; i < n; i++)
        max = values[i] > max ? values[i] : max;
    return max;
}

static uint32_t link_of(const struct sim_copies *c, uint32_t from_socket, uint32_t to_socket)
{
    return c->scenario->machine.node->domains + from_socket * c->sockets + to_socket;
}

/* Whether the node knows what a copy-in and a copy-out beside each other cost: then their sharing is in these times, and
 * the controllers speak from the third flow on. */
static int pair_measured(const struct node *node)
{
    for (size_t i = 0; i < node->copy_point_count; i++)
        if (quantity_known(&node->copy_points[i].beside_s))
            return 1;
    return 0;
}

/* Controllers by the number of flows; unknown bandwidth limits nobody. */
static int create_controllers(struct sim_copies *c)
{
    const struct node *node = c->scenario->machine.node;
    uint32_t entries = node->cores + 1;
    double *table = malloc(entries * sizeof *table);
    int rc = table ? 0 : -ENOMEM;
    uint32_t first = pair_measured(node) ? 3 : 0;
    for (uint32_t i = 0; table && i < entries; i++) {
        double limit = i < first ? INFINITY : node_bandwidth_bytes_per_s(node, i);
        table[i] = limit > 0 ? limit : INFINITY;
    }
    for (uint32_t d = 0; rc == 0 && d < node->domains; d++)
        rc = sim_bandwidth_resource(&c->bandwidth, d, table, entries);
    free(table);
    double link = quantity_or(&node->link_bytes_per_s, INFINITY), links[2] = {link, link};
    for (uint32_t i = 0; rc == 0 && i < c->sockets * c->sockets; i++)
        rc = sim_bandwidth_resource(&c->bandwidth, node->domains + i, links, 2);
    return rc;
}

/* Warm user memory that its cache cannot hold, with those of the other ranks there, is not warm. */
static int users_fit(const struct scenario *s)
{
    const struct node *node = s->machine.node;
    uint64_t most_ranks = 1;
    for (uint32_t i = 0; i < s->job.procs; i++) {
        uint64_t ranks = 0;
        for (uint32_t j = 0; j < s->job.procs; j++)
            ranks += node->core_cache[s->placement.core_of_rank[i]] == node->core_cache[s->placement.core_of_rank[j]];
        most_ranks = ranks > most_ranks ? ranks : most_ranks;
    }
    return node->llc_bytes == 0 || s->job.bcast.size_bytes <= node->llc_bytes / most_ranks;
}

/* The part of the queue that is used. */
static uint64_t queue_bytes(const struct scenario *s)
{
    uint64_t whole = (uint64_t)s->params.slots * s->params.fragment_bytes, size = s->job.bcast.size_bytes;
    return size < whole ? size : whole;
}

static enum copy_class class_of(const struct sim_copies *c, int in)
{
    return c->users_in_memory ? (in ? COPY_IN_COLD : COPY_OUT_COLD) : in ? COPY_IN_WARM : COPY_OUT_WARM;
}

static int know_copies(const struct sim_copies *c, char *reason, size_t reason_bytes)
{
    const struct node *node = c->scenario->machine.node;
    for (int in = 0; in < 2; in++)
        if (!(node_copy_s(node, class_of(c, in), 4096, queue_bytes(c->scenario)) > 0)) {
            snprintf(reason, reason_bytes, "node %s does not say what a copy (%s) costs; calibrate it", node->name,
                     copy_class_name(class_of(c, in)));
            return -ENOTSUP;
        }
    return 0;
}

int sim_copies_create(struct sim_copies *c, const struct scenario *scenario, uint32_t base_target, char *reason,
                      size_t reason_bytes)
{
    const struct node *node = scenario->machine.node;
    uint32_t procs = scenario->job.procs;
    *c = (struct sim_copies){.scenario = scenario, .sockets = most(node->core_socket, node->cores) + 1,
                             .caches = most(node->core_cache, node->cores) + 1};
    c->queue_in_memory = node->llc_bytes > 0 && queue_bytes(scenario) > node->llc_bytes;
    c->users_in_memory = scenario->conditions.buffers == BUFFERS_COLD || !users_fit(scenario);
    int rc = know_copies(c, reason, reason_bytes);
    if (rc)
        return rc;
    size_t leaders = (size_t)scenario->params.slots * c->caches;
    rc = sim_bandwidth_create(&c->bandwidth, node->domains + c->sockets * c->sockets, 2 * node->domains, procs, base_target);
    c->leader = malloc(leaders * sizeof *c->leader);
    c->leading = malloc(procs * sizeof *c->leading);
    if (rc == 0)
        rc = c->leader && c->leading ? create_controllers(c) : -ENOMEM;
    if (rc) {
        snprintf(reason, reason_bytes, "no memory for the copies of %u ranks", procs);
        sim_copies_destroy(c);
        return rc;
    }
    memset(c->leader, 0xff, leaders * sizeof *c->leader);
    memset(c->leading, 0xff, procs * sizeof *c->leading);
    return 0;
}

void sim_copies_destroy(struct sim_copies *c)
{
    sim_bandwidth_destroy(&c->bandwidth);
    free(c->leader);
    free(c->leading);
    *c = (struct sim_copies){0};
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

/* The node's answer for one class and size, from the few asked lately. */
static const struct sim_copy_cost *cost_of(struct sim_copies *c, enum copy_class copy_class, uint32_t bytes)
{
    for (uint32_t i = 0; i < c->costs; i++)
        if (c->cost[i].copy_class == copy_class && c->cost[i].bytes == bytes)
            return &c->cost[i];
    const struct scenario *s = c->scenario;
    const struct node *node = s->machine.node;
    struct copy_context context = {copy_class, bytes, queue_bytes(s), s->job.bcast.size_bytes};
    double whole_s = node_copy_alone_s(node, &context), beside_s = node_copy_beside_s(node, &context);
    double start_s = fmin(quantity_or(&node->copy[copy_class].start_ns, 0) * 1e-9, whole_s);
    struct sim_copy_cost *cost = &c->cost[c->costs < SIM_COPY_COSTS ? c->costs++ : SIM_COPY_COSTS - 1];
    *cost = (struct sim_copy_cost){copy_class, bytes, sim_ps_from_s(start_s), sim_ps_from_s(whole_s - start_s), 0, 1};
    if (!has_points(node, copy_class))
        cost->tail_ps = cost->start_ps;
    if (beside_s > whole_s && whole_s > start_s)
        cost->beside = (whole_s - start_s) / (beside_s - start_s);
    return cost;
}

static void use(struct sim_class *class, uint32_t resource, uint32_t load)
{
    for (uint32_t i = 0; i < class->uses; i++)
        if (class->use[i].resource == resource) {
            class->use[i].load += load;
            return;
        }
    class->use[class->uses++] = (struct sim_use){resource, load};
}

/* One side of a copy: its domain's controller if it is in memory, the link if it is on another socket. Returns
 * its share of the copy if it is far, else 0. */
static uint32_t use_side(const struct sim_copies *c, struct sim_class *class, uint32_t core, uint32_t domain, uint32_t socket,
                         int write, int in_memory)
{
    const struct node *node = c->scenario->machine.node;
    uint32_t here = node->core_socket[core];
    uint32_t load = write ? LOAD_WRITE : LOAD_READ;
    if (in_memory)
        use(class, domain, load);
    if (socket != here)
        use(class, write ? link_of(c, here, socket) : link_of(c, socket, here), LOAD_LINK);
    return domain != node->core_domain[core] ? load : 0;
}

static uint32_t socket_of_domain(const struct node *node, uint32_t domain, uint32_t otherwise)
{
    for (uint32_t core = 0; core < node->cores; core++)
        if (node->core_domain[core] == domain)
            return node->core_socket[core];
    return otherwise;
}

/* The user's side. */
static uint32_t use_user(const struct sim_copies *c, struct sim_class *class, uint32_t core, int write)
{
    const struct node *node = c->scenario->machine.node;
    int32_t wanted = c->scenario->conditions.buffer_domain;
    if (!c->users_in_memory)
        return 0;
    uint32_t domain = wanted < 0 ? node->core_domain[core] : (uint32_t)wanted % node->domains;
    return use_side(c, class, core, domain, socket_of_domain(node, domain, node->core_socket[core]), write, 1);
}

/* The slot's side of a copy-out. */
static uint32_t use_slot(struct sim_copies *c, struct sim_class *class, uint32_t rank, const struct step_place *slot)
{
    const struct node *node = c->scenario->machine.node;
    const uint32_t *cores = c->scenario->placement.core_of_rank;
    uint32_t core = cores[rank], owner = cores[slot->owner];
    uint32_t *leader = &c->leader[slot->index * c->caches + node->core_cache[core]];
    if (*leader == SIM_NO_RANK) {
        *leader = rank;
        c->leading[rank] = slot->index;
        return use_side(c, class, core, node->core_domain[owner], node->core_socket[owner], 0, c->queue_in_memory);
    }
    int behind = c->leading[*leader] == slot->index && node->core_domain[owner] != node->core_domain[core];
    return behind ? LOAD_READ : 0;
}

static void new_content(struct sim_copies *c, uint32_t slot)
{
    memset(c->leader + (size_t)slot * c->caches, 0xff, c->caches * sizeof *c->leader);
}

int sim_copies_prepare(struct sim_copies *c, uint32_t rank, const struct step *step, struct sim_copy *out)
{
    const struct node *node = c->scenario->machine.node;
    int in = step->to.kind == PLACE_SLOT;
    uint32_t core = c->scenario->placement.core_of_rank[rank], domain = node->core_domain[core];
    const struct sim_copy_cost *cost = cost_of(c, class_of(c, in), step->bytes);
    *out = (struct sim_copy){.start_ps = cost->start_ps, .alone_ps = cost->alone_ps, .tail_ps = cost->tail_ps};
    struct sim_class class = {.beside = cost->beside, .group = 2 * domain + (in ? 0 : 1), .rival = 2 * domain + (in ? 1 : 0)};
    uint32_t far = use_user(c, &class, core, !in);
    if (in) {
        new_content(c, step->to.index);
        if (c->queue_in_memory)
            use(&class, domain, LOAD_WRITE);
    } else {
        far += use_slot(c, &class, rank, &step->from);
    }
    double slower = 1 / quantity_or(&node->remote_ratio, 1) - 1;
    out->alone_ps += (uint64_t)((double)out->alone_ps * slower * far / SIM_LOAD_UNIT);
    class.bytes_per_s = out->alone_ps ? (double)step->bytes * SIM_PS_PER_S / (double)out->alone_ps : SIM_PS_PER_S;
    uint32_t ahead = step->bytes < SIM_STORE_BUFFER_BYTES ? step->bytes : SIM_STORE_BUFFER_BYTES;
    out->ahead_ps = step->bytes ? cost->alone_ps * ahead / step->bytes : 0;
    return sim_bandwidth_class(&c->bandwidth, &class, &out->class_id);
}

void sim_copies_finish(struct sim_copies *c, uint32_t rank)
{
    c->leading[rank] = SIM_NO_RANK;
}

uint64_t sim_copies_line_ps(struct sim_copies *c, const struct step *step)
{
    if (step->from.kind == PLACE_LINE && step->to.kind == PLACE_LINE)
        return 0;
    int in = step->from.kind == PLACE_USER;
    const struct sim_copy_cost *cost = cost_of(c, class_of(c, in), step->bytes);
    return in ? cost->start_ps + cost->alone_ps : cost->alone_ps;
}
