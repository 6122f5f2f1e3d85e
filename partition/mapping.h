/* Mappings: which place of the machine every vertex of a graph goes to; S3's pi and its inverse.
 *
 * Of an algorithm a vertex is a virtual rank and a place a rank; of an application's graph a vertex is a rank and a place a core.
 * A mapping that a formula gives is kept as that formula, so that a rank learns its partners in O(1) a step and without tables;
 * else the two tables are the mapping's own: mapping_destroy(). A filled one is read-only and may be shared by threads. */
#ifndef SHMCOLL_PARTITION_MAPPING_H
#define SHMCOLL_PARTITION_MAPPING_H

#include "partition/hierarchy.h"
#include "partition/partitioner.h"

enum mapping_form {
    MAPPING_MODULO, /* rank i of node u plays vertex i*parts + part, that being one of those most of u's ranks are in by their
                       numbers */
    MAPPING_SHIFT,  /* rank r plays vertex r + shift */
    MAPPING_TABLE,
};

struct mapping {
    uint32_t procs;
    enum mapping_form form;
    uint32_t parts, shift;
    uint32_t cycle, inverse; /* MODULO: node u has part (u*size + u/cycle) mod parts; inverse: of size / divisor, mod cycle */
    uint32_t *virtual_of_rank, *rank_of_virtual; /* TABLE: [procs] */
    const char *by; /* strategy it is from */
    int optimal;    /* its outermost level is a partition that is */
};

static inline uint32_t mapping_virtual(const struct mapping *m, uint32_t rank)
{
    if (m->form == MAPPING_TABLE)
        return m->virtual_of_rank[rank];
    if (m->form == MAPPING_SHIFT)
        return (uint32_t)(((uint64_t)rank + m->shift) % m->procs);
    uint32_t size = m->procs / m->parts, node = rank / size;
    return rank % size * m->parts + (uint32_t)(((uint64_t)node * size + node / m->cycle) % m->parts);
}

static inline uint32_t mapping_rank(const struct mapping *m, uint32_t v)
{
    if (m->form == MAPPING_TABLE)
        return m->rank_of_virtual[v];
    if (m->form == MAPPING_SHIFT)
        return (uint32_t)(((uint64_t)v + m->procs - m->shift) % m->procs);
    uint32_t divisor = m->parts / m->cycle, part = v % m->parts, turn = part % divisor;
    uint32_t node = turn * m->cycle + (uint32_t)((uint64_t)(part / divisor) * m->inverse % m->cycle);
    return node * (m->procs / m->parts) + v / m->parts;
}

/* Every rank plays its own number. */
void mapping_identity(struct mapping *out, uint32_t procs);
/* Part u goes to the ranks r with node_of_rank[r] == u, the vertices of a part in rising order to its ranks in rising order.
 * `node_of_rank` NULL: the first ranks are on node 0, the next on node 1 and so on; then a formula stays one, with its parts
 * renamed as by mapping_settle().
 * 0; -EINVAL if a node's ranks are not as many as its part's vertices; -ENOMEM. */
int mapping_of_partition(struct mapping *out, const struct partition *partition, const uint32_t *node_of_rank);
/* Top down: partitions the vertices among the outermost groups, then those of each group among the groups within it, and so on.
 * The problem says which graph, schedule, seed and what to do without; parts and sizes are the hierarchy's. `scotch` sees all
 * levels at once if they are alike everywhere; `auto` tries every strategy, keeps the smallest J and exchanges vertices as long
 * as it falls. Errors as partition_make(). */
int mapping_make(struct mapping *out, const struct partitioner *partitioner, const struct partition_problem *problem,
                 const struct hierarchy *hierarchy, char *reason, size_t reason_bytes);
/* Exchanges what groups that are alike play, at every level from outside in, and then ranks within innermost groups, so that as
 * many as can play their own number or one of their own group: those are blocks that exch. need not move, or not far. J and cuts
 * stay. Of up to 256 groups alike the most there can be at their level, of more a good deal. A formula has been chosen so, and
 * stays. 0 or -ENOMEM. */
int mapping_settle(struct mapping *mapping, const struct hierarchy *hierarchy);
/* The same mapping as tables. 0 or -ENOMEM. */
int mapping_expand(struct mapping *mapping);
void mapping_destroy(struct mapping *mapping);

/* The tables of a mapping that has them, for model, simulator and kernels; valid as long as it. */
static inline struct numbering mapping_numbering(const struct mapping *m)
{
    return (struct numbering){.virtual_of_rank = m->virtual_of_rank, .rank_of_virtual = m->rank_of_virtual};
}

/* schedule_step_numbered() without tables: step k of a rank, partners being ranks. O(1). */
void mapping_step(const struct schedule *schedule, const struct mapping *mapping, uint32_t rank, uint32_t k,
                  struct schedule_step *out);

struct mapping_quality {
    double j; /* sum of weight times distance over all edges */
    uint64_t cut[HIERARCHY_LEVELS_MAX];     /* weight of the edges between groups of that level */
    uint64_t busiest[HIERARCHY_LEVELS_MAX]; /* ... of those that leave the group of that level that they are most for, both
                                               ways */
    uint32_t busiest_group[HIERARCHY_LEVELS_MAX];
};

/* 0 or -ENOMEM. O(edges). */
int mapping_quality(const struct graph *graph, const struct mapping *mapping, const struct hierarchy *hierarchy,
                    struct mapping_quality *out);
/* Blocks that cross between groups of a level in each round, into cut[schedule_rounds()]. */
void mapping_step_cuts(const struct schedule *schedule, const struct mapping *mapping, const struct hierarchy *hierarchy,
                       uint32_t level, uint64_t *cut);

#endif
