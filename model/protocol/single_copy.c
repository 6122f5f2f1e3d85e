#include "model/protocol/single_copy.h"

#include <errno.h>

static int supports(const struct bcast_call *call)
{
    return call->fragment_bytes > 0 ? 0 : -EINVAL;
}

const struct protocol protocol_single_copy = {
    .name = "single_copy",
    .summary = "every reader copies straight from the root's buffer, by the kernel where that is private",
    .uses = PROTOCOL_PEERS,
    .counters = SINGLE_COPY_COUNTERS,
    .start = single_copy_start,
    .next = single_copy_next,
    .word_initial = single_copy_word_initial,
    .supports = supports,
};
