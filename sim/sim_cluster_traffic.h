/* Messages under way between ranks, in a pool without holes, and the order in which they come next; for sim_cluster_events.c. */
#ifndef SHMCOLL_SIM_CLUSTER_TRAFFIC_H
#define SHMCOLL_SIM_CLUSTER_TRAFFIC_H

#include "sim/sim_cluster.h"
#include "sim/sim_queue.h"
#include "sim/sim_radix.h"

#include <errno.h>

#define SIM_TRAFFIC_NONE UINT32_MAX

struct sim_parcel {
    uint64_t first_byte_ps, bytes;
    uint32_t to, from, round, next;
};

/* A message where nodes are shared, or somebody looks on: its way, or within a node when it may be taken. */
struct sim_journey {
    struct sim_fabric_message at;
    uint64_t ready_ps, send_ps, send_end_ps, send_work_ps, alone_ps; /* as of sim_cluster_message; where memory is shared,
                                                                        send_end_ps is UINT64_MAX as long as the sender copies */
    uint64_t receive_ps;                                             /* the receiving core's work */
    uint64_t tail_ps;                                                /* from send_end_ps until the receiver can have it */
    uint32_t receive_class;                                          /* as of sim_cluster_cost */
    uint64_t there_ps;                                               /* no sooner than NICs have read and written it */
    uint8_t flows, arrived;                                          /* of NICs, not ended; all links are behind it */
};

/* Messages under way, by their place in a pool. */
struct sim_traffic {
    struct sim_parcel *parcel;   /* [capacity] */
    struct sim_journey *journey; /* [capacity], of the same messages; NULL: nobody needs them */
    int journeys;
    uint32_t used, capacity, spare;
    enum sim_order order;
    struct sim_queue heap;
    struct sim_radix radix;
    uint32_t first, last; /* ARRIVAL */
    size_t pending;
    uint64_t pops;
};

/* Journeys are kept if asked for. 0 or -ENOMEM; destroy after either. */
int sim_traffic_create(struct sim_traffic *out, enum sim_order order, int journeys);
void sim_traffic_destroy(struct sim_traffic *traffic);
/* More places. 0 or -ENOMEM. */
int sim_traffic_grow(struct sim_traffic *traffic);

/* A place in the pool, or SIM_TRAFFIC_NONE if there is no memory. */
static inline uint32_t sim_traffic_new(struct sim_traffic *t)
{
    uint32_t at = t->spare;
    if (at != SIM_TRAFFIC_NONE) {
        t->spare = t->parcel[at].next;
        return at;
    }
    if (t->used == t->capacity && sim_traffic_grow(t))
        return SIM_TRAFFIC_NONE;
    return t->used++;
}

static inline void sim_traffic_free(struct sim_traffic *t, uint32_t at)
{
    t->parcel[at].next = t->spare;
    t->spare = at;
}

/* To be popped at its first byte's time. */
static inline int sim_traffic_queue(struct sim_traffic *t, uint32_t at)
{
    t->pending++;
    if (t->order == SIM_ORDER_HEAP)
        return sim_queue_push(&t->heap, t->parcel[at].first_byte_ps, at, 0);
    if (t->order == SIM_ORDER_RADIX)
        return sim_radix_push(&t->radix, t->parcel[at].first_byte_ps, at, t->parcel[at].to);
    if (t->first == SIM_TRAFFIC_NONE)
        t->first = at;
    else
        t->parcel[t->last].next = at;
    t->last = at;
    return 0;
}

static inline int sim_traffic_push(struct sim_traffic *t, const struct sim_parcel *parcel, const struct sim_journey *journey)
{
    uint32_t at = sim_traffic_new(t);
    if (at == SIM_TRAFFIC_NONE)
        return -ENOMEM;
    t->parcel[at] = *parcel;
    t->parcel[at].next = SIM_TRAFFIC_NONE;
    if (journey)
        t->journey[at] = *journey;
    return sim_traffic_queue(t, at);
}

static inline int sim_traffic_pop(struct sim_traffic *t, uint32_t *out)
{
    struct sim_radix_event event;
    int err = 0;
    t->pending--;
    t->pops++;
    if (t->order == SIM_ORDER_HEAP) {
        *out = sim_queue_pop(&t->heap).target;
    } else if (t->order == SIM_ORDER_RADIX) {
        err = sim_radix_pop(&t->radix, &event);
        *out = event.target;
    } else {
        *out = t->first;
        t->first = t->parcel[t->first].next;
    }
    return err;
}

#endif
