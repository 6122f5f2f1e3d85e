/* What the files behind endpoint.h share.
 *
 * Layers, from below: carriers move packets (er.c: an exclusive ring; mp.c: one queue a receiver; sr.c: the same with payloads in
 * a pool); endpoint_out.c decides which packets go out and endpoint_in.c what becomes of those that come; channels say which
 * carrier a message takes and how its bytes follow.
 *
 *   EAGER  begins a message, with its first bytes; MORE follow on the same carrier, before any other message of the pair begins
 *   RTS    announces a message without its bytes; CTS answers when it is matched; DATA follow
 *   FIN    tells the sender that the receiver has fetched the bytes itself (zc.c)
 *   NOTE   brings nothing but the credits on it
 *   WANT, GRANT, REVOKE, CLOSED  move a receiver's rings among its senders (combined.c)
 *
 * EAGER and RTS are numbered by pair, and taken in that order whatever carriers bring them. Whoever gets a packet can always take
 * it: messages not matched yet have a budget that the sender keeps (kept_units; a quarter of it for RTS only, so that long
 * messages still can be announced), and the others have a buffer to go to. So nothing ever blocks a carrier. */
#ifndef SHMCOLL_KERNELS_CHANNELS_ENDPOINT_INTERNAL_H
#define SHMCOLL_KERNELS_CHANNELS_ENDPOINT_INTERNAL_H

#include "kernels/channels/endpoint.h"
#include "kernels/comm_internal.h"
#include "model/channel.h"
#include "model/channel/credit.h"
#include "model/channel/er_ring.h"

enum { PAIR_BYTES = 128, BELL_BYTES = 128, TAIL_BYTES = 128 };

enum carrier { CARRIER_RING, CARRIER_QUEUE, CARRIER_POOL, CARRIER_COUNT };

/* What a channel needs: bits of carriers, a ring for each pair; or rings for some. */
enum { NEEDS_SOME_RINGS = 1u << CARRIER_COUNT };

enum packet_kind { PACKET_EAGER = 1, PACKET_MORE, PACKET_RTS, PACKET_CTS, PACKET_DATA, PACKET_FIN, PACKET_NOTE,
                   PACKET_WANT, PACKET_GRANT, PACKET_REVOKE, PACKET_CLOSED };

/* Begins every packet. In shared memory: all before the stamp is stored. */
struct packet_head {
    atomic_word stamp;
    uint8_t kind;    /* enum packet_kind */
    uint8_t pooled;  /* the payload is a struct pool_place and tells where the real one is */
    uint16_t from;   /* the sender's rank */
    uint32_t bytes;  /* EAGER: of the message; MORE and DATA: that follow; CTS: 0 if none shall follow; FIN: errno */
    uint32_t tag;    /* CTS, FIN: the sender's own_id; DATA: the receiver's */
    uint32_t number; /* EAGER, RTS: the message's among the pair's; CTS: the receiver's own_id; GRANT: which ring */
    uint32_t credit; /* the carrier's, for the other direction */
};
_Static_assert(sizeof(struct packet_head) == 24, "a line holds a head and 40 bytes");

/* The payload of RTS. */
struct packet_rts {
    uint64_t bytes;
    uint32_t id, where; /* a peer card (peer.h) without its bytes; where 0: none */
    uint64_t address, check;
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
    atomic_word limit; /* credits for this rank's queue that the peer has ever had */
    char pad[PAIR_BYTES - 3 * sizeof(atomic_word)];
};
_Static_assert(sizeof(struct pair_words) == PAIR_BYTES, "pairs do not share lines");

/* Where things are in each rank's area. */
struct endpoint_layout {
    uint64_t pairs_offset, rings_offset, bytes; /* the bell is at 0 */
    uint64_t tail_offset, queue_offset, uses_offset, pool_offset;
};

struct queue_packet; /* mp.c */

/* This rank's queue of packets from everyone. */
struct queue {
    struct queue_packet *slot;
    uint32_t slots, at; /* a power of two; the packet to be read next */
    struct credit_pool pool;
    struct credit_account *account; /* [procs] */
};

