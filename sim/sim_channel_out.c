/* What goes out: messages are begun in the order in which they were posted for each peer; answers and the bytes of messages
 * that are waited for overtake those that have not begun. */
#include "sim/sim_channel.h"

enum { RTS_BYTES = 32, FETCH_BYTES = 1 << 20, TURNS = 4 };

static uint32_t kept_units(uint64_t bytes)
{
    return 1 + (uint32_t)((bytes + 63) / 64);
}

static int budget_has(struct sim_channel *c, struct sim_endpoint *e, struct sim_pair *p, uint32_t cost, uint32_t most)
{
    if (p->spent_units - p->freed_units + cost > most)
        p->freed_units = sim_channel_read(c, e, p, SIM_TOLD_BUDGET);
    return p->spent_units - p->freed_units + cost <= most;
}

int sim_channel_eager(struct sim_channel *c, struct sim_endpoint *e, struct sim_pair *p, uint64_t bytes)
{
    return bytes <= c->shape.eager_bytes && budget_has(c, e, p, kept_units(bytes), c->eager_units);
}

static int announce_eager(struct sim_channel *c, struct sim_endpoint *e, struct sim_pair *p, struct sim_message *m)
{
    enum sim_carrier carrier = sim_channel_carrier(m->channel);
    uint32_t most = sim_channel_payload_most(c, carrier), n = m->bytes < most ? (uint32_t)m->bytes : most;
    struct sim_packet packet = {.kind = SIM_PACKET_EAGER, .payload_bytes = n, .tag = m->tag, .number = p->number_out,
                                .bytes = m->bytes};
    if (!sim_channel_put(c, e, p, carrier, packet, m))
        return 0;
    p->number_out++;
    p->spent_units += kept_units(m->bytes);
    m->moved_bytes = n;
    m->done = n == m->bytes;
    p->open = m->done ? NULL : m;
    return 1;
}

static int announce_only(struct sim_channel *c, struct sim_endpoint *e, struct sim_pair *p, struct sim_message *m, int offered)
{
    struct sim_packet packet = {.kind = SIM_PACKET_RTS, .payload_bytes = RTS_BYTES, .tag = m->tag, .number = p->number_out,
                                .bytes = m->bytes, .partner = m, .offered = offered};
    if (!budget_has(c, e, p, 1, c->kept_units) || !sim_channel_put(c, e, p, sim_channel_carrier(m->channel), packet, NULL))
        return 0;
    p->number_out++;
    p->spent_units++;
    return 1;
}

static int announce_packets(struct sim_channel *c, struct sim_endpoint *e, struct sim_pair *p, struct sim_message *m)
{
    if (m->channel == &channel_kind_zc && m->bytes > c->shape.offer_bytes)
        return announce_only(c, e, p, m, 1);
    return sim_channel_eager(c, e, p, m->bytes) ? announce_eager(c, e, p, m) : announce_only(c, e, p, m, 0);
}

static int announce_combined(struct sim_channel *c, struct sim_endpoint *e, struct sim_pair *p, struct sim_message *m)
{
    int by_ring = p->out_ring && !p->closing && sim_channel_eager(c, e, p, m->bytes);
    m->channel = by_ring ? &channel_kind_er : m->bytes > c->shape.offer_bytes ? &channel_kind_zc : &channel_kind_sr;
    if (!announce_packets(c, e, p, m)) {
        m->channel = &channel_kind_combined; /* whatever will be best then */
        return 0;
    }
    p->sends++;
    if (!p->out_ring)
        sim_rings_ask(c, e, p);
    return 1;
}

static int announce(struct sim_channel *c, struct sim_endpoint *e, struct sim_pair *p, struct sim_message *m)
{
    return m->channel == &channel_kind_combined ? announce_combined(c, e, p, m) : announce_packets(c, e, p, m);
}

void sim_channel_send(struct sim_channel *c, struct sim_endpoint *e, struct sim_message *m)
{
    struct sim_pair *p = sim_channel_pair(c, e->rank, m->peer);
    if (!p)
        return;
    m->channel = c->kind;
    m->moved_bytes = 0;
    m->done = 0;
    m->partner = NULL;
    if (p->open || p->queue.head || !announce(c, e, p, m))
        sim_message_push(&p->queue, m);
    else if (!p->open)
        return;
    sim_channel_pending(c, e, p);
}

