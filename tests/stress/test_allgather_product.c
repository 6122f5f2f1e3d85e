/* The full product of the allgathers that go by a communicator's own queues: way, p, block, who is in place and backend,
 * byte-exact. Those by schedule have theirs in test_allgather_schedule, with SHMCOLL_TEST_FULL. */
#include "../kernels/gather_case.h"

#include "kernels/clock.h"
#include "model/protocol/eager.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

/* What carries them, and where buffers are. */
static const struct way {
    const struct protocol *expected, *lane;
    uint32_t buffers;
} ways[] = {
    {&protocol_direct_line, &protocol_counted, GATHER_BUFFERS_PRIVATE},
    {&protocol_direct, &protocol_counted, GATHER_BUFFERS_PRIVATE},
    {&protocol_direct, &protocol_pipelined, GATHER_BUFFERS_EITHER},
    {&protocol_shared_blocks, &protocol_shared_source, GATHER_BUFFERS_PRIVATE},
    {&protocol_shared_blocks, &protocol_shared_source, GATHER_BUFFERS_AREA},
    {&protocol_shared_blocks, &protocol_shared_source, GATHER_BUFFERS_EITHER},
};
static const uint32_t procs[] = {1, 2, 3, 4, 5, 6, 7, 8, 12, 16};
static const uint64_t blocks[] = {0, 1, 7, 8, 56, 57, 120, 121, 1000, 4096, 65537, 1 << 20};
enum { WAYS = sizeof ways / sizeof *ways, PROCS = sizeof procs / sizeof *procs, BLOCKS = sizeof blocks / sizeof *blocks };

static struct gather_case case_of(const struct way *way, uint32_t p, uint32_t block, uint32_t in_place, uint32_t backend)
{
    struct gather_case c = gather_case_default();
    c.protocol = way->lane;
    c.expected = way->expected;
    c.buffers = way->buffers;
    c.procs = procs[p];
    c.block_bytes = blocks[block];
    c.in_place = in_place;
    c.backend = backend ? BACKEND_THREADS : BACKEND_PROCS;
    c.op_start = UINT32_MAX - (uint32_t)rand() % 60;
    c.call_count = c.block_bytes < 5000 ? 6 : 3;
    c.seed = (uint64_t)rand();
    return c;
}

int main(void)
{
    const char *given = getenv("SHMCOLL_TEST_SEED");
    unsigned seed = given ? (unsigned)strtoul(given, NULL, 0) : (unsigned)(clock_monotonic_ns() % 1000000), passed = 0,
             failed = 0;
    setvbuf(stdout, NULL, _IOLBF, BUFSIZ); /* ranks are forked */
    printf("seed %u\n", seed);
    srand(seed);
    for (uint32_t i = 0; i < WAYS * PROCS * BLOCKS * GATHER_IN_PLACE_COUNT * 2; i++) {
        char reason[COMM_REASON_BYTES] = "", text[GATHER_CASE_TEXT_BYTES];
        const struct way *way = &ways[i / 2 / GATHER_IN_PLACE_COUNT / BLOCKS / PROCS];
        struct gather_case c = case_of(way, i / 2 / GATHER_IN_PLACE_COUNT / BLOCKS % PROCS,
                                       i / 2 / GATHER_IN_PLACE_COUNT % BLOCKS, i / 2 % GATHER_IN_PLACE_COUNT, i % 2);
        if ((c.block_bytes <= EAGER_PAYLOAD_BYTES) != (way->expected == &protocol_direct_line))
            continue;
        int error = gather_case_run(&c, reason);
        passed += !error;
        failed += error != 0;
        if (error)
            printf("%s: error %d: %s\n", gather_case_format(&c, text, sizeof text), error, reason);
    }
    printf("%u passed, %u failed\n", passed, failed);
    return failed > 0 || passed == 0;
}
