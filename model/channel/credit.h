/* Dynamic credits of the reliable short packets (S2): many senders, one queue of equal slots a receiver, and never a packet
 * without a slot. Pure arithmetic: no memory but the caller's, no atomics; kernels/ and the explorer of interleavings read it.
 *
 * Every slot of the queue is at any time in one of these: in the receiver's pool, free; or reserved for one sender, be it as a
 * credit in the sender's hand, as a packet on its way or still in the receiver's room, or as a credit owed to the sender and
 * not yet told. A sender has `initial` slots reserved for ever and an extension from the pool.
 *
 *   sender    may send while limit - spent > 0; a packet spends one. REQUEST is set when more packets wait than credits are left.
 *   receiver  reads a packet: see. Its room is free again (slot read, payload taken): release. A request is granted out of the
 *             pool: as much again as the sender has. While another's request is unmet, what is released by those who have more
 *             than their part of the pool goes back to the pool. A sender that is idle over two rounds of the pool's hand loses
 *             what it is owed beyond the initial credits, and is asked (RECALL) to give the rest back (GIVE).
 *   return    the receiver tells a running total, `limit`: how many credits the sender has ever had. It rides on every packet to
 *             that peer; when none goes there and the sender may be running out (due), it is stored into a word of the sender's.
 *             Totals only grow, so it does no harm that one is told twice, or an older one heard after a newer.
 *
 * Invariants:
 * I1 pool.free + sum of (initial + extension) = slots. What moves a credit takes it at one place and puts it at another.
 * I2 allowed - released <= initial + extension for every sender: told is told, only what is owed or released is taken back.
 *    So what a receiver tells never falls.
 * I3 spent <= limit at the sender, and its limit <= allowed: it hears nothing but what was told.
 * Packets on their way or in the receiver's room number spent - released <= allowed - released, summed at most `slots` (I1, I2):
 * the queue never overflows, a packet finds its slot free, and nobody asks or tries again.
 *
 * No deadlock, whatever the traffic: a sender without credit and with packets waiting has all its slots, one at least, on their
 * way, in the receiver's room, or owed. A receiver never waits before it reads (what it wants to send itself waits in the
 * transfers of the user), so all packets are seen. A release makes something owed, or lowers what is reserved, which ends at
 * `initial`; then the sender's hand is empty and `due` holds. Telling is a store, which waits for nothing, and the sender looks
 * at its word while it has no credit. So a sender waits for ever only if the receiver keeps all of its packets for ever. A packet
 * of data causes one RECALL at most, and that one GIVE at most, so the packets without data come to an end.
 *
 * Memory: `slots` packets a receiver, whatever the traffic, in queue and room for kept packets each; one account and one word a
 * pair. With p ranks slots >= (p-1) * initial.
 *
 * Use. Outwards: credits > 0, spend, limit from tell, take a slot number, fill the slot. Inwards: hear (with the account's other
 * end), see, release unless the payload is kept, and after either: if due, store tell into the word; then seek, after data.
 *
 * Orderings. R1 the receiver stores the word (or fills the slot of the packet that carries the limit) after it has read the slots
 * that it tells of; pairs with A1, where the sender reads the limit before it fills a slot. A sender's slot may have been read on
 * behalf of a credit that another sender heard of: so who takes the next slot number does it by a read-modify-write that both
 * acquires and releases. Of the first n + 1 numbers all but `slots` were taken for credits told, the last of which was told after
 * slot n - slots had been read. */
#ifndef SHMCOLL_MODEL_CHANNEL_CREDIT_H
#define SHMCOLL_MODEL_CHANNEL_CREDIT_H

#include <stdint.h>

enum { CREDIT_REQUEST = 1, CREDIT_RECALL = 2, CREDIT_GIVE = 4, CREDIT_NOBODY = -1 };

/* What a packet carries beside its payload. */
struct credit_note {
    uint32_t limit;  /* credits that the addressee has ever had from who wrote this */
    uint16_t voided; /* credits given up with this packet, besides the one it spends */
    uint16_t flags;  /* CREDIT_* */
};

/* At a sender, for one receiver. */
struct credit_sender {
    uint32_t limit, spent; /* running totals; they may wrap */
    uint32_t initial;
    uint32_t recalled; /* asked to give back, and not yet answered */
};

/* At a receiver, for one sender. */
struct credit_account {
    uint32_t allowed;        /* the running total told last */
    uint32_t seen, released; /* credits of packets read, and of those whose room is free again; voided ones in both */
    uint32_t extension;      /* slots reserved beyond the initial ones */
    uint32_t wish;           /* its last request is unmet */
    uint32_t busy;           /* a packet came since the hand passed */
};

/* At a receiver, one. */
struct credit_pool {
    uint32_t free, total; /* now, and when nobody has an extension */
    uint32_t initial, senders;
    uint32_t claimants; /* accounts with an extension or a wish */
    uint32_t unmet;     /* accounts with a wish */
    uint32_t hand;      /* the account looked at last */
};

/* The least power of two of slots with `extension` at least in the pool. 0: it does not fit 32 bits. */
uint32_t credit_slots(uint32_t senders, uint32_t initial, uint32_t extension);
/* 0; -EINVAL unless slots >= senders * initial, with one sender and one initial credit at least. */
int credit_pool_start(struct credit_pool *pool, uint32_t senders, uint32_t initial, uint32_t slots);
/* Both ends of a pair begin with the same total, any number. */
void credit_sender_start(struct credit_sender *s, uint32_t initial, uint32_t total);
void credit_account_start(struct credit_account *a, uint32_t initial, uint32_t total);

