/* All channels together (S2 5): short messages to the busiest neighbours go by exclusive rings, of which a receiver has but a
 * few; all else goes by the queue and the pool, and long messages without a copy in between. The protocol state of a ring is made
 * at its first use.
 *
 * Who is busy is seen, or told by endpoint_expect. A sender that has sent some messages asks for a ring (WANT), again whenever it
 * has sent twice as many. The receiver gives one that is idle (GRANT); or asks one back (REVOKE) from the sender that was least
 * busy of late, if the other has been more than twice as busy. That one ends what it has begun in its ring and puts CLOSED behind
 * it. */
#include "kernels/channels/endpoint_internal.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#ifndef MADV_POPULATE_WRITE
#define MADV_POPULATE_WRITE 23 /* Linux 5.14; before, rings keep their memory */
#endif

enum { ASK_FIRST = 8, BUSIER_MESSAGES = 8 };

/* ---- at the sender ---- */

static void ask(struct endpoint *e, struct peer *p)
{
    if (p->out_ring || p->sends < p->ask_at || e->rings.slots == 0)
        return;
    if (!mp_put(e, p, &(struct packet_head){.kind = PACKET_WANT, .bytes = p->sends}, NULL, 0))
        return; /* the next message asks */
    p->ask_at = p->sends < UINT32_MAX / 2 ? 2 * p->sends : UINT32_MAX;
}

static int announce(struct endpoint *e, struct peer *p, struct transfer *t)
{
    if (!p->out_ring && !p->ask_at)
        p->ask_at = ASK_FIRST;
    int by_ring = p->out_ring && !p->closing && packets_eager(e, p, t->bytes);
    t->channel = by_ring ? &channel_er : t->bytes > e->config.offer_bytes ? &channel_zc : &channel_sr;
    int begun = t->channel->announce(e, p, t);
    if (begun != 1) {
        t->channel = &channel_combined; /* whatever will be best then */
        return begun;
    }
    p->sends++;
    if (!p->out_ring)
        ask(e, p);
    return 1;
}

int endpoint_expect(struct endpoint *e, uint32_t peer, uint32_t messages)
{
    if (peer >= e->procs)
        return -EINVAL;
    struct peer *p = &e->peer[peer];
    p->sends = p->sends + messages > p->sends ? p->sends + messages : UINT32_MAX;
    return 0;
}

/* The ring is given back once nothing of a message is left to follow in it. */
static int close_ring(struct endpoint *e, struct peer *p)
{
    if (p->open && p->open->channel == &channel_er)
        return 0;
    if (!er_put(e, p, &(struct packet_head){.kind = PACKET_CLOSED}, NULL, 0))
        return 0;
    p->out_ring = NULL;
    p->closing = 0;
    p->sends = 0;
    p->ask_at = ASK_FIRST;
    return 1;
}

/* ---- at the receiver ---- */

static void tell(struct endpoint *e, struct peer *p, enum packet_kind kind)
{
    p->says |= 1u << kind;
    endpoint_pending_add(e, p);
}

/* Has memory for a ring, as an error where a first use without would be a signal. 0 or -errno. */
static int ring_have(struct endpoint *e, uint32_t slot)
{
    if (e->rings.there[slot])
        return 0;
    if (madvise(e->rings.memory + (size_t)slot * e->config.ring_bytes, e->config.ring_bytes, MADV_POPULATE_WRITE))
        return -errno;
    e->rings.there[slot] = 1;
    e->memory.used_bytes += e->config.ring_bytes;
    return 0;
}

static void grant(struct endpoint *e, struct peer *p)
{
    struct rings *r = &e->rings;
    p->waits = 0;
    if (ring_have(e, r->idle[r->slots - r->count - 1]))
        return; /* it goes on without, and asks again */
    er_ring_open(e, p, r->idle[r->slots - r->count - 1]);
    r->from[r->count++] = p->rank;
    tell(e, p, PACKET_GRANT);
}

/* The sender that was least busy of late among those that have a ring and are not asked to give it back. */
static struct peer *least_busy(struct endpoint *e)
{
    struct peer *least = NULL;
    for (uint32_t i = 0; i < e->rings.count; i++) {
        struct peer *p = &e->peer[e->rings.from[i]];
        if (p->waits == 0 && (!least || p->arrivals < least->arrivals))
            least = p;
    }
    return least;
}

