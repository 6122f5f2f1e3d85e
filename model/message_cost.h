/* What one message between two cores of a node costs, by its parts, in seconds.
 *
 * A message moves in one of two ways. Through a queue: the sender copies in, the line that tells of it travels, the receiver
 * copies out; from ask_bytes on, a line there and one back go before. Or, from fetch_bytes on, the receiver fetches it itself: a
 * line tells where it is, one copy follows, a line back tells that it is over. A core does its copies one after the other, so who
 * executes an exchange adds up what each side's core does (the sender's and the receiver's part) and what passes between them
 * (latency). Contention is not in here. For one thread: the few copy costs asked last are remembered. */
#ifndef SHMCOLL_MODEL_MESSAGE_COST_H
#define SHMCOLL_MODEL_MESSAGE_COST_H

#include "model/node.h"

enum { MESSAGE_COSTS_KEPT = 16 };

struct message_way {
    uint32_t fragment_bytes; /* the most that is copied before the other side is told; >= 1 */
    uint32_t queue_bytes;    /* of a pair; more waits until the receiver has made room; >= fragment_bytes */
    uint64_t fetch_bytes;    /* messages from here on are fetched; UINT64_MAX: none is */
    int by_kernel;           /* the fetching copy crosses processes: node_peer_extra_s on top */
    uint64_t ask_bytes;      /* messages from here on wait until the receiver has asked for them; 0: none does */
    int shared;              /* other senders use the queue: each fragment takes its place by an atomic addition */
    /* Messages up to so many bytes have a queue of their own. 0: none has */
    uint32_t brief_bytes, brief_fragment_bytes, brief_queue_bytes;
    int brief_shared;
};

struct message {
    uint32_t from_core, to_core;
    uint64_t run_bytes; /* it lies in so many pieces of so many bytes, on both sides */
    uint32_t runs;
    int source_cold, target_cold; /* the user's memory */
};

struct message_kept {
    enum copy_class copy_class;
    int beside; /* another core does the counterpart */
    uint64_t bytes, message_bytes;
    double time_s;
};

struct message_costs {
    const struct node *node;
    struct message_way way;
    uint64_t
        row_bytes; /* the message is one of several of so many bytes, whose lines are fetched ahead; 0 after init: it is alone */
    double step_s;
    double tell_s;   /* a step, and an end's half of a packet. Of fragments that follow each other the first counts so */
    double atomic_s; /* a place in a queue that others use */
    struct message_kept kept[MESSAGE_COSTS_KEPT];
    uint32_t kept_count;
    char missing[32];    /* what the node does not say although it was needed; "": nothing */
};

void message_costs_init(struct message_costs *out, const struct node *node, const struct message_way *way);

static inline uint64_t message_bytes(const struct message *m)
{
    return m->run_bytes * m->runs;
}

static inline int message_is_brief(const struct message_costs *c, const struct message *m)
{
    return c->way.brief_bytes && message_bytes(m) <= c->way.brief_bytes;
}

/* What the queue of such a message holds. */
static inline uint32_t message_queue_bytes(const struct message_costs *c, const struct message *m)
{
    return message_is_brief(c, m) ? c->way.brief_queue_bytes : c->way.queue_bytes;
}

static inline int message_is_fetched(const struct message_costs *c, const struct message *m)
{
    return message_bytes(m) >= c->way.fetch_bytes;
}

/* The work of the two cores while others copy too. NAN and `missing` set where the node lacks a cost; so in all that follow. */
double message_sender_s(struct message_costs *c, const struct message *m);
double message_receiver_s(struct message_costs *c, const struct message *m);
/* Lines on their way, one after the other, between cores that both send and receive and so wait for each fragment: one line a
 * fragment, another back where the queue holds a single one; if fetched, there and back. */
double message_latency_s(struct message_costs *c, const struct message *m);
/* One message, both cores doing nothing else: from the send to the receiver's having it. Where the queue holds two fragments, the
 * receiver copies one out while the sender copies the next one in; the slower of the two sets the pace, or the room's coming back
 * to the sender. */
double message_time_s(struct message_costs *c, const struct message *m);
/* Of a long row of such messages, all posted beforehand, one takes so long: what the busier of the cores does for it, which finds
 * its lines at the other's, or the room's coming back. */
double message_pace_s(struct message_costs *c, const struct message *m);
/* One copy within a rank, from its user memory to its user memory; warm, no costlier than the copies that meet another core's
 * lines on one side. */
double message_move_s(struct message_costs *c, uint64_t bytes, int cold);

/* Seconds a line takes from core to core; 0 between ranks of one core. */
double message_handover_s(struct message_costs *c, uint32_t from_core, uint32_t to_core);

#endif
