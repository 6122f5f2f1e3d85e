/* Neighbour exchange (Chen et al., HPC Asia 2005): an even rank exchanges with its right neighbour, then its left, then its right
 * again, and an odd rank the other way round; the own block first, then the two blocks that came last.
 *
 * After the first step ranks 2t and 2t + 1 both have pair t of blocks. From then on an even rank gets pairs t - 1, t + 1,
 * t - 2, t + 2, ..., and an odd rank t + 1, t - 1, t + 2, t - 2, ... */
#include "model/schedule/modular.h"

static int even(uint32_t procs)
{
    return procs % 2 == 0;
}

static uint32_t steps_all(const struct schedule *s)
{
    return s->procs / 2;
}

static uint32_t steps(const struct schedule *s, uint32_t rank)
{
    (void)rank;
    return s->procs / 2;
}

/* The first block of the pair that a rank has got after step k. */
static uint32_t pair_after(const struct schedule *s, uint32_t rank, uint32_t k)
{
    uint32_t away = (k + 1) / 2 * 2, own = rank & ~1u;
    return (k + rank) % 2 == 0 ? modular_add(s->procs, own, away) : modular_subtract(s->procs, own, away);
}

static void step(const struct schedule *s, uint32_t rank, uint32_t k, struct schedule_step *out)
{
    uint32_t right = (k + rank) % 2 == 0;
    uint32_t partner = right ? modular_add(s->procs, rank, 1) : modular_subtract(s->procs, rank, 1);
    out->round = k;
    out->send_to = out->receive_from = partner;
    if (k == 0) {
        out->send = modular_blocks(rank, 1);
        out->receive = modular_blocks(partner, 1);
        return;
    }
    out->send = modular_blocks(pair_after(s, rank, k - 1), 2);
    out->receive = modular_blocks(pair_after(s, rank, k), 2);
}

const struct schedule_algorithm schedule_neighbour_exchange = {
    .name = "neighbour_exchange",
    .summary = "two blocks a step with the left and the right neighbour by turns; procs/2 steps",
    .needs = "an even number of ranks",
    .kind = SCHEDULE_ALLGATHER,
    .valid = even,
    .rounds = steps_all,
    .steps = steps,
    .step = step,
};