/* Who is to be asked to give back what he does not use: to be called once after each packet of data is seen. `accounts` are
 * pool->senders. Returns whom to send a packet with RECALL, or CREDIT_NOBODY; without a credit for that one it may be left
 * undone, and the hand comes round again. O(1). */
int64_t credit_pool_seek(struct credit_pool *pool, struct credit_account *accounts);
/* Whether I1 and I2 hold and the counts are right. O(senders). */
int credit_pool_sound(const struct credit_pool *pool, const struct credit_account *accounts, uint32_t slots);

/* ---- at the sender ---- */

static inline uint32_t credit_sender_credits(const struct credit_sender *s)
{
    return s->limit - s->spent;
}

/* A limit was read, from a packet or from the word; `flags` of the packet, 0 from the word. */
static inline void credit_sender_hear(struct credit_sender *s, uint32_t limit, uint32_t flags)
{
    if ((int32_t)(limit - s->limit) > 0)
        s->limit = limit;
    if (flags & CREDIT_RECALL)
        s->recalled = credit_sender_credits(s) > s->initial;
}

/* A packet goes out; credits > 0. `waiting`: packets for this receiver that are left. Sets voided, and adds to flags. */
static inline void credit_sender_spend(struct credit_sender *s, uint32_t waiting, struct credit_note *note)
{
    s->spent++;
    s->recalled = 0; /* not idle */
    note->voided = 0;
    if (waiting > credit_sender_credits(s))
        note->flags |= CREDIT_REQUEST;
}

/* Whether it ought to send a packet just to give credits back. */
static inline int credit_sender_gives(const struct credit_sender *s, uint32_t waiting)
{
    return s->recalled && !waiting && credit_sender_credits(s) > s->initial;
}

/* That packet goes out: its own credit, and all others beyond the initial ones. Sets voided, and adds to flags. */
static inline void credit_sender_give(struct credit_sender *s, struct credit_note *note)
{
    uint32_t others = credit_sender_credits(s) - s->initial - 1;
    note->voided = others < UINT16_MAX ? (uint16_t)others : UINT16_MAX;
    note->flags |= CREDIT_GIVE;
    s->spent += 1u + note->voided;
    s->recalled = 0;
}

/* ---- at the receiver ---- */

/* Credits that are the sender's and not yet told. */
static inline uint32_t credit_account_owed(const struct credit_pool *pool, const struct credit_account *a)
{
    return pool->initial + a->extension - (a->allowed - a->released);
}

/* Whether the word is to be stored: at most half of its slots can be left in the sender's hand, and something is to be told. */
static inline int credit_account_due(const struct credit_pool *pool, const struct credit_account *a)
{
    uint32_t hand = a->allowed - a->seen;
    return hand <= (pool->initial + a->extension) / 2 && credit_account_owed(pool, a) > 0;
}

/* The limit, for a packet to that peer or for its word: all that is owed is told. */
static inline uint32_t credit_account_tell(const struct credit_pool *pool, struct credit_account *a)
{
    a->allowed = a->released + pool->initial + a->extension;
    return a->allowed;
}

static inline void credit_account_set(struct credit_pool *pool, struct credit_account *a, uint32_t extension, uint32_t wish)
{
    pool->claimants += (extension || wish) - (a->extension || a->wish);
    pool->unmet += wish - a->wish;
    pool->free += a->extension - extension;
    a->extension = extension;
    a->wish = wish;
}

static inline uint32_t credit_least(uint32_t a, uint32_t b)
{
    return a < b ? a : b;
}

/* One request: as much again as it has; no more than its part of the pool while others go without. */
static inline void credit_account_grant(struct credit_pool *pool, struct credit_account *a)
{
    uint32_t room = pool->free, grant;
    if (pool->unmet > a->wish) {
        uint32_t part = pool->total / (pool->claimants + !(a->extension || a->wish));
        room = credit_least(room, part > a->extension ? part - a->extension : 0);
    }
    grant = credit_least(room, pool->initial + a->extension);
    credit_account_set(pool, a, a->extension + grant, grant == 0);
}

/* A packet was read. */
static inline void credit_account_see(struct credit_pool *pool, struct credit_account *a, const struct credit_note *note)
{
    a->busy = 1;
    a->seen += 1u + note->voided;
    if (note->voided) {
        a->released += note->voided;
        credit_account_set(pool, a, a->extension - note->voided, a->wish);
    }
    if (note->flags & CREDIT_REQUEST)
        credit_account_grant(pool, a);
    else if (a->wish)
        credit_account_set(pool, a, a->extension, 0);
}

/* The room of a packet seen is free again: at once, or when a payload that was kept has been taken. `flags` of its note. */
static inline void credit_account_release(struct credit_pool *pool, struct credit_account *a, uint32_t flags)
{
    int others_wait = pool->unmet > a->wish;
    a->released++;
    if ((flags & CREDIT_GIVE) || (others_wait && a->extension > pool->total / pool->claimants))
        credit_account_set(pool, a, a->extension - 1, a->wish);
}

#endif
