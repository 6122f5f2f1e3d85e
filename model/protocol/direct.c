#include "model/protocol/direct.h"

#include <errno.h>

static int power_of_two(uint32_t n)
{
    return n > 0 && (n & (n - 1)) == 0;
}

static int supports(const struct bcast_call *call)
{
    int ok = call->fragment_bytes > 0 && power_of_two(call->slots) && power_of_two(call->sets) && call->sets <= call->slots;
    return ok && call->block_bytes / call->fragment_bytes < INT32_MAX / 2 ? 0 : -EINVAL;
}

const struct protocol protocol_direct = {
    .name = "direct",
    .summary = "every rank writes its block into its own queue once, fragment by fragment, and reads all others' there",
    .needs = "slots and sets that are powers of two, sets not above slots",
    .preset = {32768, 16, 4, {TREE_FLAT, 0}},
    .uses = PROTOCOL_SLOTS | PROTOCOL_ALLGATHER,
    .counters = DIRECT_COUNTERS,
    .start = direct_start,
    .next = direct_next,
    .word_initial = direct_word_initial,
    .supports = supports,
};
