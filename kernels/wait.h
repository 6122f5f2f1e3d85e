/* Waiting: every wait of the kernels goes through here.
 *
 * A wait looks a few times, inline; then spins with pauses, then yields, then sleeps on the word for a
 * bounded time. How long each lasts depends on whether the ranks have a cpu each. While
 * it waits it calls the embedder's progress function and asks now and then whether the peers are
 * alive, so that no wait outlives a peer by a second.
 *
 * Who stores to a word calls wait_wake() afterwards: a load when nobody sleeps.
 * A `struct waiter` belongs to one rank; the sleepers word is shared by all. */
#ifndef SHMCOLL_KERNELS_WAIT_H
#define SHMCOLL_KERNELS_WAIT_H

#include "kernels/atomics.h"
#include "kernels/clock.h"
#include "model/step.h"

#include <sched.h>

/* Looks made inline, without a pause: about one hand-over, at whose end every instruction counts. */
enum { WAIT_BRIEF_LOOKS = 32 };

struct waiter {
    uint32_t spins;  /* looks before the first yield */
    uint32_t yields; /* yields before the first sleep */
    atomic_word *sleepers; /* ranks asleep on any word; NULL: never sleep on a word */
    void (*progress)(void *context); /* may be NULL */
    void *progress_context;
    int (*alive)(void *context); /* 0, or the -errno that ends the wait; may be NULL */
    void *alive_context;
    uint64_t stall_ns; /* a wait that lasts so long is told to `stalled`, and each time it has lasted twice as long; 0: never */
    void (*stalled)(void *context, atomic_word *word, uint32_t seen, uint64_t waited_ns);
    void *stalled_context;
    uint64_t sleep_ns; /* each sleep lasts that long unless woken, for tests; 0: from 50 us to 5 ms */
    uint64_t limit_ns; /* a wait that lasts so long ends with -ETIMEDOUT; 0: never */
};

/* Sets spins and yields: `crowded` says that some ranks share a cpu. */
void wait_policy_set(struct waiter *waiter, int crowded);

/* Tells the cpu that this is a loop of looks, and leaves its sibling the core for a moment. */
static inline void wait_pause(void)
{
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    __asm__ volatile("isb" ::: "memory");
#endif
}

static inline int wait_satisfied(uint32_t op, uint32_t seen, uint32_t value)
{
    return op == STEP_WAIT_EQ ? seen == value : op == STEP_WAIT_NE ? seen != value : (int32_t)(seen - value) >= 0;
}

int wait_slowly(struct waiter *waiter, atomic_word *word, uint32_t op, uint32_t value, uint32_t *seen);

/* The inline looks. 1 if the word satisfies op and value: then *seen is the satisfying value, loaded with acquire. */
static inline int wait_briefly(atomic_word *word, uint32_t op, uint32_t value, uint32_t *seen)
{
    for (int looks = 0; looks < WAIT_BRIEF_LOOKS; looks++) {
        uint32_t now = word_load_acquire(word); /* A1: pairs with R1, the store or addition that ends this wait */
        if (__builtin_expect(wait_satisfied(op, now, value), 1)) {
            *seen = now;
            return 1;
        }
    }
    return 0;
}

/* Waits until the word satisfies op (STEP_WAIT_EQ, _NE or _GE) and value.
 *   seen  the satisfying value, loaded with acquire
 * Returns 0, what waiter->alive returned, or -ETIMEDOUT. */
static inline int wait_until(struct waiter *waiter, atomic_word *word, uint32_t op, uint32_t value, uint32_t *seen)
{
    return wait_briefly(word, op, value, seen) ? 0 : wait_slowly(waiter, word, op, value, seen);
}

void wait_wake_all(atomic_word *word);

/* After a store to `word`: wakes its sleepers, if any rank sleeps at all. The load may be ordered before
 * the store, and a sleeper missed; it wakes by itself, as every sleep is bounded. */
static inline void wait_wake(const struct waiter *waiter, atomic_word *word)
{
    if (__builtin_expect(waiter->sleepers && word_load_relaxed(waiter->sleepers) != 0, 0))
        wait_wake_all(word);
}

/* Waits for an instant of the clock: sleeps or yields while it is far, then spins. */
void wait_deadline(const struct clock *clock, uint64_t deadline_ticks, int crowded);

/* Cpus the given affinity masks allow together (bit c of mask[r*words + c/64]), and whether any group of
 * ranks is confined to fewer cpus than it has members. */
int wait_crowded(const uint64_t *mask, uint32_t words, uint32_t procs);

#endif
