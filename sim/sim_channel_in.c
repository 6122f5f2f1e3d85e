/* What comes in: packets find the receives they match, or are kept until those are posted. */
#include "sim/sim_channel.h"

#include <errno.h>
#include <stdlib.h>

enum { RING_PACKETS = 16, QUEUE_PACKETS = 32, LINE_PAYLOAD_BYTES = CHANNEL_UNIT_BYTES - CHANNEL_HEAD_BYTES };

/* The sender's budget is free again by so much; told an eighth at a time. */
static void budget_free(struct sim_channel *c, struct sim_endpoint *e, struct sim_pair *p, uint64_t bytes)
{
    p->free_units += 1 + (uint32_t)((bytes + 63) / 64);
    if (p->free_units - p->free_told_units < c->kept_units / 8)
        return;
    p->free_told_units = p->free_units;
    sim_channel_tell(c, e, p, SIM_TOLD_BUDGET, p->free_units);
}

static struct sim_message *posted_take(struct sim_pair *p, uint32_t tag)
{
    struct sim_message *before = NULL;
    for (struct sim_message *m = p->posted.head; m; before = m, m = m->next) {
        if (m->tag != tag)
            continue;
        *(before ? &before->next : &p->posted.head) = m->next;
        if (!m->next)
            p->posted.last = before;
        return m;
    }
    return NULL;
}

static struct sim_kept *kept_take(struct sim_pair *p, uint32_t tag)
{
    for (struct sim_kept **at = &p->kept; *at; at = &(*at)->next) {
        struct sim_kept *k = *at;
        if (k->tag != tag)
            continue;
        *at = k->next;
        if (!k->next)
            p->kept_tail = at;
        return k;
    }
    return NULL;
}

static struct sim_kept *kept_create(struct sim_channel *c, struct sim_pair *p, const struct sim_packet *packet)
{
    struct sim_kept *k = calloc(1, sizeof *k);
    if (!k) {
        c->error = -ENOMEM;
        return NULL;
    }
    *k = (struct sim_kept){.tag = packet->tag, .bytes = packet->bytes, .sender = packet->partner, .offered = packet->offered};
    *p->kept_tail = k;
    p->kept_tail = &k->next;
    return k;
}

/* A packet's payload, to the user's memory or, as warm, to what is kept. */
static void copy_out(struct sim_channel *c, struct sim_endpoint *e, const struct sim_packet *packet, uint64_t message_bytes,
                     int cold)
{
    int pooled = packet->unit >= 0;
    uint32_t span = pooled ? c->shape.pool_units * c->shape.unit_bytes : c->shape.ring_bytes, n = packet->payload_bytes;
    uint64_t whole_bytes = c->row_bytes ? c->row_bytes : message_bytes;
    struct sim_channel_copy copy = {SIM_CHANNEL_OUT, pooled ? packet->from : e->rank, n, whole_bytes, span, 0, cold};
    if (n == 0)
        return;
    if (n <= LINE_PAYLOAD_BYTES && !c->costs.contention_free)
        sim_channel_time(c, e, sim_channel_copies_line_ps(&c->copies, &copy));
    else
        sim_channel_work(c, e, (struct sim_work){.kind = SIM_WORK_COPY, .copy = copy});
}

/* The message is complete and has its receive. */
static void kept_deliver(struct sim_channel *c, struct sim_endpoint *e, struct sim_pair *p, struct sim_kept *k,
                         struct sim_message *m)
{
    struct sim_channel_copy copy = {SIM_CHANNEL_MOVE, e->rank, k->bytes, k->bytes, 0, 0, m->cold};
    if (k->bytes > 0)
        sim_channel_work(c, e, (struct sim_work){.kind = SIM_WORK_COPY, .copy = copy});
    budget_free(c, e, p, k->bytes);
    m->done = 1;
    free(k);
}

static void rts_accept(struct sim_channel *c, struct sim_endpoint *e, struct sim_pair *p, struct sim_message *m,
                       struct sim_message *sender, int offered)
{
    budget_free(c, e, p, 0);
    m->partner = sender;
    m->answer = SIM_PACKET_CTS;
    sim_message_push(offered ? &p->fetches : &p->control, m);
    sim_channel_pending(c, e, p);
}

