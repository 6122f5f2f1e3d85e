/* Thresholds of channels that follow from what a node costs, rather than from what is usual.
 *
 * `combined` has a message too long for a ring either copied twice, through the sender's pool, or fetched by its receiver, which
 * is one copy but, between processes, the kernel's. Which takes less time depends on the node, and may be the same for all sizes.
 * `zc` is left as it is: who asks for it wants long messages fetched. */
#ifndef SHMCOLL_MODEL_CHANNEL_CHANNEL_THRESHOLDS_H
#define SHMCOLL_MODEL_CHANNEL_CHANNEL_THRESHOLDS_H

#include "model/channel/channel_shape.h"
#include "model/scenario.h"

/* Who exchanges messages. */
struct channel_ends {
    uint32_t from_core, to_core; /* indices into the node's arrays */
    int by_kernel;   /* they are processes, and their buffers their own memory */
    int cold;        /* buffers are in memory, else in the caches */
};

/* Sets the shape's offer_bytes so that a message is fetched from the size on from which that takes less time, that one and every
 * longer one: UINT32_MAX if there is none.
 * 0; -ENODATA, and nothing is changed, if the node does not say what copies and the kernel's copy cost. */
int channel_thresholds_set(struct channel_shape *shape, const struct channel_kind *kind, const struct node *node,
                           const struct channel_ends *ends);

/* The shape of a scenario's channel: rings of params.slots fragments, thresholds by its node as far as that is calibrated.
 * 0 or as channel_shape_of. */
int channel_shape_of_scenario(const struct scenario *scenario, struct channel_shape *out);

#endif
