/* How messages of a channel move, as message_cost has it: what the channel's shape and its thresholds say. */
#ifndef SHMCOLL_MODEL_CHANNEL_CHANNEL_WAY_H
#define SHMCOLL_MODEL_CHANNEL_CHANNEL_WAY_H

#include "model/channel/channel_shape.h"
#include "model/message_cost.h"
#include "model/scenario.h"

/* Between two of `procs` ranks, all of whom use the channel for as long as it takes to have all room that there is: queues at
 * their greatest extension, rings made. by_kernel: whoever fetches is another process. */
struct message_way channel_way(const struct channel_kind *kind, const struct channel_shape *shape, uint32_t procs, int by_kernel);

/* Of the scenario's channel, with rings of params.slots fragments. 0; -EINVAL with one line in `reason` for rings that cannot
 * be. */
int channel_way_of(const struct scenario *scenario, struct message_way *out, char *reason, size_t reason_bytes);

#endif
