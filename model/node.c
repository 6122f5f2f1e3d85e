#include "model/node.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct quantity quantity_within(double value, double low, double high, const char *source)
{
    struct quantity q = {.value = value, .low = low, .high = high};
    snprintf(q.source, sizeof q.source, "%s", source ? source : "");
    return q;
}

struct quantity quantity_of(double value, const char *source)
{
    return quantity_within(value, value, value, source);
}

struct quantity quantity_unknown(void)
{
    return quantity_of(NAN, "unknown");
}

int quantity_known(const struct quantity *q)
{
    return !isnan(q->value);
}

double quantity_or(const struct quantity *q, double otherwise)
{
    return quantity_known(q) ? q->value : otherwise;
}

static void quantities_forget(struct node *node)
{
    const struct quantity unknown = quantity_unknown();
    struct quantity *const single[] = {&node->fetch_ns,     &node->store_ns,         &node->atomic_ns,    &node->step_ns,
                                       &node->call_ns,      &node->peer_call_ns,     &node->peer_page_ns, &node->overlap_slowdown,
                                       &node->remote_ratio, &node->link_bytes_per_s, &node->packet_ns,
                                       &node->cold_ns,      &node->serve_ns,         &node->detour,       &node->fresh_s_per_byte,
                                       &node->slice_s_per_byte, &node->contested_s_per_byte, &node->lone_slowdown};
    for (size_t i = 0; i < sizeof single / sizeof *single; i++)
        *single[i] = unknown;
    for (int c = 0; c < HANDOVER_CLASS_COUNT; c++)
        node->handover_ns[c] = unknown;
    for (int c = 0; c < COPY_CLASS_COUNT; c++)
        node->copy[c] = (struct copy_cost){unknown, unknown};
    node->paper = (struct paper_costs){unknown, unknown, unknown, unknown};
}

int node_create(struct node *out, uint32_t domains, uint32_t cores)
{
    if (domains == 0 || cores == 0)
        return -EINVAL;
    struct node node = {.domains = domains, .sockets = 1, .cores = cores, .line_bytes = 64, .page_bytes = 4096};
    quantities_forget(&node);
    node.core_domain = calloc(cores, sizeof *node.core_domain);
    node.core_socket = calloc(cores, sizeof *node.core_socket);
    node.core_cache = calloc(cores, sizeof *node.core_cache);
    node.core_os = calloc(cores, sizeof *node.core_os);
    node.domain_os = calloc(domains, sizeof *node.domain_os);
    node.domain_memory_bytes = calloc(domains, sizeof *node.domain_memory_bytes);
    node.distance = calloc((size_t)domains * domains, sizeof *node.distance);
    if (!node.core_domain || !node.core_socket || !node.core_cache || !node.core_os || !node.domain_os ||
        !node.domain_memory_bytes || !node.distance) {
        node_destroy(&node);
        return -ENOMEM;
    }
    for (uint32_t i = 0; i < cores; i++)
        node.core_os[i] = i;
    for (uint32_t i = 0; i < domains; i++)
        node.domain_os[i] = i;
    for (size_t i = 0; i < (size_t)domains * domains; i++)
        node.distance[i] = i / domains == i % domains ? 10 : 20;
    *out = node;
    return 0;
}

void node_destroy(struct node *node)
{
    free(node->core_domain);
    free(node->core_socket);
    free(node->core_cache);
    free(node->core_os);
    free(node->domain_os);
    free(node->domain_memory_bytes);
    free(node->distance);
    free(node->pair_handover_ns);
    free(node->copy_points);
    free(node->bandwidth);
    memset(node, 0, sizeof *node);
}

/* Replaces the borrowed array at *array by a copy of `count` elements; NULL stays NULL. */
static int array_own(void *array, size_t count, size_t element_bytes)
{
    void *old, *copy;
    memcpy(&old, array, sizeof old);
    if (!old)
        return 0;
    copy = malloc(count ? count * element_bytes : 1);
    if (copy)
        memcpy(copy, old, count * element_bytes);
    memcpy(array, &copy, sizeof copy);
    return copy ? 0 : -ENOMEM;
}

