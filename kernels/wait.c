#include "kernels/wait.h"

#include <errno.h>
#include <linux/futex.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

enum {
    EAGER_LOOKS = 64,          /* looks without a pause: a hand-over takes less than these */
    PROGRESS_LOOKS = 256,      /* the progress function is called this often while spinning */
    ALIVE_INTERVAL_NS = 20000000,
    SLEEP_FIRST_NS = 50000,
    SLEEP_LAST_NS = 5000000,   /* also bounds what a missed wake-up costs */
    SPINS_ALONE = 20000,       /* about a millisecond */
    YIELDS_ALONE = 1000,
    SPINS_CROWDED = 32,
    YIELDS_CROWDED = 64, /* an idle virtual cpu takes longer to wake than all of these */
};

void wait_policy_set(struct waiter *waiter, int crowded)
{
    waiter->spins = crowded ? SPINS_CROWDED : SPINS_ALONE;
    waiter->yields = crowded ? YIELDS_CROWDED : YIELDS_ALONE;
}

/* Shared futexes: the words lie in a mapping that other processes have elsewhere. */
static void word_sleep(atomic_word *word, uint32_t seen, uint64_t sleep_ns)
{
    struct timespec bound = {.tv_sec = (time_t)(sleep_ns / 1000000000), .tv_nsec = (long)(sleep_ns % 1000000000)};
    syscall(SYS_futex, (uint32_t *)word, FUTEX_WAIT, seen, &bound, NULL, 0);
}

void wait_wake_all(atomic_word *word)
{
    int saved = errno;
    syscall(SYS_futex, (uint32_t *)word, FUTEX_WAKE, INT32_MAX, NULL, NULL, 0);
    errno = saved;
}

static void sleep_on(struct waiter *waiter, atomic_word *word, uint32_t seen, uint64_t sleep_ns)
{
    if (!waiter->sleepers) {
        nanosleep(&(struct timespec){.tv_nsec = (long)sleep_ns}, NULL);
        return;
    }
    /* Announced before the kernel compares the word: a writer that sees the announcement wakes us, one that
     * does not has (but for its store buffer, hence the bound) changed the word, and the kernel refuses to sleep. */
    word_add_seq_cst(waiter->sleepers, 1);
    word_sleep(word, seen, sleep_ns);
    word_add_seq_cst(waiter->sleepers, UINT32_MAX);
}

/* One unsuccessful look: rest as the policy says. Returns 1 if the rest may have been long. */
static int rest(struct waiter *waiter, atomic_word *word, uint32_t seen, uint64_t looks, uint64_t *sleep_ns)
{
    if (looks < waiter->spins) {
        if (looks >= EAGER_LOOKS)
            wait_pause();
        return 0;
    }
    if (looks < (uint64_t)waiter->spins + waiter->yields) {
        sched_yield();
        return 1;
    }
    sleep_on(waiter, word, seen, waiter->sleep_ns ? waiter->sleep_ns : *sleep_ns);
    *sleep_ns = *sleep_ns * 2 < SLEEP_LAST_NS ? *sleep_ns * 2 : SLEEP_LAST_NS;
    return 1;
}

/* When a wait began and what is due next; 0 until the clock has been read. */
struct agenda {
    uint64_t begin_ns, alive_ns, stall_ns;
};

/* What is done now and then in a wait. 0, or the error that ends it. */
static int look_around(struct waiter *waiter, struct agenda *agenda, atomic_word *word, uint32_t seen)
{
    if (waiter->progress)
        waiter->progress(waiter->progress_context);
    if (!waiter->alive && !waiter->stall_ns && !waiter->limit_ns)
        return 0;
    uint64_t now = clock_monotonic_ns();
    if (agenda->begin_ns == 0)
        *agenda = (struct agenda){now, now + ALIVE_INTERVAL_NS, now + waiter->stall_ns};
    if (waiter->alive && now >= agenda->alive_ns) {
        int error = waiter->alive(waiter->alive_context);
        agenda->alive_ns = now + ALIVE_INTERVAL_NS;
        if (error)
            return error;
    }
    uint64_t waited_ns = now - agenda->begin_ns;
    if (waiter->stall_ns && now >= agenda->stall_ns) {
        waiter->stalled(waiter->stalled_context, word, seen, waited_ns);
        agenda->stall_ns = agenda->begin_ns + 2 * waited_ns;
    }
    return waiter->limit_ns && waited_ns >= waiter->limit_ns ? -ETIMEDOUT : 0;
}

int wait_slowly(struct waiter *waiter, atomic_word *word, uint32_t op, uint32_t value, uint32_t *seen)
{
    struct agenda agenda = {0};
    uint64_t sleep_ns = SLEEP_FIRST_NS;
    int saved = errno, error = 0;
    for (uint64_t looks = 0; !error; looks++) {
        uint32_t now = word_load_acquire(word); /* A1 */
        if (wait_satisfied(op, now, value)) {
            *seen = now;
            break;
        }
        int slow = rest(waiter, word, now, looks, &sleep_ns);
        if (slow || looks % PROGRESS_LOOKS == PROGRESS_LOOKS - 1)
            error = look_around(waiter, &agenda, word, now);
    }
    errno = saved;
    return error;
}

void wait_deadline(const struct clock *clock, uint64_t deadline_ticks, int crowded)
{
    uint64_t near_ticks = clock_ticks_of_ns(clock, 100000);
    for (uint64_t now = clock_ticks_early(clock); now < deadline_ticks; now = clock_ticks_early(clock)) {
        if (deadline_ticks - now > 4 * near_ticks)
            nanosleep(&(struct timespec){.tv_nsec = (long)(clock_ns(clock, deadline_ticks - now) / 2)}, NULL);
        else if (crowded)
            sched_yield();
    }
}

static uint32_t mask_count(const uint64_t *mask, uint32_t words)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < words; i++)
        n += (uint32_t)__builtin_popcountll(mask[i]);
    return n;
}

/* By Hall's theorem a group of ranks without a cpu each exists if it exists among unions of masks; looking at the
 * union of all and at equal masks finds every case that pinning and cpusets produce. */
int wait_crowded(const uint64_t *mask, uint32_t words, uint32_t procs)
{
    for (uint32_t i = 0; i < procs; i++) {
        uint32_t same = 0;
        for (uint32_t j = 0; j < procs; j++)
            same += memcmp(mask + (size_t)i * words, mask + (size_t)j * words, words * sizeof *mask) == 0;
        if (same > mask_count(mask + (size_t)i * words, words))
            return 1;
    }
    uint32_t together = 0;
    for (uint32_t w = 0; w < words; w++) {
        uint64_t all = 0;
        for (uint32_t i = 0; i < procs; i++)
            all |= mask[(size_t)i * words + w];
        together += (uint32_t)__builtin_popcountll(all);
    }
    return together < procs;
}
