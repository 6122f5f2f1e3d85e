/* Which links a message takes through switches: a fat tree with deterministic up/down routing, of which one switch is a case.
 *
 * Nodes are numbered leaf switch after leaf switch. A switch of level l has `down[l-1]` links down and below the top `up[l-1]`
 * up, each to another switch; what lies below a switch of level l has as many switches of that level as there are ways up to
 * them. A message goes up no farther than it must, and by the number of the node it is for chooses which way (D-mod-k): so
 * messages for one node share all links once they meet, and those of a shift share none where the tree is not oversubscribed.
 * All functions are pure. */
#ifndef SHMCOLL_MODEL_FAT_TREE_H
#define SHMCOLL_MODEL_FAT_TREE_H

#include <stdint.h>

enum {
    FAT_TREE_LEVELS_MAX = 4,
    FAT_TREE_RADIX_MAX = 4096,
    FAT_TREE_PATH_MAX = 2 * FAT_TREE_LEVELS_MAX, /* links from node to node, theirs included */
};

struct fat_tree {
    uint32_t levels, nodes;             /* nodes: ports there are, and links are counted for */
    uint32_t down[FAT_TREE_LEVELS_MAX]; /* of a switch of level i + 1 */
    uint32_t up[FAT_TREE_LEVELS_MAX];   /* 0 at the top */
    uint32_t below[FAT_TREE_LEVELS_MAX + 1]; /* nodes below a switch of level i; 1 of a node */
    uint32_t ways[FAT_TREE_LEVELS_MAX + 1];  /* switches of level i above a node */
    uint32_t first[FAT_TREE_LEVELS_MAX + 1]; /* the first link from level i to i + 1; as many down follow those up */
    uint32_t links;
};

/* One switch with as many ports as there are nodes. nodes >= 1 and at most 2^24, here and below. 0 or -EINVAL. */
int fat_tree_switch(uint32_t nodes, struct fat_tree *out);
/* Switches of `radix` ports in `levels` levels. Those that nodes are at have `oversubscription` times as many links down as up,
 * to the nearest whole number; those at the top have no links up, all others as many as down. Of one level: a switch of that
 * radix. 0; -EINVAL if a number is out of range or leaves no link up or down; -ENOSPC if that has no room for the nodes. */
int fat_tree_init(uint32_t levels, uint32_t radix, double oversubscription, uint32_t nodes, struct fat_tree *out);
/* Nodes that there is room for, at most 2^32 - 1; 0 if the numbers make no tree. */
uint32_t fat_tree_room(uint32_t levels, uint32_t radix, double oversubscription);

/* Level at which a message turns, >= 1. */
static inline uint32_t fat_tree_turn(const struct fat_tree *t, uint32_t from, uint32_t to)
{
    uint32_t level = 1;
    while (level < t->levels && from / t->below[level] != to / t->below[level])
        level++;
    return level;
}

/* The hop-th link of a message that turns at a level, hop < 2*level. Link 0..nodes-1: out of a node; nodes..2*nodes-1: into
 * it. */
static inline uint32_t fat_tree_link(const struct fat_tree *t, uint32_t from, uint32_t to, uint32_t turn, uint32_t hop)
{
    uint32_t up = hop < turn, level = up ? hop : 2 * turn - 1 - hop; /* the lower end of the link is of this level */
    uint32_t below = (up ? from : to) / t->below[level], ways = t->ways[level + 1];
    uint32_t all = level == 0 ? t->nodes : (t->nodes + t->below[level] - 1) / t->below[level] * ways;
    return t->first[level] + (up ? 0 : all) + below * ways + to % ways;
}

#endif
