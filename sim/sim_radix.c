#include "sim/sim_radix.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>

void sim_radix_create(struct sim_radix *queue)
{
    *queue = (struct sim_radix){.count = 0};
}

void sim_radix_destroy(struct sim_radix *queue)
{
    for (int i = 0; i < SIM_RADIX_BUCKETS; i++)
        free(queue->bucket[i].event);
    *queue = (struct sim_radix){.count = 0};
}

static int grow(struct sim_radix_bucket *bucket)
{
    size_t capacity = bucket->capacity ? 2 * bucket->capacity : 16;
    struct sim_radix_event *event = realloc(bucket->event, capacity * sizeof *event);
    if (!event)
        return -ENOMEM;
    bucket->event = event;
    bucket->capacity = capacity;
    return 0;
}

static inline int append(struct sim_radix *queue, struct sim_radix_event event)
{
    uint64_t differs = event.time_ps ^ queue->last_ps;
    unsigned i = differs ? 64 - (unsigned)__builtin_clzll(differs) : 0;
    struct sim_radix_bucket *bucket = &queue->bucket[i];
    if (bucket->count == bucket->capacity && grow(bucket))
        return -ENOMEM;
    bucket->event[bucket->count++] = event;
    if (i)
        queue->used |= UINT64_C(1) << (i - 1);
    return 0;
}

int sim_radix_push(struct sim_radix *queue, uint64_t time_ps, uint32_t target, uint32_t generation)
{
    assert(time_ps >= queue->last_ps);
    int err = append(queue, (struct sim_radix_event){time_ps, target, generation});
    queue->count += !err;
    return err;
}

enum { AHEAD_MOST = 64 }; /* events whose memory the nearest cache holds until they are taken */

static void fetch_ahead(const struct sim_radix *queue, const struct sim_radix_bucket *bucket)
{
    const struct sim_radix_ahead *target_at = &queue->target_at, *generation_at = &queue->generation_at;
    for (size_t k = 0; k < bucket->count && target_at->base; k++)
        __builtin_prefetch(target_at->base + bucket->event[k].target * target_at->stride, 1);
    for (size_t k = 0; k < bucket->count && generation_at->base; k++)
        __builtin_prefetch(generation_at->base + bucket->event[k].generation * generation_at->stride, 1);
}

/* The lowest bucket has the earliest events: they are dealt out again from the earliest on, which all but fills bucket 0. */
static int deal(struct sim_radix *queue)
{
    assert(queue->used);
    int i = __builtin_ctzll(queue->used) + 1;
    struct sim_radix_bucket *bucket = &queue->bucket[i];
    queue->used &= queue->used - 1;
    queue->last_ps = bucket->event[0].time_ps;
    for (size_t k = 1; k < bucket->count; k++)
        if (bucket->event[k].time_ps < queue->last_ps)
            queue->last_ps = bucket->event[k].time_ps;
    if (bucket->count <= AHEAD_MOST)
        fetch_ahead(queue, bucket);
    size_t count = bucket->count;
    bucket->count = 0; /* they go to lower buckets only */
    for (size_t k = 0; k < count; k++)
        if (append(queue, bucket->event[k]))
            return -ENOMEM;
    return 0;
}

int sim_radix_pop(struct sim_radix *queue, struct sim_radix_event *out)
{
    struct sim_radix_bucket *now = &queue->bucket[0];
    assert(queue->count > 0);
    if (queue->taken == now->count) {
        queue->taken = now->count = 0;
        int err = deal(queue);
        if (err)
            return err;
    }
    *out = now->event[queue->taken++];
    queue->count--;
    queue->popped++;
    return 0;
}
