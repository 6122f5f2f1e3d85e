#include "model/formats/presets.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BANDWIDTH_MAX = 8 };

/* A node of equal sockets, one domain and one last-level cache each. */
struct preset {
    const char *name, *description;
    uint32_t sockets, cores_per_socket, page_bytes;
    uint64_t memory_per_socket_bytes, l1_bytes, l2_bytes, llc_bytes;
    double remote_distance;
    int contention_free;
    struct paper_costs paper;
    struct quantity handover_ns[HANDOVER_CLASS_COUNT];
    struct quantity store_ns, atomic_ns, step_ns, call_ns;
    struct copy_cost copy[COPY_CLASS_COUNT];
    struct bandwidth_point bandwidth[BANDWIDTH_MAX];
    struct quantity overlap_slowdown, remote_ratio, link_bytes_per_s;
};

#define KIB(n) ((uint64_t)(n) << 10)
#define MIB(n) ((uint64_t)(n) << 20)
#define GIB(n) ((uint64_t)(n) << 30)

#define UNKNOWN {NAN, NAN, NAN, "unknown"}
#define EXACT(v, text) {v, v, v, text}
#define UNKNOWN_COPY {UNKNOWN, UNKNOWN}

#define C2C_BROADWELL "core-to-core-latency, 2x E5-2630v4, CAS ping-pong / 2, median, 5..95 %"
#define C2C_WESTMERE "core-to-core-latency, 2x X5650, CAS ping-pong / 2, median, 5..95 %"
#define SIBLINGS_BROADWELL "assumed: CAS hand-over of two threads of one core, 2x E5-2630v4, as upper bound"
#define SIBLINGS_WESTMERE "assumed: CAS hand-over of two threads of one core, 2x X5650, as upper bound"
#define SWITCH "assumed: ranks sharing a core hand over by a context switch"
#define STORES "assumed: stores drain in order, each fetching the line from its poller"
#define STEP "assumed: a few instructions"
#define START "assumed: one cache miss of the local last-level cache"
#define KERNCRAFT "kerncraft machine file, E5-2630v4 at 2.2 GHz, copy_avx, r+w counted, halved"
/* Intel's levels do not overlap, so the parts of a copy add: load and store of each side, from the same file:
 * load 125 (memory), 65 (L3), 33 (L2); store 191, 111, 72 ps a byte. Low and high are the copies within L3 and within memory. */
#define ADDED "assumed: load and store parts of the kerncraft copies, E5-2630v4, added"

#define FIG_9A "assumed: S1 Fig. 9a's 3.76..3.92 ms for 16 MiB, p=2, is the out-copy's time"
#define SCALED "assumed: E5-2630v4's copy classes scaled by S1 Fig. 9a's out-copy"
#define DDR3 "assumed: 3 channels DDR3-1066, 0.78 used as on E5-2630v4, 3 bus bytes a copied one"

