/* Sparbit, stripe parallel binomial trees (Loch and Koslovski 2021): as Bruck, but distances halve, so that the most data goes
 * the shortest way; and every block is received where it belongs.
 *
 * With d the distance of a step, a rank has the blocks rank - 2d*j before it, for all j >= 0 with 2d*j < procs, and
 * the blocks rank - d*j after it. So what it gets are the odd multiples of d: half of the ceil(procs/d), rounded down, which
 * the rank d below has as its first ones. (Were they all sent, a rank could get a block twice.) */
#include "model/schedule/modular.h"

static uint32_t steps_all(const struct schedule *s)
{
    return s->levels;
}

static uint32_t steps(const struct schedule *s, uint32_t rank)
{
    (void)rank;
    return s->levels;
}

/* The first `count` blocks downwards from a rank, 2d apart, in rising order. */
static struct schedule_blocks stripe(const struct schedule *s, uint32_t rank, uint32_t distance, uint32_t count)
{
    uint32_t lowest = modular_subtract(s->procs, rank, 2 * distance * (count - 1));
    return count > 1 ? (struct schedule_blocks){lowest, 2 * distance, count} : modular_blocks(rank, 1);
}

static void step(const struct schedule *s, uint32_t rank, uint32_t k, struct schedule_step *out)
{
    uint32_t distance = 1u << (s->levels - 1 - k), count = (s->procs + distance - 1) / distance / 2;
    out->round = k;
    out->send_to = modular_add(s->procs, rank, distance);
    out->receive_from = modular_subtract(s->procs, rank, distance);
    out->send = stripe(s, rank, distance, count);
    out->receive = stripe(s, out->receive_from, distance, count);
}

const struct schedule_algorithm schedule_sparbit = {
    .name = "sparbit",
    .summary = "the most data to the nearest: distances halve, blocks double; ceil(log2(procs)) steps",
    .kind = SCHEDULE_ALLGATHER,
    .rounds = steps_all,
    .steps = steps,
    .step = step,
};
