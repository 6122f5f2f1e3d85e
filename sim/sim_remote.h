/* Messages between ranks on nodes, over S2's channels and their network interfaces, in simulated time.
 *
 * Every rank is one loop on its core. By turns it takes in one of what has come, in the order in which it came (packets in its
 * queue and events of its interface: one place to look, however many peers), and sends on one thing that can go; with nothing to
 * take in it goes on with its program; it is parked when there is nothing at all. What a turn costs adds up, and what it gives to
 * the interface leaves when the core is that far.
 *
 *   mp        packets into the receiver's queue, by credits (credit.h); a limit is told by an immediate put into the sender's
 *             word
 *   er        the pair's ring (er_ring.h): an immediate put, or a copy into the own ring and a put to the same place of the
 *             other's; units come back on what goes the other way, or by a packet when a quarter is owed
 *   sr        what a packet does not hold is copied into units of a pool, a packet tells, the receiver gets it into units of its
 *             own
 *   zc        long messages: registered (registration.h), offered, fetched; short ones as sr
 *   combined  zc over rings for the first peers, as many as the shape allows at both ends, and over sr for all others
 * Longer messages than the shape's eager_bytes are asked for and sent when the receiver has answered, where they are not fetched.
 *
 * Ranks of a node, rank after rank, share its interface and what is behind it. Between them a message is two copies by their
 * cores, as without channels, at what these cost beside nobody: memory is not shared here.
 *
 * A sink is told of what a core does, with the time since it last did something as waiting; after the end of the rank's program
 * as STEP_DONE. A call begins at 0.
 *
 * State of a pair is made at first use. Receives may be posted late: what comes before is kept aside, for another copy. One
 * thread at a time. */
#ifndef SHMCOLL_SIM_REMOTE_H
#define SHMCOLL_SIM_REMOTE_H

#include "model/channel/channel_shape.h"
#include "model/channel/credit.h"
#include "model/channel/er_ring.h"
#include "model/channel/registration.h"
#include "sim/sim_cluster.h"
#include "sim/sim_nic.h"

enum sim_remote_act_kind { SIM_REMOTE_SEND, SIM_REMOTE_RECEIVE, SIM_REMOTE_MOVE /* within the rank, by its core */,
                           SIM_REMOTE_WAIT /* for all so far */, SIM_REMOTE_OVER };

struct sim_remote_act {
    enum sim_remote_act_kind kind;
    uint32_t peer;
    uint64_t bytes;
    uint64_t place; /* in the rank's buffer, if it has one */
    uint32_t times; /* MOVE: so often */
    int warm;       /* what is sent has come before: it is in a cache, whatever the question says */
};

/* What ranks do: the i-th act of a rank. */
struct sim_remote_program {
    void (*act)(const void *context, uint32_t rank, uint32_t i, struct sim_remote_act *out);
    const void *context;
    uint64_t (*late_ps)(const void *context, uint32_t rank);             /* it begins; NULL: all at once */
    void (*received)(const void *context, uint32_t rank, uint32_t act); /* all of what that act waits for is there; NULL */
    uint64_t buffer_bytes; /* in which a rank's messages lie; 0: each has memory of its own */
};

/* Of the queue's events, beside SIM_NIC_EVENT. */
enum { SIM_REMOTE_CORE_EVENT = 2, SIM_REMOTE_INSIDE_EVENT = 3 };

enum { SIM_REMOTE_PROCS_MOST = 4096 /* every rank has an account of each other's credits: half a GiB */ };

struct sim_remote_question {
    struct nic_ps costs;
    const struct channel_kind *kind;
    struct channel_shape shape;
    uint32_t procs;
    uint32_t ppn; /* 0, 1: a rank a node */
    /* as of sim_cluster_nodes */
    int (*inside)(void *context, uint32_t from, uint32_t to, uint64_t bytes, struct sim_cluster_cost *out);
    void *context;
    int cold; /* memory of messages is in no cache, and registered for the first time */
};

enum sim_remote_kind { SIM_REMOTE_EAGER, SIM_REMOTE_ASK, SIM_REMOTE_ANSWER, SIM_REMOTE_DATA, SIM_REMOTE_UNIT, SIM_REMOTE_OFFER,
                       SIM_REMOTE_RETURN, SIM_REMOTE_NOTE, SIM_REMOTE_WANT, SIM_REMOTE_GRANT, SIM_REMOTE_REFUSE, SIM_REMOTE_LIMIT,
                       SIM_REMOTE_INSIDE };

