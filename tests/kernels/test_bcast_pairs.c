/* Byte-exact for all pairs of parameter values: a covering array, generated here, every case run for real,
 * with counters that wrap during it. */
#include "covering.h"

#include "kernels/clock.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

enum { ROWS_MAX = 400 };

static uint64_t seed_of_today(void)
{
    const char *given = getenv("SHMCOLL_TEST_SEED");
    return given ? strtoull(given, NULL, 0) : clock_monotonic_ns() % 1000000;
}

/* Every pair that a valid row can contain is in some row: counted independently of the generator. */
static void array_covers(const struct covering_row *rows, uint32_t n, uint32_t pairs)
{
    uint32_t found = 0, impossible = 0;
    for (uint32_t a = 0; a < FACTOR_COUNT; a++)
        for (uint32_t b = a + 1; b < FACTOR_COUNT; b++)
            for (uint32_t i = 0; i < covering_levels(a); i++)
                for (uint32_t j = 0; j < covering_levels(b); j++) {
                    uint32_t k = 0;
                    while (k < n && (rows[k].level[a] != i || rows[k].level[b] != j))
                        k++;
                    found += k < n;
                    impossible += k == n;
                }
    assert_int_equal(found, pairs);
    /* q does not divide s: (2,1), (4,1), (4,2). More than 4096 fragments: 1 MiB by 1 and by 63 bytes. */
    assert_int_equal(impossible, 5);
}

static void all_pairs(void **state)
{
    (void)state;
    static struct covering_row rows[ROWS_MAX];
    uint64_t seed = seed_of_today();
    uint32_t pairs, n = covering_make(seed, rows, ROWS_MAX, &pairs);
    print_message("seed %llu: %u cases cover %u pairs\n", (unsigned long long)seed, n, pairs);
    assert_true(n > 0);
    array_covers(rows, n, pairs);
    for (uint32_t i = 0; i < n; i++) {
        char reason[COMM_REASON_BYTES], text[256];
        struct bcast_case c = covering_case(&rows[i]);
        assert_true(covering_row_valid(&rows[i]));
        c.op_start = UINT32_MAX - 3;
        c.calls = 6;
        c.short_protocol = i % 2;
        c.rotate_root = i % 8 == 5;
        c.delay_max_ns = i % 4 == 3 && c.size_bytes / c.fragment_bytes < 300 ? 1000 : 0;
        c.packed = i % 16 == 9;
        c.seed = seed + i;
        int error = bcast_case_run(&c, reason);
        if (error)
            fail_msg("%s: error %d: %s", bcast_case_format(&c, text, sizeof text), error, reason);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(all_pairs)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
