/* Ring: everyone passes on to the right what came last from the left. procs - 1 steps of one block. */
#include "model/schedule/modular.h"

static uint32_t steps_all(const struct schedule *s)
{
    return s->procs - 1;
}

static uint32_t steps(const struct schedule *s, uint32_t rank)
{
    (void)rank;
    return steps_all(s);
}

static void step(const struct schedule *s, uint32_t rank, uint32_t k, struct schedule_step *out)
{
    uint32_t left = modular_subtract(s->procs, rank, 1);
    out->round = k;
    out->send_to = modular_add(s->procs, rank, 1);
    out->receive_from = left;
    out->send = modular_blocks(modular_subtract(s->procs, rank, k), 1);
    out->receive = modular_blocks(modular_subtract(s->procs, left, k), 1);
}

const struct schedule_algorithm schedule_ring = {
    .name = "ring",
    .summary = "one block a step to the right-hand neighbour; procs - 1 steps",
    .kind = SCHEDULE_ALLGATHER,
    .rounds = steps_all,
    .steps = steps,
    .step = step,
};
