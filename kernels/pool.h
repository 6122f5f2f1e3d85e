/* User buffers for measurements: a pool larger than the caches, used in turn.
 *
 * A cold buffer was last touched a whole round ago; a warm one is always the same. The calling
 * rank owns the pool, touches every page once, and so places it on its own domain. Pages are
 * whatever the system gives an ordinary large allocation. */
#ifndef SHMCOLL_KERNELS_POOL_H
#define SHMCOLL_KERNELS_POOL_H

#include <stddef.h>
#include <stdint.h>

struct pool {
    unsigned char *base;
    size_t bytes;
    size_t next; /* offset of the next buffer */
    int adopted;
};

/* A size that keeps buffers cold: four last-level caches, at least two messages, at most an
 * eighth of the free memory divided by `ranks`. llc_bytes 0 is taken as 32 MiB. */
size_t pool_size_bytes(uint64_t llc_bytes, size_t message_bytes, uint32_t ranks);
/* 0 or -ENOMEM. */
int pool_create(struct pool *pool, size_t bytes);
/* A pool in memory of somebody else's, page-aligned: pool_destroy leaves it alone. */
void pool_adopt(struct pool *pool, void *base, size_t bytes);
void pool_destroy(struct pool *pool);
/* The next buffer of `bytes` <= pool size, page-aligned; successive ones do not overlap until the pool wraps. */
unsigned char *pool_next(struct pool *pool, size_t bytes);
/* Writes back and drops [base, base+bytes) from every cache, so that a buffer prepared a moment ago is cold.
 * Without an instruction for it, `pool` is read through instead, which is why it must exceed the caches. */
void pool_chill(const struct pool *pool, void *base, size_t bytes);

#endif
