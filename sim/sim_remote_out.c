/* What goes out: packets by credits, by rings and through the pool. */
#include "sim/sim_remote.h"

#include <errno.h>

enum { WAITING_MOST = 1 << 20 };

/* ---- a packet into the other's queue ---- */

static int by_ring(const struct sim_remote *s, const struct sim_remote_pair *p)
{
    return s->kind == &channel_kind_er || (s->kind == &channel_kind_combined && p->granted);
}

static int by_pool(const struct sim_remote *s, const struct sim_remote_pair *p, const struct sim_remote_message *m)
{
    return !by_ring(s, p) && s->kind != &channel_kind_mp && m->bytes > CHANNEL_QUEUE_PAYLOAD_BYTES;
}

static uint64_t packets_of(const struct sim_remote *s, const struct sim_remote_pair *p, const struct sim_remote_message *m)
{
    if (!m || by_ring(s, p))
        return 0;
    return (m->bytes - m->moved_bytes) / (by_pool(s, p, m) ? s->shape.unit_bytes : CHANNEL_QUEUE_PAYLOAD_BYTES) + 1;
}

/* About how many packets for that peer are left besides the one that goes: of what goes now and what goes next. */
static uint32_t packets_waiting(const struct sim_remote *s, const struct sim_remote_pair *p)
{
    const struct sim_remote_message *next = p->queue.head ? p->queue.head->next : NULL;
    uint64_t n = packets_of(s, p, p->streams.head) + packets_of(s, p, p->queue.head) + packets_of(s, p, next);
    n += p->control.head != NULL;
    n = n > 0 ? n - 1 : 0;
    return n < WAITING_MOST ? (uint32_t)n : WAITING_MOST;
}

/* The credit has been spent. */
static void queue_post(struct sim_remote *s, struct sim_remote_endpoint *e, struct sim_remote_pair *p,
                       struct sim_remote_packet packet)
{
    uint32_t head_bytes = packet.first ? s->costs.layer_bytes : 0;
    packet.note.limit = credit_account_tell(&e->pool, &e->account[p->rank]);
    packet.ring_told = er_tell(&p->in);
    p->owes_units = 0;
    sim_remote_post(s, e, SIM_NIC_PACKET, p->rank, packet.payload_bytes + head_bytes, sim_remote_packet_make(s, packet));
}

static int queue_put(struct sim_remote *s, struct sim_remote_endpoint *e, struct sim_remote_pair *p,
                     struct sim_remote_packet packet)
{
    if (credit_sender_credits(&p->credit) == 0)
        return 0;
    credit_sender_spend(&p->credit, packets_waiting(s, p), &packet.note);
    queue_post(s, e, p, packet);
    return 1;
}

static int give(struct sim_remote *s, struct sim_remote_endpoint *e, struct sim_remote_pair *p)
{
    struct sim_remote_packet packet = {.kind = SIM_REMOTE_NOTE, .from = e->rank, .to = p->rank};
    int gives = credit_sender_gives(&p->credit, packets_waiting(s, p));
    if (gives) {
        credit_sender_give(&p->credit, &packet.note);
        queue_post(s, e, p, packet);
    }
    p->credit.recalled = 0;
    return gives;
}

void sim_remote_recall(struct sim_remote *s, struct sim_remote_endpoint *e, uint32_t rank)
{
    struct sim_remote_pair *p = sim_remote_pair_of(s, e, rank);
    struct sim_remote_packet packet = {.kind = SIM_REMOTE_NOTE, .from = e->rank, .to = rank, .note.flags = CREDIT_RECALL};
    if (p)
        queue_put(s, e, p, packet);
}

/* ---- a packet by the ring ---- */

/* What fits in so many units. */
static uint32_t units_payload(uint32_t units)
{
    uint32_t brief = units * CHANNEL_UNIT_BYTES - CHANNEL_HEAD_BYTES;
    return brief <= CHANNEL_ALIGNED_BYTES || units == 0 ? brief : (units - 1) * CHANNEL_UNIT_BYTES;
}

static void ring_post(struct sim_remote *s, struct sim_remote_endpoint *e, struct sim_remote_pair *p,
                      struct sim_remote_packet packet, uint32_t wire_bytes, uint32_t units, uint32_t skipped)
{
    p->out.at += skipped + units;
    packet.units = skipped + units;
    packet.ring_told = er_tell(&p->in);
    p->owes_units = 0;
    struct sim_remote_packet *own = sim_remote_packet_make(s, packet);
    struct sim_remote_endpoint *other = &s->endpoint[p->rank];
    struct sim_remote_pair *there = sim_remote_pair_of(s, other, e->rank);
    if (!own || !there)
        return;
    sim_remote_ring_made(s, e, p, other, there);
    if (p->out.at - there->in.at >= p->out.units)
        s->error = -EPROTO; /* static credits are to prevent that */
    sim_remote_packet_push(&there->ring, own);
    if (wire_bytes > s->costs.immediate_bytes)
        sim_remote_copy(s, e, wire_bytes, packet.sender->cold);
    sim_remote_post(s, e, wire_bytes > s->costs.immediate_bytes ? SIM_NIC_PUT : SIM_NIC_IMMEDIATE, p->rank, wire_bytes, own);
}

