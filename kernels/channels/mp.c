/* Short packets into one queue a receiver (S2's MP): whoever sends takes the next slot by an atomic addition, and the credits see
 * to it that the slot is free (model/channel/credit.h). */
#include "kernels/channels/endpoint_internal.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { POLL_PACKETS = 32, WAITING_MOST = 1024 };

struct queue_packet {
    struct packet_head head; /* its stamp says which packet of the queue it is */
    uint16_t voided, flags;  /* of the credit note */
    uint32_t zero;
    char payload[QUEUE_PAYLOAD_BYTES];
};
_Static_assert(sizeof(struct queue_packet) == QUEUE_PACKET_BYTES, "slots are whole lines");

/* ---- at the sender ---- */

int mp_has_credit(struct peer *p)
{
    if (credit_sender_credits(&p->credit) == 0)
        credit_sender_hear(&p->credit, word_load_acquire(p->out_limit), 0); /* A1: pairs with R1 of credit.h */
    return credit_sender_credits(&p->credit) > 0;
}

static uint64_t packets_of(const struct endpoint *e, const struct transfer *t)
{
    return t ? (t->bytes - t->moved_bytes) / e->payload_most[t->channel->carrier] + 1 : 0;
}

/* About how many packets for that peer are left besides the one that goes: how urgently credits are needed. */
static uint32_t packets_waiting(const struct endpoint *e, const struct peer *p)
{
    uint64_t n =
        packets_of(e, p->open) + packets_of(e, p->streams.head) + packets_of(e, p->queue.head) + (p->control.head != NULL);
    n = n > 0 ? n - 1 : 0;
    return n < WAITING_MOST ? (uint32_t)n : WAITING_MOST;
}

/* The credit has been spent. */
static void packet_write(struct endpoint *e, struct peer *p, const struct packet_head *head, const void *payload, uint32_t n,
                         const struct credit_note *note)
{
    uint32_t number =
        word_add_acq_rel(p->queue_tail, 1); /* R6, A6: what others know of free slots, this one knows; see credit.h */
    struct queue_packet *to = &p->queue_slot[number & (e->queue.slots - 1)];
    to->head.kind = head->kind;
    to->head.pooled = head->pooled;
    to->head.from = (uint16_t)e->rank;
    to->head.bytes = head->bytes;
    to->head.tag = head->tag;
    to->head.number = head->number;
    to->head.credit = credit_account_tell(&e->queue.pool, &e->queue.account[p->rank]);
    to->voided = note->voided;
    to->flags = note->flags;
    if (n > 0)
        memcpy(to->payload, payload, n);
    word_store_release(&to->head.stamp, er_stamp(number)); /* R2: the packet is whole; pairs with A2 */
    endpoint_bell(e, p);
}

int mp_put(struct endpoint *e, struct peer *p, const struct packet_head *head, const void *payload, uint32_t n)
{
    struct credit_note note = {0};
    if (!mp_has_credit(p))
        return 0;
    credit_sender_spend(&p->credit, packets_waiting(e, p), &note);
    packet_write(e, p, head, payload, n, &note);
    return 1;
}

int mp_give(struct endpoint *e, struct peer *p)
{
    struct credit_note note = {0};
    int gives = credit_sender_gives(&p->credit, packets_waiting(e, p));
    if (gives) {
        credit_sender_give(&p->credit, &note);
        packet_write(e, p, &(struct packet_head){.kind = PACKET_NOTE}, NULL, 0, &note);
    }
    p->credit.recalled = 0; /* if it goes on sending there is nothing to give */
    return gives;
}

/* Asks one who seems not to need them for its credits, if one of this rank's own is left to ask with. */
static void recall(struct endpoint *e, uint32_t rank)
{
    struct credit_note note = {.flags = CREDIT_RECALL};
    struct peer *p = &e->peer[rank];
    if (!mp_has_credit(p))
        return;
    credit_sender_spend(&p->credit, packets_waiting(e, p), &note);
    packet_write(e, p, &(struct packet_head){.kind = PACKET_NOTE}, NULL, 0, &note);
}

/* ---- at the receiver ---- */

