/* What the files behind endpoint.h share.
 *
 * Layers, from below: carriers move packets (er.c: an exclusive ring; mp.c: one queue a receiver); endpoint_out.c decides which packets go
 * out and endpoint_in.c what becomes of those that come; channels say which carrier a message takes and how its bytes follow.
 *
 *   EAGER  begins a message, with its first bytes; MORE follow on the same carrier, before any other message of the pair begins
 *   RTS    announces a message without its bytes; CTS answers when it is matched; DATA follow
 *   FIN    tells the sender that the receiver has fetched the bytes itself
 *
 * EAGER and RTS are numbered by pair, and taken in that order whatever carriers bring them. Whoever gets a packet can always take it:
 * messages not matched yet have a budget that the sender keeps (kept_units; a quarter of it for RTS only, so that long
 * messages still can be announced), and the others have a buffer to go to. So nothing ever blocks a carrier. */
#ifndef SHMCOLL_KERNELS_CHANNELS_ENDPOINT_INTERNAL_H
#define SHMCOLL_KERNELS_CHANNELS_ENDPOINT_INTERNAL_H

#include "kernels/channels/endpoint.h"
#include "kernels/comm_internal.h"
#include "model/channel/er_ring.h"

enum { PAIR_BYTES = 128, BELL_BYTES = 128 };

enum carrier { CARRIER_RING, CARRIER_COUNT };

enum packet_kind { PACKET_EAGER = 1, PACKET_MORE, PACKET_RTS, PACKET_CTS, PACKET_DATA, PACKET_FIN };

/* Begins every packet. In shared memory: all before the stamp is stored. */
struct packet_head {
    atomic_word stamp;
    uint8_t kind, channel; /* enum packet_kind; RTS: which of channel_table */
    uint16_t from;         /* the sender's rank */
    uint32_t bytes;        /* EAGER: of the message; MORE and DATA: that follow; CTS: 0 if none shall follow */
    uint32_t tag;          /* CTS, FIN: the sender's own_id; DATA: the receiver's */
    uint32_t number;       /* EAGER, RTS: the message's among the pair's; CTS: the receiver's own_id */
    uint32_t credit;       /* the carrier's, for the other direction */
};
_Static_assert(sizeof(struct packet_head) == 24, "a line holds a head and 40 bytes");

/* The payload of RTS. */
struct packet_rts {
    uint64_t bytes;
    uint32_t id, zero;
};

/* A packet as it lies there: its payload may begin at a ring's end and go on at its begin. */
struct packet {
    const struct packet_head *head;
    const char *part[2];
    uint32_t part_bytes[2];
};

/* This rank's words about one peer, on 128 bytes of their own: written by this rank, read by that peer. */
struct pair_words {
    atomic_word told;  /* units of the peer's ring here that are free again */
    atomic_word freed; /* of the peer's budget for messages not matched yet */
    char pad[PAIR_BYTES - 2 * sizeof(atomic_word)];
};
_Static_assert(sizeof(struct pair_words) == PAIR_BYTES, "pairs do not share lines");

/* Where things are in each rank's area. */
struct endpoint_layout {
    uint64_t pairs_offset, rings_offset, bytes; /* the bell is at 0 */
};

struct transfer_queue {
    struct transfer *head, **tail;
};

/* A message that came before its receive. */
struct kept {
    struct kept *next;
    struct transfer *taker; /* its receive was posted while the rest was still coming */
    uint32_t tag, channel;
    int is_rts;
    struct packet_rts rts;
    uint64_t bytes, come_bytes;
    char payload[];
};

struct peer {
    uint32_t rank;
    /* To it. */
    const struct channel *channel;
    struct er_sender out;
    char *out_ring; /* NULL: none */
    const atomic_word *out_told, *out_freed;
    atomic_word *bell;
    uint32_t number_out, spent_units, freed_units; /* the budget there: spent, and freed as far as heard */
    struct transfer *open;         /* an eager message of which more has to follow */
    struct transfer_queue queue;   /* sends not yet begun */
    struct transfer_queue streams; /* sends whose receiver waits for the bytes */
    struct transfer_queue control; /* receives to be answered */
    int pending;                   /* is in the endpoint's list */
    /* From it. */
    struct er_receiver in;
    char *in_ring;
    struct pair_words *words;
    uint32_t number_in, free_units, free_told_units;
    struct transfer *open_in;      /* where the rest of an eager message goes; else open_kept */
    struct kept *open_kept;
    struct transfer_queue posted;
    struct kept *kept, **kept_tail;
};