/* Who packs by a callback claims room for the most that there can be, in one piece, before it knows how much there will be; units
 * to the ring's end that are too few are skipped. Who knows uses them for the message's first part. *payload_bytes falls to what
 * goes. 1, or 0 without room. */
static int ring_put(struct sim_remote *s, struct sim_remote_endpoint *e, struct sim_remote_pair *p,
                    struct sim_remote_packet packet, uint32_t *payload_bytes)
{
    uint32_t head_bytes = packet.first ? s->costs.layer_bytes : 0, wire_bytes = *payload_bytes + head_bytes;
    uint32_t units = channel_ring_units(wire_bytes), to_end = p->out.units - er_unit(p->out.units, p->out.at);
    uint32_t claim = units, skipped = 0;
    if (wire_bytes > s->costs.immediate_bytes && s->costs.packs)
        claim = channel_ring_units(s->shape.fragment_bytes + s->costs.layer_bytes);
    if (claim > to_end && (s->costs.packs || units_payload(to_end) <= head_bytes))
        skipped = to_end;
    else if (claim > to_end) {
        wire_bytes = units_payload(to_end) < wire_bytes ? units_payload(to_end) : wire_bytes;
        claim = units = to_end;
    }
    if (er_room(&p->out) < skipped + claim)
        return 0;
    *payload_bytes = packet.payload_bytes = wire_bytes - head_bytes;
    ring_post(s, e, p, packet, wire_bytes, units, skipped);
    return 1;
}

/* ---- parts of messages ---- */

static int fetched(const struct sim_remote *s, const struct sim_remote_message *m)
{
    return (s->kind == &channel_kind_zc || s->kind == &channel_kind_combined) && m->bytes > s->shape.offer_bytes;
}

static struct sim_remote_packet packet_of(const struct sim_remote_endpoint *e, const struct sim_remote_pair *p,
                                          struct sim_remote_message *m, enum sim_remote_kind kind)
{
    return (struct sim_remote_packet){
        .kind = kind, .from = e->rank, .to = p->rank, .number = m->number, .bytes = m->bytes, .sender = m, .first = !m->begun};
}

/* A packet without payload that belongs to a message. */
static int put_word(struct sim_remote *s, struct sim_remote_endpoint *e, struct sim_remote_pair *p,
                    struct sim_remote_packet packet)
{
    uint32_t none = 0;
    return by_ring(s, p) ? ring_put(s, e, p, packet, &none) : queue_put(s, e, p, packet);
}

/* The next part through a unit of the pool, of which a packet tells. */
static int pool_put(struct sim_remote *s, struct sim_remote_endpoint *e, struct sim_remote_pair *p, struct sim_remote_message *m,
                    uint32_t payload_bytes)
{
    struct sim_remote_packet packet = packet_of(e, p, m, SIM_REMOTE_UNIT);
    if (e->idle_out == 0 || credit_sender_credits(&p->credit) == 0)
        return 0;
    e->idle_out--;
    sim_remote_copy(s, e, payload_bytes, m->cold);
    packet.units = payload_bytes;
    return queue_put(s, e, p, packet);
}

static void part_gone(struct sim_remote_endpoint *e, struct sim_remote_message *m, uint32_t payload_bytes)
{
    m->begun = 1;
    m->moved_bytes += payload_bytes;
    if (m->moved_bytes == m->bytes)
        sim_remote_done(e, m);
}

static int put_part(struct sim_remote *s, struct sim_remote_endpoint *e, struct sim_remote_pair *p, struct sim_remote_message *m,
                    enum sim_remote_kind kind)
{
    uint64_t left_bytes = m->bytes - m->moved_bytes;
    int ring = by_ring(s, p), pool = by_pool(s, p, m);
    uint32_t most = ring ? s->shape.fragment_bytes : pool ? s->shape.unit_bytes : CHANNEL_QUEUE_PAYLOAD_BYTES;
    uint32_t payload_bytes = left_bytes < most ? (uint32_t)left_bytes : most;
    struct sim_remote_packet packet = packet_of(e, p, m, kind);
    packet.payload_bytes = payload_bytes;
    int went = ring   ? ring_put(s, e, p, packet, &payload_bytes)
               : pool ? pool_put(s, e, p, m, payload_bytes)
                      : queue_put(s, e, p, packet);
    if (went)
        part_gone(e, m, payload_bytes);
    return went;
}

