/* Channels: random traffic arrives once, in order for each pair and tag, and byte-exact, whatever its shape. */
#include "channel_case.h"
#include "watched_launch.h"

#include "kernels/clock.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>

static uint64_t seed;

static void run_case(struct channel_case *c)
{
    c->messages /= tests_brief() ? 2 : 1;
    char reason[COMM_REASON_BYTES], text[CHANNEL_CASE_TEXT_BYTES];
    uint64_t arrived, begin_ns = clock_monotonic_ns();
    int error = channel_case_run(c, &arrived, reason);
    if (error || arrived < c->messages)
        fail_msg("%s: error %d, %llu arrived: %s", channel_case_format(c, text, sizeof text), error, (unsigned long long)arrived,
                 error ? reason : "");
    if (getenv("SHMCOLL_TEST_VERBOSE"))
        print_message("%.3f s %s\n", (double)(clock_monotonic_ns() - begin_ns) * 1e-9, channel_case_format(c, text, sizeof text));
}

/* Pairs that change channels amid everything, so that messages overtake each other on their way and still arrive in order. */
static void pairs_move_between_channels(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < 12; i++) {
        struct channel_case c = channel_case_default(channel_table[i % 5]);
        uint32_t n = 1;
        for (const struct channel *const *channel = channel_table; *channel; channel++)
            if (*channel != c.channel[0])
                c.channel[n++] = *channel;
        c.moving = 1;
        c.pattern = (enum channel_pattern)(i % PATTERN_COUNT);
        c.procs = i % 5 == 4 ? 16 : 2 + i % 5;
        c.backend = i % 2 ? BACKEND_PROCS : BACKEND_THREADS;
        c.blocking = i % 3 == 2;
        c.tags = i % 2 ? 1 : 4;
        c.size_max_bytes = i % 4 == 3 ? 4 << 20 : i % 4 == 2 ? 300 : 100000;
        c.messages = c.size_max_bytes > 1000000 ? 100 : 1200;
        c.op_start = 0u - 500;
        c.kept_bytes = i % 3 == 1 ? 4096 : 0;
        c.seed = seed + i;
        c.rings_most = 1 + i % 3;
        run_case(&c);
    }
}

/* The same where rings are for a few, and are moved between senders meanwhile. */
static void pairs_move_and_rings_too(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < 6; i++) {
        struct channel_case c = channel_case_default(channel_find("combined"));
        static const char *const others[] = {"mp", "sr", "zc"};
        for (uint32_t k = 0; k < 3 && i % 2; k++)
            c.channel[1 + k] = channel_find(others[k]);
        c.moving = i % 2;
        c.pattern = i % 3 == 0 ? PATTERN_MANY_TO_ONE : PATTERN_ALL_TO_ALL;
        c.procs = 3 + i;
        c.backend = i % 4 < 2 ? BACKEND_THREADS : BACKEND_PROCS;
        c.size_max_bytes = 20000;
        c.messages = 2500;
        c.op_start = 0u - 500;
        c.rings_most = 1 + i % 2;
        c.ring_bytes = 4096; /* often full in the middle of a message */
        c.fragment_bytes = 500;
        c.seed = seed + i;
        run_case(&c);
    }
}

/* Every pattern by every channel, small rings and budgets among them, counters about to wrap. */
static void traffic_of(const struct channel *channel)
{
    static const uint32_t procs[] = {2, 3, 5, 8};
    for (uint32_t i = 0; i < 16; i++) {
        struct channel_case c = channel_case_default(channel);
        c.pattern = (enum channel_pattern)(i % PATTERN_COUNT);
        c.procs = procs[(i / 4 + i) % 4];
        c.backend = i % 2 ? BACKEND_PROCS : BACKEND_THREADS;
        c.blocking = i % 3 == 2;
        c.slow = i % 5 == 1;
        c.size_max_bytes = i % 4 == 3 ? 4 << 20 : i % 4 == 2 ? 300 : 100000;
        c.messages = c.size_max_bytes > 1000000 ? 60 : 700;
        c.op_start = i % 2 ? 0u - 700 : 0;
        c.rings_most = i % 2 ? 1 : 0;
        c.offer_bytes = i % 2 ? 70000 : 0;
        c.delay_max_ns = i % 7 == 5 ? 3000 : 0;
        if (i % 3 == 1) {
            c.ring_bytes = 4096;
            c.fragment_bytes = 1000;
            c.kept_bytes = 4096;
        }
        c.seed = seed + i;
        run_case(&c);
    }
}

static void traffic_arrives(void **state)
{
    (void)state;
    for (const struct channel *const *channel = channel_table; *channel; channel++)
        traffic_of(*channel);
}

int main(void)
{
    const char *given = getenv("SHMCOLL_TEST_SEED");
    seed = given ? strtoull(given, NULL, 10) : clock_monotonic_ns() / 1000 & 0xffffff;
    printf("seed %llu\n", (unsigned long long)seed);
    fflush(stdout);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(traffic_arrives),
        cmocka_unit_test(pairs_move_between_channels),
        cmocka_unit_test(pairs_move_and_rings_too),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
