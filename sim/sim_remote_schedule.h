/* A schedule whose messages go over S2's channels: every step of a rank posts its receive and its send, and waits for both.
 *
 * Blocks that go together are one message, as they lie in one piece (model/schedule.h); what an Allgather has to bring to its
 * place before or after is copied by the core; so are blocks that a numbering reorders, one by one. A rank's messages lie in one
 * buffer, which is new in every call if buffers are cold: what it sends of its own is in no cache then, what it hands on is. One
 * thread. */
#ifndef SHMCOLL_SIM_REMOTE_SCHEDULE_H
#define SHMCOLL_SIM_REMOTE_SCHEDULE_H

#include "sim/sim_cluster.h"
#include "sim/sim_remote.h"

struct sim_network;

struct sim_remote_schedule {
    struct sim_remote remote;
    struct schedule schedule;
    struct sim_cluster_question question; /* what its messages are */
    const struct numbering *numbering;    /* who plays whom; NULL: the identity */
    struct sim_network *inside;           /* what messages within nodes cost; NULL: a rank a node */
    int in_place;                         /* a rank's own block is where it belongs */
    int own_warm;                         /* and in a cache, whatever else is not */
};

/* `out` points into itself. 0; -EINVAL, -ENOTSUP or -ENOMEM with one line in `reason`. */
int sim_remote_schedule_create(struct sim_remote_schedule *out, const struct scenario *scenario, char *reason,
                               size_t reason_bytes);
void sim_remote_schedule_destroy(struct sim_remote_schedule *s);
/* One call, with that seed for when ranks begin. As sim_remote_call. */
int sim_remote_schedule_call(struct sim_remote_schedule *s, uint64_t seed, struct trace_sink *sink, uint64_t *time_ps,
                             char *reason, size_t reason_bytes);
/* Whether a rank begins by copying its own block to where it sends it from. */
int sim_remote_schedule_places(const struct sim_remote_schedule *s, uint32_t rank);
/* What its ranks do. */
struct sim_remote_program sim_remote_schedule_program(const struct sim_remote_schedule *s);

#endif