static void arrive_rts(struct sim_channel *c, struct sim_endpoint *e, struct sim_pair *p, const struct sim_packet *packet)
{
    struct sim_message *m = posted_take(p, packet->tag);
    if (m)
        rts_accept(c, e, p, m, packet->partner, packet->offered);
    else
        kept_create(c, p, packet);
}

static void arrive_eager(struct sim_channel *c, struct sim_endpoint *e, struct sim_pair *p, const struct sim_packet *packet)
{
    struct sim_message *m = posted_take(p, packet->tag);
    struct sim_kept *k = m ? NULL : kept_create(c, p, packet);
    int whole = packet->payload_bytes == packet->bytes;
    copy_out(c, e, packet, packet->bytes, m && m->cold);
    if (m) {
        m->moved_bytes = packet->payload_bytes;
        p->open_in = whole ? NULL : m;
        m->done = whole;
        if (whole)
            budget_free(c, e, p, packet->bytes);
    } else if (k) {
        k->come_bytes = packet->payload_bytes;
        p->open_kept = whole ? NULL : k;
    }
}

static void more_kept(struct sim_channel *c, struct sim_endpoint *e, struct sim_pair *p, const struct sim_packet *packet)
{
    struct sim_kept *k = p->open_kept;
    copy_out(c, e, packet, k->bytes, 0);
    k->come_bytes += packet->payload_bytes;
    if (k->come_bytes < k->bytes)
        return;
    p->open_kept = NULL;
    if (k->taker)
        kept_deliver(c, e, p, k, k->taker);
}

/* Of an eager message, or of one that was asked for. */
static void arrive_bytes(struct sim_channel *c, struct sim_endpoint *e, struct sim_pair *p, struct sim_message *m,
                         const struct sim_packet *packet)
{
    copy_out(c, e, packet, m->bytes, m->cold);
    m->moved_bytes += packet->payload_bytes;
    if (m->moved_bytes < m->bytes)
        return;
    m->done = 1;
    if (m == p->open_in) {
        p->open_in = NULL;
        budget_free(c, e, p, m->bytes);
    }
}

static void arrive_cts(struct sim_channel *c, struct sim_endpoint *e, struct sim_pair *p, const struct sim_packet *packet)
{
    struct sim_message *m = packet->message;
    m->partner = packet->partner;
    m->moved_bytes = 0;
    sim_message_push(&p->streams, m);
    sim_channel_pending(c, e, p);
}

/* Whether it is the pair's next message, or goes on with what has begun. */
static int is_next(const struct sim_pair *p, const struct sim_packet *packet)
{
    int begins = packet->kind == SIM_PACKET_EAGER || packet->kind == SIM_PACKET_RTS;
    return !begins || (packet->number == p->number_in && !p->open_in && !p->open_kept);
}

static void arrive(struct sim_channel *c, struct sim_endpoint *e, struct sim_pair *p, const struct sim_packet *packet)
{
    switch (packet->kind) {
    case SIM_PACKET_EAGER:
    case SIM_PACKET_RTS:
        p->number_in++;
        p->arrivals++;
        packet->kind == SIM_PACKET_EAGER ? arrive_eager(c, e, p, packet) : arrive_rts(c, e, p, packet);
        return;
    case SIM_PACKET_MORE:
        p->open_kept ? more_kept(c, e, p, packet) : arrive_bytes(c, e, p, p->open_in, packet);
        return;
    case SIM_PACKET_CTS:
        arrive_cts(c, e, p, packet);
        return;
    case SIM_PACKET_DATA:
        arrive_bytes(c, e, p, packet->message, packet);
        return;
    case SIM_PACKET_FIN:
        packet->message->done = 1;
        return;
    case SIM_PACKET_NOTE:
        return;
    default:
        sim_rings_arrive(c, e, p, packet);
    }
}

