/* Named operations on the 32-bit words of a segment, and nothing else.
 *
 * Words are free-running counters on cache lines of their own, shared by threads or
 * processes. Every use says which other use it pairs with (R1/A1, ...). Not one operation
 * is a stand-alone fence, so that ThreadSanitizer understands all of them. */
#ifndef SHMCOLL_KERNELS_ATOMICS_H
#define SHMCOLL_KERNELS_ATOMICS_H

#include <stdatomic.h>
#include <stdint.h>

/* A structure, so that an access without one of the operations does not compile. */
typedef struct {
    _Atomic uint32_t atomic_value;
} atomic_word;

_Static_assert(sizeof(atomic_word) == 4, "a word is what a futex and the protocols count in");
_Static_assert(ATOMIC_INT_LOCK_FREE == 2, "a lock inside a word would not be shared between processes");

static inline uint32_t word_load_relaxed(const atomic_word *word)
{
    return atomic_load_explicit(&word->atomic_value, memory_order_relaxed);
}

static inline uint32_t word_load_acquire(const atomic_word *word)
{
    return atomic_load_explicit(&word->atomic_value, memory_order_acquire);
}

static inline void word_store_relaxed(atomic_word *word, uint32_t value)
{
    atomic_store_explicit(&word->atomic_value, value, memory_order_relaxed);
}

static inline void word_store_release(atomic_word *word, uint32_t value)
{
    atomic_store_explicit(&word->atomic_value, value, memory_order_release);
}

/* Returns the value before. */
static inline uint32_t word_add_acq_rel(atomic_word *word, uint32_t value)
{
    return atomic_fetch_add_explicit(&word->atomic_value, value, memory_order_acq_rel);
}

static inline uint32_t word_add_seq_cst(atomic_word *word, uint32_t value)
{
    return atomic_fetch_add_explicit(&word->atomic_value, value, memory_order_seq_cst);
}

/* Stores `value` if the word is `expected`; 1 if it did. */
static inline int word_replace_acq_rel(atomic_word *word, uint32_t expected, uint32_t value)
{
    return atomic_compare_exchange_strong_explicit(&word->atomic_value, &expected, value, memory_order_acq_rel,
                                                   memory_order_acquire);
}

#endif
