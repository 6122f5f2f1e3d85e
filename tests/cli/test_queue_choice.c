/* From two, one or none of f, s, b to a queue. */
#include "experiments/queue_choice.h"
#include "experiments/queue_search.h"
#include "model/formats/presets.h"

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

static double extended_s(struct scenario scenario, uint32_t fragment, uint32_t slots)
{
    struct outcome outcome;
    scenario.variant = "extended";
    scenario.params.fragment_bytes = fragment;
    scenario.params.slots = slots;
    outcome_init(&outcome);
    assert_int_equal(evaluator_model.evaluate(&scenario, NULL, &outcome), 0);
    double time_s = outcome.time_s;
    outcome_destroy(&outcome);
    return time_s;
}

static void the_search_finds_nothing_slower_than_any_candidate(void **state)
{
    struct node node;
    uint32_t cores[16];
    (void)state;
    assert_int_equal(preset_create("broadwell-2x8", &node), 0);
    assert_int_equal(placement_fill("compact", &node, 16, cores), 0);
    for (uint64_t size = 1024; size <= 16 << 20; size *= 16)
        for (uint32_t sets = 1; sets <= 4; sets *= 2) {
            struct scenario scenario = {
                .machine = {.node = &node, .nodes = 1},
                .placement = {"compact", cores},
                .job = {JOB_BCAST, 16, .bcast = {size, 0}},
                .params = {&protocol_pipelined, 4096, sets, sets, {TREE_KARY, 2}, 0},
                .conditions = {.buffer_domain = -1},
                .variant = "",
            };
            assert_int_equal(queue_search(&scenario, BUDGET), 0);
            const struct params *best = &scenario.params;
            assert_true((uint64_t)best->fragment_bytes * best->slots <= BUDGET && best->slots % sets == 0);
            double best_s = extended_s(scenario, best->fragment_bytes, best->slots);
            for (uint32_t f = 4096; f <= 262144; f *= 2)
                for (uint32_t s = sets; (uint64_t)f * s <= BUDGET; s *= 2)
                    assert_true(best_s <= extended_s(scenario, f, s));
        }
    node_destroy(&node);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_third_follows),
        cmocka_unit_test(the_best_within_a_buffer_is_the_papers),
        cmocka_unit_test(whatever_is_given_the_queue_fits),
        cmocka_unit_test(unknown_costs_take_the_default),
        cmocka_unit_test(the_search_finds_nothing_slower_than_any_candidate),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