/* Transfers that packets name. */
struct transfer_table {
    struct transfer **slot;
    uint32_t *free;
    uint32_t slots, free_count;
};

struct endpoint {
    struct endpoint_config config;
    struct comm *comm;
    struct endpoint_layout layout;
    struct peer *peer; /* [procs] */
    uint32_t procs, rank;
    uint32_t carriers; /* bit c: enum carrier c is there */
    uint32_t payload_most[CARRIER_COUNT]; /* bytes a packet */
    uint32_t kept_units, eager_units;
    uint32_t *pending, pending_count; /* peers to which something waits to go */
    struct transfer_table table;
    struct endpoint_memory memory;
    struct waiter waiter;
    atomic_word *bell;
    struct transfer *awaited;
    uint32_t spins, polls;
    uint64_t alive_ns;
    int error;
};

/* Announces a message: 1 once its first packet is out, 0 if there is no room, -errno. */
typedef int channel_announce(struct endpoint *e, struct peer *p, struct transfer *t);
/* Goes on with a message that its receiver waits for: 1 if something went, with t->moved_bytes; 0; -errno. */
typedef int channel_move(struct endpoint *e, struct peer *p, struct transfer *t);

struct channel {
    const char *name, *summary;
    uint32_t carriers; /* bits: those it needs */
    enum carrier carrier;
    channel_announce *announce;
    channel_move *move;
};

extern const struct channel channel_er;

/* ---- carriers ---- */

/* Sends a packet: kind, bytes, tag and number of the head are the caller's. 1, or 0 if there is no room. */
int er_put(struct endpoint *e, struct peer *p, const struct packet_head *head, const void *payload, uint32_t n);
/* Takes what has come. How many packets, or -errno. */
int er_poll(struct endpoint *e, struct peer *p);
/* Before first use: blanks this rank's ring from that peer. */
void er_ring_init(struct endpoint *e, struct peer *p);

static inline int carrier_put(struct endpoint *e, struct peer *p, enum carrier carrier, const struct packet_head *head, const void *payload,
                              uint32_t n)
{
    (void)carrier;
    return er_put(e, p, head, payload, n);
}

/* Puts the endpoint into error. Returns the error. */
int endpoint_fail(struct endpoint *e, int error);

void endpoint_bell_ring(struct peer *p);
/* After a store that the peer may be asleep for. */
static inline void endpoint_bell(const struct endpoint *e, struct peer *p)
{
    if (__builtin_expect(word_load_relaxed(e->waiter.sleepers) != 0, 0))
        endpoint_bell_ring(p);
}

/* ---- endpoint.c: what the waiter calls ---- */

void endpoint_rest_progress(void *context);
int endpoint_rest_alive(void *context);

/* ---- endpoint_out.c ---- */

channel_announce packets_announce;
channel_move packets_move;
/* Sends what waits for one peer, as far as there is room. How much went, or -errno. */
int endpoint_push(struct endpoint *e, struct peer *p);
void endpoint_pending_add(struct endpoint *e, struct peer *p);

/* ---- endpoint_in.c ---- */

/* What becomes of a packet. 1; 0 if an earlier message has to come first; -errno. */
int packet_arrive(struct endpoint *e, struct peer *p, enum carrier carrier, const struct packet *packet);
/* Finds the message for a receive, or keeps the receive until it comes. 0 or -errno. */
int receive_post(struct endpoint *e, struct peer *p, struct transfer *t);
void kept_destroy_all(struct endpoint *e, struct peer *p);

/* ---- transfers ---- */

void transfer_queue_start(struct transfer_queue *q);
void transfer_queue_push(struct transfer_queue *q, struct transfer *t);
struct transfer *transfer_queue_pop(struct transfer_queue *q);
/* A name for a transfer: 0 or -ENOMEM. */
int transfer_id_take(struct transfer_table *table, struct transfer *t);
void transfer_id_give(struct transfer_table *table, struct transfer *t);
/* NULL if there is none of that name with that peer. */
struct transfer *transfer_of_id(const struct transfer_table *table, uint32_t id, uint32_t peer);

static inline void transfer_finish(struct transfer *t, int error)
{
    t->error = error;
    t->done = 1;
}

/* What a message of so many bytes costs of the budget for messages not matched yet. */
static inline uint32_t kept_units(uint64_t bytes)
{
    return 1 + (uint32_t)((bytes + 63) / 64);
}

#endif
