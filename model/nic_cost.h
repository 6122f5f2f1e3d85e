/* What a message between two nodes costs over S2's channels, in closed form: the sum of its stages, alone; the slowest of them,
 * in a row.
 *
 * All is as it is after the first messages: pairs have their rings and credits, memory that is the same each time is registered.
 * Nothing waits for credits or units. Messages in several fragments have no form: how they overlap is for the simulator. */
#ifndef SHMCOLL_MODEL_NIC_COST_H
#define SHMCOLL_MODEL_NIC_COST_H

#include "model/channel/channel_shape.h"
#include "model/nic.h"
#include "model/scenario.h"

struct nic_message {
    const struct channel_kind *kind; /* combined: the pair has a ring */
    const struct channel_shape *shape;
    uint64_t bytes;
    int cold; /* user memory is in no cache, and not registered */
};

/* From the send to the receiver's having it. 0; -ENOTSUP for messages of several fragments. */
int nic_message_ps(const struct nic_ps *costs, const struct nic_message *message, uint64_t *out);
/* One of many such messages after each other: what the busiest core or stage does for it. As above. */
int nic_pace_ps(const struct nic_ps *costs, const struct nic_message *message, uint64_t *out);
/* What the slowest stage lets pass of a long message. */
double nic_bytes_per_s(const struct nic_ps *costs);

/* What a scenario of messages over a network asks for. 0; -ENOTSUP or -EINVAL with one line in `reason`. */
struct nic_setup {
    struct nic_ps costs;
    const struct channel_kind *kind;
    struct channel_shape shape;
};
int nic_setup_of(const struct scenario *scenario, struct nic_setup *out, char *reason, size_t reason_bytes);
/* Its time. As nic_setup_of. */
int nic_scenario_s(const struct scenario *scenario, double *out_s, char *reason, size_t reason_bytes);

#endif
