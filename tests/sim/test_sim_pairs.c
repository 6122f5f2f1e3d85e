/* Broadcasts by single copies between processes of a node against what one reckons by hand. */
#include "tests/model/cmocka_all.h"

#include "model/schedule_trees.h"
#include "sim/sim_pairs.h"

#include <errno.h>
#include <math.h>
#include <string.h>

enum { PROCS = 13, BEGIN = 300, BYTES = 7000, PAGES = 5, NEAR = 11, FAR = 29 };

/* On one socket, or on two that ranks take turns on. */
static struct sim_pairs_answer run_on(const struct schedule_algorithm *a, uint32_t procs, uint32_t root, uint32_t sockets,
                                      uint32_t send_ps)
{
    struct schedule s;
    struct sim_pair pair[PROCS * PROCS];
    uint64_t line_ps[PROCS * PROCS];
    struct sim_pairs_answer out;
    char reason[200] = "";
    for (uint32_t i = 0; i < procs * procs; i++) {
        pair[i] = (struct sim_pair){send_ps, BEGIN, BYTES};
        line_ps[i] = i / procs % sockets == i % procs % sockets ? NEAR : FAR;
    }
    assert_int_equal(schedule_init(&s, a, procs, root), 0);
    struct sim_pairs_question question = {.schedule = &s, .pair = pair, .line_ps = line_ps, .pages = PAGES};
    if (sim_pairs_run(&question, &out, reason, sizeof reason))
        fail_msg("%s", reason);
    return out;
}

/* Two wait for each other with each page: each has the lock once, two lines a time. Of more each has it once, three lines. */
static void test_readers_of_one_rank_wait(void **state)
{
    (void)state;
    for (uint32_t n = 3; n <= PROCS; n++) {
        uint32_t lines = n == 3 ? 2 * 2 : (n - 1) * 3;
        struct sim_pairs_answer got = run_on(&schedule_linear, n, 0, 1, 0);
        assert_near((double)got.time_ps, BEGIN + BYTES + PAGES * lines * NEAR, 1);
        assert_near(got.time_mean_ps, BEGIN + BYTES + PAGES * lines * NEAR, 1e-6);
    }
}

/* 1 and 3 sit on the other socket than 2: of three pairs of readers one is near. */
static void test_lines_cost_the_mean_over_pairs(void **state)
{
    (void)state;
    struct sim_pairs_answer got = run_on(&schedule_linear, 4, 0, 2, 0);
    assert_near(got.time_mean_ps, BEGIN + BYTES + PAGES * 3 * (NEAR + FAR + FAR), 1e-6);
}

/* The second begins a send later and ends a send later: it is alone at last, as the first was at first. */
static void test_who_is_alone_does_not_wait(void **state)
{
    (void)state;
    double send = 40, both = BYTES + PAGES * 4 * NEAR, first = BEGIN + send + (1 - send / BYTES) * both, last = first + send;
    assert_near(run_on(&schedule_linear, 3, 0, 1, 40).time_mean_ps, (last + first + last) / 3, 1e-6);
}

/* A single copy: who sends has ended when its reader has. */
static void test_single_copy(void **state)
{
    (void)state;
    struct sim_pairs_answer two = run_on(&schedule_binomial_near, 2, 1, 1, 40);
    assert_int_equal(two.time_ps, BEGIN + BYTES);
    assert_near(two.time_mean_ps, BEGIN + BYTES, 1e-6);
}

/* 0 sends to 1 and 2, 1 to 3 and 2 to 4: the last two copy at the same time, but from different ranks. */
static void test_readers_of_different_ranks_do_not(void **state)
{
    (void)state;
    struct sim_pairs_answer got = run_on(&schedule_binary, 5, 0, 1, 0);
    assert_near((double)got.time_ps, BEGIN + BYTES + PAGES * 4 * NEAR + BEGIN + BYTES, 1);
}

static void test_only_trees(void **state)
{
    (void)state;
    struct schedule s;
    struct sim_pair pair[16] = {{0, 0, 0}};
    struct sim_pairs_answer out;
    char reason[200] = "";
    assert_int_equal(schedule_init(&s, &schedule_ring, 4, 0), 0);
    struct sim_pairs_question question = {.schedule = &s, .pair = pair};
    assert_int_equal(sim_pairs_run(&question, &out, reason, sizeof reason), -ENOTSUP);
    assert_non_null(strstr(reason, "ring is no tree"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_readers_of_one_rank_wait),
        cmocka_unit_test(test_lines_cost_the_mean_over_pairs),
        cmocka_unit_test(test_who_is_alone_does_not_wait),
        cmocka_unit_test(test_single_copy),
        cmocka_unit_test(test_readers_of_different_ranks_do_not),
        cmocka_unit_test(test_only_trees),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
