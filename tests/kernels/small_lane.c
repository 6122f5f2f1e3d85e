#include "small_lane.h"

#include <errno.h>

enum { FRAGMENT_BYTES = 1000, SHORT_BYTES = 48, LINES = 32 };

int small_lane_make(const struct protocol *protocol, struct comm_lane *lane, uint64_t *size_bytes)
{
    static const uint32_t queue[][2] = {{2, 1}, {2, 2}, {4, 2}, {4, 1}, {8, 2}, {4, 4}, {8, 1}, {128, 1}};
    int is_short = (protocol->uses & PROTOCOL_LINES) && !(protocol->uses & PROTOCOL_SLOTS);
    for (size_t i = 0; i < sizeof queue / sizeof *queue; i++) {
        struct comm_lane tried = {.protocol = protocol, .fragment_bytes = FRAGMENT_BYTES, .slots = queue[i][0],
                                  .sets = queue[i][1], .readers_most = 2, .tree = {.kind = TREE_KARY, .degree = 2}};
        uint64_t size = is_short ? SHORT_BYTES : (uint64_t)FRAGMENT_BYTES * tried.slots + 300;
        struct bcast_call call = {.size_bytes = size, .procs = 2, .fragment_bytes = tried.fragment_bytes, .slots = tried.slots,
                                  .sets = tried.sets, .readers_most = 2, .lines = protocol->uses & PROTOCOL_LINES ? LINES : 0};
        if (protocol->supports(&call))
            continue;
        tried.size_max_bytes = size;
        *lane = tried;
        *size_bytes = size;
        return 0;
    }
    return -EINVAL;
}
