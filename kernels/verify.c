#include "kernels/verify.h"

#include <string.h>

enum { GUARD_BYTE = 0x5a };

static inline uint64_t mix(uint64_t key, uint64_t i)
{
    uint64_t x = key + i * 0x9e3779b97f4a7c15u;
    x ^= x >> 31;
    x *= 0xbf58476d1ce4e5b9u;
    return x ^ x >> 29;
}

uint64_t verify_key(uint64_t repetition, uint32_t root)
{
    return mix(mix(0x243f6a8885a308d3u, repetition), root);
}

/* Words in memory order of the host: written and checked on one machine. */
static void fill(unsigned char *buffer, size_t n, uint64_t key, uint64_t invert)
{
    size_t words = n / 8;
    for (size_t i = 0; i < words; i++) {
        uint64_t word = mix(key, i) ^ invert;
        memcpy(buffer + i * 8, &word, 8);
    }
    uint64_t last = mix(key, words) ^ invert;
    memcpy(buffer + words * 8, &last, n % 8);
}

void verify_fill(unsigned char *buffer, size_t n, uint64_t key)
{
    fill(buffer, n, key, 0);
}

void verify_poison(unsigned char *buffer, size_t n, uint64_t key)
{
    fill(buffer, n, key, UINT64_MAX);
}

void verify_guard(unsigned char *buffer, size_t n)
{
    memset(buffer - VERIFY_GUARD_BYTES, GUARD_BYTE, VERIFY_GUARD_BYTES);
    memset(buffer + n, GUARD_BYTE, VERIFY_GUARD_BYTES);
}

static int64_t first_difference(const unsigned char *buffer, size_t n, uint64_t key, size_t from)
{
    for (size_t i = from; i < n; i++) {
        uint64_t word = mix(key, i / 8);
        if (buffer[i] != ((const unsigned char *)&word)[i % 8])
            return (int64_t)i;
    }
    return -1;
}

int64_t verify_check(const unsigned char *buffer, size_t n, uint64_t key)
{
    enum { BLOCK_WORDS = 512 };
    size_t words = n / 8, i = 0;
    while (i < words) {
        size_t end = words - i < BLOCK_WORDS ? words : i + BLOCK_WORDS, start = i;
        uint64_t difference = 0;
        for (; i < end; i++) {
            uint64_t word;
            memcpy(&word, buffer + i * 8, 8);
            difference |= word ^ mix(key, i);
        }
        if (difference)
            return first_difference(buffer, n, key, start * 8);
    }
    return first_difference(buffer, n, key, words * 8);
}

int verify_guard_check(const unsigned char *buffer, size_t n)
{
    unsigned char wrong = 0;
    for (size_t i = 0; i < VERIFY_GUARD_BYTES; i++)
        wrong |= (buffer[i - VERIFY_GUARD_BYTES] ^ GUARD_BYTE) | (buffer[n + i] ^ GUARD_BYTE);
    return !wrong;
}
