/* From two, one or none of f, s, b to a queue. */
#include "experiments/queue_choice.h"

#include <errno.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

static const struct bcast_costs PAPER = {1e-9, 50e-9, 100e-9, 10e-9};
enum { BUDGET = 4 << 20, PAGE = 4096 };

static int choose(uint64_t f, uint64_t s, uint64_t b, uint64_t q, uint64_t size, struct bcast_queue *out)
{
    struct queue_request request = {f, s, b, q};
    char reason[200];
    return queue_choose(&request, &PAPER, size, BUDGET, PAGE, out, reason, sizeof reason);
}

static void the_third_follows(void **state)
{
    struct bcast_queue queue;
    (void)state;
    assert_int_equal(choose(8192, 0, 1 << 20, 1, 1 << 24, &queue), 0);
    assert_int_equal(queue.slots, 128);
    assert_int_equal(choose(0, 128, 1 << 20, 1, 1 << 24, &queue), 0);
    assert_int_equal(queue.fragment_bytes, 8192);
    assert_int_equal(choose(12288, 0, 4 << 20, 1, 1 << 24, &queue), 0);
    assert_int_equal(queue.slots, 341);
    assert_int_equal(choose(12288, 0, 4 << 20, 4, 1 << 24, &queue), 0);
    assert_int_equal(queue.slots, 340); /* the sets divide it */
    assert_int_equal(choose(8192, 128, 1 << 20, 2, 1 << 24, &queue), 0);
    assert_int_equal(choose(8192, 127, 1 << 20, 1, 1 << 24, &queue), -EINVAL);
    assert_int_equal(choose(8192, 0, 4096, 1, 1 << 24, &queue), -EINVAL);
    assert_int_equal(choose(0, 8192, 4096, 1, 1 << 24, &queue), -EINVAL);
    assert_int_equal(choose(8192, 9, 0, 2, 1 << 24, &queue), -EINVAL);
}

static void the_best_within_a_buffer_is_the_papers(void **state)
{
    struct bcast_queue queue;
    (void)state;
    assert_int_equal(choose(0, 0, 4 << 20, 1, 16 << 20, &queue), 0);
    assert_int_equal(queue.fragment_bytes, 16384);
    assert_int_equal(queue.slots, 256);
}

static void whatever_is_given_the_queue_fits(void **state)
{
    static const uint64_t sizes[] = {0, 1, 4095, 4096, 65536, 1 << 20, 1 << 26};
    struct bcast_queue queue;
    (void)state;
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
        for (uint64_t q = 1; q <= 4; q *= 2) {
            assert_int_equal(choose(0, 0, 0, q, sizes[i], &queue), 0);
            assert_true((uint64_t)queue.fragment_bytes * queue.slots <= BUDGET && queue.slots % q == 0 && queue.slots > 0);
            assert_int_equal(choose(8192, 0, 0, q, sizes[i], &queue), 0);
            assert_true(8192ull * queue.slots <= BUDGET && queue.slots % q == 0 && queue.slots > 0);
            assert_int_equal(choose(0, 64, 0, q, sizes[i], &queue), 0);
            assert_true(64ull * queue.fragment_bytes <= BUDGET && queue.fragment_bytes > 0);
        }
}

static void unknown_costs_take_the_default(void **state)
{
    struct queue_request request = {0, 0, 0, 1};
    struct bcast_costs unknown = {NAN, NAN, NAN, NAN};
    struct bcast_queue queue;
    char reason[200];
    (void)state;
    assert_int_equal(queue_choose(&request, &unknown, 1 << 20, BUDGET, PAGE, &queue, reason, sizeof reason), 0);
    assert_int_equal(queue.fragment_bytes, 8192);
    assert_int_equal(queue.slots, 64);
    assert_int_equal(queue_choose(&request, NULL, 1 << 20, 16384, PAGE, &queue, reason, sizeof reason), 0);
    assert_int_equal(queue.slots, 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_third_follows),
        cmocka_unit_test(the_best_within_a_buffer_is_the_papers),
        cmocka_unit_test(whatever_is_given_the_queue_fits),
        cmocka_unit_test(unknown_costs_take_the_default),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
