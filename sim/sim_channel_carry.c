/* Carriers: a pair's ring, a receiver's queue, and the same with payloads in the sender's pool. */
#include "sim/sim_channel.h"

enum { LINE_PAYLOAD_BYTES = CHANNEL_UNIT_BYTES - CHANNEL_HEAD_BYTES, PLACE_BYTES = 16, WAITING_MOST = 1024 };

enum sim_carrier sim_channel_carrier(const struct channel_kind *kind)
{
    return kind == &channel_kind_er ? SIM_CARRIER_RING : kind == &channel_kind_mp ? SIM_CARRIER_QUEUE : SIM_CARRIER_POOL;
}

uint32_t sim_channel_payload_most(const struct sim_channel *c, enum sim_carrier carrier)
{
    return carrier == SIM_CARRIER_RING    ? c->shape.fragment_bytes
           : carrier == SIM_CARRIER_QUEUE ? CHANNEL_QUEUE_PAYLOAD_BYTES
                                          : c->shape.unit_bytes;
}

static uint32_t queue_bytes(const struct sim_channel *c, enum sim_carrier carrier)
{
    return carrier == SIM_CARRIER_RING ? c->shape.ring_bytes : c->shape.pool_units * c->shape.unit_bytes;
}

/* What fits behind the head crosses with its line. */
static void copy_in(struct sim_channel *c, struct sim_endpoint *e, uint32_t owner, enum sim_carrier carrier, uint32_t bytes,
                    const struct sim_message *m)
{
    uint64_t whole_bytes = !m ? bytes : c->row_bytes ? c->row_bytes : m->bytes;
    struct sim_channel_copy copy = {SIM_CHANNEL_IN, owner, bytes, whole_bytes, queue_bytes(c, carrier), m && m->cold, 0};
    if (bytes == 0)
        return;
    if (bytes <= LINE_PAYLOAD_BYTES && !c->costs.contention_free)
        sim_channel_time(c, e, sim_channel_copies_line_ps(&c->copies, &copy));
    else
        sim_channel_work(c, e, (struct sim_work){.kind = SIM_WORK_COPY, .copy = copy});
}

static void send(struct sim_channel *c, struct sim_endpoint *e, struct sim_pair *p, struct sim_packet *packet)
{
    sim_channel_time(c, e, c->costs.packet_ps / 2);
    sim_channel_work(c, e, (struct sim_work){.kind = SIM_WORK_SEND, .peer = p->rank, .packet = packet});
}

static int ring_put(struct sim_channel *c, struct sim_endpoint *e, struct sim_pair *p, struct sim_packet packet,
                    const struct sim_message *m)
{
    packet.units = channel_ring_units(packet.payload_bytes);
    if (er_room(&p->out) < packet.units)
        er_hear(&p->out, sim_channel_read(c, e, p, SIM_TOLD_RING));
    if (er_room(&p->out) < packet.units)
        return 0;
    p->out.at += packet.units;
    packet.credit = er_tell(&p->in);
    copy_in(c, e, p->rank, SIM_CARRIER_RING, packet.payload_bytes, m);
    send(c, e, p, sim_channel_packet(c, packet));
    return 1;
}

int sim_channel_has_credit(struct sim_channel *c, struct sim_endpoint *e, struct sim_pair *p)
{
    if (credit_sender_credits(&p->credit) == 0)
        credit_sender_hear(&p->credit, sim_channel_read(c, e, p, SIM_TOLD_LIMIT), 0);
    return credit_sender_credits(&p->credit) > 0;
}

static uint64_t packets_of(const struct sim_channel *c, const struct sim_message *m)
{
    return m ? (m->bytes - m->moved_bytes) / sim_channel_payload_most(c, sim_channel_carrier(m->channel)) + 1 : 0;
}

/* About how many packets for that peer are left besides the one that goes. */
static uint32_t packets_waiting(const struct sim_channel *c, const struct sim_pair *p)
{
    uint64_t n = packets_of(c, p->open) + packets_of(c, p->streams.head) + packets_of(c, p->queue.head);
    n += p->control.head != NULL;
    n = n > 0 ? n - 1 : 0;
    return n < WAITING_MOST ? (uint32_t)n : WAITING_MOST;
}

