#include "kernels/pool.h"

#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/sysinfo.h>

enum { ALIGN_BYTES = 4096, LLC_DEFAULT_BYTES = 32 << 20 };

static size_t round_up(size_t n)
{
    return (n + ALIGN_BYTES - 1) / ALIGN_BYTES * ALIGN_BYTES;
}

size_t pool_size_bytes(uint64_t llc_bytes, size_t message_bytes, uint32_t ranks)
{
    struct sysinfo info;
    size_t wanted = 4 * (llc_bytes ? llc_bytes : LLC_DEFAULT_BYTES);
    if (sysinfo(&info) == 0) {
        size_t share = (size_t)info.freeram * info.mem_unit / 8 / (ranks ? ranks : 1);
        wanted = wanted < share ? wanted : share;
    }
    size_t least = 2 * round_up(message_bytes);
    return round_up(wanted > least ? wanted : least);
}

int pool_create(struct pool *pool, size_t bytes)
{
    void *base = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (base == MAP_FAILED)
        return -ENOMEM;
    memset(base, 1, bytes);
    *pool = (struct pool){.base = base, .bytes = bytes};
    return 0;
}

void pool_destroy(struct pool *pool)
{
    if (pool->base)
        munmap(pool->base, pool->bytes);
    *pool = (struct pool){0};
}

unsigned char *pool_next(struct pool *pool, size_t bytes)
{
    if (pool->next + bytes > pool->bytes)
        pool->next = 0;
    unsigned char *buffer = pool->base + pool->next;
    pool->next += round_up(bytes ? bytes : 1);
    return buffer;
}