/* The software above has a message to send: once. */
static void begin(struct sim_remote *s, struct sim_remote_endpoint *e, struct sim_remote_message *m)
{
    if (m->known)
        return;
    m->known = 1;
    sim_remote_spend(s, e, s->costs.send_ps, "send", m->bytes);
    if (fetched(s, m))
        sim_remote_register(s, e, m);
}

/* The head of the queue: whole, or what asks for it or offers it. */
static int push_head(struct sim_remote *s, struct sim_remote_endpoint *e, struct sim_remote_pair *p)
{
    struct sim_remote_message *m = p->queue.head;
    int asks = fetched(s, m) || m->bytes > s->shape.eager_bytes;
    begin(s, e, m);
    if (!asks) {
        if (!put_part(s, e, p, m, SIM_REMOTE_EAGER))
            return 0;
        if (m->moved_bytes == m->bytes)
            p->queue.head = m->next;
        return 1;
    }
    if (!put_word(s, e, p, packet_of(e, p, m, fetched(s, m) ? SIM_REMOTE_OFFER : SIM_REMOTE_ASK)))
        return 0;
    m->begun = 1;
    p->queue.head = m->next;
    return 1;
}

static int push_stream(struct sim_remote *s, struct sim_remote_endpoint *e, struct sim_remote_pair *p)
{
    struct sim_remote_message *m = p->streams.head;
    if (!put_part(s, e, p, m, SIM_REMOTE_DATA))
        return 0;
    if (m->moved_bytes == m->bytes)
        p->streams.head = m->next;
    return 1;
}

/* Answers go as messages do; what is about rings and credits by the queue. */
static int push_control(struct sim_remote *s, struct sim_remote_endpoint *e, struct sim_remote_pair *p)
{
    struct sim_remote_packet *packet = p->control.head;
    int went = packet->kind == SIM_REMOTE_ANSWER ? put_word(s, e, p, *packet) : queue_put(s, e, p, *packet);
    if (went)
        sim_remote_packet_free(s, sim_remote_packet_pop(&p->control));
    return went;
}

static int push_return(struct sim_remote *s, struct sim_remote_endpoint *e, struct sim_remote_pair *p)
{
    return queue_put(s, e, p, (struct sim_remote_packet){.kind = SIM_REMOTE_RETURN, .from = e->rank, .to = p->rank});
}

static int push_pair(struct sim_remote *s, struct sim_remote_endpoint *e, struct sim_remote_pair *p)
{
    if (p->credit.recalled && give(s, e, p))
        return 1;
    if (p->control.head && push_control(s, e, p))
        return 1;
    if (p->owes_units && push_return(s, e, p))
        return 1;
    if (p->streams.head && push_stream(s, e, p))
        return 1;
    return p->queue.head && push_head(s, e, p);
}

static int has_more(const struct sim_remote_pair *p)
{
    return p->control.head || p->owes_units || p->streams.head || p->queue.head || p->credit.recalled;
}

/* Peers take turns. One for whom nothing can go leaves the list until something changes. */
int sim_remote_push(struct sim_remote *s, struct sim_remote_endpoint *e)
{
    while (e->pending) {
        struct sim_remote_pair *p = e->pending;
        uint64_t before_ps = e->at_ps;
        e->pending = p->next;
        p->next = NULL;
        p->pending = 0;
        int went = push_pair(s, e, p);
        if (went && has_more(p))
            sim_remote_pending(e, p);
        if (went || e->at_ps != before_ps)
            return 1;
    }
    return 0;
}

void sim_remote_pending(struct sim_remote_endpoint *e, struct sim_remote_pair *p)
{
    if (p->pending)
        return;
    p->pending = 1;
    p->next = NULL;
    if (e->pending)
        e->pending_last->next = p;
    else
        e->pending = p;
    e->pending_last = p;
}

void sim_remote_control(struct sim_remote *s, struct sim_remote_endpoint *e, struct sim_remote_pair *p,
                        struct sim_remote_packet packet)
{
    struct sim_remote_packet *own = sim_remote_packet_make(s, packet);
    if (own)
        sim_remote_packet_push(&p->control, own);
    sim_remote_pending(e, p);
}

void sim_remote_send(struct sim_remote *s, struct sim_remote_endpoint *e, struct sim_remote_message *m)
{
    struct sim_remote_pair *p = sim_remote_pair_of(s, e, m->peer);
    if (!p)
        return;
    m->number = p->sent++;
    if (sim_remote_is_inside(s, e->rank, m->peer)) {
        sim_remote_inside_send(s, e, p, m);
        return;
    }
    sim_remote_message_push(&p->queue, m);
    sim_remote_pending(e, p);
    if (s->kind == &channel_kind_combined && !p->asked_ring) {
        p->asked_ring = 1;
        if (e->rings_out < s->shape.rings_most) {
            e->rings_out++; /* given back if the other has none left */
            sim_remote_control(s, e, p, (struct sim_remote_packet){.kind = SIM_REMOTE_WANT, .from = e->rank, .to = p->rank});
        }
    }
}