static int move_as(struct sim_channel *c, struct sim_endpoint *e, struct sim_pair *p, struct sim_message *m,
                   enum sim_packet_kind kind)
{
    enum sim_carrier carrier = sim_channel_carrier(m->channel);
    uint32_t most = sim_channel_payload_most(c, carrier);
    uint64_t left = m->bytes - m->moved_bytes;
    uint32_t n = left < most ? (uint32_t)left : most;
    struct sim_packet packet = {.kind = kind, .payload_bytes = n, .message = m->partner};
    if (!sim_channel_put(c, e, p, carrier, packet, m))
        return 0;
    m->moved_bytes += n;
    return 1;
}

/* A receive tells its sender that it may go on, or that all has been fetched. */
static int push_control(struct sim_channel *c, struct sim_endpoint *e, struct sim_pair *p)
{
    struct sim_message *m = p->control.head;
    struct sim_packet packet = {.kind = m->answer, .message = m->partner, .partner = m};
    if (!sim_channel_put(c, e, p, sim_channel_carrier(c->kind), packet, NULL))
        return 0;
    sim_message_pop(&p->control);
    m->done = m->answer == SIM_PACKET_FIN;
    return 1;
}

static int push_begun(struct sim_channel *c, struct sim_endpoint *e, struct sim_pair *p)
{
    struct sim_message *m = p->open;
    if (!m) {
        int begun = announce(c, e, p, p->queue.head);
        if (begun)
            sim_message_pop(&p->queue);
        return begun;
    }
    int moved = move_as(c, e, p, m, SIM_PACKET_MORE);
    if (m->moved_bytes == m->bytes) {
        p->open = NULL;
        m->done = 1;
    }
    return moved;
}

static int push_stream(struct sim_channel *c, struct sim_endpoint *e, struct sim_pair *p)
{
    struct sim_message *m = p->streams.head;
    int moved = move_as(c, e, p, m, SIM_PACKET_DATA);
    if (m->moved_bytes == m->bytes) {
        sim_message_pop(&p->streams);
        m->done = 1;
    }
    return moved;
}

/* A piece of an offered message is got by its receiver. */
static int push_fetch(struct sim_channel *c, struct sim_endpoint *e, struct sim_pair *p)
{
    struct sim_message *m = p->fetches.head;
    uint64_t left = m->bytes - m->moved_bytes, n = left < FETCH_BYTES ? left : FETCH_BYTES;
    struct sim_channel_copy copy = {SIM_CHANNEL_PULL, p->rank, n, m->bytes, 0, m->partner->cold, m->cold};
    sim_channel_work(c, e, (struct sim_work){.kind = SIM_WORK_COPY, .copy = copy});
    m->moved_bytes += n;
    if (m->moved_bytes == m->bytes) {
        sim_message_pop(&p->fetches);
        m->answer = SIM_PACKET_FIN;
        sim_message_push(&p->control, m);
    }
    return 1;
}

static int push_turn(struct sim_channel *c, struct sim_endpoint *e, struct sim_pair *p, int turn)
{
    switch (turn) {
    case 0:
        return p->control.head ? push_control(c, e, p) : 0;
    case 1:
        return p->open || p->queue.head ? push_begun(c, e, p) : 0;
    case 2:
        return p->streams.head ? push_stream(c, e, p) : 0;
    default:
        return p->fetches.head ? push_fetch(c, e, p) : 0;
    }
}

static int push_pair(struct sim_channel *c, struct sim_endpoint *e, struct sim_pair *p)
{
    for (int i = 0; i < TURNS; i++) {
        int turn = (p->turn + i) % TURNS;
        if (push_turn(c, e, p, turn)) {
            p->turn = (turn + 1) % TURNS;
            return 1;
        }
    }
    if (p->credit.recalled && sim_channel_give(c, e, p))
        return 1;
    return p->says || p->closing ? sim_rings_push(c, e, p) : 0;
}

static int has_something(const struct sim_pair *p)
{
    return p->open || p->queue.head || p->streams.head || p->control.head || p->fetches.head || p->says || p->closing;
}

int sim_channel_push(struct sim_channel *c, struct sim_endpoint *e)
{
    while (e->push_at < e->pending_count) {
        struct sim_pair *p = e->pending[e->push_at];
        if (push_pair(c, e, p))
            return 1;
        if (has_something(p)) {
            e->push_at++;
        } else {
            p->pending = 0;
            e->pending[e->push_at] = e->pending[--e->pending_count];
        }
    }
    return 0;
}