struct sim_remote_message {
    uint32_t peer, number, act;
    uint64_t bytes, moved_bytes, address;
    int cold;
    int done, known, begun; /* the software above has dealt with it; its first packet has gone, or come */
    struct sim_remote_message *next, *made;
};

struct sim_remote_messages {
    struct sim_remote_message *head, *last;
};

/* On its way, or lying where it came. */
struct sim_remote_packet {
    enum sim_remote_kind kind;
    uint32_t from, to, number, payload_bytes, units, ring_told;
    uint64_t bytes;                    /* of the message */
    struct sim_remote_message *sender; /* of an offer, an ask and its answer, a unit */
    struct sim_remote_message *taker;  /* once it is known */
    struct credit_note note;
    uint64_t receive_ps; /* INSIDE: the receiving core's work */
    int first, kept;
    int come; /* by the ring: it is there; of a get: how many of both ends have been told */
    struct sim_remote_packet *next, *made;
};

struct sim_remote_packets {
    struct sim_remote_packet *head, *last;
};

/* What a rank knows of a peer. */
struct sim_remote_pair {
    uint32_t rank; /* the peer */
    struct er_sender out;
    struct er_receiver in;
    int out_ring, in_ring, asked_ring, granted;
    struct credit_sender credit;
    uint32_t sent, posted_count; /* messages */
    struct sim_remote_messages queue, streams, posted;
    struct sim_remote_packets control, ring, early; /* to go; in the ring; before their receive */
    struct sim_remote_packets inside;               /* coming within the node */
    uint64_t inside_ps;                             /* the last one sent there begins to come */
    int pending, owes_units, fresh;
    uint32_t limit; /* told, not read yet */
    struct sim_remote_pair *next;
};

enum sim_remote_item_kind { SIM_REMOTE_ITEM_PACKET, SIM_REMOTE_ITEM_RING, SIM_REMOTE_ITEM_GOT, SIM_REMOTE_ITEM_TAKEN,
                            SIM_REMOTE_ITEM_LIMIT, SIM_REMOTE_ITEM_INSIDE };
struct sim_remote_item {
    enum sim_remote_item_kind kind;
    void *what;
};

struct sim_remote_endpoint {
    uint32_t rank;
    struct sim_remote_pair **pair; /* [procs], NULL: not used yet */
    uint32_t pairs;
    struct sim_remote_item *inbox; /* a ring of inbox_most, a power of two */
    uint32_t inbox_at, inbox_end, inbox_most;
    struct sim_remote_pair *pending, *pending_last;
    struct sim_remote_packets fetches; /* units told of, for which there is no own one yet */
    struct credit_pool pool;
    struct credit_account *account; /* [procs] */
    uint32_t idle_out, idle_in;     /* units of the pools */
    uint32_t rings_out, rings_in;
    struct registration_cache registered;
    uint64_t fresh_address;
    uint64_t memory_bytes; /* of its channels, as it was taken */
    uint64_t at_ps, end_ps, busy_ps, copy_ps;
    uint64_t told_ps; /* its sink knows what it has done until then */
    uint32_t act, open, in_queue, in_queue_most; /* packets in its queue, now and at most */
    int took; /* what came, the last time; now it is the turn of what goes */
    int scheduled, over;
};

struct sim_remote {
    struct sim_remote_question question;
    struct nic_ps costs;
    struct channel_shape shape;
    const struct channel_kind *kind;
    struct sim_queue queue;
    struct sim_nic nic;
    struct sim_remote_program program;
    struct sim_remote_endpoint *endpoint; /* [procs] */
    struct sim_remote_packet *packet_spare, *packet_made;
    struct sim_remote_message *message_made;
    const struct sim_remote_packet *unlike; /* of which message the ends disagree */
    struct trace_sink *sink;
    uint32_t procs, running, queue_slots;
    uint64_t base_ps, now_ps, messages, delivered_bytes, messages_inside, bytes_inside; /* inside: of them */
    int error;
};

/* 0; -ENOMEM; -EINVAL if the shape cannot be and -ENOTSUP of too many ranks, with a line in `reason`. */
int sim_remote_create(struct sim_remote *s, const struct sim_remote_question *question, char *reason, size_t reason_bytes);
void sim_remote_destroy(struct sim_remote *s);
/* One call: every rank goes through its program. Begins when nothing of the last one is on its way.
 * 0; -ENOMEM; -EDEADLK, -EPROTO or -EBADMSG with a line in `reason`. *time_ps: the last rank ends. */
