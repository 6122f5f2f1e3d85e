#include "sim/sim_memory.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

static uint32_t most(const uint32_t *values, uint32_t n)
{
    uint32_t max = 0;
    for (uint32_t i = 0; i < n; i++)
        max = values[i] > max ? values[i] : max;
    return max;
}

static uint32_t link_of(const struct sim_memory *m, uint32_t from_socket, uint32_t to_socket)
{
    return m->node->domains + from_socket * m->sockets + to_socket;
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

static double limit_of(const struct node *node, uint32_t flows)
{
    double limit = node_bandwidth_bytes_per_s(node, flows);
    return limit > 0 ? limit : INFINITY;
}

/* Controllers by the number of flows; unknown bandwidth limits nobody. Two copies of one kind are no such pair: they feel each
 * other. */
static int create_controllers(struct sim_memory *m)
{
    const struct node *node = m->node;
    uint32_t entries = node->cores + 1, first = m->alike ? 3 : 0;
    double *table = malloc(entries * sizeof *table);
    int rc = table ? 0 : -ENOMEM;
    for (uint32_t i = 0; table && i < entries; i++)
        table[i] = i < first ? INFINITY : limit_of(node, i);
    for (uint32_t d = 0; rc == 0 && d < node->domains; d++)
        rc = sim_bandwidth_resource(&m->bandwidth, d, table, entries);
    for (uint32_t i = 1; table && i < first && i < entries; i++)
        table[i] = limit_of(node, i);
    for (uint32_t i = 0; rc == 0 && m->alike && i < SIM_KINDS * node->domains; i++)
        rc = sim_bandwidth_resource(&m->bandwidth, m->alike + i, table, entries);
    free(table);
    return rc;
}

static int create_links(struct sim_memory *m)
{
    double link = quantity_or(&m->node->link_bytes_per_s, INFINITY), links[2] = {link, link};
    int rc = 0;
    for (uint32_t i = 0; rc == 0 && i < m->sockets * m->sockets; i++)
        rc = sim_bandwidth_resource(&m->bandwidth, m->node->domains + i, links, 2);
    return rc;
}

/* What any number of cores gets at most. */
static int create_wholes(struct sim_memory *m)
{
    double limit = 0;
    int rc = 0;
    for (uint32_t n = 1; n <= m->node->cores; n++)
        limit = fmax(limit, limit_of(m->node, n));
    double limits[2] = {limit, limit};
    for (uint32_t d = 0; rc == 0 && d < m->node->domains; d++)
        rc = sim_bandwidth_resource(&m->bandwidth, m->whole + d, limits, 2);
    return rc;
}

static int create(struct sim_memory *m, const struct node *node, uint32_t flows, uint32_t base_target, int nics)
{
    *m = (struct sim_memory){.node = node, .sockets = most(node->core_socket, node->cores) + 1};
    uint32_t resources = node->domains + m->sockets * m->sockets;
    m->alike = pair_measured(node) ? resources : 0;
    resources += m->alike ? SIM_KINDS * node->domains : 0;
    m->whole = nics ? resources : 0;
    resources += nics ? node->domains : 0;
    int rc = sim_bandwidth_create(&m->bandwidth, resources, 2 * node->domains, flows, base_target);
    rc = rc ? rc : create_controllers(m);
    rc = rc ? rc : create_links(m);
    rc = rc || !nics ? rc : create_wholes(m);
    if (rc)
        sim_memory_destroy(m);
    return rc;
}

int sim_memory_create(struct sim_memory *m, const struct node *node, uint32_t flows, uint32_t base_target)
{
    return create(m, node, flows, base_target, 0);
}

int sim_memory_create_for_nics(struct sim_memory *m, const struct node *node, uint32_t flows, uint32_t base_target)
{
    return create(m, node, flows, base_target, 1);
}

void sim_memory_destroy(struct sim_memory *m)
{
    sim_bandwidth_destroy(&m->bandwidth);
}

static uint32_t socket_of_domain(const struct node *node, uint32_t domain, uint32_t otherwise)
{
    for (uint32_t core = 0; core < node->cores; core++)
        if (node->core_domain[core] == domain)
            return node->core_socket[core];
    return otherwise;
}

struct sim_side sim_memory_side(const struct sim_memory *m, uint32_t core, int32_t domain, int write, int in_memory)
{
    const struct node *node = m->node;
    struct sim_side side = {node->core_domain[core], node->core_socket[core], write, in_memory};
    if (domain >= 0) {
        side.domain = (uint32_t)domain % node->domains;
        side.socket = socket_of_domain(node, side.domain, side.socket);
    }
    return side;
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

uint32_t sim_memory_use_side(const struct sim_memory *m, struct sim_class *class, uint32_t core, const struct sim_side *side)
{
    uint32_t here = m->node->core_socket[core], load = side->write ? SIM_LOAD_WRITE : SIM_LOAD_READ;
    if (side->in_memory)
        use(class, side->domain, load);
    if (side->socket != here)
        use(class, side->write ? link_of(m, here, side->socket) : link_of(m, side->socket, here), SIM_LOAD_LINK);
    return side->domain != m->node->core_domain[core] ? load : 0;
}

void sim_memory_use_kind(const struct sim_memory *m, struct sim_class *class, uint32_t core, int kind, uint32_t sides,
                         double beside)
{
    uint32_t domain = m->node->core_domain[core];
    class->beside = beside;
    class->group = class->rival = SIM_NO_GROUP;
    if (m->alike && sides)
        use(class, m->alike + SIM_KINDS * domain + (uint32_t)kind, sides * SIM_LOAD_UNIT / 2);
    if (kind == SIM_KIND_PLAIN)
        return;
    class->group = 2 * domain + (kind == SIM_KIND_OUT);
    class->rival = 2 * domain + (kind == SIM_KIND_IN);
}

void sim_memory_use_whole(const struct sim_memory *m, struct sim_class *class)
{
    for (uint32_t i = 0, uses = class->uses; i < uses; i++)
        if (class->use[i].resource < m->node->domains)
            use(class, m->whole + class->use[i].resource, class->use[i].load);
}

void sim_memory_use_nic(const struct sim_memory *m, struct sim_class *class, uint32_t domain)
{
    use(class, m->whole + domain, SIM_LOAD_READ);
}
