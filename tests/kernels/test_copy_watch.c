/* The watch against a host made up of two states that it cannot see: how much time it loses to whoever knew. */
#include "kernels/copy_watch.h"
#include "tests/model/cmocka_all.h"

#include <stdio.h>
#include <stdlib.h>

enum { CALLS = 20000 };

static double uniform(uint64_t *random)
{
    *random = *random * 6364136223846793005u + 1442695040888963407u;
    return (double)(*random >> 11) * 0x1p-53;
}

/* memcpy: 0.038 ns a byte in one state, 0.068 in the other; past the caches 0.046 in both. Up to noise of it more each call. */
static double call_ns(enum copy_routine routine, int slow, double noise, uint64_t *random)
{
    double ns = routine == COPY_NONTEMPORAL ? 0.046 : slow ? 0.068 : 0.038;
    return ns * (1 + noise * uniform(random));
}

/* Time of all calls over that of the better routine in each, the state changing every so many calls (0: never). */
static double loss(uint32_t change_every, int slow_first, double noise, uint64_t seed)
{
    struct copy_watch watch = {0};
    uint64_t random = seed;
    double spent = 0, least = 0;
    for (uint32_t i = 0; i < CALLS; i++) {
        int slow = slow_first ^ (change_every && i / change_every % 2);
        enum copy_routine routine = copy_watch_next(&watch);
        double ns = call_ns(routine, slow, noise, &random);
        copy_watch_learn(&watch, routine, ns);
        spent += ns;
        least += (slow ? 0.046 : 0.038) * (1 + noise / 2);
    }
    return spent / least;
}

static void finds_the_faster_one(void **state)
{
    (void)state;
    for (int slow = 0; slow < 2; slow++)
        for (uint64_t seed = 1; seed <= 20; seed++)
            assert_true(loss(0, slow, 0.05, seed) < 1.03);
}

static void follows_the_host(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 20; seed++) {
        assert_true(loss(5000, 0, 0.05, seed) < 1.04);
        assert_true(loss(500, 1, 0.05, seed) < 1.15);
    }
}

/* Ranks that come late, by up to twice the time of a call. */
static void others_lateness_misleads_little(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 20; seed++)
        assert_true(loss(5000, 1, 2, seed) < 1.08);
}

static void tries_both(void **state)
{
    (void)state;
    struct copy_watch watch = {0};
    uint32_t by[COPY_ROUTINE_COUNT] = {0};
    for (int i = 0; i < 640; i++) {
        enum copy_routine routine = copy_watch_next(&watch);
        by[routine]++;
        copy_watch_learn(&watch, routine, 1); /* no difference: it stays with memcpy */
    }
    assert_int_equal(by[COPY_NONTEMPORAL], 20);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(finds_the_faster_one),
        cmocka_unit_test(follows_the_host),
        cmocka_unit_test(others_lateness_misleads_little),
        cmocka_unit_test(tries_both),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
