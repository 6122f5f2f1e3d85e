/* Broadcast as a binomial scatter and an Allgather by recursive doubling: fewer rounds than by the ring.
 *
 * A rank whose number from the root ends in h zeros has had the blocks of 2^h ranks since the scatter, and with them what the
 * first h exchanges would bring: in those it only sends. Its partner in exchange h heads it, has its blocks, and only
 * sends. */
#include "model/schedule/binomial_tree.h"

static uint32_t rounds(const struct schedule *s)
{
    return 2 * s->levels;
}

static uint32_t steps(const struct schedule *s, uint32_t rank)
{
    return binomial_tree_steps(s, rank) + s->levels;
}

/* The aligned group of 2^k ranks around u. */
static struct schedule_blocks group(const struct schedule *s, uint32_t u, uint32_t k)
{
    return modular_blocks(binomial_tree_rank(s, u >> k << k), 1u << k);
}

static void step(const struct schedule *s, uint32_t rank, uint32_t k, struct schedule_step *out)
{
    uint32_t scatter_steps = binomial_tree_steps(s, rank), u = binomial_tree_from_root(s, rank);
    if (k < scatter_steps) {
        binomial_tree_scatter_step(s, rank, k, out);
        return;
    }
    k -= scatter_steps;
    out->round = s->levels + k;
    uint32_t partner = u ^ 1u << k;
    if (k >= binomial_tree_height(s, partner)) {
        out->send_to = binomial_tree_rank(s, partner);
        out->send = group(s, u, k);
    }
    if (k >= binomial_tree_height(s, u)) {
        out->receive_from = binomial_tree_rank(s, partner);
        out->receive = group(s, partner, k);
    }
}

const struct schedule_algorithm schedule_scatter_doubling = {
    .name = "scatter_doubling",
    .summary = "binomial scatter, then recursive doubling that leaves out what ranks have; 2 log2(procs) rounds",
    .needs = "a power of two of ranks",
    .kind = SCHEDULE_BCAST,
    .valid = modular_power_of_two,
    .rounds = rounds,
    .steps = steps,
    .step = step,
};
