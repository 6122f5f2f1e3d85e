/* Into how many pieces a graph falls that no edge joins. */
#ifndef SHMCOLL_PARTITION_COMPONENTS_H
#define SHMCOLL_PARTITION_COMPONENTS_H

#include "partition/graph.h"

/* Almost linear in edges; out is set only on success. 0 or -ENOMEM. */
int graph_components(const struct graph *graph, uint32_t *out);

#endif
