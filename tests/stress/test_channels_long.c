/* A million messages of 0 to 4 MiB, of every shape of traffic, by pairs that change channels all the time, and by each channel
 * alone. */
#include "../kernels/channel_case.h"

#include "kernels/clock.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>

enum { CASES = 100, MESSAGES = 10000, PROCS_MOST = 16 };

static uint64_t seed;

/* One in three by a channel alone. */
static struct channel_case case_of(uint32_t i)
{
    uint32_t channels = 0, n = 1;
    while (channel_table[channels])
        channels++;
    struct channel_case c = channel_case_default(channel_table[i % channels]);
    c.moving = i % 3 != 0;
    for (uint32_t k = 0; c.moving && k < channels; k++)
        if (channel_table[k] != c.channel[0])
            c.channel[n++] = channel_table[k];
    c.procs = 2 + (uint32_t)(seed + i * 7) % (PROCS_MOST - 1);
    c.backend = i % 4 == 1 ? BACKEND_THREADS : BACKEND_PROCS;
    c.pattern = (enum channel_pattern)(i / 3 % PATTERN_COUNT);
    c.blocking = i % 7 == 3;
    c.slow = i % 5 == 2;
    c.tags = i % 2 ? 1 : 5;
    c.messages = MESSAGES;
    c.size_max_bytes = 4 << 20;
    c.op_start = 0u - (i % 10) * 1000;
    c.kept_bytes = i % 4 == 2 ? 4096 : 0;
    c.rings_most = i % 8 == 3 ? 2 : 0;
    c.seed = seed + i;
    return c;
}

static void a_million_messages_arrive(void **state)
{
    uint64_t sum = 0;
    (void)state;
    for (uint32_t i = 0; i < CASES; i++) {
        char reason[COMM_REASON_BYTES], text[CHANNEL_CASE_TEXT_BYTES];
        struct channel_case c = case_of(i);
        uint64_t arrived = 0, begin_ns = clock_monotonic_ns();
        int error = channel_case_run(&c, &arrived, reason);
        if (error || arrived < c.messages)
            fail_msg("%s: error %d, %llu arrived: %s", channel_case_format(&c, text, sizeof text), error,
                     (unsigned long long)arrived, error ? reason : "");
        sum += arrived;
        if (getenv("SHMCOLL_TEST_VERBOSE"))
            print_message("%.3f s %s\n", (double)(clock_monotonic_ns() - begin_ns) * 1e-9,
                          channel_case_format(&c, text, sizeof text));
    }
    print_message("%llu messages\n", (unsigned long long)sum);
}

int main(void)
{
    const char *given = getenv("SHMCOLL_TEST_SEED");
    seed = given ? strtoull(given, NULL, 10) : clock_monotonic_ns() / 1000 & 0xffffff;
    printf("seed %llu\n", (unsigned long long)seed);
    fflush(stdout);
    const struct CMUnitTest tests[] = {cmocka_unit_test(a_million_messages_arrive)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
