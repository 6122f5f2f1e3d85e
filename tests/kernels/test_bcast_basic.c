/* The broadcast moves the right bytes: every special way of running it, one at a time. */
#include "bcast_case.h"
#include "watched_launch.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
#include <errno.h>
#include <string.h>

static void run(struct bcast_case c)
{
    char reason[COMM_REASON_BYTES] = "", text[BCAST_CASE_TEXT_BYTES];
    for (int backend = backend_possible(BACKEND_PROCS); backend <= BACKEND_THREADS; backend++) {
        c.backend = backend;
        int error = bcast_case_run(&c, reason);
        if (error)
            fail_msg("%s: error %d: %s", bcast_case_format(&c, text, sizeof text), error, reason);
    }
}

static void moves_bytes(void **state)
{
    (void)state;
    struct bcast_case c = bcast_case_default();
    static const uint64_t sizes[] = {0, 1, 7, 8, 9, 119, 120, 121, 4095, 4096, 4097, 65536, 1000003};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        c.size_bytes = sizes[i];
        run(c);
    }
}

static void short_without_eager(void **state)
{
    (void)state;
    struct bcast_case c = bcast_case_default();
    c.procs = 3;
    c.lanes = CASE_LANES_ONE;
    for (c.size_bytes = 1; c.size_bytes < 130; c.size_bytes += 43)
        run(c);
}

static void many_eager_calls_wrap_lines(void **state)
{
    (void)state;
    struct bcast_case c = bcast_case_default();
    c.procs = 3;
    c.size_bytes = 77;
    c.call_count = 500;
    c.calls = CASE_CALLS_ROTATE;
    c.op_start = UINT32_MAX - 100;
    run(c);
    c.delay_max_ns = 3000;
    c.call_count = 200;
    run(c);
}

static void counters_wrap(void **state)
{
    (void)state;
    struct bcast_case c = bcast_case_default();
    c.procs = 3;
    c.sets = 2;
    c.fragment_bytes = 512;
    c.op_start = UINT32_MAX - 3;
    run(c);
    c.sets = 4;
    c.op_start = UINT32_MAX;
    run(c);
}

static void delays(void **state)
{
    (void)state;
    struct bcast_case c = bcast_case_default();
    c.procs = 4;
    c.sets = 2;
    c.slots = 4;
    c.fragment_bytes = 1000;
    c.size_bytes = 40001;
    c.delay_max_ns = 2000;
    c.call_count = 5;
    c.calls = CASE_CALLS_ROTATE;
    for (c.seed = 1; c.seed <= 5; c.seed++)
        run(c);
}

static void generic_executor(void **state)
{
    (void)state;
    struct bcast_case c = bcast_case_default();
    c.procs = 3;
    c.generic_executor = 1;
    run(c);
    c.size_bytes = 100;
    run(c);
}

static void packed_data(void **state)
{
    (void)state;
    struct bcast_case c = bcast_case_default();
    c.procs = 3;
    c.packed = CASE_PACKED_ALL;
    c.size_bytes = 50001;
    run(c);
    c.size_bytes = 100;
    run(c);
}

static void page_options(void **state)
{
    (void)state;
    struct bcast_case c = bcast_case_default();
    c.control_pages = 1;
    run(c);
    c.size_bytes = 5;
    run(c);
    c.control_pages = 0;
    c.huge_pages = 1;
    c.size_bytes = 300000;
    run(c);
}

static void copy_routines(void **state)
{
    (void)state;
    struct bcast_case c = bcast_case_default();
    c.size_bytes = 300001;
    for (c.copy_out = 0; c.copy_out < COPY_ROUTINE_COUNT; c.copy_out++)
        run(c);
}

static void crowded(void **state)
{
    (void)state;
    struct bcast_case c = bcast_case_default();
    c.procs = 8;
    c.size_bytes = 1 << 20;
    c.call_count = 5;
    c.calls = CASE_CALLS_ROTATE;
    run(c);
    c.size_bytes = 8;
    c.call_count = 300;
    run(c);
}

static void refuses(void **state)
{
    (void)state;
    char reason[COMM_REASON_BYTES];
    struct bcast_case c = bcast_case_default();
    c.slots = 0;
    assert_int_equal(bcast_case_run(&c, reason), -EINVAL);
    c.slots = 8;
    c.sets = 3;
    assert_int_equal(bcast_case_run(&c, reason), -EINVAL);
    c.sets = 1;
    c.tree = (struct tree_shape){TREE_KNOMIAL, 1};
    assert_int_equal(bcast_case_run(&c, reason), -EINVAL);
    c = bcast_case_default();
    c.root = 2;
    assert_int_equal(bcast_case_run(&c, reason), -EINVAL);
}

static void too_big_is_an_error(void **state)
{
    (void)state;
    char reason[COMM_REASON_BYTES] = "";
    struct bcast_case c = bcast_case_default();
    c.fragment_bytes = 1u << 30;
    c.slots = 1024;
    assert_int_equal(bcast_case_run(&c, reason), -ENOMEM);
    assert_non_null(strstr(reason, "does not fit"));
}

/* With an argument the test of that name only. */
int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(moves_bytes), cmocka_unit_test(short_without_eager), cmocka_unit_test(many_eager_calls_wrap_lines),
        cmocka_unit_test(counters_wrap), cmocka_unit_test(delays), cmocka_unit_test(generic_executor),
        cmocka_unit_test(packed_data), cmocka_unit_test(page_options), cmocka_unit_test(copy_routines),
        cmocka_unit_test(crowded), cmocka_unit_test(refuses), cmocka_unit_test(too_big_is_an_error),
    };
    if (argc > 1)
        cmocka_set_test_filter(argv[1]);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
