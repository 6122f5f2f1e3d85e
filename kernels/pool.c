#include "kernels/pool.h"

#include <errno.h>
#if defined(__x86_64__)
#include <cpuid.h>
#include <immintrin.h>
#endif
#include <string.h>
#include <sys/mman.h>
#include <sys/sysinfo.h>

enum { ALIGN_BYTES = 4096, LINE_BYTES = 64, LLC_DEFAULT_BYTES = 32 << 20 };

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

void pool_adopt(struct pool *pool, void *base, size_t bytes)
{
    *pool = (struct pool){.base = base, .bytes = bytes, .adopted = 1};
}

void pool_destroy(struct pool *pool)
{
    if (pool->base && !pool->adopted)
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

#if defined(__x86_64__)
__attribute__((target("clflushopt"))) static void flush_weak(char *base, size_t bytes)
{
    for (size_t i = 0; i < bytes; i += LINE_BYTES)
        _mm_clflushopt(base + i);
    _mm_mfence();
}

static void flush_strong(char *base, size_t bytes)
{
    for (size_t i = 0; i < bytes; i += LINE_BYTES)
        _mm_clflush(base + i);
    _mm_mfence();
}

void pool_chill(const struct pool *pool, void *base, size_t bytes)
{
    unsigned a, b = 0, c, d;
    (void)pool;
    int weak = __get_cpuid_count(7, 0, &a, &b, &c, &d) && (b & bit_CLFLUSHOPT);
    (weak ? flush_weak : flush_strong)(base, bytes);
}
#else
void pool_chill(const struct pool *pool, void *base, size_t bytes)
{
    (void)base, (void)bytes;
    unsigned char sum = 0;
    for (size_t i = 0; i < pool->bytes; i += LINE_BYTES)
        sum ^= ((const volatile unsigned char *)pool->base)[i];
    (void)sum;
}
#endif
