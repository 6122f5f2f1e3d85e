/* Points evaluated by processes beside each other: in order, each once, and what fails is left to the caller. */
#include "experiments/points.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

enum { COUNT = 200, FAULT = 117 };

/* Later points are done sooner. */
static int evaluate(void *context, size_t point, struct row *row)
{
    const size_t *fault = context;
    usleep(point % 7 ? 0 : 3000);
    row_init(row);
    row->size_bytes = (int64_t)(point * point);
    row->seed = getpid();
    return point == *fault;
}

static void rows_come_in_order(void **state)
{
    struct points points;
    struct row row;
    size_t fault = COUNT;
    int64_t pid[5];
    (void)state;
    points_begin(&points, 5, COUNT, evaluate, &fault);
    assert_int_equal(points.jobs, 5);
    for (size_t i = 0; i < COUNT; i++) {
        assert_int_equal(points_next(&points, i, &row), 0);
        assert_int_equal(row.size_bytes, i * i);
        if (i < 5)
            pid[i] = row.seed;
        assert_int_equal(row.seed, pid[i % 5]);
        assert_int_not_equal(row.seed, getpid());
        assert_true(i % 5 == 0 || row.seed != pid[0]);
    }
    points_end(&points);
    assert_int_equal(points_next(&points, 0, &row), -ENODATA);
}

static void what_fails_is_left(void **state)
{
    struct points points;
    struct row row;
    size_t fault = FAULT;
    (void)state;
    points_begin(&points, 3, COUNT, evaluate, &fault);
    for (size_t i = 0; i < COUNT; i++) {
        int left = i >= FAULT && i % 3 == FAULT % 3; /* its process has ended */
        assert_int_equal(points_next(&points, i, &row), left ? -ENODATA : 0);
    }
    points_end(&points);
}

static void one_needs_no_process(void **state)
{
    struct points points;
    struct row row;
    size_t fault = COUNT;
    (void)state;
    points_begin(&points, 1, COUNT, evaluate, &fault);
    assert_int_equal(points.jobs, 0);
    assert_int_equal(points_next(&points, 0, &row), -ENODATA);
    points_begin(&points, 9, 1, evaluate, &fault);
    assert_int_equal(points.jobs, 0);
    points_begin(&points, 9, 4, evaluate, &fault);
    assert_int_equal(points.jobs, 4);
    points_end(&points); /* nobody has taken their rows */
    assert_true(points_jobs_default() >= 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_come_in_order),
        cmocka_unit_test(what_fails_is_left),
        cmocka_unit_test(one_needs_no_process),
    };
    return cmocka_run_group_tests_name("points", tests, NULL, NULL);
}
