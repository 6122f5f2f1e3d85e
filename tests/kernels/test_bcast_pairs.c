/* Byte-exact for all pairs of parameter values, protocol by protocol: a covering array for each, generated here, every case
 * run for real, several broadcasts on one communicator. */
#include "bcast_factors.h"
#include "watched_launch.h"

#include "kernels/clock.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ROWS_MAX = 400, LEVELS_MOST = 8, PROTOCOLS_MAX = 32 };

static uint64_t seed;
static uint32_t cases_run, pairs_covered;

/* possible[a][i][b][j], a < b: some valid row has level i of factor a and level j of factor b. */
struct pairs {
    uint8_t possible[FACTOR_COUNT][LEVELS_MOST][FACTOR_COUNT][LEVELS_MOST];
};

static void pairs_mark(struct pairs *pairs, const struct covering_row *row)
{
    for (uint32_t a = 0; a < FACTOR_DECIDING; a++)
        for (uint32_t b = a + 1; b < FACTOR_DECIDING; b++)
            pairs->possible[a][row->level[a]][b][row->level[b]] = 1;
}

/* By looking at every combination of the factors that decide, independently of the generator. */
static void pairs_enumerate(const struct protocol *protocol, struct pairs *pairs)
{
    struct covering_row row = {{0}};
    memset(pairs, 0, sizeof *pairs);
    for (uint32_t k = 0; k < FACTOR_DECIDING;) {
        struct bcast_case c = bcast_factors_case(protocol, &row);
        if (bcast_case_valid(&c))
            pairs_mark(pairs, &row);
        for (k = 0; k < FACTOR_DECIDING && ++row.level[k] == bcast_factor_levels[k]; k++)
            row.level[k] = 0;
    }
}

/* A level of a deciding factor is possible if it is with any level of another one. */
static int pair_possible(const struct pairs *pairs, uint32_t a, uint32_t i, uint32_t b, uint32_t j)
{
    if (b < FACTOR_DECIDING)
        return pairs->possible[a][i][b][j];
    int possible = a >= FACTOR_DECIDING;
    for (uint32_t other = 0; other < FACTOR_DECIDING && a < FACTOR_DECIDING; other++)
        for (uint32_t k = 0; k < LEVELS_MOST && other != a; k++)
            possible |= other < a ? pairs->possible[other][k][a][i] : pairs->possible[a][i][other][k];
    return possible;
}

static int pair_found(const struct covering_row *rows, uint32_t n, uint32_t a, uint32_t i, uint32_t b, uint32_t j)
{
    uint32_t k = 0;
    while (k < n && (rows[k].level[a] != i || rows[k].level[b] != j))
        k++;
    return k < n;
}

static uint32_t array_covers(const struct protocol *protocol, const struct covering_row *rows, uint32_t n)
{
    static struct pairs pairs;
    uint32_t found = 0;
    pairs_enumerate(protocol, &pairs);
    for (uint32_t a = 0; a < FACTOR_COUNT; a++)
        for (uint32_t b = a + 1; b < FACTOR_COUNT; b++)
            for (uint32_t i = 0; i < bcast_factor_levels[a]; i++)
                for (uint32_t j = 0; j < bcast_factor_levels[b]; j++) {
                    int has = pair_found(rows, n, a, i, b, j);
                    if (has != pair_possible(&pairs, a, i, b, j))
                        fail_msg("%s: factor %u level %u with factor %u level %u is %s", protocol->name, a, i, b, j,
                                 has ? "there but impossible" : "missing");
                    found += (uint32_t)has;
                }
    return found;
}

/* Where only threads run, the cases of processes; and some more where there is no time for all. The seed is another each time. */
static int left_out(const struct bcast_case *c)
{
    return !getenv("SHMCOLL_TEST_FULL") && (!backend_runs(c->backend) || (tests_brief() && c->seed % 5 < 3));
}

static void all_pairs(void **state)
{
    static struct covering_row rows[ROWS_MAX];
    const struct protocol *protocol = *state;
    const struct covering_space space = bcast_factors_space(protocol);
    uint32_t pairs, n = covering_make(&space, seed, rows, ROWS_MAX, &pairs);
    assert_true(n > 0);
    assert_int_equal(array_covers(protocol, rows, n), pairs);
    for (uint32_t i = 0; i < n; i++) {
        char reason[COMM_REASON_BYTES], text[BCAST_CASE_TEXT_BYTES];
        struct bcast_case c = bcast_factors_case(protocol, &rows[i]);
        assert_true(bcast_case_valid(&c));
        c.seed = seed + i;
        if (left_out(&c))
            continue;
        cases_run++;
        int error = bcast_case_run(&c, reason);
        if (error)
            fail_msg("%s: error %d: %s", bcast_case_format(&c, text, sizeof text), error, reason);
    }
    pairs_covered += pairs;
}

int main(void)
{
    const char *given = getenv("SHMCOLL_TEST_SEED");
    struct CMUnitTest tests[PROTOCOLS_MAX];
    size_t n = 0;
    seed = given ? strtoull(given, NULL, 0) : clock_monotonic_ns() % 1000000;
    setvbuf(stdout, NULL, _IOLBF, BUFSIZ); /* ranks are forked, and a crash shall not swallow the seed */
    printf("seed %llu\n", (unsigned long long)seed);
    for (; protocol_table[n] && n < PROTOCOLS_MAX; n++)
        tests[n] = (struct CMUnitTest){.name = protocol_table[n]->name, .test_func = all_pairs,
                                       .initial_state = (void *)protocol_table[n]};
    int failed = _cmocka_run_group_tests("all pairs", tests, n, NULL, NULL);
    printf("seed %llu: %u of the cases that cover %u pairs of %zu protocols\n", (unsigned long long)seed, cases_run,
           pairs_covered, n);
    return failed;
}
