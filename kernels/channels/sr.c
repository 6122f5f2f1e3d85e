/* The shared channel (S2's SR): payloads lie in a pool of the sender's that all its peers share, and a short packet tells the
 * receiver where. The receiver gets them from there, straight into the user's buffer or into what is kept for later, so a unit is
 * never occupied for longer than it takes the receiver to look; copies in and gets of several messages overlap. */
#include "kernels/channels/endpoint_internal.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* Takes back the units whose payloads have been read. */
static void units_reclaim(struct pool *pool)
{
    pool->idle_count = 0;
    for (uint32_t u = 0; u < pool->units; u++)
        if (word_load_acquire(&pool->done[u].over) ==
            pool->use[u]) /* A7: pairs with R7; else a unit still being read is overwritten */
            pool->idle[pool->idle_count++] = u;
}

int sr_put(struct endpoint *e, struct peer *p, const struct packet_head *head, const void *payload, uint32_t n)
{
    struct pool *pool = &e->pool;
    if (n <= QUEUE_PAYLOAD_BYTES)
        return mp_put(e, p, head, payload, n);
    if (!mp_has_credit(p))
        return 0;
    if (pool->idle_count == 0)
        units_reclaim(pool);
    if (pool->idle_count == 0)
        return 0;
    uint32_t unit = pool->idle[--pool->idle_count];
    struct pool_place place = {.unit = unit, .use = ++pool->use[unit], .bytes = n};
    struct packet_head pooled = {.kind = head->kind, .pooled = 1, .bytes = head->bytes, .tag = head->tag, .number = head->number};
    memcpy(pool->unit + (size_t)unit * e->config.unit_bytes, payload, n);
    return mp_put(e, p, &pooled, &place, sizeof place);
}

int sr_find(const struct endpoint *e, const struct peer *p, const struct pool_place *place, struct packet *packet)
{
    const struct packet_head *head = packet->head;
    int has_payload = head->kind == PACKET_EAGER || head->kind == PACKET_MORE || head->kind == PACKET_DATA;
    if (place->unit >= e->config.pool_units || !has_payload || place->bytes != packet_payload_bytes(head, e->config.unit_bytes) ||
        place->bytes > e->config.unit_bytes)
        return -EPROTO;
    packet->part[0] = p->pool_unit + (size_t)place->unit * e->config.unit_bytes;
    packet->part_bytes[0] = place->bytes;
    return 0;
}

void sr_done(struct endpoint *e, struct peer *p, const struct pool_place *place)
{
    word_store_release(&p->pool_done[place->unit].over, place->use); /* R7: the payload has been read; pairs with A7 */
    endpoint_bell(e, p);
}

int sr_pool_init(struct endpoint *e)
{
    struct pool *pool = &e->pool;
    pool->units = e->config.pool_units;
    pool->use = calloc(pool->units, sizeof *pool->use);
    pool->idle = calloc(pool->units, sizeof *pool->idle);
    if (!pool->use || !pool->idle)
        return -ENOMEM;
    for (uint32_t u = 0; u < pool->units; u++) {
        pool->use[u] = e->config.op_start;
        word_store_relaxed(&pool->done[u].over, e->config.op_start);
    }
    return 0;
}

void sr_pool_destroy(struct endpoint *e)
{
    free(e->pool.use);
    free(e->pool.idle);
}

const struct channel channel_sr = {
    .kind = &channel_kind_sr,
    .needs = 1u << CARRIER_QUEUE | 1u << CARRIER_POOL,
    .carrier = CARRIER_POOL,
    .announce = packets_announce,
    .move = packets_move,
};
