#include "model/channel/channel_thresholds.h"

#include "model/channel/channel_way.h"

#include <errno.h>

enum { SIZE_MOST_BYTES = 64 << 20 };

/* Fetched, or copied, whatever the shape says. */
static double time_s(const struct channel_shape *shape, const struct channel_kind *kind, const struct node *node,
                     const struct channel_ends *ends, uint64_t bytes, int fetched)
{
    struct message_way way = channel_way(kind, shape, 2, ends->by_kernel);
    struct message message = {.from_core = ends->from_core, .to_core = ends->to_core, .run_bytes = bytes, .runs = 1,
                              .source_cold = ends->cold, .target_cold = ends->cold};
    struct message_costs costs;
    way.fetch_bytes = fetched ? 0 : UINT64_MAX;
    message_costs_init(&costs, node, &way);
    return message_time_s(&costs, &message);
}

int channel_thresholds_set(struct channel_shape *shape, const struct channel_kind *kind, const struct node *node,
                           const struct channel_ends *ends)
{
    uint32_t offer_bytes = UINT32_MAX;
    if (kind != &channel_kind_combined)
        return 0;
    if (ends->by_kernel && !node->contention_free && !quantity_known(&node->peer_call_ns))
        return -ENODATA; /* the kernel's copy is not free */
    for (uint32_t bytes = SIZE_MOST_BYTES; bytes > shape->eager_bytes; bytes /= 2) {
        double fetched_s = time_s(shape, kind, node, ends, bytes, 1);
        double copied_s = time_s(shape, kind, node, ends, bytes, 0);
        if (!(fetched_s >= 0 && copied_s >= 0))
            return -ENODATA;
        if (fetched_s > copied_s)
            break;
        offer_bytes = bytes - 1;
    }
    shape->offer_bytes = offer_bytes;
    return 0;
}

int channel_shape_of_scenario(const struct scenario *s, struct channel_shape *out)
{
    const uint32_t *core = s->placement.core_of_rank;
    struct channel_ends ends = {.from_core = core[0], .to_core = core[s->job.procs > 1], .by_kernel = scenario_peers_by_kernel(s),
                                .cold = s->conditions.buffers == BUFFERS_COLD};
    struct channel_shape shape;
    int error = channel_shape_of(scenario_channel(s), s->params.fragment_bytes, s->params.slots, &shape);
    if (error)
        return error;
    channel_thresholds_set(&shape, scenario_channel(s), s->machine.node, &ends); /* the usual ones where the node does not say */
    *out = shape;
    return 0;
}
