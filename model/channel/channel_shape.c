#include "model/channel/channel_shape.h"

#include <errno.h>

enum { RING_LEAST_BYTES = 4096, RING_MOST_BYTES = 1 << 30, FRAGMENT_LEAST_BYTES = 64, OFFER_BYTES = 16384,
       COMBINED_OFFER_BYTES = 4 << 20 };

struct channel_shape channel_shape_default(const struct channel_kind *kind)
{
    return (struct channel_shape){.ring_bytes = 65536, .fragment_bytes = 8192, .eager_bytes = 65536,
                                  .offer_bytes = kind == &channel_kind_combined ? COMBINED_OFFER_BYTES : OFFER_BYTES,
                                  .kept_bytes = 262144, .queue_initial = 4, .queue_extension = 64, .pool_units = 32,
                                  .unit_bytes = 8192, .rings_most = 8};
}

int channel_shape_of(const struct channel_kind *kind, uint32_t fragment_bytes, uint32_t slots, struct channel_shape *out)
{
    uint64_t bytes = RING_LEAST_BYTES, least = (uint64_t)fragment_bytes * slots;
    while (bytes < least && bytes < RING_MOST_BYTES)
        bytes *= 2;
    if (bytes < least || fragment_bytes < FRAGMENT_LEAST_BYTES || fragment_bytes > bytes / 4)
        return -EINVAL;
    *out = channel_shape_default(kind);
    out->ring_bytes = (uint32_t)bytes;
    out->fragment_bytes = fragment_bytes;
    return 0;
}

int channel_shape_remote(const struct channel_kind *kind, uint32_t fragment_bytes, uint32_t slots, struct channel_shape *out)
{
    int err = channel_shape_of(kind, fragment_bytes, slots, out);
    if (!err)
        out->offer_bytes = OFFER_BYTES;
    return err;
}
