#include "partition/partition.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

void partition_destroy(struct partition *partition)
{
    free(partition->table);
    *partition = (struct partition){0};
}

int partition_counts(const struct partition *partition, uint32_t *count)
{
    memset(count, 0, partition->parts * sizeof *count);
    for (uint32_t v = 0; v < partition->vertices; v++) {
        uint32_t part = partition_part(partition, v);
        if (part >= partition->parts)
            return -EINVAL;
        count[part]++;
    }
    return 0;
}

void partition_table(const struct partition *partition, uint32_t *part)
{
    for (uint32_t v = 0; v < partition->vertices; v++)
        part[v] = partition_part(partition, v);
}

static uint64_t cut_by_sum(const struct graph *graph, const struct partition *partition)
{
    uint64_t cut = 0, weight;
    for (uint32_t v = 0; v < graph->vertices; v++) {
        uint32_t part = partition_part(partition, v), degree = graph_degree(graph, v);
        for (uint32_t i = 0; i < degree; i++) {
            uint32_t neighbour = graph_neighbour(graph, v, i, &weight);
            if (neighbour > v && partition_part(partition, neighbour) != part)
                cut += weight;
        }
    }
    return cut;
}

static uint64_t differ(const uint32_t *a, const uint32_t *b, uint32_t count)
{
    uint64_t sum = 0;
    for (uint32_t i = 0; i < count; i++)
        sum += a[i] != b[i];
    return sum;
}

/* One arc of all vertices after the other, which reads the table in its order. */
static uint64_t cut_by_arcs(const struct graph *graph, const uint32_t *part)
{
    uint64_t twice = 0;
    for (uint32_t i = 0; i < graph->arcs[0]; i++) {
        uint32_t up = graph->arc[0][i].delta, n = graph->vertices;
        uint64_t crossing = 0;
        if (graph->form == GRAPH_SHIFT)
            crossing = differ(part, part + up, n - up) + differ(part + (n - up), part, up);
        for (uint32_t v = 0; graph->form == GRAPH_XOR && v < n; v++)
            crossing += part[v] != part[v ^ up];
        twice += crossing * graph->arc[0][i].weight;
    }
    return twice / 2;
}

/* Both formulas go by v mod parts: either all or none of the arcs of one shift cross. */
static uint64_t cut_of_modulo(const struct graph *graph, uint32_t parts)
{
    uint64_t twice = 0;
    for (uint32_t i = 0; i < graph->arcs[0]; i++)
        if (graph->arc[0][i].delta % parts)
            twice += graph->vertices * graph->arc[0][i].weight;
    return twice / 2;
}

/* Of the arcs of one shift that leave a run of `size` vertices, those of every vertex but the ones whose shift ends in the
 * run. */
static uint64_t cut_of_blocks(const struct graph *graph, uint32_t parts)
{
    uint64_t twice = 0;
    uint32_t size = graph->vertices / parts;
    for (uint32_t i = 0; i < graph->arcs[0]; i++) {
        uint32_t up = graph->arc[0][i].delta, down = graph->vertices - up;
        uint32_t within = (up < size ? size - up : 0) + (down < size ? size - down : 0);
        twice += graph->arc[0][i].weight * parts * (size - (within < size ? within : size));
    }
    return twice / 2;
}

/* Whether x ^ delta has x's remainder just when delta has none. */
static int power_of_two(uint32_t n)
{
    return (n & (n - 1)) == 0;
}

uint64_t partition_cut(const struct graph *graph, const struct partition *partition)
{
    int uniform = graph->form != GRAPH_ROWS && graph->period == 1;
    if (uniform && partition->form == PARTITION_MODULO && (graph->form == GRAPH_SHIFT || power_of_two(partition->parts)))
        return cut_of_modulo(graph, partition->parts);
    if (uniform && partition->form == PARTITION_BLOCKS && graph->form == GRAPH_SHIFT)
        return cut_of_blocks(graph, partition->parts);
    if (uniform && partition->form == PARTITION_TABLE)
        return cut_by_arcs(graph, partition->table);
    return cut_by_sum(graph, partition);
}
