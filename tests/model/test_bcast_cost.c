/* bcast_cost: the figures S1 prints, Table 1 digit by digit, the optimum against trying everything. */
#include "tests/model/cmocka_all.h"

#include "model/bcast_cost.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static const struct bcast_costs paper = {1e-9, 50e-9, 100e-9, 10e-9};
enum { MIB = 1 << 20 };

static double us(uint64_t m, uint32_t f, uint32_t s, uint32_t q)
{
    return bcast_cost_s(&paper, m, f, s, q) * 1e6;
}

static void test_published(void **state)
{
    (void)state;
    const double e = 5e-4; /* three digits are given */
    double f_opt = bcast_cost_fragment_opt_bytes(&paper, 16 * MIB, 4 * MIB);
    assert_near(f_opt, 14481.5, 0.05);
    assert_near(4 * MIB / f_opt, 289.6, 0.05);
    assert_near(bcast_cost_relaxed_s(&paper, 16 * MIB, f_opt, 4 * MIB) * 1e6, 16893.508, e);
    assert_near(us(16 * MIB, 16384, 256, 1), 16894.392, e);
    assert_near(us(16 * MIB, 12288, 341, 1), 16907.506, e);
    assert_near(us(16 * MIB, 8192, 512, 1), 16912.824, e);
    assert_near(us(16 * MIB, 8192, 1, 1), 33882.112, e);
    assert_near(us(16 * MIB, 8192, 64, 2), 16894.848, e);
    assert_int_equal(bcast_cost_sets_billed(16 * MIB, 12288, 32, 4), 172);
    assert_int_equal(bcast_cost_sets_opened(16 * MIB, 12288, 32, 4), 171);
    assert_near(us(16 * MIB, 12288, 32, 4), 172 * 0.11 + 12.288 + 1366 * 0.05 + 16777.216, 1e-6);
}

static void test_regimes(void **state)
{
    (void)state;
    const double e = 1e-9;
    assert_near(us(0, 8192, 8, 2), 0, 0);
    assert_near(us(1, 8192, 8, 2), 0.11 + 0.05 + 0.002, e);
    assert_near(us(8192, 8192, 8, 1), 0.11 + 0.05 + 2 * 8.192, e);
    assert_near(us(8193, 8192, 8, 1), 0.11 + 8.192 + 2 * 0.05 + 8.193, e);
    assert_near(us(8193, 8192, 8, 4), 0.11 + 8.192 + 2 * 0.05 + 8.193, e);
    assert_near(us(8193, 8192, 1, 1), 2 * 0.16 + 2 * 8.193, e);
    assert_near(us(65536, 8192, 8, 2), 0.11 + 8.192 + 8 * 0.05 + 65.536, e);
    assert_near(us(65537, 8192, 8, 1), 2 * (0.11 + 8.192) + 9 * 0.05 + 65.537, e);
    assert_near(us(65537, 8192, 8, 2), 4 * 0.11 + 8.192 + 9 * 0.05 + 65.537, e);
    struct bcast_cost_terms terms;
    assert_int_equal(bcast_cost_terms(&paper, 1, 0, 1, 1, &terms), -EINVAL);
    assert_int_equal(bcast_cost_terms(&paper, 1, 1, 0, 1, &terms), -EINVAL);
    assert_int_equal(bcast_cost_terms(&paper, 1, 1, 1, 0, &terms), -EINVAL);
    assert_int_equal(bcast_cost_terms(&paper, 1, 1, 8, 3, &terms), -EINVAL);
    assert_true(isnan(bcast_cost_s(&paper, 1, 1, 8, 3)));
}

/* With free waiting pipelining gains at most a factor of 2. */
static void test_gain_below_two(void **state)
{
    (void)state;
    const struct bcast_costs free_waiting = {1e-9, 0, 0, 0};
    for (uint32_t s = 2; s <= 4096; s *= 2)
        for (uint64_t m = 16384; m <= 64 * MIB; m = m * 3 + 1) {
            double gain = bcast_cost_s(&free_waiting, m, 4096, 1, 1) / bcast_cost_s(&free_waiting, m, 4096, s, 1);
            assert_true(gain < 2 && gain > 1);
        }
}