int sim_remote_call(struct sim_remote *s, const struct sim_remote_program *program, struct trace_sink *sink, uint64_t *time_ps,
                    char *reason, size_t reason_bytes);
/* Whether credits add up at every rank, none is owed more than there is, and every queue has had room. */
int sim_remote_sound(const struct sim_remote *s);
/* Memory of the channels of the rank that has most. */
uint64_t sim_remote_memory_bytes(const struct sim_remote *s);

/* ---- what its files share ---- */

struct sim_remote_pair *sim_remote_pair_of(struct sim_remote *s, struct sim_remote_endpoint *e, uint32_t peer);
struct sim_remote_packet *sim_remote_packet_make(struct sim_remote *s, struct sim_remote_packet what);
void sim_remote_packet_free(struct sim_remote *s, struct sim_remote_packet *packet);
void sim_remote_packet_push(struct sim_remote_packets *q, struct sim_remote_packet *packet);
struct sim_remote_packet *sim_remote_packet_pop(struct sim_remote_packets *q);
void sim_remote_message_push(struct sim_remote_messages *q, struct sim_remote_message *m);
/* The core is busy with that for so long; with copying. */
void sim_remote_spend(struct sim_remote *s, struct sim_remote_endpoint *e, uint64_t ps, const char *label, uint64_t bytes);
void sim_remote_copying(struct sim_remote *s, struct sim_remote_endpoint *e, uint64_t ps, const char *label, uint64_t bytes);
void sim_remote_copy(struct sim_remote *s, struct sim_remote_endpoint *e, uint64_t bytes, int cold);
/* The core gives it to the interface. */
void sim_remote_post(struct sim_remote *s, struct sim_remote_endpoint *e, enum sim_nic_verb verb, uint32_t to, uint64_t bytes,
                     void *subject);
void sim_remote_register(struct sim_remote *s, struct sim_remote_endpoint *e, const struct sim_remote_message *m);
void sim_remote_item(struct sim_remote *s, struct sim_remote_endpoint *e, enum sim_remote_item_kind kind, void *what);
/* The ring from one to the other is there, from now on if it was not. */
void sim_remote_ring_made(struct sim_remote *s, struct sim_remote_endpoint *e, struct sim_remote_pair *p,
                          struct sim_remote_endpoint *other, struct sim_remote_pair *there);
void sim_remote_done(struct sim_remote_endpoint *e, struct sim_remote_message *m);
/* Something may go to that peer. */
void sim_remote_pending(struct sim_remote_endpoint *e, struct sim_remote_pair *p);

static inline int sim_remote_is_inside(const struct sim_remote *s, uint32_t a, uint32_t b)
{
    return a / s->question.ppn == b / s->question.ppn;
}

/* sim_remote_inside.c: what goes to a rank of the same node; begins to come there; and is taken in. */
void sim_remote_inside_send(struct sim_remote *s, struct sim_remote_endpoint *e, struct sim_remote_pair *p,
                            struct sim_remote_message *m);
void sim_remote_inside_come(struct sim_remote *s, uint32_t target);
void sim_remote_inside_receive(struct sim_remote *s, struct sim_remote_endpoint *e, const struct sim_remote_packet *packet);

/* sim_remote_out.c */
void sim_remote_send(struct sim_remote *s, struct sim_remote_endpoint *e, struct sim_remote_message *m);
void sim_remote_control(struct sim_remote *s, struct sim_remote_endpoint *e, struct sim_remote_pair *p,
                        struct sim_remote_packet packet);
/* One thing goes to somebody: 1, or 0 if nothing can. */
int sim_remote_push(struct sim_remote *s, struct sim_remote_endpoint *e);
/* Asks the idle sender that the pool's hand points at for its credits. */
void sim_remote_recall(struct sim_remote *s, struct sim_remote_endpoint *e, uint32_t rank);

/* sim_remote_in.c */
void sim_remote_receive(struct sim_remote *s, struct sim_remote_endpoint *e, struct sim_remote_message *m);
/* Takes in one of what has come. */
void sim_remote_take(struct sim_remote *s, struct sim_remote_endpoint *e);
/* A unit of the own pool is free and somebody waits for one: 1, else 0. */
int sim_remote_fetch(struct sim_remote *s, struct sim_remote_endpoint *e);

#endif
