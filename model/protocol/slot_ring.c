#include "model/protocol/slot_ring.h"

#include <errno.h>

static int supports(const struct bcast_call *call)
{
    int ring = call->slots >= 2 && (call->slots & (call->slots - 1)) == 0;
    int flat = call->tree == NULL || call->tree->shape.kind == TREE_FLAT;
    return ring && flat && call->sets == 1 && call->fragment_bytes > 0 ? 0 : -EINVAL;
}

const struct protocol protocol_slot_ring = {
    .name = "slot_ring",
    .summary = "MVAPICH2: a ring a root, all poll its slots' numbers, a barrier when it is full",
    .needs = "slots that are a power of two from 2, one set and the flat tree",
    .preset = {8192, 128, 1, {TREE_FLAT, 0}},
    .uses = PROTOCOL_SLOTS,
    .start = slot_ring_start,
    .next = slot_ring_next,
    .word_initial = slot_ring_word_initial,
    .supports = supports,
};
