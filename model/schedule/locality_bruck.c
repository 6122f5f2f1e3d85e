/* A locality-aware Bruck (Bienz, Gautam and Kharel 2022). Ranks lie in regions of L, a power of two that divides their number,
 * such as those of a node. First a region exchanges its own blocks. Then in stage t each has those of w = L^t regions from itself
 * on; local rank l gets those of the region l*w further, and the region exchanges what its ranks got. So a rank sends
 * ceil(log_L(regions)) messages out of its region, rather than log2, and every block comes into a region once.
 *
 * Regions exchange by recursive doubling, whose parts lie in one piece: by Bruck they would lie around what the region has,
 * which is not sent again. In the last stage there may be parts for some local ranks only: the others begin later.
 * Blocks are received where they belong. Regions of one rank are Bruck, without its rotation. */
#include "model/schedule/modular.h"

/* Where a rank is. */
struct place {
    uint32_t regions, own, local;
    uint32_t radix_log2, doublings, stages; /* L^t is 2^(radix_log2 * t); doublings: of an exchange inside */
};

static struct place place_of(const struct schedule *s, uint32_t rank)
{
    uint32_t inside = (uint32_t)__builtin_ctz(s->region), radix_log2 = inside ? inside : 1;
    return (struct place){
        .regions = s->procs >> inside,
        .own = rank >> inside,
        .local = inside ? rank & (s->region - 1) : 1, /* alone, it is who goes out */
        .radix_log2 = radix_log2,
        .doublings = inside,
        .stages = (s->levels - inside + radix_log2 - 1) / radix_log2,
    };
}

/* How many parts there are in a stage, with the region's own as part 0. */
static uint32_t parts(const struct place *p, uint32_t stage)
{
    uint32_t shift = stage * p->radix_log2;
    return stage + 1 < p->stages ? 1u << p->radix_log2 : ((p->regions - 1) >> shift) + 1;
}

static int goes_out(const struct place *p, uint32_t stage)
{
    return p->local > 0 && p->local < parts(p, stage);
}

/* Doublings of a stage in which there is nothing yet for this rank nor for its partner: while no part is of their ranks. */
static uint32_t doublings_idle(const struct place *p, uint32_t stage)
{
    uint32_t last = parts(p, stage) - 1;
    return p->local > last ? 31 - (uint32_t)__builtin_clz(p->local ^ last) : 0;
}

static uint32_t stage_steps(const struct place *p, uint32_t stage)
{
    return (uint32_t)goes_out(p, stage) + p->doublings - (p->doublings ? doublings_idle(p, stage) : 0);
}

static uint32_t rounds(const struct schedule *s)
{
    struct place p = place_of(s, 0);
    return p.doublings + p.stages * (1 + p.doublings);
}

static uint32_t steps(const struct schedule *s, uint32_t rank)
{
    struct place p = place_of(s, rank);
    if (p.stages == 0)
        return p.doublings;
    return p.doublings + (p.stages - 1) * stage_steps(&p, 0) * (p.stages > 1) + stage_steps(&p, p.stages - 1);
}

/* Blocks of the regions from `first` on, counted from the own. */
static struct schedule_blocks blocks_of(const struct schedule *s, const struct place *p, uint32_t first, uint32_t count)
{
    return modular_blocks(modular_add(p->regions, p->own, first) << p->doublings, count * s->region);
}

static void go_out(const struct schedule *s, const struct place *p, uint32_t rank, uint32_t stage, struct schedule_step *out)
{
    uint32_t width = 1u << stage * p->radix_log2, distance = p->local * width, left = p->regions - distance;
    uint32_t count = width < left ? width : left;
    out->round = p->doublings + stage * (1 + p->doublings);
    out->send_to = modular_subtract(s->procs, rank, distance << p->doublings);
    out->receive_from = modular_add(s->procs, rank, distance << p->doublings);
    out->send = blocks_of(s, p, 0, count);
    out->receive = blocks_of(s, p, distance, count);
}

/* What local ranks from a multiple of 2^doubling on have got by then, if any of them. */
static struct schedule_blocks gathered(const struct schedule *s, const struct place *p, uint32_t stage, uint32_t from,
                                       uint32_t doubling)
{
    uint32_t shift = stage * p->radix_log2, begin = from ? from : 1, end = from + (1u << doubling), all = parts(p, stage);
    if (end > all)
        end = all;
    if (begin >= end)
        return modular_blocks(0, 0);
    uint32_t end_region = end == all && stage + 1 == p->stages ? p->regions : end << shift;
    return blocks_of(s, p, begin << shift, end_region - (begin << shift));
}

static void double_up(const struct schedule *s, const struct place *p, uint32_t rank, uint32_t stage, uint32_t doubling,
                      struct schedule_step *out)
{
    uint32_t from = p->local >> doubling << doubling;
    out->round = p->doublings + stage * (1 + p->doublings) + 1 + doubling;
    out->send = gathered(s, p, stage, from, doubling);
    out->receive = gathered(s, p, stage, from ^ 1u << doubling, doubling);
    if (out->send.count)
        out->send_to = rank ^ 1u << doubling;
    if (out->receive.count)
        out->receive_from = rank ^ 1u << doubling;
}

/* Blocks of the own region. */
static void double_own(uint32_t rank, uint32_t k, struct schedule_step *out)
{
    out->round = k;
    out->send_to = out->receive_from = rank ^ 1u << k;
    out->send = modular_blocks(rank >> k << k, 1u << k);
    out->receive = modular_blocks(out->receive_from >> k << k, 1u << k);
}

static void step(const struct schedule *s, uint32_t rank, uint32_t k, struct schedule_step *out)
{
    struct place p = place_of(s, rank);
    if (k < p.doublings) {
        double_own(rank, k, out);
        return;
    }
    k -= p.doublings;
    uint32_t each = p.stages > 1 ? stage_steps(&p, 0) : 0, before = p.stages - 1;
    uint32_t stage = each && k / each < before ? k / each : before;
    k -= stage * each;
    if (goes_out(&p, stage) && k == 0)
        go_out(s, &p, rank, stage, out);
    else
        double_up(s, &p, rank, stage, k - (uint32_t)goes_out(&p, stage) + doublings_idle(&p, stage), out);
}

const struct schedule_algorithm schedule_locality_bruck = {
    .name = "locality_bruck",
    .summary = "inside the region of a rank, then a region further by each; ceil(log(regions) / log(ranks of one)) steps between "
               "them",
    .kind = SCHEDULE_ALLGATHER,
    .rounds = rounds,
    .steps = steps,
    .step = step,
};
