#include "partition/components.h"

#include <errno.h>
#include <stdlib.h>

/* Who stands for a vertex' piece; halves the way there for those who ask next. */
static uint32_t root_of(uint32_t *parent, uint32_t v)
{
    while (parent[v] != v)
        v = parent[v] = parent[parent[v]];
    return v;
}

int graph_components(const struct graph *graph, uint32_t *out)
{
    uint32_t n = graph->vertices, count = n, *parent = malloc((n ? n : 1) * sizeof *parent);
    uint64_t weight;
    if (!parent)
        return -ENOMEM;
    for (uint32_t v = 0; v < n; v++)
        parent[v] = v;
    for (uint32_t v = 0; v < n; v++)
        for (uint32_t i = 0, degree = graph_degree(graph, v); i < degree; i++) {
            uint32_t a = root_of(parent, v), b = root_of(parent, graph_neighbour(graph, v, i, &weight));
            count -= a != b;
            parent[a > b ? a : b] = a < b ? a : b;
        }
    free(parent);
    *out = count;
    return 0;
}