void sim_channel_receive(struct sim_channel *c, struct sim_endpoint *e, struct sim_message *m)
{
    struct sim_pair *p = sim_channel_pair(c, e->rank, m->peer);
    struct sim_kept *k = p && p->kept ? kept_take(p, m->tag) : NULL;
    m->done = 0;
    m->moved_bytes = 0;
    m->partner = NULL;
    if (!p)
        return;
    if (!k) {
        sim_message_push(&p->posted, m);
    } else if (k->sender) {
        rts_accept(c, e, p, m, k->sender, k->offered);
        free(k);
    } else if (k->come_bytes < k->bytes) {
        k->taker = m; /* no longer in the list, but p->open_kept */
    } else {
        kept_deliver(c, e, p, k, m);
    }
}

/* ---- carriers ---- */

static struct sim_packet *pop(struct sim_packet_queue *q)
{
    struct sim_packet *packet = q->head;
    q->head = packet->next;
    if (!q->head)
        q->last = NULL;
    return packet;
}

/* The head's line comes; who has many rings looks at half of them before it is found. */
static void find(struct sim_channel *c, struct sim_endpoint *e, const struct sim_packet *packet)
{
    uint64_t rings = e->ring_count > 1 ? e->ring_count - 1 : 0;
    sim_channel_fetch(c, e, packet->from, packet->spun, packet->stored_ps);
    sim_channel_time(c, e, c->costs.packet_ps / 2 + rings * c->costs.step_ps / 2);
}

static int take_ring(struct sim_channel *c, struct sim_endpoint *e, struct sim_pair *p)
{
    struct sim_packet *packet = p->come.head;
    if (!packet || !is_next(p, packet))
        return 0;
    pop(&p->come);
    find(c, e, packet);
    er_hear(&p->out, packet->credit);
    arrive(c, e, p, packet);
    er_consume(&p->in, packet->units);
    if (er_due(&p->in))
        sim_channel_tell(c, e, p, SIM_TOLD_RING, er_tell(&p->in));
    sim_channel_packet_free(c, packet);
    if (p->closed)
        sim_rings_closed(c, e, p);
    return 1;
}

/* An earlier message of the pair may still be in the ring. */
static int take_queue(struct sim_channel *c, struct sim_endpoint *e)
{
    struct sim_packet *packet = e->come.head;
    if (!packet || !packet->stored)
        return 0;
    struct sim_pair *p = sim_channel_pair(c, e->rank, packet->from);
    if (!p)
        return 0;
    if (!is_next(p, packet))
        return take_ring(c, e, p);
    pop(&e->come);
    find(c, e, packet);
    credit_sender_hear(&p->credit, packet->credit, packet->note.flags);
    arrive(c, e, p, packet);
    if (packet->unit >= 0)
        sim_channel_work(c, e, (struct sim_work){.kind = SIM_WORK_UNIT, .peer = p->rank, .value = (uint32_t)packet->unit});
    sim_channel_slot_release(c, e, p, packet);
    sim_channel_packet_free(c, packet);
    return 1;
}

void sim_channel_ready(struct sim_endpoint *e, struct sim_pair *p)
{
    if (p->ready)
        return;
    p->ready = 1;
    p->ready_next = NULL;
    *(e->ready ? &e->ready_last->ready_next : &e->ready) = p;
    e->ready_last = p;
}

static struct sim_pair *ready_pop(struct sim_endpoint *e)
{
    struct sim_pair *p = e->ready;
    e->ready = p->ready_next;
    p->ready = 0;
    return p;
}

void sim_channel_poll_begin(struct sim_endpoint *e)
{
    e->queue_left = QUEUE_PACKETS;
    e->ring_left = 0;
    for (struct sim_pair *p = e->ready; p; p = p->ready_next)
        e->ring_left += RING_PACKETS;
}

int sim_channel_poll(struct sim_channel *c, struct sim_endpoint *e)
{
    if (e->queue_left > 0 && take_queue(c, e)) {
        e->queue_left--;
        return 1;
    }
    for (uint32_t looked = 0; e->ready && e->ring_left > 0 && looked <= c->procs; looked++, e->ring_left--) {
        struct sim_pair *p = ready_pop(e);
        int taken = take_ring(c, e, p);
        if (p->come.head)
            sim_channel_ready(e, p);
        if (taken)
            return 1;
    }
    return 0;
}
