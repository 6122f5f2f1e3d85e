#include "partition/mapping.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* What leaves every group, level by level; rows of all levels in one array. */
struct leaving {
    uint64_t *of[HIERARCHY_LEVELS_MAX];
    uint64_t *all;
};

static int leaving_allocate(struct leaving *out, const struct hierarchy *h)
{
    size_t groups = 1;
    for (uint32_t l = 0; l < h->levels; l++)
        groups += h->level[l].groups;
    out->all = calloc(groups, sizeof *out->all);
    if (!out->all)
        return -ENOMEM;
    groups = 0;
    for (uint32_t l = 0; l < h->levels; l++) {
        out->of[l] = out->all + groups;
        groups += h->level[l].groups;
    }
    return 0;
}

static void edge_count(const struct hierarchy *h, uint32_t a, uint32_t b, uint64_t weight, struct leaving *leaving,
                       struct mapping_quality *out)
{
    uint32_t parted = hierarchy_parted(h, a, b);
    out->j += (double)weight * (parted < h->levels ? h->level[parted].distance : h->distance_within);
    for (uint32_t l = parted; l < h->levels; l++) {
        out->cut[l] += weight;
        leaving->of[l][h->level[l].group[a]] += weight;
        leaving->of[l][h->level[l].group[b]] += weight;
    }
}

int mapping_quality(const struct graph *graph, const struct mapping *mapping, const struct hierarchy *h,
                    struct mapping_quality *out)
{
    struct leaving leaving;
    uint64_t weight;
    if (leaving_allocate(&leaving, h))
        return -ENOMEM;
    *out = (struct mapping_quality){0};
    for (uint32_t v = 0; v < graph->vertices; v++) {
        uint32_t rank = mapping_rank(mapping, v), degree = graph_degree(graph, v);
        for (uint32_t i = 0; i < degree; i++) {
            uint32_t u = graph_neighbour(graph, v, i, &weight);
            if (u > v)
                edge_count(h, rank, mapping_rank(mapping, u), weight, &leaving, out);
        }
    }
    for (uint32_t l = 0; l < h->levels; l++)
        for (uint32_t g = 0; g < h->level[l].groups; g++)
            if (leaving.of[l][g] > out->busiest[l]) {
                out->busiest[l] = leaving.of[l][g];
                out->busiest_group[l] = g;
            }
    free(leaving.all);
    return 0;
}

void mapping_step_cuts(const struct schedule *schedule, const struct mapping *mapping, const struct hierarchy *h, uint32_t level,
                       uint64_t *cut)
{
    const uint32_t *group = h->level[level].group;
    struct schedule_step step;
    memset(cut, 0, schedule_rounds(schedule) * sizeof *cut);
    for (uint32_t rank = 0; rank < schedule->procs; rank++) {
        uint32_t steps = schedule_steps(schedule, mapping_virtual(mapping, rank));
        for (uint32_t k = 0; k < steps; k++) {
            mapping_step(schedule, mapping, rank, k, &step);
            if (step.send_to != SCHEDULE_NONE && group[step.send_to] != group[rank])
                cut[step.round] += step.send.count;
        }
    }
}
