/* Arithmetic of an exclusive ring (S2's ER): one sender, one receiver, `units` cache lines used in turn, consecutive ones a
 * message. Pure: no memory but the caller's, no atomics.
 *
 * Positions count units and run freely, so they wrap; `units` is a power of two. A message begins with a header whose first word
 * is a stamp that says the position; the sender writes it last. The receiver knows where the next message begins, and looks there
 * only.
 *
 * What lies in a unit from an earlier lap is payload as often as header, and payload may be anything: a stamp too. So before
 * the sender writes a stamp it looks at the first word of the unit behind the message, where the next one will begin, and where
 * this happens to be that one's stamp (er_false_stamp) it writes another value. That unit has to be free: one is always left so.
 * The receiver never writes to the ring.
 *
 * Static credits: the sender may have at most `units` - 1 units out. The receiver returns them as a running total, on each
 * packet the other way, or in a word past a threshold.
 *
 * Invariants, at any time: consumed as the sender knows it <= told <= the receiver's at <= the sender's at < consumed + units;
 * the first word of the unit at the sender's at is not the stamp of that position, until the sender writes just that. */
#ifndef SHMCOLL_MODEL_CHANNEL_ER_RING_H
#define SHMCOLL_MODEL_CHANNEL_ER_RING_H

#include <stdint.h>

struct er_sender {
    uint32_t units, at, consumed;
};

struct er_receiver {
    uint32_t units, at, told;
};

static inline struct er_sender er_sender_start(uint32_t units, uint32_t position)
{
    return (struct er_sender){.units = units, .at = position, .consumed = position};
}

static inline struct er_receiver er_receiver_start(uint32_t units, uint32_t position)
{
    return (struct er_receiver){.units = units, .at = position, .told = position};
}

/* Which unit a position is. */
static inline uint32_t er_unit(uint32_t units, uint32_t position)
{
    return position & (units - 1);
}

static inline uint32_t er_stamp(uint32_t position)
{
    return position + 1;
}

/* Units that may be written. */
static inline uint32_t er_room(const struct er_sender *s)
{
    return s->units - 1 - (s->at - s->consumed);
}

/* A total was read. Older ones than are known, and such as cannot be, change nothing. */
static inline void er_hear(struct er_sender *s, uint32_t consumed)
{
    if (consumed - s->consumed <= s->at - s->consumed)
        s->consumed = consumed;
}

/* A message of so many units is about to be sent, and the unit behind it has this first word: whether that would be taken for the
 * next. */
static inline int er_false_stamp(const struct er_sender *s, uint32_t units, uint32_t word)
{
    return word == er_stamp(s->at + units);
}

/* A value for the first word of a unit whose next use is at `position`, that is not its stamp. */
static inline uint32_t er_blank(uint32_t position)
{
    return ~er_stamp(position);
}

/* A message of so many units was read. */
static inline void er_consume(struct er_receiver *r, uint32_t units)
{
    r->at += units;
}

/* Whether the word is to be stored: a quarter of the ring is owed. */
static inline int er_due(const struct er_receiver *r)
{
    return r->at - r->told >= (r->units + 3) / 4;
}

/* The total, for the word or a packet. */
static inline uint32_t er_tell(struct er_receiver *r)
{
    r->told = r->at;
    return r->at;
}

#endif
