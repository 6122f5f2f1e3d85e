/* Broadcasts by single copies between processes of a node against what one reckons by hand. */
#include "tests/model/cmocka_all.h"

#include "model/schedule_trees.h"
#include "sim/sim_pairs.h"

#include <errno.h>
#include <math.h>
#include <string.h>

enum { PROCS = 13, SEND = 40, BEGIN = 300, BYTES = 7000 };

/* On one socket, or on two that ranks take turns on. */
static struct sim_pairs_answer run_on(const struct schedule_algorithm *a, uint32_t procs, uint32_t root, uint32_t sockets)
{
    uint32_t socket[PROCS];
    struct schedule s;
    struct sim_pair pair[PROCS * PROCS];
    struct sim_pairs_answer out;
    char reason[200] = "";
    for (uint32_t i = 0; i < procs * procs; i++)
        pair[i] = (struct sim_pair){SEND, BEGIN, BYTES};
    for (uint32_t r = 0; r < procs; r++)
        socket[r] = r % sockets;
    assert_int_equal(schedule_init(&s, a, procs, root), 0);
    struct sim_pairs_question question = {.schedule = &s, .pair = pair, .socket_of_rank = socket};
    if (sim_pairs_run(&question, &out, reason, sizeof reason))
        fail_msg("%s", reason);
    return out;
}

static struct sim_pairs_answer run(const struct schedule_algorithm *a, uint32_t procs, uint32_t root)
{
    return run_on(a, procs, root, 1);
}

/* All n - 1 copies share the rate of one: the i-th begins i sends later, and no time is lost while there is one. The last ends
 * when all have been done; equal shares end them one send's share apart. */
static void test_copies_share_the_rate_of_one(void **state)
{
    (void)state;
    for (uint32_t n = 2; n <= PROCS; n++) {
        struct sim_pairs_answer got = run(&schedule_linear, n, 0);
        assert_in_range(got.time_ps, BEGIN + (n - 1) * BYTES - 1, BEGIN + (n - 1) * BYTES + 1);
    }
    /* Two at once: the first is alone for a send, then both at half speed; the sender is busy to the end. */
    struct sim_pairs_answer three = run(&schedule_linear, 3, 0);
    double first = BEGIN + SEND + 2 * (BYTES - SEND), last = BEGIN + 2 * BYTES;
    assert_near(three.time_mean_ps, (last + first + last) / 3, 1e-6);
}

/* A chain of single copies: nothing is shared, and who passes on has ended when its reader has. */
static void test_single_copies_one_by_one(void **state)
{
    (void)state;
    struct sim_pairs_answer three = run(&schedule_binomial_near, 2, 1);
    assert_int_equal(three.time_ps, BEGIN + BYTES);
    assert_near(three.time_mean_ps, BEGIN + BYTES, 1e-6);
}

/* 0 sends to 1 and 2, 1 to 3 and 2 to 4: what 1 sends from its own socket goes beside what 0 sends, as if that were not there. */
static void test_sockets_share_nothing(void **state)
{
    (void)state;
    struct sim_pairs_answer two = run_on(&schedule_binary, 5, 0, 2), one = run_on(&schedule_binary, 5, 0, 1);
    assert_near((double)two.time_ps, BEGIN + 2 * BYTES + BEGIN + BYTES, 1);
    assert_true(one.time_ps > two.time_ps);
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
        cmocka_unit_test(test_copies_share_the_rate_of_one),
        cmocka_unit_test(test_single_copies_one_by_one),
        cmocka_unit_test(test_sockets_share_nothing),
        cmocka_unit_test(test_only_trees),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
