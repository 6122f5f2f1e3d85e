/* How much room channels have, and which messages go which way: what kernels/channels is configured with, and simulated by. */
#ifndef SHMCOLL_MODEL_CHANNEL_CHANNEL_SHAPE_H
#define SHMCOLL_MODEL_CHANNEL_CHANNEL_SHAPE_H

#include "model/channel.h"

#include <stdint.h>

enum {
    CHANNEL_UNIT_BYTES = 64,          /* of a ring: a line */
    CHANNEL_HEAD_BYTES = 24,          /* begins a packet; a line has 40 more */
    CHANNEL_ALIGNED_BYTES = 512,      /* longer payloads in a ring begin on a line of their own */
    CHANNEL_QUEUE_PAYLOAD_BYTES = 224 /* of a packet in a receiver's queue */
};

struct channel_shape {
    uint32_t ring_bytes;     /* of a pair's ring; a power of two */
    uint32_t fragment_bytes; /* the most in a packet of it */
    uint32_t eager_bytes;    /* messages up to here are sent without asking */
    uint32_t offer_bytes;    /* longer ones are offered to be fetched, where that is the channel's way */
    uint32_t kept_bytes;     /* of one sender, of messages not asked for yet */
    uint32_t queue_initial, queue_extension; /* packets, for each sender and to be shared */
    uint32_t pool_units, unit_bytes;
    uint32_t rings_most; /* combined: that a receiver has for its busiest senders */
};

struct channel_shape channel_shape_default(const struct channel_kind *kind);
/* The same with rings of so many fragments. 0, or -EINVAL: a ring ends at 1 GiB, and its fragments are of 64 bytes to a
 * quarter. */
int channel_shape_of(const struct channel_kind *kind, uint32_t fragment_bytes, uint32_t slots, struct channel_shape *out);

/* The same for ranks on nodes of their own: who fetches asks no kernel, so that `combined` offers as short messages as zc
 * does. */
int channel_shape_remote(const struct channel_kind *kind, uint32_t fragment_bytes, uint32_t slots, struct channel_shape *out);

/* Lines of a ring that a packet takes. */
static inline uint32_t channel_ring_units(uint32_t payload_bytes)
{
    uint32_t offset = payload_bytes > CHANNEL_ALIGNED_BYTES ? CHANNEL_UNIT_BYTES : CHANNEL_HEAD_BYTES;
    return (offset + payload_bytes + CHANNEL_UNIT_BYTES - 1) / CHANNEL_UNIT_BYTES;
}

#endif
