/* Rings for some, as kernels/channels/combined.c has them: who sends much asks for one, and gets it, or that of one who sends
 * less. */
#include "sim/sim_channel.h"

#include <errno.h>

enum { BUSIER_MESSAGES = 8 };

static int put(struct sim_channel *c, struct sim_endpoint *e, struct sim_pair *p, enum sim_packet_kind kind, uint32_t number)
{
    struct sim_packet packet = {.kind = kind, .number = number};
    enum sim_carrier carrier = kind == SIM_PACKET_CLOSED ? SIM_CARRIER_RING : SIM_CARRIER_QUEUE;
    return sim_channel_put(c, e, p, carrier, packet, NULL);
}

/* ---- at the sender ---- */

void sim_rings_ask(struct sim_channel *c, struct sim_endpoint *e, struct sim_pair *p)
{
    if (!p->ask_at)
        p->ask_at = SIM_RINGS_ASK;
    if (p->sends >= p->ask_at && e->ring_most > 0 && put(c, e, p, SIM_PACKET_WANT, p->sends))
        p->ask_at = p->sends < UINT32_MAX / 2 ? 2 * p->sends : UINT32_MAX;
}

/* The ring is given back once nothing of a message is left to follow in it. */
static int close_ring(struct sim_channel *c, struct sim_endpoint *e, struct sim_pair *p)
{
    if ((p->open && p->open->channel == &channel_kind_er) || !put(c, e, p, SIM_PACKET_CLOSED, 0))
        return 0;
    p->out_ring = p->closing = 0;
    p->sends = 0;
    p->ask_at = SIM_RINGS_ASK;
    return 1;
}

/* ---- at the receiver ---- */

static void tell(struct sim_channel *c, struct sim_endpoint *e, struct sim_pair *p, enum sim_packet_kind kind)
{
    p->says |= 1u << kind;
    sim_channel_pending(c, e, p);
}

static void grant(struct sim_channel *c, struct sim_endpoint *e, struct sim_pair *p)
{
    p->waits = 0;
    p->in_ring = 1;
    p->in.told = p->in.at;
    e->ring_from[e->ring_count++] = p->rank;
    tell(c, e, p, SIM_PACKET_GRANT);
}

/* The sender that was least busy of late among those that have a ring and are not asked to give it back. */
static struct sim_pair *least_busy(struct sim_channel *c, struct sim_endpoint *e)
{
    struct sim_pair *least = NULL;
    for (uint32_t i = 0; i < e->ring_count; i++) {
        struct sim_pair *p = sim_channel_pair(c, e->rank, e->ring_from[i]);
        if (p->waits == 0 && (!least || p->arrivals < least->arrivals))
            least = p;
    }
    return least;
}

static void wanted(struct sim_channel *c, struct sim_endpoint *e, struct sim_pair *p, uint32_t sends)
{
    if (p->in_ring || p->waits)
        return;
    p->arrivals = p->arrivals < sends ? sends : p->arrivals;
    if (e->ring_count < e->ring_most) {
        grant(c, e, p);
        return;
    }
    struct sim_pair *least = least_busy(c, e);
    if (least && p->arrivals / 2 > least->arrivals + BUSIER_MESSAGES) {
        p->waits = least->waits = 1; /* until it has closed */
        tell(c, e, least, SIM_PACKET_REVOKE);
    }
    for (uint32_t i = 0; i < e->slots; i++)
        if (e->slot[i])
            e->slot[i]->arrivals /= 2;
}

/* The busiest of those that wait; of equal ones the lowest rank. */
static struct sim_pair *busiest_waiting(const struct sim_endpoint *e)
{
    struct sim_pair *busiest = NULL;
    for (uint32_t i = 0; i < e->slots; i++) {
        struct sim_pair *p = e->slot[i];
        if (!p || !p->waits || p->in_ring)
            continue;
        if (!busiest || p->arrivals > busiest->arrivals || (p->arrivals == busiest->arrivals && p->rank < busiest->rank))
            busiest = p;
    }
    return busiest;
}

void sim_rings_closed(struct sim_channel *c, struct sim_endpoint *e, struct sim_pair *p)
{
    uint32_t i = 0;
    while (e->ring_from[i] != p->rank)
        i++;
    e->ring_from[i] = e->ring_from[--e->ring_count];
    p->in_ring = p->closed = p->waits = 0;
    struct sim_pair *busiest = busiest_waiting(e);
    if (busiest)
        grant(c, e, busiest);
}

/* ---- both ---- */

void sim_rings_arrive(struct sim_channel *c, struct sim_endpoint *e, struct sim_pair *p, const struct sim_packet *packet)
{
    switch (packet->kind) {
    case SIM_PACKET_WANT:
        wanted(c, e, p, packet->number);
        return;
    case SIM_PACKET_GRANT:
        p->out_ring = 1;
        p->out.consumed = p->out.at; /* it is empty */
        return;
    case SIM_PACKET_REVOKE:
        p->closing = 1;
        sim_channel_pending(c, e, p);
        return;
    default:
        p->closed = 1;
    }
}

int sim_rings_push(struct sim_channel *c, struct sim_endpoint *e, struct sim_pair *p)
{
    static const enum sim_packet_kind order[] = {SIM_PACKET_GRANT, SIM_PACKET_REVOKE};
    int sum = 0;
    for (int i = 0; i < 2 && p->says; i++) {
        if (!(p->says & 1u << order[i]))
            continue;
        if (!put(c, e, p, order[i], 0))
            break;
        p->says &= ~(1u << order[i]);
        sum++;
    }
    return p->closing ? sum + close_ring(c, e, p) : sum;
}
