/* What comes in: packets find the receives they match, or are kept until those are posted. */
#include "kernels/channels/endpoint_internal.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static void packet_copy(const struct packet *packet, char *to)
{
    if (packet->part_bytes[0] == 8 && packet->part_bytes[1] == 0) {
        memcpy(to, packet->part[0], 8);
        return;
    }
    if (packet->part_bytes[0]) /* a buffer of no bytes may be nowhere */
        memcpy(to, packet->part[0], packet->part_bytes[0]);
    if (packet->part_bytes[1])
        memcpy(to + packet->part_bytes[0], packet->part[1], packet->part_bytes[1]);
}

static uint32_t packet_bytes(const struct packet *packet)
{
    return packet->part_bytes[0] + packet->part_bytes[1];
}

/* The sender's budget is free again by so much; told an eighth at a time. */
static void budget_free(struct endpoint *e, struct peer *p, uint64_t bytes)
{
    p->free_units += kept_units(bytes);
    if (p->free_units - p->free_told_units < e->kept_units / 8)
        return;
    p->free_told_units = p->free_units;
    word_store_release(&p->words->freed, p->free_units); /* R3: pairs with A3 */
    endpoint_bell(e, p);
}

/* Takes the first receive posted for this tag. */
static struct transfer *posted_take(struct peer *p, uint32_t tag)
{
    for (struct transfer **at = &p->posted.head; *at; at = &(*at)->next) {
        struct transfer *t = *at;
        if (t->tag != tag)
            continue;
        *at = t->next;
        if (!t->next)
            p->posted.tail = at;
        return t;
    }
    return NULL;
}

/* A receive and its message have met. */
static void matched(struct transfer *t, uint64_t bytes)
{
    t->bytes = bytes;
    t->moved_bytes = 0;
    t->error = bytes > t->capacity_bytes ? -EMSGSIZE : 0;
}

/* ---- messages kept ---- */

static struct kept *kept_create(struct endpoint *e, struct peer *p, const struct packet_head *head, uint64_t payload_bytes)
{
    struct kept *k = malloc(sizeof *k + payload_bytes);
    if (!k)
        return NULL;
    *k = (struct kept){.tag = head->tag, .bytes = payload_bytes};
    *p->kept_tail = k;
    p->kept_tail = &k->next;
    e->memory.kept_messages++;
    e->memory.kept_bytes += sizeof *k + payload_bytes;
    if (e->memory.kept_bytes > e->memory.kept_most_bytes)
        e->memory.kept_most_bytes = e->memory.kept_bytes;
    return k;
}

static void kept_destroy(struct endpoint *e, struct kept *k)
{
    e->memory.kept_messages--;
    e->memory.kept_bytes -= sizeof *k + k->bytes;
    free(k);
}

void kept_destroy_all(struct endpoint *e, struct peer *p)
{
    if (p->open_kept && p->open_kept->taker)
        kept_destroy(e, p->open_kept); /* is in no list */
    while (p->kept) {
        struct kept *k = p->kept;
        p->kept = k->next;
        kept_destroy(e, k);
    }
}

static struct kept *kept_take(struct peer *p, uint32_t tag)
{
    for (struct kept **at = &p->kept; *at; at = &(*at)->next) {
        struct kept *k = *at;
        if (k->tag != tag)
            continue;
        *at = k->next;
        if (!k->next)
            p->kept_tail = at;
        return k;
    }
    return NULL;
}

/* The message is complete and has its receive. */
static void kept_deliver(struct endpoint *e, struct peer *p, struct kept *k, struct transfer *t)
{
    if (!t->error && k->bytes > 0)
        memcpy(t->buffer, k->payload, k->bytes);
    budget_free(e, p, k->bytes);
    kept_destroy(e, k);
    transfer_finish(t, t->error);
}

/* ---- announced messages ---- */

static void rts_accept(struct endpoint *e, struct peer *p, struct transfer *t, const struct packet_rts *rts)
{
    matched(t, rts->bytes);
    budget_free(e, p, 0);
    t->peer_id = rts->id;
    t->answer = PACKET_CTS;
    t->card_where = rts->where;
    t->card_address = rts->address;
    t->card_check = rts->check;
    int fetches = rts->where && !t->error && !p->forbidden;
    transfer_queue_push(fetches ? &p->fetches : &p->control, t);
    endpoint_pending_add(e, p);
}

static int arrive_rts(struct endpoint *e, struct peer *p, const struct packet *packet)
{
    const struct packet_head *head = packet->head;
    struct packet_rts rts;
    packet_copy(packet, (char *)&rts);
    struct transfer *t = posted_take(p, head->tag);
    if (t) {
        rts_accept(e, p, t, &rts);
        return 1;
    }
    struct kept *k = kept_create(e, p, head, 0);
    if (!k)
        return -ENOMEM;
    k->is_rts = 1;
    k->rts = rts;
    return 1;
}

