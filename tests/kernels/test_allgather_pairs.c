/* Byte-exact for all pairs of parameter values: a covering array, generated here, every case run for real, several allgathers and
 * perhaps broadcasts on one communicator. */
#include "covering.h"
#include "gather_case.h"
#include "watched_launch.h"

#include "kernels/clock.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>

enum {
    FACTOR_PROCS,
    FACTOR_BLOCK,
    FACTOR_QUEUE,
    FACTOR_FRAGMENT,
    FACTOR_PROTOCOL,
    FACTOR_DECIDING, /* those before decide whether a case is possible */
    FACTOR_IN_PLACE = FACTOR_DECIDING,
    FACTOR_BACKEND,
    FACTOR_BROADCASTS,
    FACTOR_CALLS,
    FACTOR_LANES,
    FACTOR_BUFFERS,
    FACTOR_START, /* of the counters */
    FACTOR_DELAY,
    FACTOR_COPY_OUT,
    FACTOR_EXECUTOR,
    FACTOR_COUNT
};

enum { ROWS_MAX = 400, LARGE_BYTES = 4 << 20 };

static const uint32_t procs[] = {1, 2, 3, 4, 5, 6, 7, 8, 12, 16};
static const uint64_t blocks[] = {0, 1, 8, 56, 57, 120, 121, 4096, 65537, 1 << 20};
static const uint32_t queues[][2] = {{1, 1}, {2, 1}, {2, 2}, {8, 2}, {64, 4}};
static const uint32_t fragments[] = {64, 4096, 10000, 65536};
static const struct protocol *const protocols[] = {&protocol_counted, &protocol_pipelined, &protocol_release_gather,
                                                   &protocol_shared_source};
/* Wrap-around of the counters themselves and of their differences as signed numbers. */
static const uint32_t starts[] = {0, UINT32_MAX - 9, INT32_MAX - 9};
static const int copies_out[] = {COMM_COPY_AUTO, COPY_MEMCPY, COPY_NONTEMPORAL};
static const uint32_t levels[FACTOR_COUNT] = {
    [FACTOR_PROCS] = 10, [FACTOR_BLOCK] = 10, [FACTOR_QUEUE] = 5, [FACTOR_FRAGMENT] = 4, [FACTOR_PROTOCOL] = 4,
    [FACTOR_IN_PLACE] = GATHER_IN_PLACE_COUNT, [FACTOR_BACKEND] = 2, [FACTOR_BROADCASTS] = GATHER_BROADCASTS_COUNT,
    [FACTOR_CALLS] = GATHER_CALLS_COUNT, [FACTOR_LANES] = GATHER_LANES_COUNT, [FACTOR_BUFFERS] = GATHER_BUFFERS_COUNT,
    [FACTOR_START] = 3, [FACTOR_DELAY] = 2, [FACTOR_COPY_OUT] = 3, [FACTOR_EXECUTOR] = 2,
};

static uint64_t seed;

static struct gather_case case_of(const struct covering_row *row)
{
    const uint8_t *level = row->level;
    struct gather_case c = gather_case_default();
    c.procs = procs[level[FACTOR_PROCS]];
    c.block_bytes = blocks[level[FACTOR_BLOCK]];
    c.slots = queues[level[FACTOR_QUEUE]][0];
    c.sets = queues[level[FACTOR_QUEUE]][1];
    c.fragment_bytes = fragments[level[FACTOR_FRAGMENT]];
    c.protocol = protocols[level[FACTOR_PROTOCOL]];
    if (c.protocol == &protocol_release_gather)
        c.sets = 1; /* it knows no sets */
    c.in_place = level[FACTOR_IN_PLACE];
    c.backend = level[FACTOR_BACKEND] ? BACKEND_THREADS : BACKEND_PROCS;
    c.broadcasts = level[FACTOR_BROADCASTS];
    c.calls = level[FACTOR_CALLS];
    c.lanes = level[FACTOR_LANES];
    c.buffers = level[FACTOR_BUFFERS];
    c.op_start = starts[level[FACTOR_START]];
    c.copy_out = copies_out[level[FACTOR_COPY_OUT]];
    c.generic_executor = level[FACTOR_EXECUTOR];
    int is_large = c.procs * c.block_bytes >= LARGE_BYTES;
    uint64_t steps = c.procs * (c.block_bytes / c.fragment_bytes + 1);
    c.delay_max_ns = !level[FACTOR_DELAY] ? 0 : steps < 100 ? 2000 : 100; /* of many fragments each is held up less */
    c.call_count = is_large ? 2 : c.block_bytes <= 4096 ? 16 : 4;
    return c;
}

