/* The binomial tree under the rooted algorithms: who gets from whom in which round, and for how many ranks.
 *
 * Ranks count from the root here. The parent of u clears its lowest bit; u heads the ranks u .. u + span - 1, as many as
 * that bit says and there are. In round r the tree's edges of length 2^(levels-1-r) are used: the longest first. */
#ifndef SHMCOLL_MODEL_SCHEDULE_BINOMIAL_TREE_H
#define SHMCOLL_MODEL_SCHEDULE_BINOMIAL_TREE_H

#include "model/schedule/modular.h"

static inline uint32_t binomial_tree_from_root(const struct schedule *s, uint32_t rank)
{
    return modular_subtract(s->procs, rank, s->root);
}

static inline uint32_t binomial_tree_rank(const struct schedule *s, uint32_t from_root)
{
    return modular_add(s->procs, from_root, s->root);
}

/* log2 of the ranks that u would head if there were enough. */
static inline uint32_t binomial_tree_height(const struct schedule *s, uint32_t u)
{
    return u ? (uint32_t)__builtin_ctz(u) : s->levels;
}

static inline uint32_t binomial_tree_span(const struct schedule *s, uint32_t u)
{
    uint32_t most = s->procs - u, full = 1u << binomial_tree_height(s, u);
    return full < most ? full : most;
}

/* The children of u are u + 2^j for j below this. */
static inline uint32_t binomial_tree_children(const struct schedule *s, uint32_t u)
{
    uint32_t last = s->procs - 1 - u; /* u + last is the last rank */
    uint32_t reach = last ? 32 - (uint32_t)__builtin_clz(last) : 0, height = binomial_tree_height(s, u);
    return height < reach ? height : reach;
}

static inline uint32_t binomial_tree_steps(const struct schedule *s, uint32_t rank)
{
    uint32_t u = binomial_tree_from_root(s, rank);
    return (u > 0) + binomial_tree_children(s, u);
}

/* Partner and round of a rank's step; returns the lower end of the edge, counted from the root: whose blocks are sent. */
static inline uint32_t binomial_tree_step(const struct schedule *s, uint32_t rank, uint32_t k, struct schedule_step *out)
{
    uint32_t u = binomial_tree_from_root(s, rank), lower = u, edge;
    if (u > 0 && k == 0) {
        edge = binomial_tree_height(s, u);
        out->receive_from = binomial_tree_rank(s, u - (1u << edge));
    } else {
        edge = binomial_tree_children(s, u) - 1 - (k - (u > 0));
        lower = u + (1u << edge);
        out->send_to = binomial_tree_rank(s, lower);
    }
    out->round = s->levels - 1 - edge;
    return lower;
}

/* The blocks, to whichever side of the step there is. */
static inline void binomial_tree_blocks(struct schedule_step *out, struct schedule_blocks blocks)
{
    if (out->send_to != SCHEDULE_NONE)
        out->send = blocks;
    else
        out->receive = blocks;
}

/* A step of the scatter down the tree: to each child the blocks of the ranks it heads. */
static inline void binomial_tree_scatter_step(const struct schedule *s, uint32_t rank, uint32_t k, struct schedule_step *out)
{
    uint32_t lower = binomial_tree_step(s, rank, k, out);
    binomial_tree_blocks(out, modular_blocks(binomial_tree_rank(s, lower), binomial_tree_span(s, lower)));
}

#endif
