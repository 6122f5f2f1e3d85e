/* Two ranks on a contention-free node: the simulator against an independent recurrence, to the picosecond. */
#include "tests/model/cmocka_all.h"
#include "tests/sim/sim_case.h"

#include <stdlib.h>

struct costs {
    uint64_t t, w, wo, a; /* picoseconds */
};

static const struct costs PAPER = {1000, 50000, 100000, 10000};

static uint64_t later(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

/* Fragment by fragment: a leaf's wait ends at max(ready, post) + cost, the root's steps are free but for its copies.
 * The second set of several is open from the start (its counter is initially 1). */
static uint64_t recurrence_ps(struct costs c, uint64_t m, uint64_t f, uint64_t s, uint64_t q)
{
    uint64_t *left = calloc(q, sizeof *left); /* when the leaf left a set last */
    uint64_t root = 0, leaf = 0, per_set = s / q;
    assert_non_null(left);
    for (uint64_t set = 0, done = 0; done < m; set++) {
        root = later(root, left[set % q]);
        leaf = (set == 1 && q > 1 ? leaf : later(leaf, root)) + c.wo;
        for (uint64_t i = 0; i < per_set && done < m; i++) {
            uint64_t n = m - done < f ? m - done : f;
            root += n * c.t;
            leaf = later(leaf, root) + c.w + n * c.t;
            done += n;
        }
        left[set % q] = leaf += c.a;
    }
    free(left);
    return later(root, leaf);
}

static uint64_t simulated_ps(struct costs c, uint64_t m, uint32_t f, uint32_t s, uint32_t q)
{
    struct sim_case test;
    sim_case_paper(&test, (double)c.t, (double)c.w, (double)c.wo, (double)c.a);
    sim_case_bcast(&test, 2, m, f, s, q);
    uint64_t time_ps = sim_case_time_ps(&test);
    sim_case_destroy(&test);
    return time_ps;
}

static void published_times(void **state)
{
    (void)state;
    static const struct {
        uint32_t f, s, q;
        uint64_t time_ps;
    } row[] = {
        {8192, 1, 1, 33677312000},  {8192, 512, 1, 16912424000}, {16384, 64, 1, 17090720000},
        {8192, 64, 2, 16894748000}, {12288, 32, 4, 16876514000},
    };
    for (size_t i = 0; i < sizeof row / sizeof *row; i++)
        assert_int_equal(simulated_ps(PAPER, 16 << 20, row[i].f, row[i].s, row[i].q), row[i].time_ps);
}

/* Every one of t_w, t_wo and t_A shows in a published time and in the time of short fragments. */
static void no_cost_is_idle(void **state)
{
    (void)state;
    const struct costs without[] = {{1000, 0, 100000, 10000}, {1000, 50000, 0, 10000}, {1000, 50000, 100000, 0}};
    for (size_t i = 0; i < 3; i++) {
        assert_int_not_equal(simulated_ps(without[i], 16 << 20, 8192, 64, 2), 16894748000);
        assert_int_not_equal(simulated_ps(without[i], 16 << 20, 12288, 32, 4), 16876514000);
        assert_int_not_equal(simulated_ps(without[i], 65536, 256, 8, 2), simulated_ps(PAPER, 65536, 256, 8, 2));
    }
}

static uint64_t up(uint64_t a, uint64_t b)
{
    return (a + b - 1) / b;
}

/* S1 5.2, printed */
static uint64_t closed_form_ps(struct costs c, uint64_t m, uint64_t f, uint64_t s, uint64_t q)
{
    uint64_t rounds = up(m, f * s), waits = up(m, f) * c.w, copy = f * c.t;
    if (m <= f)
        return c.wo + c.a + c.w + 2 * m * c.t;
    if (m <= f * s)
        return c.wo + copy + c.a + waits + m * c.t;
    if (s == 1)
        return up(m, f) * (c.wo + c.a) + waits + 2 * m * c.t;
    if (q == 1)
        return rounds * (c.wo + copy + c.a) + waits + m * c.t;
    return q * rounds * (c.wo + c.a) + copy + waits + m * c.t;
}

static void assert_ratio(uint32_t s, uint32_t q, double expected)
{
    double ratio = (double)simulated_ps(PAPER, 65536, 256, s, q) / (double)closed_form_ps(PAPER, 65536, 256, s, q);
    if (ratio < expected - 0.00005 || ratio > expected + 0.00005)
        fail_msg("s=%u q=%u: %.5f of the closed form, not %.4f", s, q, ratio, expected);
}

/* Where waits dominate the event-by-event time falls below the closed form. */
static void short_fragments_against_closed_form(void **state)
{
    (void)state;
    assert_ratio(1, 1, 0.8512);
    assert_ratio(8, 1, 0.9645);
    assert_ratio(8, 2, 0.9988);
}

static uint32_t draw(uint64_t *x, uint32_t n)
{
    *x ^= *x << 13;
    *x ^= *x >> 7;
    *x ^= *x << 17;
    return (uint32_t)((*x >> 16) % n);
}

static void random_cases(void **state)
{
    (void)state;
    const uint64_t seed = 20261121;
    uint64_t x = seed;
    enum { CASES = 4000 };
    print_message("%d cases, seed %llu\n", CASES, (unsigned long long)seed);
    for (int i = 0; i < CASES; i++) {
        struct costs c = {draw(&x, 2000), draw(&x, 300000), draw(&x, 300000), draw(&x, 100000)};
        uint32_t q = 1 + draw(&x, 5), s = q * (1 + draw(&x, 9)), f = 1 + draw(&x, 3000);
        uint64_t m = draw(&x, 8) == 0 ? (uint64_t)f * draw(&x, 40) : draw(&x, 60000);
        m = m / f > 2000 ? f * (m / f % 2000) : m;
        uint64_t want = recurrence_ps(c, m, f, s, q), got = simulated_ps(c, m, f, s, q);
        if (want != got)
            fail_msg("seed %llu case %d: m=%llu f=%u s=%u q=%u: %llu ps, not %llu", (unsigned long long)seed, i,
                     (unsigned long long)m, f, s, q, (unsigned long long)got, (unsigned long long)want);
    }
}

/* For q = 1 or m > b the closed form is never below; for q >= 2 and a message that fits the queue it can be. */
static void closed_form_is_a_bound_where_it_should_be(void **state)
{
    (void)state;
    uint64_t x = 7;
    int above = 0;
    for (int i = 0; i < 4000; i++) {
        struct costs c = {draw(&x, 2000), draw(&x, 300000), draw(&x, 300000), draw(&x, 100000)};
        uint32_t q = 1 + draw(&x, 4), s = q * (1 + draw(&x, 8)), f = 1 + draw(&x, 3000);
        uint64_t m = 1 + draw(&x, 64 * f);
        uint64_t time_ps = recurrence_ps(c, m, f, s, q), form_ps = closed_form_ps(c, m, f, s, q);
        if (time_ps <= form_ps)
            continue;
        above++;
        if (q == 1 || m > (uint64_t)f * s)
            fail_msg("m=%llu f=%u s=%u q=%u t=%llu w=%llu wo=%llu a=%llu: %llu ps above the form's %llu",
                     (unsigned long long)m, f, s, q, (unsigned long long)c.t,
                     (unsigned long long)c.w, (unsigned long long)c.wo, (unsigned long long)c.a,
                     (unsigned long long)time_ps, (unsigned long long)form_ps);
    }
    print_message("%d of 4000 above the form, all with q >= 2 and m <= b\n", above);
    assert_true(above > 0);
}

/* Counters may start anywhere, also where they wrap. */
static void wrap_around_changes_nothing(void **state)
{
    (void)state;
    struct sim_case test;
    sim_case_paper_default(&test);
    sim_case_bcast(&test, 2, 100000, 1000, 8, 4);
    uint64_t time_ps = sim_case_time_ps(&test);
    test.scenario.conditions.op_start = UINT32_MAX - 7 + 1;
    assert_int_equal(sim_case_time_ps(&test), time_ps);
    sim_case_destroy(&test);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(published_times),
        cmocka_unit_test(no_cost_is_idle),
        cmocka_unit_test(short_fragments_against_closed_form),
        cmocka_unit_test(random_cases),
        cmocka_unit_test(closed_form_is_a_bound_where_it_should_be),
        cmocka_unit_test(wrap_around_changes_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
