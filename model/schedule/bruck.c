/* Bruck: in step k a rank sends the 2^k blocks it has to the rank 2^k below, and gets as many from the rank 2^k above; in the
 * last step what is left (S3). Blocks lie behind the rank's own, each in the order of its coming, until the last
 * step turns them to where they belong. */
#include "model/schedule/modular.h"

static uint32_t rounds(const struct schedule *s)
{
    return s->levels + (s->procs > 1);
}

/* Rank 0 has nothing to rotate. */
static uint32_t steps(const struct schedule *s, uint32_t rank)
{
    return s->levels + (rank > 0);
}

static void step(const struct schedule *s, uint32_t rank, uint32_t k, struct schedule_step *out)
{
    out->round = k;
    if (k == s->levels) {
        out->op = SCHEDULE_ROTATE;
        out->shift = rank;
        return;
    }
    uint32_t have = 1u << k, left = s->procs - have, count = have < left ? have : left;
    out->send_to = modular_subtract(s->procs, rank, have);
    out->receive_from = modular_add(s->procs, rank, have);
    out->send = modular_blocks(rank, count);
    out->receive = modular_blocks(out->receive_from, count);
}

const struct schedule_algorithm schedule_bruck = {
    .name = "bruck",
    .summary = "all one has to the rank 2^k below; ceil(log2(procs)) steps, then a local rotation",
    .kind = SCHEDULE_ALLGATHER,
    .relative = 1,
    .rounds = rounds,
    .steps = steps,
    .step = step,
};
