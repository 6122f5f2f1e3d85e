#include "model/formats/node_fields.h"

#include "model/formats/node_hwloc.h"

#include <stdio.h>

#define AT(member) offsetof(struct node, member)
#define QUANTITY_MAX 1e18

const struct node_field node_fields[NODE_FIELD_COUNT] = {
    {"shmcoll_node", FIELD_VERSION, 0, 1, 1},
    {"name", FIELD_TEXT, AT(name), 0, sizeof((struct node *)0)->name},
    {"description", FIELD_TEXT, AT(description), 0, sizeof((struct node *)0)->description},
    {"cores", FIELD_COUNT, AT(cores), 1, NODE_CORES_MAX},
    {"domains", FIELD_COUNT, AT(domains), 1, NODE_DOMAINS_MAX},
    {"sockets", FIELD_COUNT, AT(sockets), 1, NODE_CORES_MAX},
    {"core_domain", FIELD_CORE_LIST, AT(core_domain), 0, NODE_DOMAINS_MAX},
    {"core_socket", FIELD_CORE_LIST, AT(core_socket), 0, NODE_CORES_MAX},
    {"core_cache", FIELD_CORE_LIST, AT(core_cache), 0, NODE_CORES_MAX},
    {"core_os", FIELD_CORE_LIST, AT(core_os), 0, 1 << 20},
    {"domain_os", FIELD_DOMAIN_LIST, AT(domain_os), 0, 1 << 20},
    {"domain_memory_bytes", FIELD_DOMAIN_BYTES, AT(domain_memory_bytes), 0, 0x1p60},
    {"distance", FIELD_DISTANCE, AT(distance), 1, 1e6},
    {"line_bytes", FIELD_BYTES32, AT(line_bytes), 8, 4096},
    {"page_bytes", FIELD_BYTES32, AT(page_bytes), 512, 1 << 30},
    {"l1_bytes", FIELD_BYTES64, AT(l1_bytes), 0, 0x1p50},
    {"l2_bytes", FIELD_BYTES64, AT(l2_bytes), 0, 0x1p50},
    {"llc_bytes", FIELD_BYTES64, AT(llc_bytes), 0, 0x1p50},
    {"contention_free", FIELD_FLAG, AT(contention_free), 0, 1},
    {"paper", FIELD_QUANTITIES, AT(paper), 0, QUANTITY_MAX},
    {"handover_ns", FIELD_QUANTITIES, AT(handover_ns), 0, QUANTITY_MAX},
    {"pair_handover_ns", FIELD_PAIRS, AT(pair_handover_ns), 0, QUANTITY_MAX},
    {"fetch_ns", FIELD_QUANTITY, AT(fetch_ns), 0, QUANTITY_MAX},
    {"store_ns", FIELD_QUANTITY, AT(store_ns), 0, QUANTITY_MAX},
    {"atomic_ns", FIELD_QUANTITY, AT(atomic_ns), 0, QUANTITY_MAX},
    {"packet_ns", FIELD_QUANTITY, AT(packet_ns), 0, QUANTITY_MAX},
    {"cold_ns", FIELD_QUANTITY, AT(cold_ns), 0, QUANTITY_MAX},
    {"step_ns", FIELD_QUANTITY, AT(step_ns), 0, QUANTITY_MAX},
    {"call_ns", FIELD_QUANTITY, AT(call_ns), 0, QUANTITY_MAX},
    {"peer_call_ns", FIELD_QUANTITY, AT(peer_call_ns), 0, QUANTITY_MAX},
    {"peer_page_ns", FIELD_QUANTITY, AT(peer_page_ns), 0, QUANTITY_MAX},
    {"serve_ns", FIELD_QUANTITY, AT(serve_ns), 0, QUANTITY_MAX},
    {"detour", FIELD_QUANTITY, AT(detour), 0, 1e6},
    {"fresh_s_per_byte", FIELD_QUANTITY, AT(fresh_s_per_byte), 0, QUANTITY_MAX},
    {"slice_s_per_byte", FIELD_QUANTITY, AT(slice_s_per_byte), 0, 1e6},
    {"contested_s_per_byte", FIELD_QUANTITY, AT(contested_s_per_byte), 0, QUANTITY_MAX},
    {"lone_slowdown", FIELD_QUANTITY, AT(lone_slowdown), 0, 1e6},
    {"copy", FIELD_COPY, AT(copy), 0, QUANTITY_MAX},
    {"copy_points", FIELD_COPY_POINTS, AT(copy_points), 0, QUANTITY_MAX},
    {"bandwidth", FIELD_BANDWIDTH, AT(bandwidth), 0, QUANTITY_MAX},
    {"overlap_slowdown", FIELD_QUANTITY, AT(overlap_slowdown), 0, 1e6},
    {"remote_ratio", FIELD_QUANTITY, AT(remote_ratio), 1e-6, 1},
    {"link_bytes_per_s", FIELD_QUANTITY, AT(link_bytes_per_s), 1, QUANTITY_MAX},
};

