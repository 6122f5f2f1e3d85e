/* Messages between the ranks of a node over channels, in simulated time: kernels/channels told again, event by event.
 *
 * Every rank is one loop, as there: it takes in what has come, then sends on what can go, and looks again whether what it waits
 * for is done. What a packet makes a rank do is a few works, one after the other on its core: lines fetched, copies that share
 * the node's bandwidth, stores that others see when they are made. A rank with nothing to do is parked, its core spinning, until
 * something is stored for it. What only the rank itself looks at (positions in rings, credits, lists) changes when it decides;
 * what others look at changes by a work. Rings and credits are those of model/channel.
 *
 * State of a pair is made when it is first used, on either side. One thread at a time. */
#ifndef SHMCOLL_SIM_CHANNEL_H
#define SHMCOLL_SIM_CHANNEL_H

#include "model/channel/channel_shape.h"
#include "model/channel/credit.h"
#include "model/channel/er_ring.h"
#include "model/schedule.h"
#include "sim/sim_channel_copy.h"
#include "sim/sim_costs.h"
#include "sim/sim_queue.h"

enum sim_carrier { SIM_CARRIER_RING, SIM_CARRIER_QUEUE, SIM_CARRIER_POOL };

enum sim_packet_kind { SIM_PACKET_EAGER, SIM_PACKET_MORE, SIM_PACKET_RTS, SIM_PACKET_CTS, SIM_PACKET_DATA, SIM_PACKET_FIN,
                       SIM_PACKET_NOTE, SIM_PACKET_WANT, SIM_PACKET_GRANT, SIM_PACKET_REVOKE, SIM_PACKET_CLOSED };

/* One message at one end. */
struct sim_message {
    uint32_t peer, tag;
    uint64_t bytes, moved_bytes;
    int done, cold, offered;
    const struct channel_kind *channel; /* of a send */
    struct sim_message *partner;        /* the other end's, once known */
    enum sim_packet_kind answer;        /* of a receive */
    struct sim_message *next;
};

struct sim_message_queue {
    struct sim_message *head, *last;
};

struct sim_packet {
    enum sim_packet_kind kind;
    uint32_t from, payload_bytes, tag, number;
    uint64_t bytes; /* of the message */
    struct sim_message *message, *partner; /* whom it is about: the addressee's, then the sender's */
    int offered;
    uint32_t units, credit;
    struct credit_note note;
    int32_t unit;         /* of the sender's pool; -1: none */
    int stored, spun;     /* it can be seen; its reader was spinning when it was stored */
    uint64_t stored_ps;
    struct sim_packet *next, *made; /* made before it */
};

struct sim_packet_queue {
    struct sim_packet *head, *last;
};

/* A message that came before its receive. */
struct sim_kept {
    struct sim_kept *next;
    struct sim_message *taker, *sender; /* sender: it is only announced */
    uint32_t tag;
    uint64_t bytes, come_bytes;
    int offered;
};

/* Words of one rank's that a peer stores: units of the ring that are free again, units of the budget for messages not asked for,
 * credits for the queue. */
enum sim_told_word { SIM_TOLD_RING, SIM_TOLD_BUDGET, SIM_TOLD_LIMIT, SIM_TOLD_WORDS };

struct sim_told {
    uint32_t value;
    int fresh, spun; /* not read since; its reader was spinning when it was stored */
    uint64_t stored_ps;
};

/* What a rank knows of a peer. */
struct sim_pair {
    uint32_t rank; /* the peer */
    struct er_sender out;
    struct er_receiver in;
    int out_ring, in_ring;
    struct sim_told told[SIM_TOLD_WORDS];
    struct credit_sender credit;
    uint32_t number_out, spent_units, freed_units;
    struct sim_message *open;
    struct sim_message_queue queue, streams, control, fetches;
    int pending, turn;
    uint32_t sends, ask_at, arrivals, says;
    int closing, closed, waits;
    uint32_t number_in, free_units, free_told_units;
    struct sim_message *open_in;
    struct sim_kept *open_kept, *kept, **kept_tail;
    struct sim_message_queue posted;
    struct sim_packet_queue come; /* by the ring */
    struct sim_pair *ready_next;
    int ready;
};

