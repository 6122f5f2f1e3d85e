#include "model/protocol/pipelined.h"

#include <errno.h>

static int supports(const struct bcast_call *call)
{
    int ok = call->fragment_bytes > 0 && call->sets > 0 && call->slots > 0 && call->slots % call->sets == 0;
    return ok ? 0 : -EINVAL;
}

const struct protocol protocol_pipelined = {
    .name = "pipelined",
    .summary = "fragments through the root's queue, notified by a tree, read by all from the root",
    .uses = PROTOCOL_SLOTS | PROTOCOL_SETS,
    .start = pipelined_start,
    .next = pipelined_next,
    .word_initial = pipelined_word_initial,
    .supports = supports,
};
