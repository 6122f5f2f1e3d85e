#include "model/protocol/shared_source.h"

#include <errno.h>

static int supports(const struct bcast_call *call)
{
    return call->fragment_bytes > 0 ? 0 : -EINVAL;
}

const struct protocol protocol_shared_source = {
    .name = "shared_source",
    .summary = "readers copy from the root's buffer in the segment (comm_area), without a system call and all at once",
    .uses = PROTOCOL_PEERS,
    .counters = SINGLE_COPY_COUNTERS,
    .start = shared_source_start,
    .next = shared_source_next,
    .word_initial = shared_source_word_initial,
    .supports = supports,
};