enum sim_work_kind {
    SIM_WORK_TIME, /* the core is busy */
    SIM_WORK_COPY,
    SIM_WORK_SLOT, /* takes the next slot of the peer's queue for the packet */
    SIM_WORK_SEND, /* the packet's stamp is stored */
    SIM_WORK_TELL, /* one of the peer's words is stored */
    SIM_WORK_UNIT, /* a unit of the peer's pool is free again */
};

struct sim_work {
    enum sim_work_kind kind;
    uint64_t ps;
    struct sim_channel_copy copy;
    uint32_t peer;
    struct sim_packet *packet;
    enum sim_told_word word;
    uint32_t value;
};

enum { SIM_WORKS = 64, SIM_PIECES = 8 };

/* Messages of one way of a step. */
struct sim_way {
    struct schedule_blocks blocks;
    uint32_t peer, next, posted;
    struct sim_message message[SIM_PIECES];
};

/* Where a rank is in what it has to do. */
struct sim_program {
    uint32_t state, step, count, tag;
    struct sim_way in, out;
    struct sim_message *message; /* [count] p2p */
    uint32_t waits;
};

enum sim_endpoint_state { SIM_ENDPOINT_PROGRAM, SIM_ENDPOINT_POLL, SIM_ENDPOINT_PUSH, SIM_ENDPOINT_PARKED, SIM_ENDPOINT_OVER };

struct sim_endpoint {
    uint32_t rank, state;
    struct sim_pair **slot; /* pairs in use, by the peer's rank; a power of two */
    uint32_t slots, pairs;
    struct sim_work work[SIM_WORKS];
    uint32_t work_at, work_end; /* free-running */
    int copying; /* 1: its first byte is about to move; 2: it moves */
    struct sim_copy copy;
    uint64_t drain_ps; /* a further store cannot be seen before */
    uint32_t ring_left, queue_left, moved; /* packets that the pass takes at most; whether it has done anything */
    struct sim_pair *ready, *ready_last;
    struct sim_pair **pending;
    uint32_t pending_count, pending_most, push_at;
    struct sim_packet_queue come; /* by the queue: in the order of slots */
    struct credit_pool pool;
    struct credit_account *account; /* [procs] */
    uint64_t tail_busy_ps;
    uint32_t tail_rank; /* who had the tail's line last */
    uint32_t *idle, idle_count, back_count; /* units of the own pool: free; told to be free again */
    uint32_t *back;
    uint32_t ring_count, ring_most, *ring_from; /* combined */
    struct sim_program program;
    uint64_t copy_ps, wait_ps, notify_ps, parked_ps, random;
};

struct sim_channel {
    const struct scenario *scenario;
    const struct channel_kind *kind;
    struct channel_shape shape;
    struct sim_costs costs;
    struct sim_channel_copies copies;
    struct sim_queue queue;
    struct schedule schedule;
    uint64_t reorder_moves; /* copies of a block with which a rank ends */
    struct sim_endpoint *endpoint; /* [procs] */
    struct sim_packet *spare, *made; /* to be used again; all */
    uint32_t procs, running, kept_units, eager_units;
    uint64_t row_bytes; /* p2p: as in message_model.h; 0: messages are alone */
    uint64_t base_ps, now_ps, end_ps, messages;
    struct trace_sink *sink;
    int error;
};

/* 0; -ENOMEM; -ENOTSUP or -EINVAL, with a line in `reason`. */
int sim_channel_create(struct sim_channel *c, const struct scenario *scenario, char *reason, size_t reason_bytes);
void sim_channel_destroy(struct sim_channel *c);
/* One call, begun when the previous one has ended everywhere. As sim_call. */
int sim_channel_call(struct sim_channel *c, struct trace_sink *sink, uint64_t *time_ps, char *reason, size_t reason_bytes);

/* ---- what its files share ---- */

/* Errors (no memory, a fault in the simulation) are kept in c->error and end the call. */
struct sim_pair *sim_channel_pair(struct sim_channel *c, uint32_t rank, uint32_t peer);
void sim_channel_work(struct sim_channel *c, struct sim_endpoint *e, struct sim_work work);
/* A cost that is nothing on a contention-free node. */
void sim_channel_time(struct sim_channel *c, struct sim_endpoint *e, uint64_t ps);
/* The line of what another rank has stored then comes to this one: a whole hand-over to who spun for it; who comes later only has
 * to fetch it, but nobody sees a store sooner. */
