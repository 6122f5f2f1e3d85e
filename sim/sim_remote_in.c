/* What comes in: packets of the queue, of rings, and the interface's events. */
#include "sim/sim_remote.h"

#include <errno.h>
#include <stddef.h>

static struct sim_remote_message *posted_find(const struct sim_remote_pair *p, uint32_t number)
{
    struct sim_remote_message *m = p->posted.head;
    while (m && m->number != number)
        m = m->next;
    return m;
}

static void posted_remove(struct sim_remote_pair *p, const struct sim_remote_message *m)
{
    struct sim_remote_message *before = NULL, *at = p->posted.head;
    for (; at != m; at = at->next)
        before = at;
    if (before)
        before->next = m->next;
    else
        p->posted.head = m->next;
    if (p->posted.last == m)
        p->posted.last = before;
}

static void came(struct sim_remote *s, struct sim_remote_endpoint *e, struct sim_remote_pair *p, struct sim_remote_message *m,
                 uint64_t bytes)
{
    m->moved_bytes += bytes;
    s->delivered_bytes += bytes;
    if (m->moved_bytes < m->bytes)
        return;
    posted_remove(p, m);
    s->messages++;
    if (s->program.received)
        s->program.received(s->program.context, e->rank, m->act);
    sim_remote_done(e, m);
}

/* ---- what belongs to a message that is waited for ---- */

static void get(struct sim_remote *s, struct sim_remote_endpoint *e, struct sim_remote_packet *packet, uint64_t bytes)
{
    packet->come = 0;
    sim_remote_post(s, e, SIM_NIC_GET, packet->from, bytes, packet);
}

static void unit_told(struct sim_remote *s, struct sim_remote_endpoint *e, struct sim_remote_packet *packet)
{
    struct sim_remote_packet *own = sim_remote_packet_make(s, *packet);
    if (!own)
        return;
    own->next = NULL;
    if (e->idle_in == 0) {
        sim_remote_packet_push(&e->fetches, own);
        return;
    }
    e->idle_in--;
    get(s, e, own, own->units);
}

static void offered(struct sim_remote *s, struct sim_remote_endpoint *e, struct sim_remote_packet *packet)
{
    struct sim_remote_packet *own = sim_remote_packet_make(s, *packet);
    sim_remote_register(s, e, packet->taker);
    if (own)
        get(s, e, own, own->bytes);
}

static void deliver(struct sim_remote *s, struct sim_remote_endpoint *e, struct sim_remote_pair *p,
                    struct sim_remote_packet *packet)
{
    packet->taker = posted_find(p, packet->number);
    if (packet->bytes != packet->taker->bytes) {
        s->unlike = packet;
        s->error = -EBADMSG;
        return;
    }
    switch (packet->kind) {
    case SIM_REMOTE_ASK:
        sim_remote_control(
            s, e, p,
            (struct sim_remote_packet){.kind = SIM_REMOTE_ANSWER, .from = e->rank, .to = p->rank, .sender = packet->sender});
        return;
    case SIM_REMOTE_UNIT:
        unit_told(s, e, packet);
        return;
    case SIM_REMOTE_OFFER:
        offered(s, e, packet);
        return;
    case SIM_REMOTE_INSIDE:
        sim_remote_inside_receive(s, e, packet);
        came(s, e, p, packet->taker, packet->bytes);
        return;
    default:
        sim_remote_copy(s, e, packet->payload_bytes, packet->taker->cold);
        came(s, e, p, packet->taker, packet->payload_bytes);
    }
}

/* Before its receive: what lies in a ring or a queue is copied aside, so that both go on. */
static void keep(struct sim_remote *s, struct sim_remote_endpoint *e, struct sim_remote_pair *p,
                 const struct sim_remote_packet *packet)
{
    struct sim_remote_packet *own = sim_remote_packet_make(s, *packet);
    if (!own)
        return;
    own->kept = 1;
    sim_remote_copy(s, e, own->payload_bytes, s->question.cold);
    sim_remote_packet_push(&p->early, own);
}