/* The credit has been spent. */
static void queue_write(struct sim_channel *c, struct sim_endpoint *e, struct sim_pair *p, struct sim_packet packet,
                        const struct sim_message *m)
{
    packet.credit = credit_account_tell(&e->pool, &e->account[p->rank]);
    struct sim_packet *own = sim_channel_packet(c, packet);
    sim_channel_work(c, e, (struct sim_work){.kind = SIM_WORK_SLOT, .peer = p->rank, .packet = own});
    copy_in(c, e, p->rank, SIM_CARRIER_QUEUE, packet.unit >= 0 ? PLACE_BYTES : packet.payload_bytes, packet.unit >= 0 ? NULL : m);
    send(c, e, p, own);
}

static int queue_put(struct sim_channel *c, struct sim_endpoint *e, struct sim_pair *p, struct sim_packet packet,
                     const struct sim_message *m)
{
    if (!sim_channel_has_credit(c, e, p))
        return 0;
    credit_sender_spend(&p->credit, packets_waiting(c, p), &packet.note);
    queue_write(c, e, p, packet, m);
    return 1;
}

/* Takes back the units whose payloads have been read: all words are looked at, and the lines that changed come together. */
static void units_reclaim(struct sim_channel *c, struct sim_endpoint *e)
{
    sim_channel_time(c, e, c->shape.pool_units * c->costs.step_ps);
    if (e->back_count > 0)
        sim_channel_fetch(c, e, (e->rank + 1) % c->procs, 0, 0);
    while (e->back_count > 0)
        e->idle[e->idle_count++] = e->back[--e->back_count];
}

static int pool_put(struct sim_channel *c, struct sim_endpoint *e, struct sim_pair *p, struct sim_packet packet,
                    const struct sim_message *m)
{
    if (packet.payload_bytes <= CHANNEL_QUEUE_PAYLOAD_BYTES)
        return queue_put(c, e, p, packet, m);
    if (!sim_channel_has_credit(c, e, p))
        return 0;
    if (e->idle_count == 0 && e->back_count > 0)
        units_reclaim(c, e);
    if (e->idle_count == 0)
        return 0;
    packet.unit = (int32_t)e->idle[--e->idle_count];
    copy_in(c, e, e->rank, SIM_CARRIER_POOL, packet.payload_bytes, m);
    return queue_put(c, e, p, packet, m);
}

int sim_channel_put(struct sim_channel *c, struct sim_endpoint *e, struct sim_pair *p, enum sim_carrier carrier,
                    struct sim_packet packet, const struct sim_message *payload_of)
{
    packet.from = e->rank;
    packet.unit = -1;
    return carrier == SIM_CARRIER_RING    ? ring_put(c, e, p, packet, payload_of)
           : carrier == SIM_CARRIER_QUEUE ? queue_put(c, e, p, packet, payload_of)
                                          : pool_put(c, e, p, packet, payload_of);
}

static struct sim_packet note_of(const struct sim_endpoint *e, struct credit_note note)
{
    return (struct sim_packet){.kind = SIM_PACKET_NOTE, .from = e->rank, .unit = -1, .note = note};
}

int sim_channel_give(struct sim_channel *c, struct sim_endpoint *e, struct sim_pair *p)
{
    struct credit_note note = {0};
    int gives = credit_sender_gives(&p->credit, packets_waiting(c, p));
    if (gives) {
        credit_sender_give(&p->credit, &note);
        queue_write(c, e, p, note_of(e, note), NULL);
    }
    p->credit.recalled = 0;
    return gives;
}

static void recall(struct sim_channel *c, struct sim_endpoint *e, uint32_t rank)
{
    struct sim_pair *p = sim_channel_pair(c, e->rank, rank);
    if (!p || !sim_channel_has_credit(c, e, p))
        return;
    struct sim_packet packet = note_of(e, (struct credit_note){.flags = CREDIT_RECALL});
    credit_sender_spend(&p->credit, packets_waiting(c, p), &packet.note);
    queue_write(c, e, p, packet, NULL);
}

void sim_channel_slot_release(struct sim_channel *c, struct sim_endpoint *e, struct sim_pair *p, const struct sim_packet *packet)
{
    struct credit_account *a = &e->account[p->rank];
    credit_account_see(&e->pool, a, &packet->note);
    credit_account_release(&e->pool, a, packet->note.flags);
    if (p->credit.recalled)
        sim_channel_pending(c, e, p);
    if (credit_account_due(&e->pool, a))
        sim_channel_tell(c, e, p, SIM_TOLD_LIMIT, credit_account_tell(&e->pool, a));
    int64_t idle = packet->kind != SIM_PACKET_NOTE ? credit_pool_seek(&e->pool, e->account) : CREDIT_NOBODY;
    if (idle != CREDIT_NOBODY)
        recall(c, e, (uint32_t)idle);
}
