#include "model/protocol/shared_blocks.h"

#include <errno.h>

static int supports(const struct bcast_call *call)
{
    return call->fragment_bytes > 0 ? 0 : -EINVAL;
}

const struct protocol protocol_shared_blocks = {
    .name = "shared_source",
    .summary = "every rank copies all others' blocks out of their buffers: without a system call where these lie in comm_area",
    .preset = {1 << 20, 1, 1, {TREE_FLAT, 0}}, /* the piece that is copied at once; there is no queue */
    .uses = PROTOCOL_PEERS | PROTOCOL_ALLGATHER,
    .counters = SHARED_BLOCKS_COUNTERS,
    .start = shared_blocks_start,
    .next = shared_blocks_next,
    .word_initial = shared_blocks_word_initial,
    .supports = supports,
};