/* f* is where the relaxed form is least, for laps and for messages that fit. */
static void test_fragment_opt_is_least(void **state)
{
    (void)state;
    for (uint64_t m = 100000; m < 100 * MIB; m *= 5) {
        double f = bcast_cost_fragment_opt_bytes(&paper, m, 4 * MIB), least = bcast_cost_relaxed_s(&paper, m, f, 4 * MIB);
        assert_true(least < bcast_cost_relaxed_s(&paper, m, f * 1.01, 4 * MIB));
        assert_true(least < bcast_cost_relaxed_s(&paper, m, f / 1.01, 4 * MIB));
    }
    double limit = sqrt(4.0 * MIB * 50); /* m >> b: sqrt(b t_w / t) */
    assert_near(bcast_cost_fragment_opt_bytes(&paper, (1ull << 40) + 1, 4 * MIB), limit, limit * 1e-5);
    assert_true(isnan(bcast_cost_fragment_opt_bytes(&paper, 0, 1)));
    assert_true(isnan(bcast_cost_fragment_opt_bytes(&paper, 1, 0)));
}

static void test_recipes(void **state)
{
    (void)state;
    struct bcast_queue q = {.slots = 9};
    assert_int_equal(bcast_cost_choose_by_message(&paper, 16 * MIB, 4096, &q), 0); /* sqrt(16 Mi * 50) = 28963 */
    assert_int_equal(q.fragment_bytes, 32768);
    assert_int_equal(q.slots, 512);
    assert_near(q.time_s, bcast_cost_s(&paper, 16 * MIB, 32768, 512, 1), 0);
    assert_int_equal(bcast_cost_choose_by_fragment(&paper, 1000000, 8192, &q), 0);
    assert_int_equal(q.slots, 123);
    assert_int_equal(bcast_cost_choose_by_slots(&paper, 16 * MIB, 64, 4096, &q), 0);
    assert_int_equal(q.fragment_bytes, 32768);
    assert_int_equal(q.slots, 64);
    assert_near(q.time_s, bcast_cost_s(&paper, 16 * MIB, 32768, 64, 1), 0); /* 2 MiB < m_max: it laps */
    assert_int_equal(bcast_cost_choose_by_message(&paper, 0, 4096, &q), -EINVAL);
    assert_int_equal(bcast_cost_choose_by_fragment(&paper, 1, 0, &q), -EINVAL);
    assert_int_equal(bcast_cost_choose_by_slots(&paper, 1, 0, 4096, &q), -EINVAL);
    assert_int_equal(bcast_cost_choose_by_fragment(&paper, 1ull << 33, 1, &q), -EINVAL);
    assert_int_equal(q.slots, 64); /* untouched by refusals */
    assert_int_equal(bcast_cost_page_round(14481.5, 4096), 16384);
    assert_int_equal(bcast_cost_page_round(4096, 4096), 4096);
    assert_int_equal(bcast_cost_page_round(0, 4096), 4096);
    assert_int_equal(bcast_cost_page_round(4.29e9 + 1e7, 4096), 0);
    assert_int_equal(bcast_cost_page_round(NAN, 4096), 0);
}

