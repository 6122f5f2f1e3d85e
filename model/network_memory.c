#include "model/network_memory.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { LOAD_READ = 1, LOAD_WRITE = 2, LOAD_COPY = 3 };

static double limit_of(const struct node *node, uint32_t ranks)
{
    double limit = node_bandwidth_bytes_per_s(node, ranks);
    return limit > 0 ? limit : INFINITY;
}

int network_memory_create(struct network_memory *m, const struct node *node, uint32_t nodes)
{
    size_t domains = (size_t)nodes * node->domains, sockets = (size_t)nodes * node->sockets;
    *m = (struct network_memory){.node = node, .nodes = nodes};
    for (uint32_t n = 1; n <= node->cores; n++)
        m->most_bytes_per_s = fmax(m->most_bytes_per_s, limit_of(node, n));
    m->load = calloc(domains * NETWORK_HALVES, sizeof *m->load);
    m->nic_bytes = calloc(domains, sizeof *m->nic_bytes);
    m->link_bytes = calloc(sockets * NETWORK_HALVES, sizeof *m->link_bytes);
    return m->load && m->nic_bytes && m->link_bytes ? 0 : -ENOMEM;
}

void network_memory_destroy(struct network_memory *m)
{
    free(m->load);
    free(m->nic_bytes);
    free(m->link_bytes);
    *m = (struct network_memory){.node = NULL};
}

void network_memory_clear(struct network_memory *m)
{
    if (!m->node)
        return;
    memset(m->load, 0, (size_t)m->nodes * m->node->domains * NETWORK_HALVES * sizeof *m->load);
    memset(m->nic_bytes, 0, (size_t)m->nodes * m->node->domains * sizeof *m->nic_bytes);
    memset(m->link_bytes, 0, (size_t)m->nodes * m->node->sockets * NETWORK_HALVES * sizeof *m->link_bytes);
}

static void load(struct network_memory *m, uint32_t node, uint32_t domain, enum network_half half, double thirds)
{
    struct network_load *to = &m->load[((size_t)node * m->node->domains + domain) * NETWORK_HALVES + half];
    to->thirds += thirds;
    to->ranks += thirds > 0;
}

static void cross(struct network_memory *m, uint32_t node, const struct message *message, enum network_half half)
{
    const uint32_t *socket = m->node->core_socket;
    if (socket[message->from_core] != socket[message->to_core])
        m->link_bytes[((size_t)node * m->node->sockets + socket[message->to_core]) * NETWORK_HALVES + half] +=
            (double)message_bytes(message);
}

void network_memory_send(struct network_memory *m, uint32_t node, const struct message *message, int in_memory)
{
    if (!m->node)
        return;
    uint32_t home = m->node->core_domain[message->from_core], away = m->node->core_domain[message->to_core];
    double bytes = (double)message_bytes(message), read = message->source_cold ? LOAD_READ * bytes : 0;
    double write = in_memory ? LOAD_WRITE * bytes : 0;
    load(m, node, home, NETWORK_HALF_OUT, read + (home == away ? write : 0));
    if (home != away)
        load(m, node, away, NETWORK_HALF_OUT, write);
    cross(m, node, message, NETWORK_HALF_OUT);
}

void network_memory_receive(struct network_memory *m, uint32_t node, const struct message *message, int in_memory)
{
    if (!m->node)
        return;
    int reads = in_memory || node_caches_by_bus(m->node, message->from_core, message->to_core);
    double thirds = (reads ? LOAD_READ : 0) + (message->target_cold ? LOAD_WRITE : 0);
    load(m, node, m->node->core_domain[message->to_core], NETWORK_HALF_IN, thirds * (double)message_bytes(message));
}

void network_memory_move(struct network_memory *m, uint32_t node, uint32_t core, double bytes)
{
    if (m->node)
        load(m, node, m->node->core_domain[core], NETWORK_HALF_IN, LOAD_COPY * bytes);
}

void network_memory_nic(struct network_memory *m, uint32_t node, uint32_t core, double bytes)
{
    if (m->node)
        m->nic_bytes[(size_t)node * m->node->domains + m->node->core_domain[core]] += bytes;
}

double network_memory_half_s(const struct network_memory *m, enum network_half half)
{
    double worst_s = 0;
    if (!m->node)
        return 0;
    for (size_t d = 0; d < (size_t)m->nodes * m->node->domains; d++) {
        const struct network_load *of = &m->load[d * NETWORK_HALVES + half];
        if (of->ranks)
            worst_s = fmax(worst_s, of->thirds / LOAD_COPY / limit_of(m->node, of->ranks));
    }
    double link_bytes_per_s = quantity_or(&m->node->link_bytes_per_s, INFINITY);
    for (size_t s = 0; s < (size_t)m->nodes * m->node->sockets; s++)
        worst_s = fmax(worst_s, m->link_bytes[s * NETWORK_HALVES + half] / link_bytes_per_s);
    return worst_s;
}

double network_memory_whole_s(const struct network_memory *m)
{
    double most_thirds = 0;
    if (!m->node)
        return 0;
    for (size_t d = 0; d < (size_t)m->nodes * m->node->domains; d++) {
        const struct network_load *of = &m->load[d * NETWORK_HALVES];
        most_thirds = fmax(most_thirds, of[NETWORK_HALF_OUT].thirds + of[NETWORK_HALF_IN].thirds + LOAD_READ * m->nic_bytes[d]);
    }
    return most_thirds / LOAD_COPY / m->most_bytes_per_s;
}
