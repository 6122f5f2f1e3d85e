#include "sim/sim_channel_count.h"

#include "model/channel/channel_memory.h"

#include <errno.h>
#include <stdlib.h>

struct rank {
    uint64_t bytes;
    uint32_t rings_out, rings_in;
};

/* Who has sent to whom: keys in a table of a power of two, at most half full. 0 is no key. */
struct met {
    uint64_t *key;
    uint64_t size, count;
};

static uint64_t key_of(uint32_t from, uint32_t to)
{
    return ((uint64_t)from << 32 | to) + 1;
}

static uint64_t *place_of(const struct met *met, uint64_t key)
{
    uint64_t i = key * UINT64_C(0x9e3779b97f4a7c15) >> 20;
    while (met->key[i & (met->size - 1)] && met->key[i & (met->size - 1)] != key)
        i++;
    return &met->key[i & (met->size - 1)];
}

static int grow(struct met *met)
{
    struct met more = {calloc(2 * met->size, sizeof *more.key), 2 * met->size, met->count};
    if (!more.key)
        return -ENOMEM;
    for (uint64_t i = 0; i < met->size; i++)
        if (met->key[i])
            *place_of(&more, met->key[i]) = met->key[i];
    free(met->key);
    *met = more;
    return 0;
}

/* 1 if they meet now, in that direction. */
static int meet(struct met *met, uint32_t from, uint32_t to)
{
    uint64_t key = key_of(from, to), *place = place_of(met, key);
    if (*place)
        return 0;
    *place = key;
    met->count++;
    return 1;
}

static void message(struct sim_channel_counted *out, struct met *met, struct rank *rank, const struct channel_kind *kind,
                    const struct channel_shape *shape, uint32_t from, uint32_t to)
{
    if (from == to || !meet(met, from, to))
        return;
    if (!*place_of(met, key_of(to, from))) {
        rank[from].bytes += CHANNEL_STATE_BYTES;
        rank[to].bytes += CHANNEL_STATE_BYTES;
        out->pairs++;
    }
    if (channel_memory_rings(kind, shape, rank[from].rings_out + 1) == rank[from].rings_out ||
        channel_memory_rings(kind, shape, rank[to].rings_in + 1) == rank[to].rings_in)
        return;
    rank[from].rings_out++;
    rank[to].rings_in++;
    rank[from].bytes += shape->ring_bytes;
    rank[to].bytes += shape->ring_bytes;
    out->rings++;
}

int sim_channel_count(const struct channel_kind *kind, const struct channel_shape *shape,
                      const struct sim_channel_traffic *traffic, struct sim_channel_counted *out)
{
    enum { SOME = 1 << 12 };
    struct sim_channel_counted sum = {0, 0, 0, 0};
    struct met met = {calloc(SOME, sizeof *met.key), SOME, 0};
    struct rank *rank = calloc(traffic->procs, sizeof *rank);
    int err = met.key && rank ? 0 : -ENOMEM;
    for (uint32_t r = 0; r < traffic->procs && !err; r++)
        rank[r].bytes = channel_memory_fixed_bytes(kind, shape, traffic->procs);
    for (uint32_t round = 0; round < traffic->rounds && !err; round++)
        for (uint32_t r = 0; r < traffic->procs && !err; r++) {
            if (2 * (met.count + 1) > met.size)
                err = grow(&met);
            if (!err)
                message(&sum, &met, rank, kind, shape, r, traffic->to(traffic->context, r, round));
        }
    for (uint32_t r = 0; r < traffic->procs && !err; r++) {
        sum.bytes += rank[r].bytes;
        sum.bytes_most = rank[r].bytes > sum.bytes_most ? rank[r].bytes : sum.bytes_most;
    }
    free(met.key);
    free(rank);
    if (!err)
        *out = sum;
    return err;
}
