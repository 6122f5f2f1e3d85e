/* The radix heap against the binary heap: the same events in the same order, ties included. */
#include "tests/model/cmocka_all.h"

#include "sim/sim_queue.h"
#include "sim/sim_radix.h"

static uint64_t draw(uint64_t *x)
{
    *x = *x * 6364136223846793005u + 1442695040888963407u;
    return *x >> 20;
}

/* Pushes and pops mixed; new events are later than the one taken last by less than `spread`, often by nothing. */
static void mix(uint64_t seed, uint64_t spread, uint32_t steps)
{
    struct sim_queue heap;
    struct sim_radix radix;
    uint64_t x = seed, now_ps = 0;
    assert_int_equal(sim_queue_create(&heap, 1), 0);
    sim_radix_create(&radix);
    for (uint32_t i = 0; i < steps || heap.count; i++) {
        if (i < steps && (heap.count == 0 || draw(&x) % 100 < 55)) {
            uint64_t time_ps = now_ps + draw(&x) % spread;
            assert_int_equal(sim_queue_push(&heap, time_ps, i, ~i), 0);
            assert_int_equal(sim_radix_push(&radix, time_ps, i, ~i), 0);
            continue;
        }
        struct sim_event want = sim_queue_pop(&heap);
        struct sim_radix_event got;
        assert_int_equal(sim_radix_pop(&radix, &got), 0);
        assert_int_equal(got.time_ps, want.time_ps);
        assert_int_equal(got.target, want.target);
        assert_int_equal(got.generation, want.generation);
        now_ps = want.time_ps;
    }
    assert_int_equal(radix.count, 0);
    assert_int_equal(radix.popped, heap.popped);
    sim_queue_destroy(&heap);
    sim_radix_destroy(&radix);
}

static void agrees_with_the_binary_heap(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 20; seed++) {
        mix(seed, 1, 500);
        mix(seed, 3, 5000);
        mix(seed, 1000, 5000);
        mix(seed, UINT64_C(1) << 40, 5000);
    }
}

/* The whole range of times: the highest bit is a bucket too. */
static void holds_the_latest_time(void **state)
{
    (void)state;
    struct sim_radix radix;
    struct sim_radix_event event;
    sim_radix_create(&radix);
    assert_int_equal(sim_radix_push(&radix, UINT64_MAX, 1, 0), 0);
    assert_int_equal(sim_radix_push(&radix, 0, 2, 0), 0);
    assert_int_equal(sim_radix_push(&radix, UINT64_MAX, 3, 0), 0);
    for (uint32_t i = 0; i < 3; i++) {
        static const uint32_t order[] = {2, 1, 3};
        assert_int_equal(sim_radix_pop(&radix, &event), 0);
        assert_int_equal(event.target, order[i]);
    }
    sim_radix_destroy(&radix);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(agrees_with_the_binary_heap),
        cmocka_unit_test(holds_the_latest_time),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
