#include "sim/sim_fabric.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int sim_fabric_create(struct sim_fabric *out, const struct network *network, uint32_t nodes, char *reason, size_t reason_bytes)
{
    struct sim_fabric fabric = {.nic = network_loggp(network)};
    int err = network_tree(network, nodes, &fabric.tree, reason, reason_bytes);
    if (err)
        return err;
    fabric.link_byte_fs = network_link_byte_fs(network);
    fabric.switch_ps = network_switch_ps(network);
    fabric.free_ps = calloc(fabric.tree.links, sizeof *fabric.free_ps);
    fabric.link_bytes = calloc(fabric.tree.links, sizeof *fabric.link_bytes);
    if (!fabric.free_ps || !fabric.link_bytes) {
        sim_fabric_destroy(&fabric);
        snprintf(reason, reason_bytes, "no memory for the %u links of %u nodes: use fewer", fabric.tree.links, nodes);
        return -ENOMEM;
    }
    *out = fabric;
    return 0;
}

void sim_fabric_destroy(struct sim_fabric *fabric)
{
    free(fabric->free_ps);
    free(fabric->link_bytes);
    fabric->free_ps = fabric->link_bytes = NULL;
}

void sim_fabric_reset(struct sim_fabric *fabric)
{
    memset(fabric->free_ps, 0, fabric->tree.links * sizeof *fabric->free_ps);
    memset(fabric->link_bytes, 0, fabric->tree.links * sizeof *fabric->link_bytes);
}

void sim_fabric_send(const struct sim_fabric *fabric, uint32_t from_node, uint32_t to_node, uint64_t bytes, uint64_t at_ps,
                     struct sim_fabric_message *out)
{
    *out = (struct sim_fabric_message){.bytes = bytes,
                                       .first_ps = at_ps,
                                       .last_ps = at_ps,
                                       .from_node = from_node,
                                       .to_node = to_node,
                                       .turn = fat_tree_turn(&fabric->tree, from_node, to_node)};
}

/* From the end of this link to the beginning of the next, or to memory. */
static uint64_t onward_ps(const struct sim_fabric *fabric, uint32_t hop, uint32_t hops)
{
    uint64_t latency_ps = fabric->nic.latency_ps;
    return hop == 0 ? latency_ps / 2 : hop == hops - 1 ? latency_ps - latency_ps / 2 : fabric->switch_ps;
}

/* Bytes pass this link in so much time. */
static uint64_t stream_ps(const struct sim_fabric *fabric, uint32_t hop, uint32_t hops, uint64_t bytes)
{
    struct loggp rate = {.byte_fs = hop == 0 || hop == hops - 1 ? fabric->nic.byte_fs : fabric->link_byte_fs};
    return loggp_stream_ps(&rate, bytes);
}

uint64_t sim_fabric_alone_ps(const struct sim_fabric *fabric, uint32_t from_node, uint32_t to_node, uint64_t bytes)
{
    uint32_t hops = 2 * fat_tree_turn(&fabric->tree, from_node, to_node);
    uint64_t first_ps = 0, last_ps = 0;
    for (uint32_t hop = 0; hop < hops; hop++) {
        last_ps = loggp_later_ps(last_ps, first_ps + stream_ps(fabric, hop, hops, bytes)) + onward_ps(fabric, hop, hops);
        first_ps += onward_ps(fabric, hop, hops);
    }
    return last_ps;
}

uint64_t sim_fabric_onward_ps(const struct sim_fabric *fabric, const struct sim_fabric_message *m, int last)
{
    uint32_t hops = 2 * m->turn;
    uint64_t time_ps = 0;
    for (uint32_t hop = last ? hops - 1 : 0; hop < hops; hop++)
        time_ps += onward_ps(fabric, hop, hops);
    return time_ps;
}

/* A link is a backlog of work: a slow stream through a fast link takes of it only what its bytes need, so that no link ever
 * passes on more than its bandwidth, and none is held by whom another link delays. */
int sim_fabric_cross(struct sim_fabric *fabric, struct sim_fabric_message *m)
{
    uint32_t hops = 2 * m->turn, hop = m->hop++, link = fat_tree_link(&fabric->tree, m->from_node, m->to_node, m->turn, hop);
    int leaves = hop == 0, enters = hop == hops - 1;
    uint64_t gap_ps = leaves ? fabric->nic.gap_ps : enters ? fabric->nic.receiver_gap_ps : 0;
    uint64_t start_ps = loggp_later_ps(m->first_ps, fabric->free_ps[link]),
             done_ps = start_ps + stream_ps(fabric, hop, hops, m->bytes);
    uint64_t last_ps = loggp_later_ps(m->last_ps, done_ps);
    if (fabric->last)
        *fabric->last = (struct sim_fabric_crossing){link, hop, hops, m->first_ps, start_ps, last_ps};
    fabric->free_ps[link] = done_ps + gap_ps;
    fabric->link_bytes[link] += m->bytes;
    m->first_ps = start_ps + onward_ps(fabric, hop, hops);
    m->last_ps = last_ps + onward_ps(fabric, hop, hops);
    return !enters;
}