static const struct preset presets[] = {
    {
        .name = "paper",
        .description = "S1 5.2's worked example: t = 1e-9, t_w = 50 t, t_wo = 100 t, t_A = 10 t; nothing contends",
        .sockets = 2, .cores_per_socket = 8, .page_bytes = 4096,
        .memory_per_socket_bytes = GIB(32), .remote_distance = 20,
        .contention_free = 1,
        .paper = {EXACT(1e-9, "S1 Fig. 4"), EXACT(50e-9, "S1 Fig. 4"), EXACT(100e-9, "S1 Fig. 4"), EXACT(10e-9, "S1 Fig. 4")},
        .handover_ns = {UNKNOWN, UNKNOWN, UNKNOWN, UNKNOWN},
        .store_ns = UNKNOWN, .atomic_ns = UNKNOWN, .step_ns = UNKNOWN, .call_ns = UNKNOWN,
        .copy = {UNKNOWN_COPY, UNKNOWN_COPY, UNKNOWN_COPY, UNKNOWN_COPY, UNKNOWN_COPY},
        .overlap_slowdown = UNKNOWN, .remote_ratio = UNKNOWN, .link_bytes_per_s = UNKNOWN,
    },
    {
        .name = "nehalem-2x4",
        .description = "2x Xeon E5620 (Westmere-EP, 2x4 cores, L3 12 MB, 24 GB): S1's \"Nehalem\" server",
        .sockets = 2, .cores_per_socket = 4, .page_bytes = 4096,
        .memory_per_socket_bytes = GIB(12), .l1_bytes = KIB(32), .l2_bytes = KIB(256), .llc_bytes = MIB(12),
        .remote_distance = 20,
        .paper = {UNKNOWN, UNKNOWN, UNKNOWN, UNKNOWN},
        .handover_ns = {{1500, 1000, 5000, SWITCH}, {37.2, 36.6, 38.1, C2C_WESTMERE}, {37.2, 36.6, 38.1, C2C_WESTMERE},
                        {73.7, 70.6, 75.8, C2C_WESTMERE}},
        .store_ns = {37.2, 10, 73.7, STORES},
        .atomic_ns = {7.1, 5, 7.2, SIBLINGS_WESTMERE},
        .step_ns = {2, 1, 5, STEP},
        .call_ns = UNKNOWN,
        .copy = {[COPY_IN_COLD] = {{37.2, 0, 100, START}, {211e-12, 157e-12, 282e-12, SCALED}},
                 [COPY_IN_WARM] = {{37.2, 0, 100, START}, {129e-12, 94e-12, 157e-12, SCALED}},
                 [COPY_OUT_COLD] = {{37.2, 0, 100, START}, {229e-12, 157e-12, 282e-12, FIG_9A}},
                 [COPY_OUT_WARM] = {{37.2, 0, 100, START}, {123e-12, 94e-12, 157e-12, SCALED}},
                 [COPY_PLAIN_COLD] = {UNKNOWN, {282e-12, 229e-12, 340e-12, SCALED}}},
        .bandwidth = {{1, {3.55e9, 2.9e9, 4.4e9, SCALED}}, {2, {5.6e9, 4.5e9, 7e9, DDR3}}, {4, {6.7e9, 5e9, 8.5e9, DDR3}}},
        .overlap_slowdown = UNKNOWN,
        .remote_ratio = {0.54, 0.31, 0.7, "assumed: local / remote idle latency of Ivy Bridge, 62 / 115 ns, Intel MLC"},
        .link_bytes_per_s = {9.4e9, 7e9, 11.7e9, "assumed: one QPI link, 2 B x 5.86 GT/s, 0.8 of it payload"},
    },
    {
        .name = "broadwell-2x8",
        .description = "2x Xeon E5-2620 v4 (2x8 cores, L2 256 KB, L3 20 MB, 64 GB): S1's Broadwell server",
        .sockets = 2, .cores_per_socket = 8, .page_bytes = 4096,
        .memory_per_socket_bytes = GIB(32), .l1_bytes = KIB(32), .l2_bytes = KIB(256), .llc_bytes = MIB(20),
        .remote_distance = 21,
        .paper = {UNKNOWN, UNKNOWN, UNKNOWN, UNKNOWN},
        .handover_ns = {{1500, 1000, 5000, SWITCH}, {39.2, 34.6, 42.6, C2C_BROADWELL}, {39.2, 34.6, 42.6, C2C_BROADWELL},
                        {117.9, 111.1, 123.9, C2C_BROADWELL}},
        .store_ns = {39.2, 10, 117.9, STORES},
        .atomic_ns = {8.2, 5, 8.4, SIBLINGS_BROADWELL},
        .step_ns = {2, 1, 5, STEP},
        .call_ns = UNKNOWN,
        .copy = {[COPY_IN_COLD] = {{39.2, 0, 100, START}, {236e-12, 176e-12, 316e-12, ADDED}},
                 [COPY_IN_WARM] = {{39.2, 0, 100, START}, {144e-12, 105e-12, 176e-12, ADDED}},
                 [COPY_OUT_COLD] = {{39.2, 0, 100, START}, {256e-12, 176e-12, 316e-12, ADDED}},
                 [COPY_OUT_WARM] = {{39.2, 0, 100, START}, {137e-12, 105e-12, 176e-12, ADDED}},
                 [COPY_PLAIN_COLD] = {UNKNOWN, {316e-12, 316e-12, 320e-12, KERNCRAFT}}},
        .bandwidth = {{1, EXACT(3.165e9, KERNCRAFT)}, {2, EXACT(6.55e9, KERNCRAFT)}, {3, EXACT(10.23e9, KERNCRAFT)},
                      {4, EXACT(12.875e9, KERNCRAFT)}, {5, EXACT(14.955e9, KERNCRAFT)}, {6, EXACT(16.325e9, KERNCRAFT)},
                      {7, EXACT(17.24e9, KERNCRAFT)}, {8, EXACT(17.655e9, KERNCRAFT)}},
        .overlap_slowdown = UNKNOWN,
        .remote_ratio = {0.52, 0.31, 0.69, "Intel MLC, Haswell-EP: remote / local read 30 / 58 GB/s; idle 97 / 140 ns"},
        .link_bytes_per_s = {25e9, 20e9, 32e9, "assumed: Haswell-EP reads 30 GB/s at 9.6 GT/s (Intel MLC), scaled to 8.0 GT/s"},
    },
};

