/* Notification trees over p ranks, for any root in O(1).
 *
 * A tree is built once for the virtual ranks 0..p-1 (0 is the root) and shared by
 * all roots: rank r plays virtual rank (r - root) mod p, or, where the tree knows the ranks' domains (tree_joined.h), the
 * virtual rank that puts the root's domain first. Memory is O(p); a built
 * tree is read-only and may be used by any number of threads. */
#ifndef SHMCOLL_MODEL_TREE_H
#define SHMCOLL_MODEL_TREE_H

#include "model/tree_joined.h"

#include <stdint.h>

enum tree_kind { TREE_FLAT, TREE_CHAIN, TREE_KARY, TREE_KNOMIAL, TREE_JOINED };

/* What to build: `degree` is K of kary:K and joined:K (>= 1) and of knomial:K (>= 2), else ignored. */
struct tree_shape {
    enum tree_kind kind;
    uint32_t degree;
};

struct tree {
    struct tree_shape shape;
    uint32_t procs;
    struct tree_joined *joined; /* of joined trees; the arrays below are then for one root's domain only */
    uint32_t *parent; /* [v] virtual parent; parent[0] = 0 */
    uint32_t *first;  /* [v] first entry of v in child[]; first[procs] = procs - 1 */
    uint32_t *child;  /* [first[v] .. first[v+1]) virtual children; in a full tree largest subtree first */
    uint32_t *depth;  /* [v] hops from the root */
};

/* 0; -EINVAL if procs == 0 or the degree does not fit the kind; -ENOMEM. O(procs). All ranks are on one domain. */
int tree_create(struct tree_shape shape, uint32_t procs, struct tree *out);
/* The same for ranks on domains, by any numbers that tell them apart. The arrays of a joined tree are those of `root`. */
int tree_create_placed(struct tree_shape shape, uint32_t procs, const uint32_t *domain_of_rank, uint32_t root, struct tree *out);
void tree_destroy(struct tree *tree);

/* Parses flat, chain, kary:K, knomial:K, joined:K, and the names binary (kary:2) and binomial (knomial:2).
 * 0; -EINVAL, with *out untouched. */
int tree_shape_parse(const char *text, struct tree_shape *out);
/* Writes the text form; returns `text`. */
const char *tree_shape_format(struct tree_shape shape, char *text, uint32_t text_bytes);

static inline uint32_t tree_virtual(const struct tree *tree, uint32_t root, uint32_t rank)
{
    if (tree->joined)
        return tree_joined_virtual(tree->joined, root, rank);
    return rank >= root ? rank - root : rank + tree->procs - root;
}

static inline uint32_t tree_rank(const struct tree *tree, uint32_t root, uint32_t virtual_rank)
{
    if (tree->joined)
        return tree_joined_rank(tree->joined, root, virtual_rank);
    uint32_t rank = virtual_rank + root;
    return rank >= tree->procs ? rank - tree->procs : rank;
}

static inline uint32_t tree_child_count(const struct tree *tree, uint32_t root, uint32_t rank)
{
    if (tree->joined)
        return tree_joined_child_count(tree->joined, root, rank);
    uint32_t v = tree_virtual(tree, root, rank);
    return tree->first[v + 1] - tree->first[v];
}

static inline uint32_t tree_child(const struct tree *tree, uint32_t root, uint32_t rank, uint32_t i)
{
    if (tree->joined)
        return tree_joined_child(tree->joined, root, rank, i);
    return tree_rank(tree, root, tree->child[tree->first[tree_virtual(tree, root, rank)] + i]);
}

/* The root is its own parent. */
static inline uint32_t tree_parent(const struct tree *tree, uint32_t root, uint32_t rank)
{
    if (tree->joined)
        return tree_joined_parent(tree->joined, root, rank);
    return tree_rank(tree, root, tree->parent[tree_virtual(tree, root, rank)]);
}

static inline uint32_t tree_depth(const struct tree *tree, uint32_t root, uint32_t rank)
{
    if (tree->joined)
        return tree_joined_depth(tree->joined, root, rank);
    return tree->depth[tree_virtual(tree, root, rank)];
}

#endif