/* S1 Table 1 as printed: rows f, columns s = f/2 .. f/512. */
static void test_table_1(void **state)
{
    (void)state;
    static const char *const printed[16] = {
        "8 4 2 1 0.5 0.3 0.1 0.1 0.03",         "32 16 8 4 2 1 0.5 0.3 0.1",
        "72 36 18 9 5 2 1.1 0.6 0.3",           "128 64 32 16 8 4 2 1 0.5",
        "200 100 50 25 13 6 3.1 1.6 0.8",       "288 144 72 36 18 9 4.5 2.3 1.1",
        "392 196 98 49 25 12 6.1 3.1 1.5",      "512 256 128 64 32 16 8 4 2",
        "648 324 162 81 41 20 10.1 5.1 2.5",    "800 400 200 100 50 25 12.5 6.3 3.1",
        "968 484 242 121 61 30 15.1 7.6 3.8",   "1152 576 288 144 72 36 18 9 4.5",
        "1352 676 338 169 85 42 21.1 10.6 5.3", "1568 784 392 196 98 49 24.5 12.3 6.1",
        "1800 900 450 225 113 56 28.1 14.1 7",  "2048 1024 512 256 128 64 32 16 8",
    };
    for (uint32_t i = 0; i < 16; i++) {
        char row[128] = "", cell[BCAST_TABLE1_TEXT_BYTES];
        for (uint32_t d = 2; d <= 512; d *= 2) {
            strcat(row, bcast_cost_table1_text(4096 * (i + 1), d, cell));
            strcat(row, d < 512 ? " " : "");
        }
        assert_string_equal(row, printed[i]);
    }
    assert_int_equal(bcast_cost_table1_band(4096, 2), 0);
    assert_int_equal(bcast_cost_table1_band(8192, 4), 1);
    assert_int_equal(bcast_cost_table1_band(40960, 16), 1); /* 100 MiB itself */
    assert_int_equal(bcast_cost_table1_band(65536, 2), 2);
}

/* Everything there is, in no clever order. */
static double brute_force_s(const struct bcast_costs *costs, uint64_t m, uint64_t budget, uint32_t unit, uint32_t sets_max)
{
    double best = INFINITY;
    for (uint32_t f = unit; f <= budget; f += unit)
        for (uint32_t s = 1; (uint64_t)f * s <= budget; s++)
            for (uint32_t q = 1; q <= s && (!sets_max || q <= sets_max); q++)
                if (s % q == 0)
                    best = fmin(best, bcast_cost_s(costs, m, f, s, q));
    return best;
}

static void test_optimum_against_brute_force(void **state)
{
    (void)state;
    const struct bcast_costs some[] = {
        paper,
        {1e-9, 4e-6, 100e-9, 10e-9},
        {1e-9, 50e-9, 5e-6, 1e-6},
        {1e-10, 1e-7, 0, 0},
        {1e-9, 0, 1e-7, 1e-8},
        {0, 1e-7, 1e-7, 1e-7},
    };
    const char *given = getenv("SHMCOLL_TEST_SEED");
    unsigned seed = given ? (unsigned)strtoul(given, NULL, 0) : (unsigned)time(NULL), tried = 0;
    print_message("seed %u\n", seed);
    srand(seed);
    for (int i = 0; i < 600; i++) {
        const struct bcast_costs *c = &some[i % 6];
        uint32_t unit = i % 4 ? 4096 : 512, sets_max = (uint32_t)(i / 6 % 4); /* 0: any */
        uint64_t budget = unit * (1u + (unsigned)rand() % 150), m = 1 + (unsigned)rand() % (unit << (rand() % 11));
        struct bcast_queue got;
        assert_int_equal(bcast_cost_optimum(c, m, budget, unit, sets_max, &got), 0);
        double want = brute_force_s(c, m, budget, unit, sets_max);
        if (!(fabs(got.time_s - want) <= 1e-12 * want))
            fail_msg("m %llu budget %llu unit %u: %g, but %g is possible", (unsigned long long)m, (unsigned long long)budget,
                     unit, got.time_s, want);
        assert_true((uint64_t)got.fragment_bytes * got.slots <= budget && got.fragment_bytes % unit == 0);
        assert_true(got.slots % got.sets == 0 && (!sets_max || got.sets <= sets_max));
        assert_near(got.time_s, bcast_cost_s(c, m, got.fragment_bytes, got.slots, got.sets), 0);
        tried++;
    }
    print_message("%u optima\n", tried);
}