static int arrive_cts(struct endpoint *e, struct peer *p, const struct packet_head *head)
{
    struct transfer *t = transfer_of_id(&e->table, head->tag, p->rank);
    if (!t || t->peer_id)
        return -EPROTO;
    if (!head->bytes) {
        transfer_id_give(&e->table, t);
        transfer_finish(t, 0);
        return 1;
    }
    t->peer_id = head->number;
    t->moved_bytes = 0;
    transfer_queue_push(&p->streams, t);
    endpoint_pending_add(e, p);
    return 1;
}

static int arrive_fin(struct endpoint *e, struct peer *p, const struct packet_head *head)
{
    struct transfer *t = transfer_of_id(&e->table, head->tag, p->rank);
    if (!t || t->peer_id || (head->bytes != 0 && head->bytes != EFAULT))
        return -EPROTO;
    transfer_id_give(&e->table, t);
    transfer_finish(t, -(int)head->bytes);
    return 1;
}

static int arrive_data(struct endpoint *e, struct peer *p, const struct packet *packet)
{
    struct transfer *t = transfer_of_id(&e->table, packet->head->tag, p->rank);
    if (!t || packet_bytes(packet) > t->bytes - t->moved_bytes)
        return -EPROTO;
    packet_copy(packet, t->buffer + t->moved_bytes);
    t->moved_bytes += packet_bytes(packet);
    if (t->moved_bytes == t->bytes) {
        transfer_id_give(&e->table, t);
        transfer_finish(t, 0);
    }
    return 1;
}

/* ---- messages sent without asking ---- */

static int begin_matched(struct endpoint *e, struct peer *p, struct transfer *t, const struct packet *packet)
{
    matched(t, packet->head->bytes);
    if (!t->error)
        packet_copy(packet, t->buffer);
    t->moved_bytes = packet_bytes(packet);
    if (t->moved_bytes < t->bytes) {
        p->open_in = t;
        return 1;
    }
    budget_free(e, p, t->bytes);
    transfer_finish(t, t->error);
    return 1;
}

static int arrive_eager(struct endpoint *e, struct peer *p, const struct packet *packet)
{
    const struct packet_head *head = packet->head;
    struct transfer *t = posted_take(p, head->tag);
    if (t)
        return begin_matched(e, p, t, packet);
    if (head->bytes > e->config.eager_bytes)
        return -EPROTO;
    struct kept *k = kept_create(e, p, head, head->bytes);
    if (!k)
        return -ENOMEM;
    packet_copy(packet, k->payload);
    k->come_bytes = packet_bytes(packet);
    if (k->come_bytes < k->bytes)
        p->open_kept = k;
    return 1;
}

static int more_kept(struct endpoint *e, struct peer *p, const struct packet *packet)
{
    struct kept *k = p->open_kept;
    if (packet_bytes(packet) > k->bytes - k->come_bytes)
        return -EPROTO;
    packet_copy(packet, k->payload + k->come_bytes);
    k->come_bytes += packet_bytes(packet);
    if (k->come_bytes < k->bytes)
        return 1;
    p->open_kept = NULL;
    if (k->taker)
        kept_deliver(e, p, k, k->taker);
    return 1;
}

static int arrive_more(struct endpoint *e, struct peer *p, const struct packet *packet)
{
    struct transfer *t = p->open_in;
    if (p->open_kept)
        return more_kept(e, p, packet);
    if (!t || packet_bytes(packet) > t->bytes - t->moved_bytes)
        return -EPROTO;
    if (!t->error)
        packet_copy(packet, t->buffer + t->moved_bytes);
    t->moved_bytes += packet_bytes(packet);
    if (t->moved_bytes == t->bytes) {
        p->open_in = NULL;
        budget_free(e, p, t->bytes);
        transfer_finish(t, t->error);
    }
    return 1;
}

int packet_arrive(struct endpoint *e, struct peer *p, const struct packet *packet)
{
    const struct packet_head *head = packet->head;
    if (__builtin_expect(e->config.delay_max_ns != 0, 0))
        execute_delay(e->comm);
    switch (head->kind) {
    case PACKET_EAGER:
    case PACKET_RTS:
        if (head->number != p->number_in || p->open_in || p->open_kept)
            return 0;
        p->number_in++;
        p->arrivals++;
        return head->kind == PACKET_EAGER ? arrive_eager(e, p, packet) : arrive_rts(e, p, packet);
    case PACKET_MORE:
        return arrive_more(e, p, packet);
    case PACKET_CTS:
        return arrive_cts(e, p, head);
    case PACKET_DATA:
        return arrive_data(e, p, packet);
    case PACKET_FIN:
        return arrive_fin(e, p, head);
    case PACKET_NOTE:
        return 1;
    default:
        return rings_arrive(e, p, head);
    }
}

int receive_post(struct endpoint *e, struct peer *p, struct transfer *t)
{
    struct kept *k = p->kept ? kept_take(p, t->tag) : NULL;
    if (!k) {
        transfer_queue_push(&p->posted, t);
        return 0;
    }
    if (k->is_rts) {
        rts_accept(e, p, t, &k->rts);
        kept_destroy(e, k);
        return 0;
    }
    matched(t, k->bytes);
    if (k->come_bytes < k->bytes)
        k->taker = t; /* no longer in the list, but p->open_kept */
    else
        kept_deliver(e, p, k, t);
    return 0;
}