/* This rank's pool of payloads on their way to anyone. */
struct pool {
    char *unit;
    struct pool_use *done; /* [units] */
    uint32_t *use, *idle, idle_count, units; /* how often each has been used; those that are free */
};

/* Written by the receiver of a unit's payload when it has read it: the use that is over. */
struct pool_use {
    atomic_word over;
    char pad[64 - sizeof(atomic_word)];
};

struct pool_place {
    uint32_t unit, use, bytes, zero;
};

struct transfer_queue {
    struct transfer *head, **tail;
};

/* A message that came before its receive. */
struct kept {
    struct kept *next;
    struct transfer *taker; /* its receive was posted while the rest was still coming */
    uint32_t tag;
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
    const atomic_word *out_told, *out_freed, *out_limit;
    struct credit_sender credit; /* for its queue */
    struct queue_packet *queue_slot;
    atomic_word *queue_tail;
    atomic_word *bell;
    uint32_t number_out, spent_units, freed_units; /* the budget there: spent, and freed as far as heard */
    struct transfer *open;         /* an eager message of which more has to follow */
    struct transfer_queue queue;   /* sends not yet begun */
    struct transfer_queue streams; /* sends whose receiver waits for the bytes */
    struct transfer_queue control; /* receives to be answered */
    struct transfer_queue fetches; /* receives whose bytes this rank gets by itself */
    int pending;                   /* is in the endpoint's list */
    uint32_t sends, ask_at;        /* messages of late; when to ask for a ring */
    int closing;                   /* its ring is asked back */
    uint32_t says;                 /* bits 1 << GRANT, 1 << REVOKE: to be told to it */
    /* From it. */
    struct er_receiver in;
    char *in_ring;             /* NULL: none */
    uint32_t in_slot, arrivals; /* which of the rings; messages of late */
    int closed, waits;          /* it has given its ring back; it wants one */
    const char *pool_unit;     /* its pool */
    struct pool_use *pool_done;
    int forbidden;             /* its memory cannot be read */
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

/* This rank's rings. */
struct rings {
    char *memory;
    uint32_t slots, count;
    uint32_t *from; /* [count] ranks that have one */
    uint32_t *idle; /* [slots - count] */
    unsigned char *there; /* [slots] it has memory */
};

/* Buffers of late whose pages were found to be there. */
enum { CHECKED_RANGES = 16 };
struct checked {
    struct checked_range {
        uintptr_t begin, end;
    } range[CHECKED_RANGES];
    uint32_t next;
};

struct endpoint {
    struct endpoint_config config;
    struct comm *comm;
    struct endpoint_layout layout;
    struct peer *peer; /* [procs] */
    uint32_t procs, rank;
    uint32_t needs; /* what all its channels need together */
    uint32_t payload_most[CARRIER_COUNT]; /* bytes a packet */
    uint32_t kept_units, eager_units;
    uint32_t *pending, pending_count; /* peers to which something waits to go */
    struct transfer_table table;
    struct queue queue;
    struct pool pool;
    struct rings rings;
    struct checked checked;
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
    const struct channel_kind *kind;
    uint32_t needs; /* bits of carriers, NEEDS_SOME_RINGS */
    enum carrier carrier;
    channel_announce *announce;
    channel_move *move;
};

extern const struct channel channel_mp, channel_er, channel_sr, channel_zc, channel_combined;

/* ---- carriers ---- */

/* Sends a packet: kind, bytes, tag and number of the head are the caller's. 1, or 0 if there is no room. */
int er_put(struct endpoint *e, struct peer *p, const struct packet_head *head, const void *payload, uint32_t n);
/* Takes what has come. How many packets, or -errno. */
int er_poll(struct endpoint *e, struct peer *p);
/* Makes that slot of this rank's rings the one from that peer, which goes on at the positions where an earlier one ended. */
void er_ring_open(struct endpoint *e, struct peer *p, uint32_t slot);
/* At the sender: the ring in that slot of the peer's is its own from now on. */
void er_ring_use(struct peer *p, char *ring);

enum { QUEUE_PAYLOAD_BYTES = 224, QUEUE_PACKET_BYTES = 256 };
int mp_put(struct endpoint *e, struct peer *p, const struct packet_head *head, const void *payload, uint32_t n);
/* Whether a packet could be put. */
int mp_has_credit(struct peer *p);
int mp_poll(struct endpoint *e);
/* Credits asked back are given, if nothing else goes there. 1 if so. */
int mp_give(struct endpoint *e, struct peer *p);
/* This rank's queue; then what is known of each peer's, p->queue_tail and _slot being set. 0 or -ENOMEM. */
int mp_queue_init(struct endpoint *e, char *slots);
void mp_peer_init(struct endpoint *e, struct peer *p);

int sr_put(struct endpoint *e, struct peer *p, const struct packet_head *head, const void *payload, uint32_t n);
/* Finds the payload of a packet in its sender's pool. 0 or -EPROTO. */
int sr_find(const struct endpoint *e, const struct peer *p, const struct pool_place *place, struct packet *packet);
/* That payload has been read. */
void sr_done(struct endpoint *e, struct peer *p, const struct pool_place *place);
int sr_pool_init(struct endpoint *e);
void sr_pool_destroy(struct endpoint *e);

static inline int carrier_put(struct endpoint *e, struct peer *p, enum carrier carrier, const struct packet_head *head,
                              const void *payload, uint32_t n)
{
    if (__builtin_expect(e->config.delay_max_ns != 0, 0))
        execute_delay(e->comm);
    return carrier == CARRIER_RING ? er_put(e, p, head, payload, n)
           : carrier == CARRIER_QUEUE ? mp_put(e, p, head, payload, n) : sr_put(e, p, head, payload, n);
}

/* The payload's length, as the head tells it; `most` is what the carrier takes. */
static inline uint32_t packet_payload_bytes(const struct packet_head *head, uint32_t most)
{
    switch (head->kind) {
    case PACKET_EAGER:
        return head->bytes < most ? head->bytes : most;
    case PACKET_MORE:
    case PACKET_DATA:
        return head->bytes;
    case PACKET_RTS:
        return sizeof(struct packet_rts);
    default:
        return 0;
    }
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
void endpoint_rest_stalled(void *context, atomic_word *word, uint32_t seen, uint64_t waited_ns);

/* ---- endpoint_out.c ---- */

channel_announce packets_announce;
/* Whether a message goes now without asking, as far as size and budget go. */
int packets_eager(const struct endpoint *e, struct peer *p, uint64_t bytes);
/* The same for a message whose buffer the receiver may reach by itself. */
int packets_offer(struct endpoint *e, struct peer *p, struct transfer *t, const struct peer_card *card);
channel_move packets_move;
/* Sends what waits for one peer, as far as there is room. How much went, or -errno. */
int endpoint_push(struct endpoint *e, struct peer *p);
void endpoint_pending_add(struct endpoint *e, struct peer *p);

/* ---- endpoint_in.c ---- */

/* What becomes of a packet. 1; 0 if an earlier message has to come first; -errno. */
int packet_arrive(struct endpoint *e, struct peer *p, const struct packet *packet);
/* Finds the message for a receive, or keeps the receive until it comes. 0 or -errno. */
int receive_post(struct endpoint *e, struct peer *p, struct transfer *t);
void kept_destroy_all(struct endpoint *e, struct peer *p);

/* ---- zc.c ---- */

/* Goes on with the first of p->fetches. 1 or -errno. */
int zc_fetch(struct endpoint *e, struct peer *p);

/* ---- combined.c: rings for some ---- */

/* A packet about rings. 1 or -EPROTO. */
int rings_arrive(struct endpoint *e, struct peer *p, const struct packet_head *head);
/* Tells that peer what there is to tell, and gives back its ring if that is asked for. How much went. */
int rings_push(struct endpoint *e, struct peer *p);
/* The peer has given back its ring, and all in it has been read. */
void rings_closed(struct endpoint *e, struct peer *p);
int rings_init(struct endpoint *e, char *memory);
/* Gives their memory back until a ring is used for the first time. Once every rank has mapped it. */
void rings_release(struct endpoint *e);
void rings_destroy(struct endpoint *e);
char *rings_slot_of(const struct endpoint *e, uint32_t owner, uint32_t slot); /* endpoint_create.c */

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