void sim_remote_receive(struct sim_remote *s, struct sim_remote_endpoint *e, struct sim_remote_message *m)
{
    struct sim_remote_pair *p = sim_remote_pair_of(s, e, m->peer);
    if (!p)
        return;
    struct sim_remote_packets early = p->early;
    struct sim_remote_packet *packet;
    m->number = p->posted_count++;
    sim_remote_message_push(&p->posted, m);
    p->early = (struct sim_remote_packets){NULL, NULL};
    while ((packet = sim_remote_packet_pop(&early))) {
        if (packet->number != m->number) {
            sim_remote_packet_push(&p->early, packet);
            continue;
        }
        deliver(s, e, p, packet);
        sim_remote_packet_free(s, packet);
    }
}

/* ---- rings for some, to whom asks first ---- */

static void ring_wanted(struct sim_remote *s, struct sim_remote_endpoint *e, struct sim_remote_pair *p)
{
    int grants = e->rings_in < s->shape.rings_most;
    struct sim_remote_endpoint *other = &s->endpoint[p->rank];
    e->rings_in += (uint32_t)grants;
    if (grants)
        sim_remote_ring_made(s, other, sim_remote_pair_of(s, other, e->rank), e, p);
    sim_remote_control(
        s, e, p,
        (struct sim_remote_packet){.kind = grants ? SIM_REMOTE_GRANT : SIM_REMOTE_REFUSE, .from = e->rank, .to = p->rank});
}

static void dispatch(struct sim_remote *s, struct sim_remote_endpoint *e, struct sim_remote_pair *p,
                     struct sim_remote_packet *packet)
{
    switch (packet->kind) {
    case SIM_REMOTE_ANSWER:
        sim_remote_message_push(&p->streams, packet->sender);
        return;
    case SIM_REMOTE_WANT:
        ring_wanted(s, e, p);
        return;
    case SIM_REMOTE_GRANT:
        p->granted = 1;
        return;
    case SIM_REMOTE_REFUSE:
        e->rings_out--;
        return;
    case SIM_REMOTE_RETURN:
    case SIM_REMOTE_NOTE:
        return;
    default:
        if (packet->first)
            sim_remote_spend(s, e, s->costs.receive_ps, "receive", packet->bytes);
        if (posted_find(p, packet->number))
            deliver(s, e, p, packet);
        else
            keep(s, e, p, packet);
    }
}

/* ---- the places where things come ---- */

static void limit_tell(struct sim_remote *s, struct sim_remote_endpoint *e, struct sim_remote_pair *p)
{
    struct sim_remote_packet packet = {.kind = SIM_REMOTE_LIMIT, .from = e->rank, .to = p->rank};
    packet.note.limit = credit_account_tell(&e->pool, &e->account[p->rank]);
    sim_remote_post(s, e, SIM_NIC_IMMEDIATE, p->rank, sizeof packet.note.limit, sim_remote_packet_make(s, packet));
}

static void slot_release(struct sim_remote *s, struct sim_remote_endpoint *e, struct sim_remote_pair *p,
                         const struct sim_remote_packet *packet)
{
    struct credit_account *a = &e->account[p->rank];
    e->in_queue--;
    credit_account_see(&e->pool, a, &packet->note);
    credit_account_release(&e->pool, a, packet->note.flags);
    if (credit_account_due(&e->pool, a))
        limit_tell(s, e, p);
    int64_t idle = packet->kind != SIM_REMOTE_NOTE ? credit_pool_seek(&e->pool, e->account) : CREDIT_NOBODY;
    if (idle != CREDIT_NOBODY)
        sim_remote_recall(s, e, (uint32_t)idle);
}

static void take_packet(struct sim_remote *s, struct sim_remote_endpoint *e, struct sim_remote_packet *packet)
{
    struct sim_remote_pair *p = sim_remote_pair_of(s, e, packet->from);
    if (!p)
        return;
    credit_sender_hear(&p->credit, packet->note.limit, packet->note.flags);
    er_hear(&p->out, packet->ring_told);
    dispatch(s, e, p, packet);
    slot_release(s, e, p, packet);
    sim_remote_pending(e, p);
    sim_remote_packet_free(s, packet);
}