int node_copy(struct node *out, const struct node *node)
{
    struct node copy = *node;
    size_t cores = node->cores, domains = node->domains;
    int err = 0;
    /* Every array is replaced, even after a failure, so that node_destroy never meets a borrowed one. */
    err |= array_own(&copy.core_domain, cores, sizeof *copy.core_domain);
    err |= array_own(&copy.core_socket, cores, sizeof *copy.core_socket);
    err |= array_own(&copy.core_cache, cores, sizeof *copy.core_cache);
    err |= array_own(&copy.core_os, cores, sizeof *copy.core_os);
    err |= array_own(&copy.domain_os, domains, sizeof *copy.domain_os);
    err |= array_own(&copy.domain_memory_bytes, domains, sizeof *copy.domain_memory_bytes);
    err |= array_own(&copy.distance, domains * domains, sizeof *copy.distance);
    err |= array_own(&copy.pair_handover_ns, cores * cores, sizeof *copy.pair_handover_ns);
    err |= array_own(&copy.copy_points, copy.copy_point_count, sizeof *copy.copy_points);
    err |= array_own(&copy.bandwidth, copy.bandwidth_count, sizeof *copy.bandwidth);
    if (err) {
        node_destroy(&copy);
        return -ENOMEM;
    }
    *out = copy;
    return 0;
}

enum handover_class node_handover_class(const struct node *node, uint32_t core_a, uint32_t core_b)
{
    if (core_a == core_b)
        return HANDOVER_SAME_CORE;
    if (node->core_socket[core_a] != node->core_socket[core_b])
        return HANDOVER_CROSS_SOCKET;
    return node->core_cache[core_a] == node->core_cache[core_b] ? HANDOVER_SAME_CACHE : HANDOVER_SAME_SOCKET;
}

double node_handover_ns(const struct node *node, uint32_t writer_core, uint32_t reader_core)
{
    if (node->pair_handover_ns) {
        double pair = node->pair_handover_ns[(size_t)writer_core * node->cores + reader_core];
        if (!isnan(pair))
            return pair;
    }
    int class = node_handover_class(node, writer_core, reader_core);
    for (int c = class; c >= 0; c--)
        if (quantity_known(&node->handover_ns[c]))
            return node->handover_ns[c].value;
    for (int c = class + 1; c < HANDOVER_CLASS_COUNT; c++)
        if (quantity_known(&node->handover_ns[c]))
            return node->handover_ns[c].value;
    return NAN;
}

double node_fetch_share(const struct node *node)
{
    for (int c = HANDOVER_SAME_CACHE; c < HANDOVER_CLASS_COUNT; c++)
        if (quantity_known(&node->handover_ns[c]) && node->handover_ns[c].value > 0)
            return fmin(1, quantity_or(&node->fetch_ns, node->handover_ns[c].value) / node->handover_ns[c].value);
    return 1;
}

int node_caches_by_bus(const struct node *node, uint32_t core_a, uint32_t core_b)
{
    return node->domains < node->sockets && node->core_cache[core_a] != node->core_cache[core_b];
}

double node_bandwidth_bytes_per_s(const struct node *node, double cores)
{
    const struct bandwidth_point *below = NULL;
    for (size_t i = 0; i < node->bandwidth_count; i++) {
        const struct bandwidth_point *p = &node->bandwidth[i];
        if (!quantity_known(&p->bytes_per_s))
            continue;
        if (p->cores >= cores) {
            if (!below)
                return p->bytes_per_s.value;
            double share = (cores - below->cores) / ((double)p->cores - below->cores);
            return below->bytes_per_s.value + share * (p->bytes_per_s.value - below->bytes_per_s.value);
        }
        below = p;
    }
    return below ? below->bytes_per_s.value : NAN;
}

const char *handover_class_name(enum handover_class c)
{
    static const char *const names[] = {"same_core", "same_cache", "same_socket", "cross_socket"};
    return (unsigned)c < HANDOVER_CLASS_COUNT ? names[c] : "?";
}

const char *copy_class_name(enum copy_class c)
{
    static const char *const names[] = {"in_cold", "in_warm", "out_cold", "out_warm", "plain_cold"};
    return (unsigned)c < COPY_CLASS_COUNT ? names[c] : "?";
}
