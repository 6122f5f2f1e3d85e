#include "model/protocol/banked.h"

#include <errno.h>

static int supports(const struct bcast_call *call)
{
    int ok = call->fragment_bytes > 0 && call->sets > 0 && call->slots > 0 && call->slots % call->sets == 0;
    return ok ? 0 : -EINVAL;
}

const struct protocol protocol_banked = {
    .name = "banked",
    .summary = "Open MPI's coll/sm: banks of slots, interior ranks copy from their parent's slot into their own",
    .needs = "sets that divide the slots",
    .preset = {8192, 8, 2, {TREE_KARY, 4}},
    .uses = PROTOCOL_SLOTS | PROTOCOL_SETS,
    .start = banked_start,
    .next = banked_next,
    .word_initial = banked_word_initial,
    .supports = supports,
};
