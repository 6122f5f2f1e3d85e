#include "model/protocol/release_gather.h"

#include <errno.h>

static int supports(const struct bcast_call *call)
{
    int ring = call->slots >= 1 && (call->slots & (call->slots - 1)) == 0;
    return ring && call->sets == 1 && call->fragment_bytes > 0 ? 0 : -EINVAL;
}

const struct protocol protocol_release_gather = {
    .name = "release_gather",
    .summary = "MPICH: one ring, rank 0's, and a tree that releases fragments and gathers who has read them",
    .needs = "slots that are a power of two, and one set",
    .preset = {8192, 4, 1, {TREE_JOINED, 64}},
    .uses = PROTOCOL_SLOTS,
    .counters = RELEASE_GATHER_COUNTERS,
    .start = release_gather_start,
    .next = release_gather_next,
    .word_initial = release_gather_word_initial,
    .supports = supports,
};
