#include "experiments/bench/contest.h"

#include "kernels/atomics.h"

#include <sched.h>
#include <stdalign.h>
#include <string.h>
#include <unistd.h>

enum {
    LEAD_NS = 10000,          /* as in run: from the agreement to the deadline */
    LEAD_CROWDED_NS = 100000, /* a rank */
    PAGE_BYTES = 4096,
    QUEUE_BYTES = 65536,
};

struct agreement {
    alignas(128) atomic_word arrived;
    alignas(128) atomic_word round;
    alignas(128) uint64_t deadline_ticks; /* 0: no more */
    struct {
        alignas(128) uint64_t ticks; /* end of the last call, 0: came late; written by its rank, read by 0 */
    } end[CONTEST_RANKS_MAX];
};

static size_t agreement_bytes(void)
{
    return (sizeof(struct agreement) + PAGE_BYTES - 1) / PAGE_BYTES * PAGE_BYTES;
}

size_t contest_bytes(void)
{
    return agreement_bytes() + sizeof(struct probe_shared) + QUEUE_BYTES + PAGE_BYTES;
}

static char *page_up(void *memory)
{
    return (char *)(((uintptr_t)memory + PAGE_BYTES - 1) / PAGE_BYTES * PAGE_BYTES);
}

void contest_clear(void *memory)
{
    memset(memory, 0, contest_bytes());
}

void contest_create(struct contest *out, uint32_t rank, uint32_t procs, void *memory, const struct clock *clock,
                    struct pool *pool)
{
    char *base = page_up(memory);
    long llc_bytes = sysconf(_SC_LEVEL3_CACHE_SIZE);
    *out = (struct contest){.rank = rank, .procs = procs, .clock = *clock, .shared = (struct agreement *)(void *)base};
    out->crowded = procs > (uint32_t)sysconf(_SC_NPROCESSORS_ONLN);
    wait_policy_set(&out->waiter, out->crowded);
    out->probe = (struct probe){.rank = rank, .procs = procs, .clock = *clock, .waiter = &out->waiter, .pool = pool,
                                .shared = (struct probe_shared *)(void *)(base + agreement_bytes()), .queue_bytes = QUEUE_BYTES,
                                .llc_bytes = llc_bytes > 0 ? (uint64_t)llc_bytes : 0,
                                .clock_read_ns = probe_clock_read_ns(clock)};
}

static void rest(const struct contest *c)
{
    if (c->crowded)
        sched_yield();
}

/* All have come; what they wrote before is visible to all. */
static void meet(struct contest *c)
{
    c->turn++;
    word_add_acq_rel(&c->shared->arrived, 1); /* R1: pairs with A1 */
    while ((int32_t)(word_load_acquire(&c->shared->arrived) - c->turn * c->procs) < 0) /* A1 */
        rest(c);
}

/* A word from rank 0, once all have met. */
static uint64_t announce(struct contest *c, uint64_t word)
{
    if (c->rank == 0) {
        c->shared->deadline_ticks = word;
        word_store_release(&c->shared->round, c->turn); /* R2: the word stands; pairs with A2 */
        return word;
    }
    while (word_load_acquire(&c->shared->round) != c->turn) /* A2 */
        rest(c);
    return c->shared->deadline_ticks;
}

int contest_agree(struct contest *c, int says)
{
    meet(c);
    return announce(c, says != 0) != 0;
}

int contest_begin(struct contest *c, int more, uint64_t *deadline_ticks)
{
    meet(c);
    double lead_ns = c->crowded ? (double)LEAD_CROWDED_NS * c->procs : LEAD_NS;
    *deadline_ticks = announce(c, more ? clock_ticks(&c->clock) + clock_ticks_of_ns(&c->clock, lead_ns) : 0);
    if (*deadline_ticks == 0)
        return 0;
    c->late = !c->crowded && clock_ticks(&c->clock) >= *deadline_ticks;
    wait_deadline(&c->clock, *deadline_ticks, c->crowded);
    return 1;
}

void contest_end(struct contest *c, uint64_t deadline_ticks, double *sample_s)
{
    uint64_t end = clock_ticks(&c->clock), last = 0;
    c->shared->end[c->rank].ticks = c->late ? 0 : end;
    *sample_s = 0;
    meet(c);
    for (uint32_t r = 0; r < c->procs && c->rank == 0; r++) {
        end = c->shared->end[r].ticks;
        if (end == 0)
            return;
        last = end > last ? end : last;
    }
    if (c->rank == 0)
        *sample_s = clock_ns(&c->clock, last - deadline_ticks) * 1e-9;
}
