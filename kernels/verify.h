/* Proof that a broadcast moved the right bytes, all of them, and no others.
 *
 * A payload depends on repetition, root and offset, so that a byte of another call, rank or place
 * is wrong. A receive buffer is poisoned with the complement of what is expected: a byte not
 * written cannot pass. Guards around a buffer catch what is written beyond it. Pure; any thread. */
#ifndef SHMCOLL_KERNELS_VERIFY_H
#define SHMCOLL_KERNELS_VERIFY_H

#include <stddef.h>
#include <stdint.h>

enum { VERIFY_GUARD_BYTES = 4096 };

uint64_t verify_key(uint64_t repetition, uint32_t root);

/* buffer[0 .. n) = the payload, or its complement. */
void verify_fill(unsigned char *buffer, size_t n, uint64_t key);
void verify_poison(unsigned char *buffer, size_t n, uint64_t key);
/* The guards lie in the VERIFY_GUARD_BYTES before buffer and after buffer + n. */
void verify_guard(unsigned char *buffer, size_t n);

/* Offset of the first wrong byte, -1 if all are right. */
int64_t verify_check(const unsigned char *buffer, size_t n, uint64_t key);
/* 1 if both guards are whole. */
int verify_guard_check(const unsigned char *buffer, size_t n);

#endif
