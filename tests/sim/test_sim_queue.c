/* The event queue: order, ties, growth. */
#include "tests/model/cmocka_all.h"

#include "sim/sim_queue.h"

#include <stdlib.h>

static void ties_leave_in_insertion_order(void **state)
{
    (void)state;
    struct sim_queue queue;
    assert_int_equal(sim_queue_create(&queue, 1), 0);
    for (uint32_t i = 0; i < 1000; i++)
        assert_int_equal(sim_queue_push(&queue, i % 3, i, 7), 0);
    for (uint32_t time = 0; time < 3; time++)
        for (uint32_t i = time; i < 1000; i += 3) {
            assert_int_equal(sim_queue_head_ps(&queue), time);
            struct sim_event event = sim_queue_pop(&queue);
            assert_int_equal(event.time_ps, time);
            assert_int_equal(event.target, i);
            assert_int_equal(event.generation, 7);
        }
    assert_int_equal(queue.count, 0);
    assert_int_equal(queue.popped, 1000);
    assert_true(sim_queue_head_ps(&queue) == UINT64_MAX);
    sim_queue_destroy(&queue);
}

/* Pushes and pops mixed, against a plain search for the earliest. */
static void agrees_with_a_search(void **state)
{
    (void)state;
    enum { STEPS = 20000 };
    struct sim_event *all = calloc(STEPS, sizeof *all);
    struct sim_queue queue;
    size_t pending = 0;
    uint64_t x = 42, pushed = 0;
    assert_int_equal(sim_queue_create(&queue, 4), 0);
    for (int i = 0; i < STEPS; i++) {
        x = x * 6364136223846793005u + 1442695040888963407u;
        if (pending > 300 || (pending && x >> 63)) {
            size_t first = 0;
            for (size_t k = 1; k < pending; k++)
                if (all[k].time_ps < all[first].time_ps ||
                    (all[k].time_ps == all[first].time_ps && all[k].order < all[first].order))
                    first = k;
            struct sim_event event = sim_queue_pop(&queue);
            assert_int_equal(event.order, all[first].order);
            assert_int_equal(event.time_ps, all[first].time_ps);
            all[first] = all[--pending];
        } else {
            all[pending] = (struct sim_event){.time_ps = x >> 33 & 63, .order = pushed};
            assert_int_equal(sim_queue_push(&queue, all[pending++].time_ps, (uint32_t)pushed++, 0), 0);
        }
    }
    assert_int_equal(queue.count, pending);
    sim_queue_destroy(&queue);
    free(all);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ties_leave_in_insertion_order),
        cmocka_unit_test(agrees_with_a_search),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
