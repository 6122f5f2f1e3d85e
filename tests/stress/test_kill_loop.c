/* Kills a random rank at a random instant, again and again: survivors know within a second, nothing stays behind. */
#include "../kernels/kill_case.h"
#include "../kernels/leftovers.h"

#include "kernels/clock.h"

#include <stdio.h>
#include <stdlib.h>

enum { KILLS = 400, SECONDS = 90 };

int main(void)
{
    const char *given = getenv("SHMCOLL_TEST_SEED");
    unsigned seed = given ? (unsigned)strtoul(given, NULL, 0) : (unsigned)(clock_monotonic_ns() % 1000000);
    uint64_t end_ns = clock_monotonic_ns() + (uint64_t)SECONDS * 1000000000, worst_ns = 0;
    unsigned protocols = 0;
    while (protocol_table[protocols])
        protocols++;
    static const uint64_t sizes[] = {1, 8, 120, 4096, 65536, 1 << 20, 4 << 20};
    unsigned passed = 0, failed = 0;
    srand(seed);
    printf("seed %u\n", seed);
    for (int i = 0; i < KILLS && clock_monotonic_ns() < end_ns; i++) {
        char reason[COMM_REASON_BYTES] = "";
        uint64_t latest_ns = 0;
        struct leftovers before = leftovers_count();
        struct kill_case c = {.procs = 2 + (uint32_t)rand() % (KILL_PROCS_MAX - 1), .size_bytes = sizes[rand() % 7]};
        const struct protocol *protocol = protocol_table[(unsigned)rand() % protocols];
        int is_short = (protocol->uses & PROTOCOL_LINES) && !(protocol->uses & PROTOCOL_SLOTS);
        c.protocol = i % 4 && !(is_short && c.size_bytes > 100) ? protocol : NULL;
        c.victim = (uint32_t)rand() % c.procs;
        c.delay_ns = (uint64_t)rand() % 60000000;
        int error = kill_case_run(&c, reason, &latest_ns);
        const char *left = leftovers_find(before);
        worst_ns = latest_ns > worst_ns ? latest_ns : worst_ns;
        passed += !error && !left;
        failed += error || left;
        if (error || left)
            printf("%s p=%u victim=%u m=%llu delay=%llu ns: %s %s\n", c.protocol ? c.protocol->name : "default", c.procs, c.victim, (unsigned long long)c.size_bytes,
                   (unsigned long long)c.delay_ns, reason, left ? left : "");
    }
    printf("the last survivor knew after at most %.1f ms\n", (double)worst_ns * 1e-6);
    printf("%u passed, %u failed\n", passed, failed);
    return failed > 0 || passed == 0;
}
