/* Places for items that come and go, in one array that grows by doubling and never shrinks. An item's first member is a
 * `uint32_t next`, which is the pool's while its place is free. Places stay; pointers to items hold until the next is taken. */
#ifndef SHMCOLL_SIM_POOL_H
#define SHMCOLL_SIM_POOL_H

#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define SIM_POOL_NONE UINT32_MAX

struct sim_pool {
    void *item; /* [capacity] */
    size_t item_bytes;
    uint32_t used, capacity, spare;
};

static inline void sim_pool_create(struct sim_pool *out, size_t item_bytes)
{
    *out = (struct sim_pool){.item_bytes = item_bytes, .spare = SIM_POOL_NONE};
}

static inline void sim_pool_destroy(struct sim_pool *pool)
{
    free(pool->item);
    pool->item = NULL;
}

static inline void *sim_pool_at(const struct sim_pool *pool, uint32_t place)
{
    return (char *)pool->item + place * pool->item_bytes;
}

/* A place, its item as it was left; SIM_POOL_NONE if there is no memory. */
static inline uint32_t sim_pool_take(struct sim_pool *pool)
{
    uint32_t place = pool->spare;
    if (place != SIM_POOL_NONE) {
        memcpy(&pool->spare, sim_pool_at(pool, place), sizeof pool->spare);
        return place;
    }
    if (pool->used == pool->capacity) {
        uint32_t capacity = pool->capacity ? 2 * pool->capacity : 64;
        void *more = capacity > pool->capacity ? realloc(pool->item, capacity * pool->item_bytes) : NULL;
        if (!more)
            return SIM_POOL_NONE;
        pool->item = more;
        pool->capacity = capacity;
    }
    return pool->used++;
}

static inline void sim_pool_release(struct sim_pool *pool, uint32_t place)
{
    memcpy(sim_pool_at(pool, place), &pool->spare, sizeof pool->spare);
    pool->spare = place;
}

#endif
