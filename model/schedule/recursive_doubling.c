/* Recursive doubling: in step k the two halves of every group of 2^(k+1) ranks exchange all they have (S3). */
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

static void step(const struct schedule *s, uint32_t rank, uint32_t k, struct schedule_step *out)
{
    (void)s;
    uint32_t half = 1u << k, partner = rank ^ half;
    out->round = k;
    out->send_to = out->receive_from = partner;
    out->send = modular_blocks(rank & ~(half - 1), half);
    out->receive = modular_blocks(partner & ~(half - 1), half);
}

const struct schedule_algorithm schedule_recursive_doubling = {
    .name = "recursive_doubling",
    .summary = "all one has with the rank 2^k away; log2(procs) steps",
    .needs = "a power of two of ranks",
    .kind = SCHEDULE_ALLGATHER,
    .valid = modular_power_of_two,
    .rounds = steps_all,
    .steps = steps,
    .step = step,
};
