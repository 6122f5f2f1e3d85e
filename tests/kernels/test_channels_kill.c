/* Whoever dies amid messages, the others know within a second, whatever they are waiting for; nothing stays behind. */
#include "kill_case.h"
#include "watched_launch.h"

#include "kernels/clock.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static uint64_t worst_ns, kills;
static const uint64_t sizes[] = {8, 5000, 1 << 20};

/* At any moment. Each rank has its turn. */
static void kill_one(struct kill_case c)
{
    char reason[COMM_REASON_BYTES], text[KILL_CASE_TEXT_BYTES];
    uint64_t latest_ns;
    c.victim = (uint32_t)kills++ % c.procs;
    c.delay_ns = (uint64_t)rand() % 60000000;
    if (kill_case_run(&c, reason, &latest_ns))
        fail_msg("%s: %s", kill_case_format(&c, text, sizeof text), reason);
    worst_ns = latest_ns > worst_ns ? latest_ns : worst_ns;
}

static void survivors_know_within_a_second(void **state)
{
    (void)state;
    for (const struct channel *const *channel = channel_table; *channel; channel++)
        for (uint32_t i = 0; i < 8; i++)
            kill_one((struct kill_case){.channel = *channel, .procs = 2 + (uint32_t)rand() % 4, .size_bytes = sizes[i % 3],
                                        .polling = i == 4 || i == 5, .moving = i >= 5});
}

static void survivors_of_an_allgather_too(void **state)
{
    uint32_t turn = 0;
    (void)state;
    for (const struct channel *const *channel = channel_table; *channel; channel++)
        for (const struct schedule_algorithm *const *a = schedule_table; *a; a++) {
            uint32_t procs = 2 + (uint32_t)rand() % 5;
            if ((*a)->kind == SCHEDULE_ALLGATHER)
                kill_one((struct kill_case){.channel = *channel, .procs = schedule_valid(*a, procs) ? procs : 4,
                                            .size_bytes = sizes[turn++ % 3], .algorithm = *a});
        }
}

int main(void)
{
    if (!backend_runs(BACKEND_PROCS)) {
        printf("0 passed, 0 failed: threads cannot be killed\n");
        return 77;
    }
    const char *given = getenv("SHMCOLL_TEST_SEED");
    unsigned seed = given ? (unsigned)strtoul(given, NULL, 0) : (unsigned)(clock_monotonic_ns() / 1000) & 0xffffff;
    printf("seed %u\n", seed);
    fflush(stdout); /* ranks are forked */
    srand(seed);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(survivors_know_within_a_second),
        cmocka_unit_test(survivors_of_an_allgather_too),
    };
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    printf("%llu kills, last survivor knew after at most %.1f ms\n", (unsigned long long)kills, (double)worst_ns * 1e-6);
    return failed;
}