static void wanted(struct endpoint *e, struct peer *p, uint32_t sends)
{
    if (p->in_ring || p->waits)
        return;
    p->arrivals = p->arrivals < sends ? sends : p->arrivals; /* what it expects to send counts too */
    if (e->rings.count < e->rings.slots) {
        grant(e, p);
        return;
    }
    struct peer *least = least_busy(e);
    if (least && p->arrivals / 2 > least->arrivals + BUSIER_MESSAGES) {
        p->waits = 1;
        least->waits = 1; /* until it has closed */
        tell(e, least, PACKET_REVOKE);
    }
    for (uint32_t r = 0; r < e->procs; r++)
        e->peer[r].arrivals /= 2;
}

void rings_closed(struct endpoint *e, struct peer *p)
{
    struct rings *r = &e->rings;
    struct peer *busiest = NULL;
    uint32_t i = 0;
    while (r->from[i] != p->rank)
        i++;
    r->from[i] = r->from[--r->count];
    r->idle[r->slots - r->count - 1] = p->in_slot;
    p->in_ring = NULL;
    p->closed = p->waits = 0;
    for (i = 0; i < e->procs; i++) {
        struct peer *other = &e->peer[i];
        if (other->waits && !other->in_ring && (!busiest || other->arrivals > busiest->arrivals))
            busiest = other;
    }
    if (busiest)
        grant(e, busiest);
}

/* ---- both ---- */

int rings_arrive(struct endpoint *e, struct peer *p, const struct packet_head *head)
{
    switch (head->kind) {
    case PACKET_WANT:
        wanted(e, p, head->bytes);
        return 1;
    case PACKET_GRANT:
        if (p->out_ring || head->number >= e->rings.slots)
            return -EPROTO;
        er_ring_use(p, rings_slot_of(e, p->rank, head->number));
        return 1;
    case PACKET_REVOKE:
        if (!p->out_ring)
            return -EPROTO;
        p->closing = 1;
        endpoint_pending_add(e, p);
        return 1;
    case PACKET_CLOSED:
        if (!p->in_ring || !p->waits)
            return -EPROTO;
        p->closed = 1;
        return 1;
    default:
        return -EPROTO;
    }
}

int rings_push(struct endpoint *e, struct peer *p)
{
    static const enum packet_kind order[] = {PACKET_GRANT, PACKET_REVOKE};
    int sum = 0;
    for (int i = 0; i < 2 && p->says; i++) {
        if (!(p->says & 1u << order[i]))
            continue;
        struct packet_head head = {.kind = (uint8_t)order[i], .number = p->in_slot};
        if (!mp_put(e, p, &head, NULL, 0))
            break;
        p->says &= ~(1u << order[i]);
        sum++;
    }
    return p->closing ? sum + close_ring(e, p) : sum;
}

int rings_init(struct endpoint *e, char *memory)
{
    struct rings *r = &e->rings;
    r->memory = memory;
    r->from = calloc(r->slots + 1, sizeof *r->from);
    r->idle = calloc(r->slots + 1, sizeof *r->idle);
    r->there = malloc(r->slots + 1);
    if (!r->from || !r->idle || !r->there)
        return -ENOMEM;
    memset(r->there, 1, r->slots);
    for (uint32_t i = 0; i < r->slots; i++)
        r->idle[i] = r->slots - 1 - i;
    return 0;
}

void rings_release(struct endpoint *e)
{
    struct rings *r = &e->rings;
    size_t page = (size_t)sysconf(_SC_PAGESIZE), bytes = (size_t)r->slots * e->config.ring_bytes;
    /* Only where memory can be had again in this way. */
    if (e->config.ring_bytes % page || (uintptr_t)r->memory % page || madvise(r->memory, page, MADV_POPULATE_WRITE) ||
        madvise(r->memory, bytes, MADV_REMOVE))
        return;
    memset(r->there, 0, r->slots);
    e->memory.used_bytes -= bytes;
}

void rings_destroy(struct endpoint *e)
{
    free(e->rings.from);
    free(e->rings.idle);
    free(e->rings.there);
}

const struct channel channel_combined = {
    .kind = &channel_kind_combined,
    .needs = 1u << CARRIER_QUEUE | 1u << CARRIER_POOL | NEEDS_SOME_RINGS,
    .carrier = CARRIER_POOL,
    .announce = announce,
    .move = packets_move,
};
