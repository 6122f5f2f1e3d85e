#include "model/protocol/eager.h"

#include <errno.h>

static int supports(const struct bcast_call *call)
{
    int power_of_two = call->lines >= 2 && (call->lines & (call->lines - 1)) == 0;
    return power_of_two && call->size_bytes <= EAGER_PAYLOAD_BYTES ? 0 : -EINVAL;
}

const struct protocol protocol_eager = {
    .name = "eager",
    .summary = "messages to 120 bytes, carried in the notification's own line down the tree",
    .uses = PROTOCOL_LINES,
    .start = eager_start,
    .next = eager_next,
    .word_initial = eager_word_initial,
    .supports = supports,
};
