/* The exclusive ring (S2's ER): a queue of cache lines for each pair, on the receiver's domain. The head of a packet and up to 40
 * bytes share a line: the receiver waits on the very line that brings the message, and only loads and stores are made. */
#include "kernels/channels/endpoint_internal.h"

#include <errno.h>
#include <string.h>

enum {
    UNIT_BYTES = 64,
    HEAD_BYTES = sizeof(struct packet_head),
    ALIGNED_BYTES = 8 * UNIT_BYTES, /* longer payloads begin on a line of their own, so that both ends copy whole lines */
    POLL_PACKETS = 16,              /* then it is another peer's turn */
};

static inline uint32_t payload_offset(uint32_t n)
{
    return n > ALIGNED_BYTES ? UNIT_BYTES : HEAD_BYTES;
}

static inline uint32_t units_of(uint32_t n)
{
    return (payload_offset(n) + n + UNIT_BYTES - 1) / UNIT_BYTES;
}

static inline char *unit_at(char *ring, uint32_t units, uint32_t position)
{
    return ring + (size_t)er_unit(units, position) * UNIT_BYTES;
}

/* Copies into the ring behind a head; on past its end at its begin. */
static void payload_in(struct peer *p, char *line, const void *payload, uint32_t n)
{
    char *to = line + payload_offset(n), *end = p->out_ring + (size_t)p->out.units * UNIT_BYTES;
    uint32_t room = end > to ? (uint32_t)(end - to) : 0, first = n < room ? n : room;
    memcpy(to, payload, first);
    if (n > first)
        memcpy(p->out_ring + (to > end ? to - end : 0), (const char *)payload + first, n - first);
}

/* The line behind the message may hold what would be the stamp of the next. */
static inline void stamp_clear(struct peer *p, uint32_t units)
{
    atomic_word *word = (atomic_word *)(void *)unit_at(p->out_ring, p->out.units, p->out.at + units);
    if (__builtin_expect(er_false_stamp(&p->out, units, word_load_relaxed(word)), 0))
        word_store_relaxed(word, er_blank(p->out.at + units));
}

int er_put(struct endpoint *e, struct peer *p, const struct packet_head *head, const void *payload, uint32_t n)
{
    uint32_t units = units_of(n);
    if (er_room(&p->out) < units) {
        er_hear(&p->out,
                word_load_acquire(p->out_told)); /* A1: pairs with R1; else what is still being read could be overwritten */
        if (er_room(&p->out) < units)
            return 0;
    }
    char *line = unit_at(p->out_ring, p->out.units, p->out.at);
    struct packet_head *to = (struct packet_head *)(void *)line;
    to->kind = head->kind;
    to->pooled = 0;
    to->from = (uint16_t)e->rank;
    to->bytes = head->bytes;
    to->tag = head->tag;
    to->number = head->number;
    to->credit = er_tell(&p->in);
    if (n == 8)
        memcpy(line + HEAD_BYTES, payload, 8);
    else if (n > 0)
        payload_in(p, line, payload, n);
    stamp_clear(p, units);
    word_store_release(&to->stamp, er_stamp(p->out.at)); /* R2: the packet is whole, and what is behind it none; pairs with A2 */
    p->out.at += units;
    endpoint_bell(e, p);
    return 1;
}

/* Where the payload lies. -EPROTO if it cannot be so long. */
static int payload_find(const struct endpoint *e, struct peer *p, char *line, struct packet *packet, uint32_t *units)
{
    const struct packet_head *head = packet->head;
    uint32_t most = e->payload_most[CARRIER_RING], n = packet_payload_bytes(head, most);
    if (n > most)
        return -EPROTO;
    char *from = line + payload_offset(n), *end = p->in_ring + (size_t)p->in.units * UNIT_BYTES;
    uint32_t room = end > from ? (uint32_t)(end - from) : 0, first = n < room ? n : room;
    packet->part[0] = from;
    packet->part_bytes[0] = first;
    packet->part[1] = p->in_ring;
    packet->part_bytes[1] = n - first;
    *units = units_of(n);
    return 0;
}

static void give_back(struct endpoint *e, struct peer *p, uint32_t units)
{
    er_consume(&p->in, units);
    if (er_due(&p->in)) {
        word_store_release(&p->words->told, er_tell(&p->in)); /* R1: the units have been read; pairs with A1 */
        endpoint_bell(e, p);
    }
}

int er_poll(struct endpoint *e, struct peer *p)
{
    int packets = 0;
    while (packets < POLL_PACKETS && p->in_ring) {
        char *line = unit_at(p->in_ring, p->in.units, p->in.at);
        struct packet packet = {.head = (const struct packet_head *)(const void *)line};
        uint32_t units;
        if (word_load_acquire(&packet.head->stamp) !=
            er_stamp(p->in.at)) /* A2: pairs with R2; else the payload could be an earlier one */
            break;
        int error = payload_find(e, p, line, &packet, &units);
        if (error)
            return error;
        er_hear(&p->out, packet.head->credit);
        int taken = packet_arrive(e, p, &packet);
        if (taken <= 0)
            return taken < 0 ? taken : packets;
        give_back(e, p, units);
        packets++;
        if (__builtin_expect(p->closed, 0))
            rings_closed(e, p);
    }
    return packets;
}

void er_ring_open(struct endpoint *e, struct peer *p, uint32_t slot)
{
    p->in_slot = slot;
    p->in_ring = e->rings.memory + (size_t)slot * e->config.ring_bytes;
    for (uint32_t i = 0; i < p->in.units; i++) {
        atomic_word *word = (atomic_word *)(void *)unit_at(p->in_ring, p->in.units, p->in.at + i);
        word_store_relaxed(word, er_blank(p->in.at + i));
    }
    word_store_relaxed(&p->words->told, er_tell(&p->in));
}

void er_ring_use(struct peer *p, char *ring)
{
    p->out_ring = ring;
    p->out.consumed = p->out.at; /* it is empty */
}

const struct channel channel_er = {
    .kind = &channel_kind_er,
    .needs = 1u << CARRIER_RING,
    .carrier = CARRIER_RING,
    .announce = packets_announce,
    .move = packets_move,
};
