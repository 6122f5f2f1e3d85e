/* What goes out: messages are begun in the order in which they were posted for each peer; answers and the bytes of messages that
 * are waited for overtake those that have not begun. */
#include "kernels/channels/endpoint_internal.h"

#include <errno.h>

/* Whether the peer's budget for messages not matched yet takes `cost` more, `most` being all there is for such. */
static int budget_has(struct peer *p, uint32_t cost, uint32_t most)
{
    if (p->spent_units - p->freed_units + cost <= most)
        return 1;
    p->freed_units = word_load_acquire(p->out_freed); /* A3: pairs with R3; only counts */
    return p->spent_units - p->freed_units + cost <= most;
}

static int announce_eager(struct endpoint *e, struct peer *p, struct transfer *t, uint32_t cost)
{
    uint32_t most = e->payload_most[t->channel->carrier], n = t->bytes < most ? (uint32_t)t->bytes : most;
    struct packet_head head = {.kind = PACKET_EAGER, .bytes = (uint32_t)t->bytes, .tag = t->tag, .number = p->number_out};
    if (!carrier_put(e, p, t->channel->carrier, &head, t->buffer, n))
        return 0;
    p->number_out++;
    p->spent_units += cost;
    t->moved_bytes = n;
    if (n == t->bytes)
        transfer_finish(t, 0);
    else
        p->open = t;
    return 1;
}

static int announce_only(struct endpoint *e, struct peer *p, struct transfer *t, const struct peer_card *card)
{
    if (!t->own_id && transfer_id_take(&e->table, t))
        return -ENOMEM;
    struct packet_rts rts = {.bytes = t->bytes, .id = t->own_id, .where = (uint32_t)card->where, .address = card->address,
                             .check = card->check};
    struct packet_head head = {.kind = PACKET_RTS, .tag = t->tag, .number = p->number_out};
    if (!carrier_put(e, p, t->channel->carrier, &head, &rts, sizeof rts))
        return 0;
    p->number_out++;
    p->spent_units++;
    return 1;
}

int packets_eager(const struct endpoint *e, struct peer *p, uint64_t bytes)
{
    return bytes <= e->config.eager_bytes && budget_has(p, kept_units(bytes), e->eager_units);
}

int packets_announce(struct endpoint *e, struct peer *p, struct transfer *t)
{
    if (packets_eager(e, p, t->bytes))
        return announce_eager(e, p, t, kept_units(t->bytes));
    return packets_offer(e, p, t, &(struct peer_card){0});
}

int packets_offer(struct endpoint *e, struct peer *p, struct transfer *t, const struct peer_card *card)
{
    return budget_has(p, 1, e->kept_units) ? announce_only(e, p, t, card) : 0;
}

static int move_as(struct endpoint *e, struct peer *p, struct transfer *t, enum packet_kind kind)
{
    uint32_t most = e->payload_most[t->channel->carrier];
    uint64_t left = t->bytes - t->moved_bytes;
    uint32_t n = left < most ? (uint32_t)left : most;
    struct packet_head head = {.kind = (uint8_t)kind, .bytes = n, .tag = t->peer_id};
    if (!carrier_put(e, p, t->channel->carrier, &head, t->buffer + t->moved_bytes, n))
        return 0;
    t->moved_bytes += n;
    return 1;
}

int packets_move(struct endpoint *e, struct peer *p, struct transfer *t)
{
    return move_as(e, p, t, PACKET_DATA);
}

/* A receive tells its sender that it may go on, or that nothing is wanted, or that all has been fetched. */
static int push_control(struct endpoint *e, struct peer *p)
{
    struct transfer *t = p->control.head;
    int wants = t->answer == PACKET_CTS && !t->error && t->bytes > 0;
    if (wants && !t->own_id && transfer_id_take(&e->table, t))
        return -ENOMEM;
    struct packet_head head = {.kind = (uint8_t)t->answer, .tag = t->peer_id, .number = t->own_id};
    head.bytes = t->answer == PACKET_FIN ? (uint32_t)-t->error : (uint32_t)wants;
    if (!carrier_put(e, p, p->channel->carrier, &head, NULL, 0))
        return 0;
    transfer_queue_pop(&p->control);
    if (!wants)
        transfer_finish(t, t->error);
    return 1;
}

static int push_begun(struct endpoint *e, struct peer *p)
{
    struct transfer *t = p->open;
    if (t) {
        int moved = move_as(e, p, t, PACKET_MORE);
        if (t->moved_bytes == t->bytes) {
            p->open = NULL;
            transfer_finish(t, 0);
        }
        return moved;
    }
    int begun = p->queue.head->channel->announce(e, p, p->queue.head);
    if (begun == 1)
        transfer_queue_pop(&p->queue);
    return begun;
}

static int push_stream(struct endpoint *e, struct peer *p)
{
    struct transfer *t = p->streams.head;
    int moved = t->channel->move(e, p, t);
    if (moved == 1 && t->moved_bytes == t->bytes) {
        transfer_queue_pop(&p->streams);
        transfer_id_give(&e->table, t);
        transfer_finish(t, 0);
    }
    return moved;
}

int endpoint_push(struct endpoint *e, struct peer *p)
{
    int sum = 0, some = 1;
    while (some) {
        int control = p->control.head ? push_control(e, p) : 0;
        int begun = control >= 0 && (p->open || p->queue.head) ? push_begun(e, p) : 0;
        int stream = begun >= 0 && p->streams.head ? push_stream(e, p) : 0;
        int fetched = stream >= 0 && p->fetches.head ? zc_fetch(e, p) : 0;
        if (control < 0 || begun < 0 || stream < 0 || fetched < 0)
            return control < 0 ? control : begun < 0 ? begun : stream < 0 ? stream : fetched;
        some = control + begun + stream + fetched;
        sum += some;
    }
    if (p->credit.recalled)
        sum += mp_give(e, p);
    if (p->says || p->closing)
        sum += rings_push(e, p);
    return sum;
}

void endpoint_pending_add(struct endpoint *e, struct peer *p)
{
    if (!p->pending)
        e->pending[e->pending_count++] = p->rank;
    p->pending = 1;
}
