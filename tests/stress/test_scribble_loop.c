/* Scribbles over the words of segments, protocol after protocol, for a minute and a half. */
#include "../kernels/leftovers.h"
#include "../kernels/scribble_case.h"

#include "kernels/clock.h"

#include <stdio.h>
#include <stdlib.h>

enum { SECONDS = 90 };

static int one(const struct protocol *protocol, uint64_t seed, struct scribble_count *count)
{
    char reason[COMM_REASON_BYTES] = "";
    struct leftovers before = leftovers_count();
    struct scribble_case c = {.protocol = protocol, .procs = 2 + (uint32_t)(seed % 4),
                              .target = (enum scribble_target)(seed / 4 % SCRIBBLE_TARGETS), .seed = seed,
                              .in_area = seed / 12 % 3 == 0, .pause_max_ns = seed % 2 ? 1000 : 200000};
    int error = scribble_case_run(&c, count, reason);
    const char *left = leftovers_find(before);
    if (error || left)
        printf("%s p=%u target=%d seed=%llu: %s, left behind: %s\n", protocol->name, c.procs, c.target, (unsigned long long)seed,
               reason, left ? left : "nothing");
    return error || left;
}

int main(void)
{
    const char *given = getenv("SHMCOLL_TEST_SEED");
    uint64_t seed = given ? strtoull(given, NULL, 0) : clock_monotonic_ns() % 1000000;
    uint64_t end_ns = clock_monotonic_ns() + (uint64_t)SECONDS * 1000000000;
    struct scribble_count count = {0};
    unsigned passed = 0, failed = 0;
    setvbuf(stdout, NULL, _IOLBF, BUFSIZ); /* ranks are forked */
    printf("seed %llu\n", (unsigned long long)seed);
    for (; clock_monotonic_ns() < end_ns; seed++)
        for (const struct protocol *const *p = protocol_table; *p; p++) {
            int wrong = one(*p, seed, &count);
            passed += !wrong;
            failed += (unsigned)wrong;
        }
    printf("%llu scribbles, %llu calls done, %llu ranks ended in error\n", (unsigned long long)count.scribbles,
           (unsigned long long)count.calls, (unsigned long long)count.errors);
    printf("%u passed, %u failed\n", passed, failed);
    return failed > 0 || passed == 0;
}
