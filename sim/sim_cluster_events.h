/* What the files of the simulation by events share; for sim_cluster_events.c and sim_cluster_copies.c. */
#ifndef SHMCOLL_SIM_CLUSTER_EVENTS_H
#define SHMCOLL_SIM_CLUSTER_EVENTS_H

#include "sim/sim_cluster_traffic.h"

/* Where a rank is. The step it waits in is computed again when its message comes. */
struct sim_waiter {
    struct loggp_rank at;
    uint32_t next_step;
    uint32_t round; /* it waits for, SIM_TRAFFIC_NONE: nothing */
    uint32_t early; /* messages of later rounds, linked by `next` */
};

/* What a rank's core copies. */
enum sim_copying {
    SIM_COPYING_NOTHING,
    SIM_COPYING_OUT,     /* a message it sends */
    SIM_COPYING_IN,      /* one it receives, */
    SIM_COPYING_AWAITED, /* of which it has all that the sender has given */
    SIM_COPYING_OWN      /* within its own memory */
};

struct sim_copier {
    enum sim_copying what;
    uint32_t class_id, parcel;
    uint64_t begin_ps, alone_ps;
    uint64_t want_ps, bytes; /* IN: since when the rank wants it; OWN */
};

struct sim_events {
    struct sim_cluster_call *call;
    struct sim_waiter *rank;   /* [procs] */
    struct sim_copier *copier; /* [procs] where nodes' memories are shared, else NULL */
    struct sim_traffic traffic;
};

/* Goes on with a rank that has nothing to wait for; with one that has just sent what its step sends. */
int sim_events_proceed(struct sim_events *e, uint32_t rank);
int sim_events_sent(struct sim_events *e, uint32_t rank);
/* A message has come: to a link, to a rank that waits for it, or too early. */
int sim_events_deliver(struct sim_events *e, uint32_t parcel);
/* All links are behind the message. */
int sim_events_arrive(struct sim_events *e, uint32_t parcel);
/* The rank has the message, and what was kept of it is given back. */
void sim_events_received(struct sim_events *e, uint32_t parcel, uint64_t want_ps);

/* ---- with shared memories ---- */

static inline struct sim_memories *sim_events_memories(const struct sim_events *e)
{
    return e->call->question->nodes->memories;
}

/* Begins to send to a rank of the same node, or has sent; to take such a message in; to move blocks within the rank. Afterwards
 * the rank is copying, or its time has gone on. 0 or an error as of sim_cluster_run(). */
int sim_copies_out(struct sim_events *e, uint32_t rank, const struct sim_parcel *parcel, struct sim_journey *journey);
int sim_copies_in(struct sim_events *e, uint32_t rank, uint32_t parcel);
int sim_copies_own(struct sim_events *e, uint32_t rank, uint64_t bytes, uint64_t copies);
/* The NIC of the sender's node, or of the receiver's, moves a message from or to memory from then on. */
int sim_copies_nic(struct sim_events *e, uint32_t parcel, const struct sim_fabric_crossing *crossing);
/* Until nothing is under way. */
int sim_copies_run(struct sim_events *e);

#endif
