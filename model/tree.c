#include "model/tree.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static uint32_t parent_of(struct tree_shape shape, uint32_t v)
{
    switch (shape.kind) {
    case TREE_FLAT:
        return 0;
    case TREE_CHAIN:
        return v - 1;
    case TREE_KARY:
        return (v - 1) / shape.degree;
    case TREE_KNOMIAL:
    case TREE_JOINED:
        break;
    }
    /* k-nomial: the parent clears the lowest non-zero base-k digit. */
    uint64_t digit = 1;
    while (v % (digit * shape.degree) == 0)
        digit *= shape.degree;
    return (uint32_t)(v - v % (digit * shape.degree));
}

static int shape_valid(struct tree_shape shape)
{
    switch (shape.kind) {
    case TREE_FLAT:
    case TREE_CHAIN:
        return 1;
    case TREE_KARY:
    case TREE_JOINED:
        return shape.degree >= 1;
    case TREE_KNOMIAL:
        return shape.degree >= 2;
    }
    return 0;
}

/* Children in descending order of virtual rank for k-nomial trees, where the last child
 * has the largest subtree; ascending for the others, where the first has. */
static void fill_children(struct tree *tree)
{
    uint32_t p = tree->procs;
    for (uint32_t v = 1; v < p; v++)
        tree->first[tree->parent[v] + 1]++;
    for (uint32_t v = 0; v < p; v++)
        tree->first[v + 1] += tree->first[v];
    /* depth[] serves as the fill position, and is computed afterwards. */
    memset(tree->depth, 0, p * sizeof *tree->depth);
    for (uint32_t i = 1; i < p; i++) {
        uint32_t v = tree->shape.kind == TREE_KNOMIAL ? p - i : i;
        uint32_t parent = tree->parent[v];
        tree->child[tree->first[parent] + tree->depth[parent]++] = v;
    }
    tree->depth[0] = 0;
    for (uint32_t v = 1; v < p; v++)
        tree->depth[v] = tree->depth[tree->parent[v]] + 1;
}

/* A joined tree as arrays, for one root. */
static void fill_joined(struct tree *tree, uint32_t root)
{
    uint32_t next = 0;
    for (uint32_t v = 0; v < tree->procs; v++) {
        uint32_t rank = tree_rank(tree, root, v), children = tree_child_count(tree, root, rank);
        tree->parent[v] = tree_virtual(tree, root, tree_parent(tree, root, rank));
        tree->depth[v] = tree_depth(tree, root, rank);
        tree->first[v] = next;
        for (uint32_t i = 0; i < children; i++)
            tree->child[next++] = tree_virtual(tree, root, tree_child(tree, root, rank, i));
    }
    tree->first[tree->procs] = next;
}

int tree_create_placed(struct tree_shape shape, uint32_t procs, const uint32_t *domain_of_rank, uint32_t root, struct tree *out)
{
    if (procs == 0 || !shape_valid(shape) || root >= procs)
        return -EINVAL;
    struct tree tree = {.shape = shape, .procs = procs};
    tree.parent = calloc(procs, sizeof *tree.parent);
    tree.first = calloc((size_t)procs + 1, sizeof *tree.first);
    tree.child = calloc(procs, sizeof *tree.child);
    tree.depth = calloc(procs, sizeof *tree.depth);
    int joined = shape.kind == TREE_JOINED;
    if (joined)
        tree.joined = tree_joined_create(shape.degree, procs, domain_of_rank);
    if (!tree.parent || !tree.first || !tree.child || !tree.depth || (joined && !tree.joined)) {
        tree_destroy(&tree);
        return -ENOMEM;
    }
    for (uint32_t v = 1; v < procs && !joined; v++)
        tree.parent[v] = parent_of(shape, v);
    if (joined)
        fill_joined(&tree, root);
    else
        fill_children(&tree);
    *out = tree;
    return 0;
}

int tree_create(struct tree_shape shape, uint32_t procs, struct tree *out)
{
    return tree_create_placed(shape, procs, NULL, 0, out);
}

void tree_destroy(struct tree *tree)
{
    free(tree->joined);
    free(tree->parent);
    free(tree->first);
    free(tree->child);
    free(tree->depth);
    *tree = (struct tree){0};
}

static int parse_degree(const char *text, uint32_t least, uint32_t *out)
{
    char *end;
    errno = 0;
    unsigned long value = *text >= '0' && *text <= '9' ? strtoul(text, &end, 10) : 0;
    if (value < least || value > 65536 || errno || *end)
        return -EINVAL;
    *out = (uint32_t)value;
    return 0;
}

int tree_shape_parse(const char *text, struct tree_shape *out)
{
    static const struct {
        const char *name;
        struct tree_shape shape;
    } plain[] = {
        {"flat", {TREE_FLAT, 0}},
        {"chain", {TREE_CHAIN, 0}},
        {"binary", {TREE_KARY, 2}},
        {"binomial", {TREE_KNOMIAL, 2}},
    };
    for (size_t i = 0; i < sizeof plain / sizeof *plain; i++)
        if (strcmp(text, plain[i].name) == 0) {
            *out = plain[i].shape;
            return 0;
        }
    struct tree_shape shape;
    int err = -EINVAL;
    if (strncmp(text, "kary:", 5) == 0) {
        shape.kind = TREE_KARY;
        err = parse_degree(text + 5, 1, &shape.degree);
    } else if (strncmp(text, "knomial:", 8) == 0) {
        shape.kind = TREE_KNOMIAL;
        err = parse_degree(text + 8, 2, &shape.degree);
    }
    if (strncmp(text, "joined:", 7) == 0) {
        shape.kind = TREE_JOINED;
        err = parse_degree(text + 7, 1, &shape.degree);
    }
    if (!err)
        *out = shape;
    return err;
}

const char *tree_shape_format(struct tree_shape shape, char *text, uint32_t text_bytes)
{
    static const char *const kinds[] = {"flat", "chain", "kary", "knomial", "joined"};
    if (shape.kind == TREE_FLAT || shape.kind == TREE_CHAIN)
        snprintf(text, text_bytes, "%s", kinds[shape.kind]);
    else
        snprintf(text, text_bytes, "%s:%u", kinds[shape.kind], shape.degree);
    return text;
}