/* The slot is free again; its sender is told when it may be running out. */
static void slot_release(struct endpoint *e, struct peer *p, const struct credit_note *note, int is_data)
{
    struct credit_account *a = &e->queue.account[p->rank];
    credit_account_see(&e->queue.pool, a, note);
    credit_account_release(&e->queue.pool, a, note->flags);
    e->queue.at++;
    if (p->credit.recalled)
        endpoint_pending_add(e, p);
    if (credit_account_due(&e->queue.pool, a)) {
        word_store_release(&p->words->limit, credit_account_tell(&e->queue.pool, a)); /* R1 of credit.h: the slot has been read */
        endpoint_bell(e, p);
    }
    int64_t idle = is_data ? credit_pool_seek(&e->queue.pool, e->queue.account) : CREDIT_NOBODY;
    if (idle != CREDIT_NOBODY)
        recall(e, (uint32_t)idle);
}

/* An earlier message of the pair may still be in the ring, where it was put before this one was put here. */
static int arrive_in_order(struct endpoint *e, struct peer *p, const struct packet *packet)
{
    int taken;
    while ((taken = packet_arrive(e, p, packet)) == 0) {
        int drained = p->in_ring ? er_poll(e, p) : 0;
        if (drained <= 0)
            return drained < 0 ? drained : -EPROTO;
    }
    return taken;
}

static int pooled_arrive(struct endpoint *e, struct peer *p, const struct queue_packet *from)
{
    struct packet packet = {.head = &from->head};
    struct pool_place place;
    memcpy(&place, from->payload, sizeof place);
    int error = e->pool.units ? sr_find(e, p, &place, &packet) : -EPROTO;
    if (error)
        return error;
    int taken = arrive_in_order(e, p, &packet);
    if (taken > 0)
        sr_done(e, p, &place);
    return taken;
}

static int packet_take(struct endpoint *e, const struct queue_packet *from)
{
    struct credit_note note = {.voided = from->voided, .flags = from->flags};
    struct packet packet = {.head = &from->head, .part = {from->payload, NULL}};
    uint32_t n = packet_payload_bytes(&from->head, QUEUE_PAYLOAD_BYTES);
    if (from->head.from >= e->procs || (!from->head.pooled && n > QUEUE_PAYLOAD_BYTES))
        return -EPROTO;
    struct peer *p = &e->peer[from->head.from];
    int is_data = from->head.kind != PACKET_NOTE;
    packet.part_bytes[0] = n;
    credit_sender_hear(&p->credit, from->head.credit, note.flags);
    int taken = from->head.pooled ? pooled_arrive(e, p, from) : arrive_in_order(e, p, &packet);
    if (taken < 0)
        return taken;
    slot_release(e, p, &note, is_data);
    return 1;
}

int mp_poll(struct endpoint *e)
{
    int packets = 0;
    while (packets < POLL_PACKETS) {
        struct queue_packet *from = &e->queue.slot[e->queue.at & (e->queue.slots - 1)];
        if (word_load_acquire(&from->head.stamp) != er_stamp(e->queue.at)) /* A2: pairs with R2 */
            break;
        int error = packet_take(e, from);
        if (error < 0)
            return error;
        packets++;
    }
    return packets;
}

/* ---- creation ---- */

int mp_queue_init(struct endpoint *e, char *slots)
{
    struct queue *q = &e->queue;
    uint32_t start = e->config.op_start;
    q->slot = (struct queue_packet *)(void *)slots;
    q->at = start;
    q->account = calloc(e->procs, sizeof *q->account);
    if (!q->account)
        return -ENOMEM;
    for (uint32_t i = 0; i < q->slots; i++)
        word_store_relaxed(&q->slot[(start + i) & (q->slots - 1)].head.stamp, er_blank(start + i));
    for (uint32_t r = 0; r < e->procs; r++)
        credit_account_start(&q->account[r], e->config.queue_initial, start);
    return credit_pool_start(&q->pool, e->procs, e->config.queue_initial, q->slots);
}

void mp_peer_init(struct endpoint *e, struct peer *p)
{
    credit_sender_start(&p->credit, e->config.queue_initial, e->config.op_start);
    word_store_relaxed(&p->words->limit, e->config.op_start + e->config.queue_initial);
}

const struct channel channel_mp = {
    .kind = &channel_kind_mp,
    .needs = 1u << CARRIER_QUEUE,
    .carrier = CARRIER_QUEUE,
    .announce = packets_announce,
    .move = packets_move,
};
