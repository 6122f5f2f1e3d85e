/* Kills every rank of several numbers of ranks at a random instant of everything that goes on among ranks, and then random ones
 * for a while: survivors know within a second, nothing stays behind. */
#include "../kernels/kill_case.h"

#include "kernels/clock.h"

#include <stdio.h>
#include <stdlib.h>

enum { KILLS = 400, SECONDS = 90 };

static unsigned passed, failed;
static uint64_t worst_ns;
static const uint64_t sizes[] = {1, 8, 120, 4096, 65536, 1 << 20, 4 << 20};

static void kill_one(struct kill_case c)
{
    char reason[COMM_REASON_BYTES] = "", text[KILL_CASE_TEXT_BYTES];
    uint64_t latest_ns = 0;
    c.delay_ns = (uint64_t)rand() % 60000000;
    int error = kill_case_run(&c, reason, &latest_ns);
    worst_ns = latest_ns > worst_ns ? latest_ns : worst_ns;
    passed += !error;
    failed += error != 0;
    if (error)
        printf("%s: %s\n", kill_case_format(&c, text, sizeof text), reason);
}

static int is_short(const struct protocol *protocol)
{
    return (protocol->uses & PROTOCOL_LINES) && !(protocol->uses & PROTOCOL_SLOTS);
}

/* Messages and allgathers: over every channel, one algorithm after the other, and by queues and shared buffers. */
static void kill_rank(uint32_t procs, uint32_t victim)
{
    static const struct protocol *const lanes[] = {NULL, &protocol_counted, &protocol_shared_source};
    uint32_t algorithms = 0;
    while (schedule_table[algorithms])
        algorithms++;
    for (uint32_t i = 0; channel_table[i]; i++) {
        struct kill_case c = {.procs = procs, .victim = victim, .channel = channel_table[i], .size_bytes = sizes[rand() % 6]};
        c.polling = rand() % 3 == 0;
        kill_one(c);
        c.moving = 1;
        kill_one(c);
        for (uint32_t k = 0; k < algorithms && !c.algorithm; k++) {
            const struct schedule_algorithm *a = schedule_table[(k + i + victim) % algorithms];
            c.algorithm = a->kind == SCHEDULE_ALLGATHER && schedule_valid(a, procs) ? a : NULL;
        }
        c.moving = 0;
        kill_one(c);
    }
    for (uint32_t i = 0; i < 3; i++)
        kill_one((struct kill_case){.procs = procs, .victim = victim, .protocol = lanes[i], .allgather = 1,
                                    .size_bytes = sizes[rand() % 6]});
}

static void kill_broadcasts(void)
{
    uint64_t end_ns = clock_monotonic_ns() + (uint64_t)SECONDS * 1000000000;
    unsigned protocols = 0;
    while (protocol_table[protocols])
        protocols++;
    for (int i = 0; i < KILLS && clock_monotonic_ns() < end_ns; i++) {
        struct kill_case c = {.procs = 2 + (uint32_t)rand() % (KILL_PROCS_MAX - 1), .size_bytes = sizes[rand() % 7]};
        const struct protocol *protocol = protocol_table[(unsigned)rand() % protocols];
        c.protocol = i % 4 && !(is_short(protocol) && c.size_bytes > 100) ? protocol : NULL;
        c.victim = (uint32_t)rand() % c.procs;
        kill_one(c);
    }
}

int main(void)
{
    const char *given = getenv("SHMCOLL_TEST_SEED");
    unsigned seed = given ? (unsigned)strtoul(given, NULL, 0) : (unsigned)(clock_monotonic_ns() % 1000000);
    static const uint32_t procs[] = {2, 3, 5, 8, KILL_PROCS_MAX};
    setvbuf(stdout, NULL, _IOLBF, BUFSIZ); /* ranks are forked */
    srand(seed);
    printf("seed %u\n", seed);
    for (size_t i = 0; i < sizeof procs / sizeof *procs; i++)
        for (uint32_t victim = 0; victim < procs[i]; victim++)
            kill_rank(procs[i], victim);
    kill_broadcasts();
    printf("the last survivor knew after at most %.1f ms\n", (double)worst_ns * 1e-6);
    printf("%u passed, %u failed\n", passed, failed);
    return failed > 0 || passed == 0;
}