size_t preset_count(void)
{
    return sizeof presets / sizeof *presets;
}

const char *preset_name(size_t i)
{
    return presets[i].name;
}

const char *preset_description(size_t i)
{
    return presets[i].description;
}

static const struct preset *preset_find(const char *name)
{
    for (size_t i = 0; i < preset_count(); i++)
        if (!strcmp(presets[i].name, name))
            return &presets[i];
    return NULL;
}

static int bandwidth_fill(const struct preset *preset, struct node *node)
{
    while (node->bandwidth_count < BANDWIDTH_MAX && preset->bandwidth[node->bandwidth_count].cores)
        node->bandwidth_count++;
    if (!node->bandwidth_count)
        return 0;
    node->bandwidth = calloc(node->bandwidth_count, sizeof *node->bandwidth);
    if (!node->bandwidth)
        return -ENOMEM;
    memcpy(node->bandwidth, preset->bandwidth, node->bandwidth_count * sizeof *node->bandwidth);
    return 0;
}

static void shape_fill(const struct preset *preset, struct node *node)
{
    node->sockets = preset->sockets;
    for (uint32_t core = 0; core < node->cores; core++)
        node->core_domain[core] = node->core_socket[core] = node->core_cache[core] = core / preset->cores_per_socket;
    for (uint32_t i = 0; i < node->domains; i++) {
        node->domain_memory_bytes[i] = preset->memory_per_socket_bytes;
        for (uint32_t j = 0; j < node->domains; j++)
            node->distance[i * node->domains + j] = i == j ? 10 : preset->remote_distance;
    }
    node->page_bytes = preset->page_bytes;
    node->l1_bytes = preset->l1_bytes;
    node->l2_bytes = preset->l2_bytes;
    node->llc_bytes = preset->llc_bytes;
}

static void costs_fill(const struct preset *preset, struct node *node)
{
    node->contention_free = preset->contention_free;
    node->paper = preset->paper;
    memcpy(node->handover_ns, preset->handover_ns, sizeof node->handover_ns);
    memcpy(node->copy, preset->copy, sizeof node->copy);
    node->store_ns = preset->store_ns;
    node->atomic_ns = preset->atomic_ns;
    node->step_ns = preset->step_ns;
    node->call_ns = preset->call_ns;
    node->overlap_slowdown = preset->overlap_slowdown;
    node->remote_ratio = preset->remote_ratio;
    node->link_bytes_per_s = preset->link_bytes_per_s;
}

int preset_create(const char *name, struct node *out)
{
    const struct preset *preset = preset_find(name);
    if (!preset)
        return -ENOENT;
    struct node node;
    int err = node_create(&node, preset->sockets, preset->sockets * preset->cores_per_socket);
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