const struct quantity_key copy_cost_keys[COPY_KEY_COUNT] = {
    {"start_ns", offsetof(struct copy_cost, start_ns)},
    {"s_per_byte", offsetof(struct copy_cost, s_per_byte)},
};

static const struct quantity_key paper_keys[QUANTITY_GROUP_MAX] = {
    {"t_s_per_byte", AT(paper.t_s_per_byte)},
    {"t_w_s", AT(paper.t_w_s)},
    {"t_wo_s", AT(paper.t_wo_s)},
    {"t_a_s", AT(paper.t_a_s)},
};

_Static_assert((int)HANDOVER_CLASS_COUNT == (int)QUANTITY_GROUP_MAX, "both groups have as many quantities");

size_t node_field_group(const struct node_field *field, struct quantity_key keys[QUANTITY_GROUP_MAX])
{
    for (size_t i = 0; i < QUANTITY_GROUP_MAX; i++)
        keys[i] = field->offset == AT(paper) ? paper_keys[i]
                                             : (struct quantity_key){handover_class_name((enum handover_class)i),
                                                                     AT(handover_ns) + i * sizeof(struct quantity)};
    return QUANTITY_GROUP_MAX;
}

static void group_walk(const char *prefix, const struct quantity_key *keys, size_t count, const void *base,
                       node_quantity_see *see, void *context)
{
    char name[80];
    for (size_t i = 0; i < count; i++) {
        snprintf(name, sizeof name, "%s.%s", prefix, keys[i].name);
        see(context, name, (const struct quantity *)((const char *)base + keys[i].offset));
    }
}

static void bandwidth_walk(const struct node *node, node_quantity_see *see, void *context)
{
    char name[80];
    for (size_t i = 0; i < node->bandwidth_count; i++) {
        snprintf(name, sizeof name, "bandwidth.%u.bytes_per_s", node->bandwidth[i].cores);
        see(context, name, &node->bandwidth[i].bytes_per_s);
    }
}

static void copies_walk(const struct node *node, node_quantity_see *see, void *context)
{
    char prefix[40];
    for (int c = 0; c < COPY_CLASS_COUNT; c++) {
        snprintf(prefix, sizeof prefix, "copy.%s", copy_class_name((enum copy_class)c));
        group_walk(prefix, copy_cost_keys, COPY_KEY_COUNT, &node->copy[c], see, context);
    }
}

void node_quantities_walk(const struct node *node, node_quantity_see *see, void *context)
{
    struct quantity_key keys[QUANTITY_GROUP_MAX];
    for (size_t i = 0; i < NODE_FIELD_COUNT; i++) {
        const struct node_field *field = &node_fields[i];
        if (field->kind == FIELD_QUANTITY)
            see(context, field->name, node_field_at(field, node));
        else if (field->kind == FIELD_QUANTITIES)
            group_walk(field->name, keys, node_field_group(field, keys), node, see, context);
        else if (field->kind == FIELD_COPY)
            copies_walk(node, see, context);
        else if (field->kind == FIELD_BANDWIDTH)
            bandwidth_walk(node, see, context);
    }
}