/* In at most 4096 fragments of all ranks together. */
static int possible(const void *context, const struct covering_row *row)
{
    struct gather_case c = case_of(row);
    (void)context;
    return c.block_bytes / c.fragment_bytes * c.procs <= 4096;
}

static uint32_t pairs_of_all(void)
{
    uint32_t n = 0;
    for (uint32_t a = 0; a < FACTOR_COUNT; a++)
        for (uint32_t b = a + 1; b < FACTOR_COUNT; b++)
            n += levels[a] * levels[b];
    return n;
}

/* Where only threads run, the cases of processes; and some more where there is no time for all. The seed is another each time. */
static int left_out(const struct gather_case *c)
{
    return !getenv("SHMCOLL_TEST_FULL") && (!backend_runs(c->backend) || (tests_brief() && c->seed % 5 < 3));
}

static void all_pairs(void **state)
{
    static struct covering_row rows[ROWS_MAX];
    const struct covering_space space = {.factors = FACTOR_COUNT, .levels = levels, .deciding = FACTOR_DECIDING,
                                         .possible = possible};
    uint32_t pairs, run = 0, n = covering_make(&space, seed, rows, ROWS_MAX, &pairs);
    (void)state;
    assert_in_range(pairs, pairs_of_all() - 1, pairs_of_all()); /* not 1 MiB in 64 bytes */
    assert_in_range(n, 100, ROWS_MAX - 1);
    for (uint32_t i = 0; i < n; i++) {
        char reason[COMM_REASON_BYTES], text[GATHER_CASE_TEXT_BYTES];
        struct gather_case c = case_of(&rows[i]);
        c.seed = seed + i;
        if (left_out(&c))
            continue;
        run++;
        int error = gather_case_run(&c, reason);
        if (error)
            fail_msg("%s: error %d: %s", gather_case_format(&c, text, sizeof text), error, reason);
    }
    printf("seed %llu: %u of %u cases that cover %u pairs\n", (unsigned long long)seed, run, n, pairs);
}

static int all_alike(const void *context, const struct covering_row *row)
{
    (void)context;
    for (uint32_t f = 1; f < 6; f++)
        if (row->level[f] != row->level[0])
            return 0;
    return 1;
}

/* Possible rows are found, however rare: here one in ten thousand that contain a pair. */
static void rare_rows_are_found(void **state)
{
    static const uint32_t tens[] = {10, 10, 10, 10, 10, 10};
    const struct covering_space space = {.factors = 6, .levels = tens, .deciding = 6, .possible = all_alike};
    struct covering_row rows[10];
    uint32_t pairs;
    (void)state;
    for (uint64_t s = seed; s < seed + 2; s++) {
        assert_int_equal(covering_make(&space, s, rows, 10, &pairs), 10);
        assert_int_equal(pairs, 10 * 6 * 5 / 2);
    }
}

int main(void)
{
    const char *given = getenv("SHMCOLL_TEST_SEED");
    seed = given ? strtoull(given, NULL, 0) : clock_monotonic_ns() % 1000000;
    setvbuf(stdout, NULL, _IOLBF, BUFSIZ); /* ranks are forked, and a crash shall not swallow the seed */
    printf("seed %llu\n", (unsigned long long)seed);
    const struct CMUnitTest tests[] = {cmocka_unit_test(rare_rows_are_found), cmocka_unit_test(all_pairs)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
