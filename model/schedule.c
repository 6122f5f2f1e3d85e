#include "model/schedule.h"

#include <errno.h>
#include <stddef.h>
#include <string.h>

const struct schedule_algorithm *const schedule_table[] = {
    &schedule_ring,
    &schedule_recursive_doubling,
    &schedule_bruck,
    &schedule_neighbour_exchange,
    &schedule_sparbit,
    &schedule_locality_bruck,
    &schedule_binomial,
    &schedule_binomial_scatter,
    &schedule_scatter_allgather,
    &schedule_scatter_doubling,
    NULL,
};

const struct schedule_algorithm *schedule_find(enum schedule_kind kind, const char *name)
{
    for (const struct schedule_algorithm *const *a = schedule_table; *a; a++)
        if ((*a)->kind == kind && strcmp((*a)->name, name) == 0)
            return *a;
    return NULL;
}

int schedule_valid(const struct schedule_algorithm *algorithm, uint32_t procs)
{
    return procs >= 1 && procs <= SCHEDULE_PROCS_MAX && (!algorithm->valid || algorithm->valid(procs));
}

int schedule_init(struct schedule *out, const struct schedule_algorithm *algorithm, uint32_t procs, uint32_t root)
{
    return schedule_init_regions(out, algorithm, procs, root, 1);
}

uint32_t schedule_region(uint32_t procs, uint32_t ppn)
{
    return 1u << __builtin_ctz(procs | ppn);
}

int schedule_init_regions(struct schedule *out, const struct schedule_algorithm *algorithm, uint32_t procs, uint32_t root,
                          uint32_t region)
{
    if (!schedule_valid(algorithm, procs) || root >= procs || (algorithm->kind == SCHEDULE_ALLGATHER && root != 0))
        return -EINVAL;
    if (region == 0 || (region & (region - 1)) || procs % region)
        return -EINVAL;
    *out = (struct schedule){.algorithm = algorithm, .procs = procs, .root = root, .region = region};
    while (1u << out->levels < procs)
        out->levels++;
    return 0;
}

uint32_t schedule_run(const struct schedule *schedule, uint32_t rank, const struct schedule_blocks *blocks, uint32_t i)
{
    uint32_t place = schedule_place(schedule, rank, schedule_block(schedule, blocks, i));
    uint32_t left = blocks->count - i, to_end = schedule->procs - place;
    if (blocks->stride != 1)
        return 1;
    return left < to_end ? left : to_end;
}
