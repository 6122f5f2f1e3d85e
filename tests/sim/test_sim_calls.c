/* A benchmark's loop of broadcasts and barriers by short messages against what one reckons by hand. */
#include "tests/model/cmocka_all.h"

#include "model/schedule_trees.h"
#include "sim/sim_calls.h"

#include <errno.h>
#include <string.h>

enum { MOST = 65, ENTER = 500, SEND = 4000, WAY = 70000, RECEIVE = 900, LINE = 310000 };

static int try_run(const struct schedule_algorithm *a, uint32_t procs, uint64_t line_ps, struct sim_calls_answer *out,
                   char *reason, size_t reason_bytes)
{
    static struct sim_call_cost cost[MOST * MOST];
    static uint64_t line[MOST * MOST];
    struct schedule s;
    for (uint32_t i = 0; i < procs * procs; i++) {
        cost[i] = (struct sim_call_cost){SEND, WAY, RECEIVE};
        line[i] = line_ps;
    }
    assert_int_equal(schedule_init(&s, a, procs, 0), 0);
    struct sim_calls_question question = {&s, cost, cost, line, ENTER, 8, 4};
    return sim_calls_run(&question, out, reason, reason_bytes);
}

static struct sim_calls_answer run(const struct schedule_algorithm *a, uint32_t procs, uint64_t line_ps)
{
    struct sim_calls_answer out = {0, 0};
    char reason[200] = "";
    if (try_run(a, procs, line_ps, &out, reason, sizeof reason))
        fail_msg("%s", reason);
    return out;
}

/* The receiver leaves the barrier a way before the root, who waits for its message, and so waits twice a way for the next. */
static void test_two_ranks(void **state)
{
    (void)state;
    struct sim_calls_answer got = run(&schedule_linear, 2, LINE);
    double root = ENTER + SEND, receiver = ENTER + SEND + 2 * WAY + RECEIVE;
    assert_near(got.time_mean_ps, (root + receiver) / 2, 1e-6);
    assert_near(got.time_most_ps, receiver, 1e-6);
}

/* Each of four ranks hears the barrier's end and the message from the root, three sends and a call apart; ways do not count. */
static void test_messages_behind_a_barrier(void **state)
{
    (void)state;
    struct sim_calls_answer got = run(&schedule_linear, 4, LINE);
    assert_near(got.time_mean_ps, ENTER + 3 * SEND, 1e-6);
    assert_near(got.time_most_ps, ENTER + 3 * SEND, 1e-6);
}

/* 0 sends to 1 and 2, 1 to 3. The queue of 3 is the one where two write that a call waits for: 1 the message, 0 the barrier's
 * end, each fetching the line from the other. Rank 0 leaves that late for 1, 2 and 3, and 1 sends that late. */
static void test_lines_are_fetched(void **state)
{
    (void)state;
    struct sim_calls_answer got = run(&schedule_binomial_near, 4, LINE);
    double own[4] = {2 * SEND, 4 * SEND + 2 * LINE, 3 * SEND + LINE, 2 * SEND + LINE + WAY + RECEIVE};
    assert_near(got.time_mean_ps, ENTER + (own[0] + own[1] + own[2] + own[3]) / 4, 1e-6);
    assert_near(got.time_most_ps, ENTER + own[1], 1e-6);
}

/* Of three ranks 2 is beyond a power of two: the root waits until it knows that 2 has heard of the barrier's end. */
static void test_one_beyond_is_confirmed(void **state)
{
    (void)state;
    struct sim_calls_answer got = run(&schedule_linear, 3, 0);
    double own[3] = {2 * SEND, 3 * SEND + 2 * WAY + 3 * RECEIVE, 2 * SEND + 2 * WAY + 2 * RECEIVE};
    assert_near(got.time_mean_ps, ENTER + (own[0] + own[1] + own[2]) / 3, 1e-6);
    assert_near(got.time_most_ps, ENTER + own[1], 1e-6);
}

/* Every tree of every number of ranks comes to its end, the same twice, and no faster than its root's sends. */
static void test_all_end(void **state)
{
    (void)state;
    for (const struct schedule_algorithm *const *a = schedule_trees; *a; a++)
        for (uint32_t n = 2; n <= SIM_CALLS_PROCS_MAX; n++) {
            struct sim_calls_answer once = run(*a, n, LINE), again = run(*a, n, LINE);
            assert_memory_equal(&once, &again, sizeof once);
            assert_true(once.time_most_ps >= ENTER + SEND && once.time_mean_ps <= once.time_most_ps);
        }
}

static void test_what_it_does_not_know(void **state)
{
    (void)state;
    struct sim_calls_answer out;
    char reason[200] = "";
    assert_int_equal(try_run(&schedule_ring, 4, 0, &out, reason, sizeof reason), -ENOTSUP);
    assert_non_null(strstr(reason, "ring of 4 ranks is no tree"));
    assert_int_equal(try_run(&schedule_chains, SIM_CALLS_PROCS_MAX + 1, 0, &out, reason, sizeof reason), -ENOTSUP);
    assert_int_equal(try_run(&schedule_chains, 1, 0, &out, reason, sizeof reason), -ENOTSUP);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_two_ranks),
        cmocka_unit_test(test_messages_behind_a_barrier),
        cmocka_unit_test(test_lines_are_fetched),
        cmocka_unit_test(test_one_beyond_is_confirmed),
        cmocka_unit_test(test_all_end),
        cmocka_unit_test(test_what_it_does_not_know),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
