#include "model/protocol/direct_line.h"

#include "model/protocol/eager.h"

#include <errno.h>

static int supports(const struct bcast_call *call)
{
    int ok = call->lines >= 2 && (call->lines & (call->lines - 1)) == 0 && call->block_bytes <= EAGER_PAYLOAD_BYTES;
    return ok ? 0 : -EINVAL;
}

const struct protocol protocol_direct_line = {
    .name = "direct_line",
    .summary = "direct for short blocks: the payload rides in the announcement's own cache line; up to 120 bytes",
    .needs = "blocks of at most 120 bytes",
    .uses = PROTOCOL_LINES | PROTOCOL_ALLGATHER,
    .start = direct_line_start,
    .next = direct_line_next,
    .word_initial = direct_line_word_initial,
    .supports = supports,
};
