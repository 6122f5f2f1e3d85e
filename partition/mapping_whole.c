#include "partition/mapping_whole.h"
#include "partition/refine.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

/* Distances as whole numbers: the largest is this. */
enum { DISTANCE_STEPS = 1024 };
static const uint64_t weight_max = (uint64_t)1 << 50; /* sums of weights times distances have room */
static const uint64_t ends_max = 1u << 28;

static int place_compare(const void *a, const void *b, void *context)
{
    const struct hierarchy *h = context;
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    for (uint32_t l = 0; l < h->levels; l++)
        if (h->level[l].group[x] != h->level[l].group[y])
            return h->level[l].group[x] < h->level[l].group[y] ? -1 : 1;
    return (x > y) - (x < y);
}

void hierarchy_sort(const struct hierarchy *h, uint32_t *place)
{
    for (uint32_t i = 0; i < h->procs; i++)
        place[i] = i;
    qsort_r(place, h->procs, sizeof *place, place_compare, (void *)h);
}

static double distance_within(const struct hierarchy *h, uint32_t l)
{
    return h->level[l].distance - h->distance_within;
}

/* As a part of the largest; at least 1, as all levels part. */
static uint32_t distance_steps(const struct hierarchy *h, uint32_t l)
{
    double share = distance_within(h, 0) > 0 ? distance_within(h, l) / distance_within(h, 0) : 0;
    long steps = lround(share * DISTANCE_STEPS);
    return steps < 1 ? 1 : (uint32_t)steps;
}

static int groups_alike(const struct hierarchy *h, uint32_t l)
{
    uint32_t *count = calloc(h->level[l].groups, sizeof *count), alike = 1;
    if (!count)
        return -ENOMEM;
    for (uint32_t r = 0; r < h->procs; r++)
        count[h->level[l].group[r]]++;
    for (uint32_t g = 1; g < h->level[l].groups; g++)
        alike &= count[g] == count[0];
    free(count);
    return alike ? 0 : -ENOTSUP;
}

/* The machine as Scotch knows trees: every group of a level as large and with as many groups within. 0, or -ENOTSUP if it is not
 * so. */
static int hierarchy_target(const struct hierarchy *h, struct partition_target *out)
{
    *out = (struct partition_target){.levels = h->levels};
    if (h->levels == 0)
        return -ENOTSUP;
    for (uint32_t l = 0; l < h->levels; l++) {
        int error = groups_alike(h, l);
        if (error)
            return error;
        out->arity[l] = h->level[l].groups / (l ? h->level[l - 1].groups : 1);
        out->distance[l] = distance_steps(h, l);
    }
    return 0;
}

/* Groups are numbered from outside in, and so are the leaves of the tree: one follows the other. */
int mapping_onto_target(struct mapping *out, const struct partitioner *partitioner, const struct partition_problem *problem,
                        const struct hierarchy *hierarchy, char *reason, size_t reason_bytes)
{
    struct partition_target target;
    struct partition_problem whole = *problem;
    struct partition made;
    int error = hierarchy_target(hierarchy, &target);
    if (error)
        return error;
    const struct hierarchy_level *last = &hierarchy->level[hierarchy->levels - 1];
    whole.parts = last->groups;
    whole.sizes = NULL;
    whole.target = &target;
    whole.refine = 0;
    error = partition_make(partitioner, &whole, &made, reason, reason_bytes);
    if (error)
        return error;
    error = mapping_of_partition(out, &made, last->group);
    partition_destroy(&made);
    return error;
}

/* Any place of every innermost group. */
struct places {
    const struct hierarchy *hierarchy;
    uint32_t *of_group;
};

static int64_t group_distance(const void *context, uint32_t p, uint32_t q)
{
    const struct places *places = context;
    uint32_t l = hierarchy_parted(places->hierarchy, places->of_group[p], places->of_group[q]);
    return l < places->hierarchy->levels ? distance_steps(places->hierarchy, l) : 0;
}

/* Groups of all vertices, refined. */
static int groups_refine(const struct graph *graph, const struct hierarchy *h, uint32_t *group_of_vertex)
{
    const struct hierarchy_level *last = &h->level[h->levels - 1];
    struct places places = {h, malloc(last->groups * sizeof *places.of_group)};
    uint32_t *size = calloc(last->groups, sizeof *size);
    struct refine *refine = NULL;
    int error = places.of_group && size ? 0 : -ENOMEM;
    for (uint32_t r = 0; r < h->procs && !error; r++) {
        places.of_group[last->group[r]] = r;
        size[last->group[r]]++;
    }
    struct partition_problem problem = {.graph = graph, .parts = last->groups, .sizes = size};
    if (!error)
        error = refine_create(&refine, &problem, &(struct refine_metric){group_distance, &places});
    if (!error) {
        uint64_t budget = ends_max;
        refine_run(refine, group_of_vertex, &budget);
        refine_destroy(refine);
    }
    free(places.of_group);
    free(size);
    return error;
}

/* Takes the refined groups if J, counted anew with the distances as they are, is smaller. */
static int refined_take(struct mapping *mapping, const struct graph *graph, const struct hierarchy *h, struct partition *groups)
{
    struct mapping made;
    struct mapping_quality before, after;
    groups->by = mapping->by;
    groups->optimal = 0;
    int error = mapping_of_partition(&made, groups, h->level[h->levels - 1].group);
    if (error)
        return error;
    if (mapping_quality(graph, mapping, h, &before) || mapping_quality(graph, &made, h, &after)) {
        mapping_destroy(&made);
        return -ENOMEM;
    }
    if (after.j < before.j) {
        mapping_destroy(mapping);
        *mapping = made;
    } else {
        mapping_destroy(&made);
    }
    return 0;
}

int mapping_refine(struct mapping *mapping, const struct graph *graph, const struct hierarchy *h)
{
    if (h->levels == 0 || graph_weight(graph) > weight_max)
        return 0;
    const struct hierarchy_level *last = &h->level[h->levels - 1];
    struct partition groups = {.vertices = h->procs, .parts = last->groups, .form = PARTITION_TABLE};
    groups.table = malloc(h->procs * sizeof *groups.table);
    if (!groups.table)
        return -ENOMEM;
    for (uint32_t v = 0; v < h->procs; v++)
        groups.table[v] = last->group[mapping_rank(mapping, v)];
    int error = groups_refine(graph, h, groups.table);
    if (!error)
        error = refined_take(mapping, graph, h, &groups);
    partition_destroy(&groups);
    return error;
}
