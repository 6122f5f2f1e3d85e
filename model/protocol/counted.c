#include "model/protocol/counted.h"

#include <errno.h>

static int power_of_two(uint32_t n)
{
    return n > 0 && (n & (n - 1)) == 0;
}

static int supports(const struct bcast_call *call)
{
    int ok = call->fragment_bytes > 0 && power_of_two(call->slots) && power_of_two(call->sets) && call->sets <= call->slots;
    return ok ? 0 : -EINVAL;
}

const struct protocol protocol_counted = {
    .name = "counted",
    .summary = "as pipelined, by counters that only grow: no atomics, no resets; slots and sets are powers of two",
    .needs = "slots and sets that are powers of two, sets not above slots",
    .preset = {32768, 16, 4, {TREE_FLAT, 0}},
    .uses = PROTOCOL_SLOTS,
    .counters = COUNTED_COUNTERS,
    .start = counted_start,
    .next = counted_next,
    .word_initial = counted_word_initial,
    .supports = supports,
};
