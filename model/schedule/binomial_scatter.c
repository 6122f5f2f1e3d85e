/* Binomial scatter: down a binomial tree, to each child the blocks of all whom it heads. */
#include "model/schedule/binomial_tree.h"

static uint32_t rounds(const struct schedule *s)
{
    return s->levels;
}

const struct schedule_algorithm schedule_binomial_scatter = {
    .name = "binomial",
    .summary = "down a binomial tree, to each child the blocks of all below it; ceil(log2(procs)) rounds",
    .kind = SCHEDULE_SCATTER,
    .rounds = rounds,
    .steps = binomial_tree_steps,
    .step = binomial_tree_scatter_step,
};
