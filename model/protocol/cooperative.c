#include "model/protocol/cooperative.h"

#include <errno.h>

static int supports(const struct bcast_call *call)
{
    return call->fragment_bytes > 0 ? 0 : -EINVAL;
}

const struct protocol protocol_cooperative = {
    .name = "cooperative",
    .summary = "both sides copy between user buffers: two ranks share the pieces, readers of more serve each other",
    .uses = PROTOCOL_PEERS | PROTOCOL_SERVES,
    .counters = COOPERATIVE_COUNTERS,
    .start = cooperative_start,
    .next = cooperative_next,
    .word_initial = cooperative_word_initial,
    .supports = supports,
};