/* Short budgets, where the teeth are longest: three sets of one slot may open fewer than two of one. */
static void test_optimum_in_few_pages(void **state)
{
    (void)state;
    const struct bcast_costs costs = {1e-9, 0, 100e-9, 10e-9};
    unsigned odd = 0;
    for (uint32_t pages = 1; pages <= 12; pages++)
        for (uint64_t m = 4096; m <= 40 * 4096; m += 2048) {
            struct bcast_queue got;
            assert_int_equal(bcast_cost_optimum(&costs, m, pages * 4096, 4096, 0, &got), 0);
            double want = brute_force_s(&costs, m, pages * 4096, 4096, 0);
            assert_near(got.time_s, want, 1e-12 * want);
            odd += got.sets > 2;
        }
    assert_true(odd > 0);
}

static void test_optimum_of_the_paper(void **state)
{
    (void)state;
    struct bcast_queue q;
    assert_int_equal(bcast_cost_optimum(&paper, 16 * MIB, 4 * MIB, 4096, 1, &q), 0);
    assert_int_equal(q.fragment_bytes, 16384);
    assert_int_equal(q.slots, 256);
    assert_near(q.time_s * 1e6, 16894.392, 5e-4);
    assert_int_equal(bcast_cost_optimum(&paper, 16 * MIB, 4 * MIB, 4096, 0, &q), 0);
    assert_true(q.sets > 1 && q.time_s * 1e6 < 16894.392);
    assert_int_equal(bcast_cost_optimum(&paper, 0, MIB, 4096, 0, &q), -EINVAL);
    assert_int_equal(bcast_cost_optimum(&paper, 1, 4095, 4096, 0, &q), -EINVAL);
    assert_int_equal(bcast_cost_optimum(&paper, 1, MIB, 0, 0, &q), -EINVAL);
    assert_int_equal(bcast_cost_optimum(&paper, 5, MIB, 4096, 0, &q), 0); /* one page, one slot: nothing shorter does it */
    assert_int_equal(q.fragment_bytes, 4096);
    assert_int_equal(q.slots, 1);
}

static void test_optimum_is_quick(void **state)
{
    (void)state;
    const uint64_t budgets[] = {4 * MIB, 10 * MIB};
    struct bcast_queue q;
    for (int i = 0; i < 2; i++) {
        clock_t start = clock();
        assert_int_equal(bcast_cost_optimum(&paper, 64ull * MIB, budgets[i], 4096, 0, &q), 0);
        double ms = (double)(clock() - start) * 1e3 / CLOCKS_PER_SEC;
        print_message("budget %llu MiB: f=%u s=%u q=%u %.3f us, found in %.3f ms\n", (unsigned long long)budgets[i] / MIB,
                      q.fragment_bytes, q.slots, q.sets, q.time_s * 1e6, ms);
        assert_true(ms < 1000);
    }
}

static void test_budget(void **state)
{
    (void)state;
    struct node node;
    assert_int_equal(node_create(&node, 2, 16), 0);
    assert_int_equal(bcast_cost_budget_bytes(&node), 4 * MIB);
    node.domain_memory_bytes[0] = node.domain_memory_bytes[1] = 32ull << 30;
    assert_int_equal(bcast_cost_budget_bytes(&node), 10 * MIB);
    node.domain_memory_bytes[0] = 8ull << 30, node.domain_memory_bytes[1] = 0; /* 512 MiB a core */
    assert_int_equal(bcast_cost_budget_bytes(&node), 5368709 / 4096 * 4096);
    node.domain_memory_bytes[0] = 1;
    assert_int_equal(bcast_cost_budget_bytes(&node), 4096);
    node_destroy(&node);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_published),
        cmocka_unit_test(test_regimes),
        cmocka_unit_test(test_gain_below_two),
        cmocka_unit_test(test_fragment_opt_is_least),
        cmocka_unit_test(test_recipes),
        cmocka_unit_test(test_table_1),
        cmocka_unit_test(test_optimum_against_brute_force),
        cmocka_unit_test(test_optimum_in_few_pages),
        cmocka_unit_test(test_optimum_of_the_paper),
        cmocka_unit_test(test_optimum_is_quick),
        cmocka_unit_test(test_budget),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
