/* Binomial broadcast: the whole message down a binomial tree, in ceil(log2 procs) rounds. */
#include "model/schedule/binomial_tree.h"

static uint32_t rounds(const struct schedule *s)
{
    return s->levels;
}

static void step(const struct schedule *s, uint32_t rank, uint32_t k, struct schedule_step *out)
{
    binomial_tree_step(s, rank, k, out);
    binomial_tree_blocks(out, modular_blocks(0, s->procs));
}

const struct schedule_algorithm schedule_binomial = {
    .name = "binomial",
    .summary = "the whole message down a binomial tree; ceil(log2(procs)) rounds",
    .kind = SCHEDULE_BCAST,
    .rounds = rounds,
    .steps = binomial_tree_steps,
    .step = step,
};
