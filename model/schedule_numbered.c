/* Schedules under a numbering: exchanged beforehand, or reordered in the end. */
#include "model/schedule.h"

#include <errno.h>

static int exchanges(const struct numbering *numbering)
{
    return numbering && numbering->remap == NUMBERING_EXCH;
}

static int reorders(const struct numbering *numbering)
{
    return numbering && numbering->remap == NUMBERING_REORDER;
}

/* Steps of a virtual rank before its rotation, if it has one. */
static uint32_t steps_unrotated(const struct schedule *s, uint32_t virtual_rank)
{
    struct schedule_step last;
    uint32_t steps = schedule_steps(s, virtual_rank);
    if (!s->algorithm->relative || steps == 0)
        return steps;
    schedule_step(s, virtual_rank, steps - 1, &last);
    return steps - (last.op == SCHEDULE_ROTATE);
}

uint32_t schedule_steps_numbered(const struct schedule *s, const struct numbering *numbering, uint32_t rank)
{
    uint32_t v = numbering_virtual(numbering, rank);
    if (reorders(numbering))
        return steps_unrotated(s, v) + 1;
    return schedule_steps(s, v) + (uint32_t)schedule_step_trades(numbering, rank, 0);
}

uint32_t schedule_rounds_numbered(const struct schedule *s, const struct numbering *numbering)
{
    return schedule_rounds(s) + (exchanges(numbering) || reorders(numbering));
}

static void trade(const struct numbering *numbering, uint32_t rank, struct schedule_step *out)
{
    uint32_t v = numbering_virtual(numbering, rank);
    *out = (struct schedule_step){
        .op = SCHEDULE_EXCHANGE,
        .send_to = numbering_rank(numbering, rank),
        .receive_from = v,
        .send = {rank, 1, 1},
        .receive = {v, 1, 1},
    };
}

static void permute(const struct schedule *s, uint32_t virtual_rank, struct schedule_step *out)
{
    *out = (struct schedule_step){.op = SCHEDULE_PERMUTE,
                                  .round = schedule_rounds(s),
                                  .send_to = SCHEDULE_NONE,
                                  .receive_from = SCHEDULE_NONE,
                                  .shift = s->algorithm->relative ? virtual_rank : 0};
}

void schedule_step_remapped(const struct schedule *s, const struct numbering *numbering, uint32_t rank, uint32_t k,
                            struct schedule_step *out)
{
    struct numbering placed = *numbering;
    uint32_t v = numbering_virtual(numbering, rank);
    if (schedule_step_trades(numbering, rank, k)) {
        trade(numbering, rank, out);
        return;
    }
    if (reorders(numbering) && k == steps_unrotated(s, v)) {
        permute(s, v, out);
        return;
    }
    placed.remap = NUMBERING_PLACED;
    schedule_step_numbered(s, &placed, rank, k - (uint32_t)schedule_step_trades(numbering, rank, 0), out);
    out->round += exchanges(numbering);
}

static int meet(struct numbering_neighbours *n, uint32_t virtual_rank, uint32_t rank)
{
    if (virtual_rank == SCHEDULE_NONE || numbering_neighbour_rank(n, virtual_rank) != UINT32_MAX)
        return 0;
    if (n->count == NUMBERING_NEIGHBOURS_MAX)
        return -E2BIG;
    n->virtual_of[n->count] = virtual_rank;
    n->rank_of[n->count++] = rank;
    return 0;
}

int schedule_neighbours(const struct schedule *s, const struct numbering *numbering, uint32_t rank,
                        struct numbering_neighbours *out)
{
    uint32_t v = numbering_virtual(numbering, rank);
    *out = (struct numbering_neighbours){.rank = rank, .virtual_rank = v};
    int err = meet(out, rank, numbering_rank(numbering, rank)); /* to whom its own block goes, by EXCH */
    for (uint32_t k = 0; k < schedule_steps(s, v) && !err; k++) {
        struct schedule_step step;
        schedule_step(s, v, k, &step);
        err = meet(out, step.send_to, step.send_to == SCHEDULE_NONE ? 0 : numbering_rank(numbering, step.send_to));
        if (!err)
            err = meet(out, step.receive_from,
                       step.receive_from == SCHEDULE_NONE ? 0 : numbering_rank(numbering, step.receive_from));
    }
    return err;
}
