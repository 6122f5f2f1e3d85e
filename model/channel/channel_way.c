#include "model/channel/channel_way.h"

#include "model/channel/channel_thresholds.h"
#include "model/channel/credit.h"

#include <errno.h>
#include <stdio.h>

/* What one sender's packets may take of a receiver's queue, when no other asks for more. */
static uint32_t queue_bytes(const struct channel_shape *shape, uint32_t procs)
{
    uint32_t senders = procs > 1 ? procs - 1 : 1, slots = credit_slots(senders, shape->queue_initial, shape->queue_extension);
    return (slots - (senders - 1) * shape->queue_initial) * CHANNEL_QUEUE_PAYLOAD_BYTES;
}

static struct message_way by_ring(const struct channel_shape *shape)
{
    return (struct message_way){.fragment_bytes = shape->fragment_bytes, .queue_bytes = shape->ring_bytes};
}

static struct message_way by_queue(const struct channel_shape *shape, uint32_t procs)
{
    return (struct message_way){
        .fragment_bytes = CHANNEL_QUEUE_PAYLOAD_BYTES, .queue_bytes = queue_bytes(shape, procs), .shared = 1};
}

/* Payloads that a packet of the queue holds are in it. */
static struct message_way by_pool(const struct channel_shape *shape, uint32_t procs)
{
    return (struct message_way){.fragment_bytes = shape->unit_bytes, .queue_bytes = shape->pool_units * shape->unit_bytes,
                                .shared = 1, .brief_bytes = CHANNEL_QUEUE_PAYLOAD_BYTES,
                                .brief_fragment_bytes = CHANNEL_QUEUE_PAYLOAD_BYTES,
                                .brief_queue_bytes = queue_bytes(shape, procs), .brief_shared = 1};
}

/* Rings as far as messages are sent without asking, the pool beyond. */
static struct message_way combined(const struct channel_shape *shape, uint32_t procs)
{
    struct message_way way = by_pool(shape, procs);
    way.brief_bytes = shape->eager_bytes;
    way.brief_fragment_bytes = shape->fragment_bytes;
    way.brief_queue_bytes = shape->ring_bytes;
    way.brief_shared = 0;
    return way;
}

struct message_way channel_way(const struct channel_kind *kind, const struct channel_shape *shape, uint32_t procs, int by_kernel)
{
    struct message_way way = kind == &channel_kind_er         ? by_ring(shape)
                             : kind == &channel_kind_mp       ? by_queue(shape, procs)
                             : kind == &channel_kind_combined ? combined(shape, procs)
                                                              : by_pool(shape, procs);
    int fetches = kind == &channel_kind_zc || kind == &channel_kind_combined;
    way.ask_bytes = (uint64_t)shape->eager_bytes + 1;
    way.fetch_bytes = fetches ? (uint64_t)shape->offer_bytes + 1 : UINT64_MAX;
    way.by_kernel = by_kernel;
    return way;
}

int channel_way_of(const struct scenario *s, struct message_way *out, char *reason, size_t reason_bytes)
{
    struct channel_shape shape;
    const struct channel_kind *kind = scenario_channel(s);
    if (channel_shape_of_scenario(s, &shape)) {
        snprintf(reason, reason_bytes,
                 "rings take fragments of 64 bytes to a quarter of their slots, of 1 GiB at most, not %u of %u", s->params.slots,
                 s->params.fragment_bytes);
        return -EINVAL;
    }
    *out = channel_way(kind, &shape, s->job.procs, scenario_peers_by_kernel(s));
    return 0;
}