static void take_ring(struct sim_remote *s, struct sim_remote_endpoint *e, struct sim_remote_pair *p)
{
    struct sim_remote_packet *packet = sim_remote_packet_pop(&p->ring);
    er_hear(&p->out, packet->ring_told);
    dispatch(s, e, p, packet);
    er_consume(&p->in, packet->units);
    p->owes_units |= er_due(&p->in);
    sim_remote_pending(e, p);
    sim_remote_packet_free(s, packet);
    if (p->ring.head && p->ring.head->come)
        sim_remote_item(s, e, SIM_REMOTE_ITEM_RING, p);
}

static void get_over(struct sim_remote *s, struct sim_remote_packet *packet)
{
    if (++packet->come == 2)
        sim_remote_packet_free(s, packet);
}

/* A get of the own interface is over. */
static void take_got(struct sim_remote *s, struct sim_remote_endpoint *e, struct sim_remote_packet *packet)
{
    struct sim_remote_pair *p = sim_remote_pair_of(s, e, packet->from);
    if (packet->kind == SIM_REMOTE_UNIT) {
        sim_remote_copy(s, e, packet->units, packet->taker->cold);
        e->idle_in++;
    }
    came(s, e, p, packet->taker, packet->kind == SIM_REMOTE_UNIT ? packet->units : packet->bytes);
    get_over(s, packet);
}

/* The other has fetched what was told or offered. Who had no unit may have waited for this one. */
static void take_taken(struct sim_remote *s, struct sim_remote_endpoint *e, struct sim_remote_packet *packet)
{
    if (packet->kind == SIM_REMOTE_OFFER)
        sim_remote_done(e, packet->sender);
    else if (e->idle_out++ == 0)
        for (uint32_t r = 0; r < s->procs; r++)
            if (e->pair[r] && (e->pair[r]->queue.head || e->pair[r]->streams.head))
                sim_remote_pending(e, e->pair[r]);
    get_over(s, packet);
}

/* What has no receive yet stays where it is. */
static void take_inside(struct sim_remote *s, struct sim_remote_endpoint *e, struct sim_remote_packet *packet)
{
    struct sim_remote_pair *p = sim_remote_pair_of(s, e, packet->from);
    if (!posted_find(p, packet->number)) {
        sim_remote_packet_push(&p->early, packet);
        return;
    }
    deliver(s, e, p, packet);
    sim_remote_packet_free(s, packet);
}

static void take_limit(struct sim_remote_endpoint *e, struct sim_remote_pair *p)
{
    p->fresh = 0;
    credit_sender_hear(&p->credit, p->limit, 0);
    sim_remote_pending(e, p);
}

void sim_remote_take(struct sim_remote *s, struct sim_remote_endpoint *e)
{
    struct sim_remote_item item = e->inbox[e->inbox_at++ & (e->inbox_most - 1)];
    if (item.kind != SIM_REMOTE_ITEM_INSIDE) /* whose receiver's work has it */
        sim_remote_spend(s, e, s->costs.poll_ps, "poll", 0);
    switch (item.kind) {
    case SIM_REMOTE_ITEM_PACKET:
        take_packet(s, e, item.what);
        return;
    case SIM_REMOTE_ITEM_RING:
        take_ring(s, e, item.what);
        return;
    case SIM_REMOTE_ITEM_GOT:
        take_got(s, e, item.what);
        return;
    case SIM_REMOTE_ITEM_TAKEN:
        take_taken(s, e, item.what);
        return;
    case SIM_REMOTE_ITEM_INSIDE:
        take_inside(s, e, item.what);
        return;
    default:
        take_limit(e, item.what);
    }
}

int sim_remote_fetch(struct sim_remote *s, struct sim_remote_endpoint *e)
{
    if (!e->fetches.head || e->idle_in == 0)
        return 0;
    struct sim_remote_packet *packet = sim_remote_packet_pop(&e->fetches);
    e->idle_in--;
    get(s, e, packet, packet->units);
    return 1;
}
