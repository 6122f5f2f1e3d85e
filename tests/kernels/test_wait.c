/* The one wait function: what it waits for, that sleepers are woken, that it gives up with a dead peer, and who is crowded. */
#include "bcast_case.h"
#include "watched_launch.h"

#include "kernels/placement.h"
#include "kernels/wait.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
#include <errno.h>
#include <pthread.h>
#include <sys/resource.h>
#include <unistd.h>

static void conditions(void **state)
{
    (void)state;
    assert_true(wait_satisfied(STEP_WAIT_EQ, 5, 5) && !wait_satisfied(STEP_WAIT_EQ, 4, 5));
    assert_true(wait_satisfied(STEP_WAIT_NE, 4, 5) && !wait_satisfied(STEP_WAIT_NE, 5, 5));
    assert_true(wait_satisfied(STEP_WAIT_GE, 5, 5) && wait_satisfied(STEP_WAIT_GE, 6, 5) && !wait_satisfied(STEP_WAIT_GE, 4, 5));
    /* Free-running counters: 3 comes after UINT32_MAX. */
    assert_true(wait_satisfied(STEP_WAIT_GE, 3, UINT32_MAX) && !wait_satisfied(STEP_WAIT_GE, UINT32_MAX, 3));
}

struct sleeper {
    struct waiter waiter;
    atomic_word word, sleepers;
    int error;
};

static void *sleep_on_word(void *argument)
{
    struct sleeper *s = argument;
    uint32_t seen;
    s->error = wait_until(&s->waiter, &s->word, STEP_WAIT_EQ, 1, &seen);
    return NULL;
}

/* Who was not woken would sleep for an hour. */
static void sleepers_are_woken(void **state)
{
    enum { ROUNDS = 20, SLEEP_S = 3600 };
    (void)state;
    alarm(HANGS_S);
    for (int i = 0; i < ROUNDS; i++) {
        struct sleeper s = {.waiter = {.sleep_ns = SLEEP_S * (uint64_t)1000000000}}; /* neither spins nor yields before */
        pthread_t thread;
        s.waiter.sleepers = &s.sleepers;
        pthread_create(&thread, NULL, sleep_on_word, &s);
        while (word_load_relaxed(&s.sleepers) == 0)
            usleep(50);
        if (i % 2) /* asleep by now, or about to be */
            usleep(500);
        word_store_release(&s.word, 1);
        wait_wake(&s.waiter, &s.word);
        pthread_join(thread, NULL);
        assert_int_equal(s.error, 0);
        assert_int_equal(word_load_relaxed(&s.sleepers), 0);
    }
    alarm(0);
}

static int nobody_alive(void *context)
{
    ++*(int *)context;
    return -EOWNERDEAD;
}

static void dead_peers_end_a_wait(void **state)
{
    (void)state;
    for (int crowded = 0; crowded < 2; crowded++) {
        atomic_word word = {0}, sleepers = {0};
        uint32_t seen;
        int asked = 0;
        struct waiter waiter = {.sleepers = &sleepers, .alive = nobody_alive, .alive_context = &asked};
        wait_policy_set(&waiter, crowded);
        assert_int_equal(wait_until(&waiter, &word, STEP_WAIT_NE, 0, &seen), -EOWNERDEAD);
        assert_int_equal(asked, 1);
    }
}

static void mask_set(uint64_t *mask, uint32_t rank, uint32_t first, uint32_t last)
{
    for (uint32_t cpu = first; cpu <= last; cpu++)
        mask[rank * 2 + cpu / 64] |= (uint64_t)1 << cpu % 64;
}

static void who_is_crowded(void **state)
{
    (void)state;
    uint64_t all[8] = {0}, own[8] = {0}, shared[8] = {0}, few[8] = {0}, chain[8] = {0};
    for (uint32_t r = 0; r < 4; r++) {
        mask_set(all, r, 62, 65); /* four ranks, four cpus, not pinned */
        mask_set(own, r, r * 20, r * 20);
        mask_set(shared, r, r < 2 ? 7 : r * 20, r < 2 ? 7 : r * 20); /* two pinned to one cpu */
        mask_set(few, r, 0, 2);
        mask_set(chain, r, r / 2, (r + 1) / 2); /* {0} {0,1} {1} {1,2}: three cpus, no two alike */
    }
    assert_int_equal(wait_crowded(all, 2, 4), 0);
    assert_int_equal(wait_crowded(own, 2, 4), 0);
    assert_int_equal(wait_crowded(shared, 2, 4), 1);
    assert_int_equal(wait_crowded(few, 2, 4), 1);
    assert_int_equal(wait_crowded(few, 2, 3), 0);
    assert_int_equal(wait_crowded(chain, 2, 4), 1);
}

/* Of this process and its ranks, however many others take turns with them. */
static double cpu_s(void)
{
    struct rusage own, ranks;
    getrusage(RUSAGE_SELF, &own);
    getrusage(RUSAGE_CHILDREN, &ranks);
    return (double)(own.ru_utime.tv_sec + own.ru_stime.tv_sec + ranks.ru_utime.tv_sec + ranks.ru_stime.tv_sec) +
           (double)(own.ru_utime.tv_usec + own.ru_stime.tv_usec + ranks.ru_utime.tv_usec + ranks.ru_stime.tv_usec) * 1e-6;
}

/* Pure spinning takes time slices of milliseconds per notification here: minutes. */
static void sixteen_ranks_do_not_stall(void **state)
{
    (void)state;
    char reason[COMM_REASON_BYTES];
    struct bcast_case c = bcast_case_default();
    c.procs = 16;
    c.size_bytes = 1 << 20;
    c.fragment_bytes = 8192;
    c.slots = 1;
    c.call_count = 5;
    double start_s = cpu_s();
    for (int backend = backend_possible(BACKEND_PROCS); backend <= BACKEND_THREADS; backend++) {
        c.backend = backend;
        if (bcast_case_run(&c, reason))
            fail_msg("%s", reason);
    }
    double s = cpu_s() - start_s;
    print_message("10 broadcasts of 128 fragments, one slot, 16 ranks: %.2f s of processor time\n", s);
    assert_true(s < 30);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(conditions), cmocka_unit_test(sleepers_are_woken), cmocka_unit_test(dead_peers_end_a_wait),
        cmocka_unit_test(who_is_crowded), cmocka_unit_test(sixteen_ranks_do_not_stall),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
