/* Notification trees of ranks on several domains (Jain et al., SC'18): a k-ary tree in each domain, joined at the root.
 *
 * The root heads the tree of its own domain; of every other domain the first rank hangs on the root. So one line crosses to
 * every other domain, and the ranks there tell each other. In O(1) for any root; the depth in as many steps. O(procs) memory;
 * read-only once created. tree.h uses it: programs ask there. */
#ifndef SHMCOLL_MODEL_TREE_JOINED_H
#define SHMCOLL_MODEL_TREE_JOINED_H

#include <stdint.h>

struct tree_joined {
    uint32_t degree, domains;
    uint32_t *domain; /* [rank] number of its domain, by first appearance */
    uint32_t *place;  /* [rank] its place among the ranks of its domain */
    uint32_t *member; /* [start[d] .. start[d+1]) ranks of domain d, rising */
    uint32_t *start;  /* [domains + 1] */
    uint32_t table[];
};

/* domain_of_rank: any numbers that tell domains apart; NULL: all are in one. NULL without memory; free() it. */
struct tree_joined *tree_joined_create(uint32_t degree, uint32_t procs, const uint32_t *domain_of_rank);

/* As the functions of tree.h. */
uint32_t tree_joined_virtual(const struct tree_joined *j, uint32_t root, uint32_t rank);
uint32_t tree_joined_rank(const struct tree_joined *j, uint32_t root, uint32_t virtual_rank);
uint32_t tree_joined_child_count(const struct tree_joined *j, uint32_t root, uint32_t rank);
uint32_t tree_joined_child(const struct tree_joined *j, uint32_t root, uint32_t rank, uint32_t i);
uint32_t tree_joined_parent(const struct tree_joined *j, uint32_t root, uint32_t rank);
uint32_t tree_joined_depth(const struct tree_joined *j, uint32_t root, uint32_t rank);

#endif
