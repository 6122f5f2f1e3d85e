/* Within partition/: rows of edges that are known to be sound. */
#ifndef SHMCOLL_PARTITION_GRAPH_ROWS_H
#define SHMCOLL_PARTITION_GRAPH_ROWS_H

#include "partition/graph.h"

/* Edges between different vertices below `vertices`. 0 or -ENOMEM. */
int graph_build_rows(struct graph *out, uint32_t vertices, const struct graph_edge *edges, size_t count);

#endif
