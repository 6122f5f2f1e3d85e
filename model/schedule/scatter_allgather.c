/* Broadcast as a binomial scatter and an Allgather by ring: every rank passes on about one message, whatever procs is.
 *
 * A rank that headed others in the scatter has their blocks already: the last ones the ring would bring it. Its left neighbour
 * leaves those out, so that everyone but the root receives every block exactly once, and the root none. */
#include "model/schedule/binomial_tree.h"

static uint32_t rounds(const struct schedule *s)
{
    return s->levels + s->procs - 1;
}

/* Blocks that come to a rank by the ring. */
static uint32_t ring_receives(const struct schedule *s, uint32_t u)
{
    return s->procs - binomial_tree_span(s, u);
}

static uint32_t ring_sends(const struct schedule *s, uint32_t u)
{
    return ring_receives(s, modular_add(s->procs, u, 1));
}

static uint32_t steps(const struct schedule *s, uint32_t rank)
{
    if (s->procs == 1)
        return 0;
    uint32_t u = binomial_tree_from_root(s, rank), sends = ring_sends(s, u), receives = ring_receives(s, u);
    return binomial_tree_steps(s, rank) + (sends > receives ? sends : receives);
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
    if (k < ring_sends(s, u)) {
        out->send_to = modular_add(s->procs, rank, 1);
        out->send = modular_blocks(modular_subtract(s->procs, rank, k), 1);
    }
    if (k < ring_receives(s, u)) {
        out->receive_from = modular_subtract(s->procs, rank, 1);
        out->receive = modular_blocks(modular_subtract(s->procs, out->receive_from, k), 1);
    }
}

const struct schedule_algorithm schedule_scatter_allgather = {
    .name = "scatter_allgather",
    .summary = "binomial scatter, then a ring that leaves out what ranks have; ceil(log2(procs)) + procs - 1 rounds",
    .kind = SCHEDULE_BCAST,
    .rounds = rounds,
    .steps = steps,
    .step = step,
};
