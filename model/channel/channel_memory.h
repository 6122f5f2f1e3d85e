/* What a rank's channels take of memory on a network (S2 4.3, 4.5): closed forms.
 *
 * The queue has its slots from the beginning, some for each who might send. Pools are there from the beginning where a channel
 * has them. State of a peer is made at first use, a ring at both ends: the sender copies into one and puts it into the other. */
#ifndef SHMCOLL_MODEL_CHANNEL_CHANNEL_MEMORY_H
#define SHMCOLL_MODEL_CHANNEL_CHANNEL_MEMORY_H

#include "model/channel/channel_shape.h"

enum { CHANNEL_PACKET_BYTES = 256, CHANNEL_STATE_BYTES = 256 /* of a peer in use, either way: credits, positions, lists */ };

struct channel_use {
    uint32_t procs;
    uint32_t peers;       /* that the rank exchanges messages with, either way */
    uint32_t sends_to, receives_from;
};

/* Bytes of one rank; of `combined` with all rings that its shape lets it have. */
uint64_t channel_memory_bytes(const struct channel_kind *kind, const struct channel_shape *shape, const struct channel_use *use);
/* What is there before any message; 0 slots fit no queue: UINT64_MAX. */
uint64_t channel_memory_fixed_bytes(const struct channel_kind *kind, const struct channel_shape *shape, uint32_t procs);
/* Rings that a rank may have, each way. */
uint32_t channel_memory_rings(const struct channel_kind *kind, const struct channel_shape *shape, uint32_t wanted);

#endif
