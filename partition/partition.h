/* Partitions: which part every vertex of a graph is in.
 *
 * A partition that a formula gives is kept as that formula, whatever its size; else as a table, which it owns:
 * partition_destroy(). A filled one is read-only and may be shared by threads. */
#ifndef SHMCOLL_PARTITION_PARTITION_H
#define SHMCOLL_PARTITION_PARTITION_H

#include "partition/graph.h"

enum partition_form {
    PARTITION_MODULO, /* part(v) = v mod parts, which divides vertices */
    PARTITION_BLOCKS, /* part(v) = (v - shift) mod vertices / (vertices / parts); parts divides vertices */
    PARTITION_TABLE,
};

struct partition {
    uint32_t vertices, parts;
    enum partition_form form;
    uint32_t shift;  /* BLOCKS: the first vertex of part 0 */
    uint32_t *table; /* TABLE: [vertices] */
    uint64_t cut;    /* weight of the edges between parts: blocks that cross, in 64 bits whoever made it */
    const char *by;  /* name of the strategy it is from: of `auto` the best of those it tried */
    int optimal;     /* proved: it meets a bound, or the search was exhaustive */
    uint32_t moved;  /* vertices that a partitioner's result had too many of in some part, moved by the repair */
};

static inline uint32_t partition_part(const struct partition *partition, uint32_t v)
{
    if (partition->form == PARTITION_TABLE)
        return partition->table[v];
    if (partition->form == PARTITION_MODULO)
        return v % partition->parts;
    uint32_t from_first = v >= partition->shift ? v - partition->shift : v + partition->vertices - partition->shift;
    return from_first / (partition->vertices / partition->parts);
}

/* Weight of the edges whose ends are in different parts. O(edges); O(arcs * parts) where both are formulas. */
uint64_t partition_cut(const struct graph *graph, const struct partition *partition);
/* How many vertices every part has, into count[parts]. 0, or -EINVAL if a vertex is in a part that is none. */
int partition_counts(const struct partition *partition, uint32_t *count);
/* Part of every vertex, into part[vertices]. */
void partition_table(const struct partition *partition, uint32_t *part);
void partition_destroy(struct partition *partition);

#endif