void sim_channel_fetch(struct sim_channel *c, struct sim_endpoint *e, uint32_t from, int spun, uint64_t stored_ps);
struct sim_packet *sim_channel_packet(struct sim_channel *c, struct sim_packet what);
void sim_channel_packet_free(struct sim_channel *c, struct sim_packet *packet);
void sim_channel_pending(struct sim_channel *c, struct sim_endpoint *e, struct sim_pair *p);
void sim_message_push(struct sim_message_queue *q, struct sim_message *m);
struct sim_message *sim_message_pop(struct sim_message_queue *q);
/* The word's value; reading it costs if it is new. */
uint32_t sim_channel_read(struct sim_channel *c, struct sim_endpoint *e, struct sim_pair *p, enum sim_told_word word);
/* The peer's word is to be stored. */
void sim_channel_tell(struct sim_channel *c, struct sim_endpoint *e, const struct sim_pair *p, enum sim_told_word word,
                      uint32_t value);

/* sim_channel_carry.c: a packet goes by a carrier, its payload from the message's buffer. 1, or 0 if there is no room. */
int sim_channel_put(struct sim_channel *c, struct sim_endpoint *e, struct sim_pair *p, enum sim_carrier carrier,
                    struct sim_packet packet, const struct sim_message *payload_of);
uint32_t sim_channel_payload_most(const struct sim_channel *c, enum sim_carrier carrier);
enum sim_carrier sim_channel_carrier(const struct channel_kind *kind);
int sim_channel_has_credit(struct sim_channel *c, struct sim_endpoint *e, struct sim_pair *p);
int sim_channel_give(struct sim_channel *c, struct sim_endpoint *e, struct sim_pair *p);
void sim_channel_slot_release(struct sim_channel *c, struct sim_endpoint *e, struct sim_pair *p, const struct sim_packet *packet);

/* sim_channel_out.c: posts a message; goes on with one thing for one peer (1, or 0 if nothing can go). */
void sim_channel_send(struct sim_channel *c, struct sim_endpoint *e, struct sim_message *m);
int sim_channel_push(struct sim_channel *c, struct sim_endpoint *e);
int sim_channel_eager(struct sim_channel *c, struct sim_endpoint *e, struct sim_pair *p, uint64_t bytes);

/* sim_channel_in.c: takes in one packet (1), or there is none (0). */
void sim_channel_receive(struct sim_channel *c, struct sim_endpoint *e, struct sim_message *m);
int sim_channel_poll(struct sim_channel *c, struct sim_endpoint *e);
void sim_channel_poll_begin(struct sim_endpoint *e);
void sim_channel_ready(struct sim_endpoint *e, struct sim_pair *p);

/* sim_channel_rings.c: combined. */
enum { SIM_RINGS_ASK = 8 }; /* messages after which a sender asks for a ring */
void sim_rings_ask(struct sim_channel *c, struct sim_endpoint *e, struct sim_pair *p);
void sim_rings_arrive(struct sim_channel *c, struct sim_endpoint *e, struct sim_pair *p, const struct sim_packet *packet);
int sim_rings_push(struct sim_channel *c, struct sim_endpoint *e, struct sim_pair *p);
void sim_rings_closed(struct sim_channel *c, struct sim_endpoint *e, struct sim_pair *p);

/* sim_program.c: the next of what the rank has to do. */
enum sim_program_next { SIM_PROGRAM_WENT, SIM_PROGRAM_WAITS, SIM_PROGRAM_OVER };
int sim_program_create(struct sim_channel *c, struct sim_endpoint *e);
void sim_program_start(struct sim_channel *c, struct sim_endpoint *e);
enum sim_program_next sim_program_next(struct sim_channel *c, struct sim_endpoint *e);
/* What the call's time counts as: half a round trip, or a message's part of the stream. */
uint64_t sim_program_time_ps(const struct sim_channel *c, uint64_t call_ps);

#endif
