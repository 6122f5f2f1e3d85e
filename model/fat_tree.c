#include "model/fat_tree.h"

#include <errno.h>
#include <math.h>

enum { NODES_MAX = 1 << 24 };

/* Counts what lies below and above, and the links in use. */
static int finish(struct fat_tree *t)
{
    uint64_t links = 0, below = 1, ways = 1;
    t->below[0] = t->ways[0] = 1;
    for (uint32_t level = 0; level < t->levels; level++) {
        uint64_t subtrees = (t->nodes + below - 1) / below;
        ways *= level ? t->up[level - 1] : 1;
        t->first[level] = (uint32_t)links;
        links += 2 * subtrees * ways;
        below *= t->down[level];
        if (links > UINT32_MAX / 2)
            return -EINVAL;
        t->ways[level + 1] = (uint32_t)ways;
        t->below[level + 1] = below < UINT32_MAX ? (uint32_t)below : UINT32_MAX;
        below = t->below[level + 1];
    }
    t->links = (uint32_t)links;
    return 0;
}

int fat_tree_switch(uint32_t nodes, struct fat_tree *out)
{
    struct fat_tree t = {.levels = 1, .nodes = nodes, .down = {nodes}};
    if (nodes == 0 || nodes > NODES_MAX)
        return -EINVAL;
    int err = finish(&t);
    if (!err)
        *out = t;
    return err;
}

/* Ports of each level. */
static int shape(uint32_t levels, uint32_t radix, double oversubscription, struct fat_tree *t)
{
    if (levels < 1 || levels > FAT_TREE_LEVELS_MAX || radix < 2 || radix > FAT_TREE_RADIX_MAX || !(oversubscription >= 1))
        return -EINVAL;
    *t = (struct fat_tree){.levels = levels};
    for (uint32_t i = 0; i < levels; i++)
        t->down[i] = i == levels - 1 ? radix
                     : i == 0        ? (uint32_t)lround(radix * oversubscription / (1 + oversubscription))
                                     : radix / 2;
    for (uint32_t i = 0; i + 1 < levels; i++)
        t->up[i] = radix - t->down[i];
    for (uint32_t i = 0; i + 1 < levels; i++)
        if (t->down[i] == 0 || t->up[i] == 0)
            return -EINVAL;
    return 0;
}

uint32_t fat_tree_room(uint32_t levels, uint32_t radix, double oversubscription)
{
    struct fat_tree t;
    uint64_t room = 1;
    if (shape(levels, radix, oversubscription, &t))
        return 0;
    for (uint32_t i = 0; i < levels; i++)
        room = room * t.down[i] < UINT32_MAX ? room * t.down[i] : UINT32_MAX;
    return (uint32_t)room;
}

int fat_tree_init(uint32_t levels, uint32_t radix, double oversubscription, uint32_t nodes, struct fat_tree *out)
{
    struct fat_tree t;
    int err = shape(levels, radix, oversubscription, &t);
    if (err || nodes == 0 || nodes > NODES_MAX)
        return -EINVAL;
    if (nodes > fat_tree_room(levels, radix, oversubscription))
        return -ENOSPC;
    t.nodes = nodes;
    err = finish(&t);
    if (!err)
        *out = t;
    return err;
}
