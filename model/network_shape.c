/* A network's shape and layers. */
#include "model/network.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

const char *network_kind_name(enum network_kind kind)
{
    static const char *const names[NETWORK_KIND_COUNT] = {"loggp", "switch", "fat_tree"};
    return names[kind];
}

uint64_t network_link_byte_fs(const struct network *network)
{
    return (uint64_t)llround(quantity_or(&network->link_byte_ns, network->byte_ns.value) * 1e6);
}

uint64_t network_switch_ps(const struct network *network)
{
    return (uint64_t)llround(quantity_or(&network->switch_ns, 0) * 1e3);
}

int network_tree(const struct network *n, uint32_t nodes, struct fat_tree *out, char *reason, size_t reason_bytes)
{
    int tree = n->kind == NETWORK_FAT_TREE;
    int err = tree ? fat_tree_init(n->levels, n->radix, n->oversubscription, nodes, out) : fat_tree_switch(nodes, out);
    if (err == -ENOSPC)
        snprintf(reason, reason_bytes, "network %s has room for %u nodes, not for %u: use fewer, or more ranks a node", n->name,
                 fat_tree_room(n->levels, n->radix, n->oversubscription), nodes);
    else if (err && tree)
        snprintf(reason, reason_bytes,
                 "network %s: %u levels of switches with %u ports, oversubscribed %g, make no tree of %u nodes", n->name,
                 n->levels, n->radix, n->oversubscription, nodes);
    else if (err)
        snprintf(reason, reason_bytes, "%u nodes are too many for one switch: use fewer", nodes);
    return err ? -EINVAL : 0;
}

int network_layer_apply(struct network *network, const char *name)
{
    for (uint32_t i = 0; i < network->layers; i++) {
        const struct network_layer *layer = &network->layer[i];
        size_t length = strlen(network->name);
        if (strcmp(layer->name, name))
            continue;
        if (quantity_known(&layer->overhead_ns))
            network->overhead_ns = layer->overhead_ns;
        if (quantity_known(&layer->gap_ns))
            network->gap_ns = layer->gap_ns;
        snprintf(network->name + length, sizeof network->name - length, ":%s", name);
        return 0;
    }
    return -ENOENT;
}
