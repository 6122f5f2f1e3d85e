#include "kernels/copy.h"

#include <string.h>

#if defined(__x86_64__)
#include <immintrin.h>

/* Below this nothing is gained past the cache. */
enum { NONTEMPORAL_LEAST_BYTES = 512, LINE_BYTES = 64 };

/* Each streams whole lines: n is a multiple of 64, `to` is 64-byte aligned. */
__attribute__((target("avx512f"))) static void stream_avx512(char *to, const char *from, size_t n)
{
    for (size_t i = 0; i < n; i += LINE_BYTES)
        _mm512_stream_si512((void *)(to + i), _mm512_loadu_si512((const void *)(from + i)));
}

__attribute__((target("avx2"))) static void stream_avx2(char *to, const char *from, size_t n)
{
    for (size_t i = 0; i < n; i += LINE_BYTES) {
        __m256i a = _mm256_loadu_si256((const __m256i *)(const void *)(from + i));
        __m256i b = _mm256_loadu_si256((const __m256i *)(const void *)(from + i + 32));
        _mm256_stream_si256((__m256i *)(void *)(to + i), a);
        _mm256_stream_si256((__m256i *)(void *)(to + i + 32), b);
    }
}

static void stream_sse2(char *to, const char *from, size_t n)
{
    for (size_t i = 0; i < n; i += 16)
        _mm_stream_si128((__m128i *)(void *)(to + i), _mm_loadu_si128((const __m128i *)(const void *)(from + i)));
}

static void stream_lines(char *to, const char *from, size_t n)
{
    if (__builtin_cpu_supports("avx512f"))
        stream_avx512(to, from, n);
    else if (__builtin_cpu_supports("avx2"))
        stream_avx2(to, from, n);
    else
        stream_sse2(to, from, n);
}

static void copy_nontemporal(char *to, const char *from, size_t n)
{
    if (n < NONTEMPORAL_LEAST_BYTES) {
        memcpy(to, from, n);
        return;
    }
    size_t head = (size_t)(-(uintptr_t)to % LINE_BYTES);
    size_t lines = (n - head) / LINE_BYTES * LINE_BYTES;
    memcpy(to, from, head);
    stream_lines(to + head, from + head, lines);
    memcpy(to + head + lines, from + head + lines, n - head - lines);
}

void copy_fence(enum copy_routine routine)
{
    if (routine == COPY_NONTEMPORAL)
        _mm_sfence();
}

int copy_routine_available(enum copy_routine routine)
{
    return routine < COPY_ROUTINE_COUNT;
}
#else
static void copy_nontemporal(char *to, const char *from, size_t n)
{
    memcpy(to, from, n);
}

void copy_fence(enum copy_routine routine)
{
    (void)routine;
}

int copy_routine_available(enum copy_routine routine)
{
    return routine == COPY_MEMCPY;
}
#endif

void copy_bytes(enum copy_routine routine, void *to, const void *from, size_t n)
{
    if (routine == COPY_NONTEMPORAL)
        copy_nontemporal(to, from, n);
    else
        memcpy(to, from, n);
}

const char *copy_routine_name(enum copy_routine routine)
{
    return routine == COPY_NONTEMPORAL ? "nontemporal" : "memcpy";
}

enum copy_routine copy_routine_choose(uint64_t working_set_bytes, uint64_t llc_bytes, uint32_t sharers)
{
    int past_cache = llc_bytes > 0 && working_set_bytes * sharers > llc_bytes / 2;
    return past_cache && copy_routine_available(COPY_NONTEMPORAL) ? COPY_NONTEMPORAL : COPY_MEMCPY;
}
