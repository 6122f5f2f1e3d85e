/* Notification trees over p ranks, for any root in O(1).
 *
 * A tree is built once for the virtual ranks 0..p-1 (0 is the root) and shared by
 * all roots: rank r plays virtual rank (r - root) mod p. Memory is O(p); a built
 * tree is read-only and may be used by any number of threads. */
#ifndef SHMCOLL_MODEL_TREE_H
#define SHMCOLL_MODEL_TREE_H

#include <stdint.h>

enum tree_kind { TREE_FLAT, TREE_CHAIN, TREE_KARY, TREE_KNOMIAL };

/* What to build: `degree` is K of kary:K (>= 1) and knomial:K (>= 2), else ignored. */
struct tree_shape {
    enum tree_kind kind;
    uint32_t degree;
};

struct tree {
    struct tree_shape shape;
    uint32_t procs;
    uint32_t *parent; /* [v] virtual parent; parent[0] = 0 */
    uint32_t *first;  /* [v] first entry of v in child[]; first[procs] = procs - 1 */
    uint32_t *child;  /* [first[v] .. first[v+1]) virtual children; in a full tree largest subtree first */
    uint32_t *depth;  /* [v] hops from the root */
};

/* 0; -EINVAL if procs == 0 or the degree does not fit the kind; -ENOMEM. O(procs). */
int tree_create(struct tree_shape shape, uint32_t procs, struct tree *out);
void tree_destroy(struct tree *tree);

/* Parses flat, chain, kary:K, knomial:K, and the names binary (kary:2) and binomial (knomial:2).
 * 0; -EINVAL, with *out untouched. */
int tree_shape_parse(const char *text, struct tree_shape *out);
/* Writes the text form; returns `text`. */
const char *tree_shape_format(struct tree_shape shape, char *text, uint32_t text_bytes);

static inline uint32_t tree_virtual(const struct tree *tree, uint32_t root, uint32_t rank)
{
    return rank >= root ? rank - root : rank + tree->procs - root;
}

static inline uint32_t tree_rank(const struct tree *tree, uint32_t root, uint32_t virtual_rank)
{
    uint32_t rank = virtual_rank + root;
    return rank >= tree->procs ? rank - tree->procs : rank;
}

static inline uint32_t tree_child_count(const struct tree *tree, uint32_t root, uint32_t rank)
{
    uint32_t v = tree_virtual(tree, root, rank);
    return tree->first[v + 1] - tree->first[v];
}

static inline uint32_t tree_child(const struct tree *tree, uint32_t root, uint32_t rank, uint32_t i)
{
    return tree_rank(tree, root, tree->child[tree->first[tree_virtual(tree, root, rank)] + i]);
}

/* The root is its own parent. */
static inline uint32_t tree_parent(const struct tree *tree, uint32_t root, uint32_t rank)
{
    return tree_rank(tree, root, tree->parent[tree_virtual(tree, root, rank)]);
}

static inline uint32_t tree_depth(const struct tree *tree, uint32_t root, uint32_t rank)
{
    return tree->depth[tree_virtual(tree, root, rank)];
}

#endif
