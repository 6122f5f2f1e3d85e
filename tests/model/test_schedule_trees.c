/* Trees down which broadcasts go: everyone gets the message once, from whom the names say. */
#include "tests/model/cmocka_all.h"
#include "tests/model/data_movement.h"

#include "model/schedule_trees.h"

static void test_everyone_gets_it(void **state)
{
    (void)state;
    for (const struct schedule_algorithm *const *a = schedule_trees; *a; a++)
        for (uint32_t n = 1; n <= 70; n++)
            for (uint32_t root = 0; root < n; root += 1 + n / 3) {
                struct schedule s;
                struct data_movement moved;
                assert_int_equal(schedule_init(&s, *a, n, root), 0);
                const char *why = data_movement_run(&s, NULL, &moved);
                if (why)
                    fail_msg("%s of %u ranks, root %u: %s", (*a)->name, n, root, why);
                assert_int_equal(moved.rounds, schedule_rounds(&s));
                assert_int_equal(moved.messages, n - 1);
                assert_int_equal(moved.blocks, (uint64_t)n * (n - 1));
            }
}

static uint32_t parent_of(const struct schedule_algorithm *a, uint32_t n, uint32_t rank)
{
    struct schedule s;
    struct schedule_step step;
    assert_int_equal(schedule_init(&s, a, n, 0), 0);
    schedule_step(&s, rank, 0, &step);
    return step.receive_from;
}

static void check_parents(const struct schedule_algorithm *a, uint32_t n, const uint32_t *parent)
{
    for (uint32_t v = 1; v < n; v++)
        if (parent_of(a, n, v) != parent[v])
            fail_msg("%s of %u ranks: %u has the parent %u, not %u", a->name, n, v, parent_of(a, n, v), parent[v]);
}

static void test_parents(void **state)
{
    (void)state;
    check_parents(&schedule_linear, 5, (const uint32_t[]){0, 0, 0, 0, 0});
    check_parents(&schedule_chains, 4, (const uint32_t[]){0, 0, 0, 0});
    check_parents(&schedule_chains, 12, (const uint32_t[]){0, 0, 1, 2, 0, 4, 5, 0, 7, 8, 0, 10});
    check_parents(&schedule_binary, 12, (const uint32_t[]){0, 0, 0, 1, 2, 1, 2, 3, 4, 5, 6, 3});
    check_parents(&schedule_binomial_near, 12, (const uint32_t[]){0, 0, 0, 1, 0, 1, 2, 3, 0, 1, 2, 3});
}

static void test_rounds(void **state)
{
    (void)state;
    const struct {
        const struct schedule_algorithm *a;
        uint32_t n, rounds;
    } want[] = {
        {&schedule_linear, 24, 23}, {&schedule_chains, 24, 8}, {&schedule_binary, 7, 4}, {&schedule_binomial_near, 24, 5}};
    for (size_t i = 0; i < sizeof want / sizeof *want; i++) {
        struct schedule s;
        assert_int_equal(schedule_init(&s, want[i].a, want[i].n, 0), 0);
        assert_int_equal(schedule_rounds(&s), want[i].rounds);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_everyone_gets_it),
        cmocka_unit_test(test_parents),
        cmocka_unit_test(test_rounds),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
