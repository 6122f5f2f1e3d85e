#include "model/channel/channel_memory.h"

#include "model/channel/credit.h"

uint64_t channel_memory_fixed_bytes(const struct channel_kind *kind, const struct channel_shape *shape, uint32_t procs)
{
    uint32_t slots = credit_slots(procs, shape->queue_initial, shape->queue_extension);
    int pools = kind != &channel_kind_mp && kind != &channel_kind_er;
    return slots ? (uint64_t)slots * CHANNEL_PACKET_BYTES + (pools ? UINT64_C(2) * shape->pool_units * shape->unit_bytes : 0)
                 : UINT64_MAX;
}

uint32_t channel_memory_rings(const struct channel_kind *kind, const struct channel_shape *shape, uint32_t wanted)
{
    uint32_t most = kind == &channel_kind_er ? UINT32_MAX : kind == &channel_kind_combined ? shape->rings_most : 0;
    return wanted < most ? wanted : most;
}

uint64_t channel_memory_bytes(const struct channel_kind *kind, const struct channel_shape *shape, const struct channel_use *use)
{
    uint64_t rings =
        (uint64_t)channel_memory_rings(kind, shape, use->sends_to) + channel_memory_rings(kind, shape, use->receives_from);
    uint64_t fixed_bytes = channel_memory_fixed_bytes(kind, shape, use->procs);
    if (fixed_bytes == UINT64_MAX)
        return UINT64_MAX;
    return fixed_bytes + (uint64_t)use->peers * CHANNEL_STATE_BYTES + rings * shape->ring_bytes;
}
