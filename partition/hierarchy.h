/* Hierarchies: the groups that the places of a machine are in, level by level: switch, node, socket, shared cache.
 *
 * A place is where a rank runs; places and ranks have the same numbers. Two places that are in one group at a level are so at all
 * levels further out. Which level parts them first decides how far apart they are. The structure owns its arrays. */
#ifndef SHMCOLL_PARTITION_HIERARCHY_H
#define SHMCOLL_PARTITION_HIERARCHY_H

#include "model/node.h"

#include <stddef.h>
#include <stdint.h>

enum { HIERARCHY_LEVELS_MAX = 8, HIERARCHY_NAME_BYTES = 16 };

struct hierarchy_level {
    char name[HIERARCHY_NAME_BYTES];
    uint32_t groups;
    uint32_t *group; /* [procs] 0 .. groups - 1, every one taken */
    double distance; /* of two places that this level is the first to part, from outside; not rising inwards */
};

struct hierarchy {
    uint32_t procs, levels;
    struct hierarchy_level level[HIERARCHY_LEVELS_MAX]; /* from outside in */
    double distance_within; /* of two places in one innermost group */
};

/* One group, no levels yet. -EINVAL if procs is 0. */
int hierarchy_init(struct hierarchy *out, uint32_t procs);
/* Adds a level inside those that are there: places are in one group if they are so at the level before and have the same key. A
 * level that parts nobody beyond the one before is left out. Distances become 1 for the innermost level, and one more for
 * each further out, 0 within; set others afterwards. 0, -EINVAL with too many levels, or -ENOMEM. */
int hierarchy_add(struct hierarchy *hierarchy, const char *name, const uint32_t *key);
/* Places on nodes, in the order of their ranks, `per_node` on each: node "node" and, of what `node` has beyond one of, socket,
 * domain and cache, by core_of_rank[procs], a core of its node. `node` NULL: nodes only. 0, -EINVAL or -ENOMEM. */
int hierarchy_of_nodes(struct hierarchy *out, uint32_t procs, uint32_t per_node, const struct node *node,
                       const uint32_t *core_of_rank);
void hierarchy_destroy(struct hierarchy *hierarchy);

/* The first level, from outside, at which two places are in different groups; `levels`: none. */
uint32_t hierarchy_parted(const struct hierarchy *hierarchy, uint32_t a, uint32_t b);
double hierarchy_distance(const struct hierarchy *hierarchy, uint32_t a, uint32_t b);

#endif
