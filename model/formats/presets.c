#include "model/formats/presets.h"

#include "model/formats/presets_table.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

size_t preset_count(void)
{
    return presets_table_count;
}

const char *preset_name(size_t i)
{
    return presets_table[i].name;
}

const char *preset_description(size_t i)
{
    return presets_table[i].description;
}

static const struct preset *preset_find(const char *name)
{
    for (size_t i = 0; i < preset_count(); i++)
        if (!strcmp(presets_table[i].name, name))
            return &presets_table[i];
    return NULL;
}

static int bandwidth_fill(const struct preset *preset, struct node *node)
{
    while (node->bandwidth_count < PRESET_BANDWIDTH_MAX && preset->bandwidth[node->bandwidth_count].cores)
        node->bandwidth_count++;
    if (!node->bandwidth_count)
        return 0;
    node->bandwidth = calloc(node->bandwidth_count, sizeof *node->bandwidth);
    if (!node->bandwidth)
        return -ENOMEM;
    memcpy(node->bandwidth, preset->bandwidth, node->bandwidth_count * sizeof *node->bandwidth);
    return 0;
}

static uint32_t one_at_least(uint32_t n)
{
    return n ? n : 1;
}

static uint32_t domains_per_socket(const struct preset *preset)
{
    return one_at_least(preset->domains_per_socket);
}

static uint32_t domains_of(const struct preset *preset)
{
    return preset->one_memory ? 1 : preset->sockets * domains_per_socket(preset);
}

static double distance_between(const struct preset *preset, uint32_t i, uint32_t j)
{
    uint32_t per_socket = domains_per_socket(preset);
    return i == j ? 10 : i / per_socket == j / per_socket ? preset->socket_distance : preset->remote_distance;
}

static void shape_fill(const struct preset *preset, struct node *node)
{
    uint32_t in_domain = node->cores / node->domains;
    uint32_t at_cache = in_domain / one_at_least(preset->caches_per_domain);
    node->sockets = preset->sockets;
    for (uint32_t core = 0; core < node->cores; core++) {
        node->core_socket[core] = core / preset->cores_per_socket;
        node->core_domain[core] = core / in_domain;
        node->core_cache[core] = core / at_cache;
    }
    for (uint32_t i = 0; i < node->domains; i++) {
        node->domain_memory_bytes[i] = preset->memory_per_socket_bytes * preset->sockets / node->domains;
        for (uint32_t j = 0; j < node->domains; j++)
            node->distance[i * node->domains + j] = distance_between(preset, i, j);
    }
    node->page_bytes = preset->page_bytes;
    node->l1_bytes = preset->l1_bytes;
    node->l2_bytes = preset->l2_bytes;
    node->llc_bytes = preset->llc_bytes;
}

/* What a row of the table leaves out is all zero: unknown. */
static struct quantity stated(const struct quantity *q)
{
    return q->source[0] ? *q : quantity_unknown();
}

static void costs_fill(const struct preset *preset, struct node *node)
{
    node->contention_free = preset->contention_free;
    node->paper = (struct paper_costs){stated(&preset->paper.t_s_per_byte), stated(&preset->paper.t_w_s),
                                       stated(&preset->paper.t_wo_s), stated(&preset->paper.t_a_s)};
    for (int c = 0; c < HANDOVER_CLASS_COUNT; c++)
        node->handover_ns[c] = stated(&preset->handover_ns[c]);
    for (int c = 0; c < COPY_CLASS_COUNT; c++)
        node->copy[c] = (struct copy_cost){stated(&preset->copy[c].start_ns), stated(&preset->copy[c].s_per_byte)};
    node->store_ns = stated(&preset->store_ns);
    node->atomic_ns = stated(&preset->atomic_ns);
    node->step_ns = stated(&preset->step_ns);
    node->call_ns = stated(&preset->call_ns);
    node->serve_ns = stated(&preset->serve_ns);
    node->detour = stated(&preset->detour);
    node->fresh_s_per_byte = stated(&preset->fresh_s_per_byte);
    node->slice_s_per_byte = stated(&preset->slice_s_per_byte);
    node->contested_s_per_byte = stated(&preset->contested_s_per_byte);
    node->lone_slowdown = stated(&preset->lone_slowdown);
    node->overlap_slowdown = stated(&preset->overlap_slowdown);
    node->remote_ratio = stated(&preset->remote_ratio);
    node->link_bytes_per_s = stated(&preset->link_bytes_per_s);
}

int preset_create(const char *name, struct node *out)
{
    const struct preset *preset = preset_find(name);
    if (!preset)
        return -ENOENT;
    struct node node;
    int err = node_create(&node, domains_of(preset), preset->sockets * preset->cores_per_socket);
    if (err)
        return err;
    snprintf(node.name, sizeof node.name, "%s", preset->name);
    snprintf(node.description, sizeof node.description, "%s", preset->description);
    shape_fill(preset, &node);
    costs_fill(preset, &node);
    err = bandwidth_fill(preset, &node);
    if (err) {
        node_destroy(&node);
        return err;
    }
    *out = node;
    return 0;
}
