/* Sizes, lists, ranges and durations as typed. */
#include "experiments/sizes.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

static void sizes_are_powers_of_1024(void **state)
{
    static const struct {
        const char *text;
        uint64_t value;
    } good[] = {{"0", 0},
                {"1", 1},
                {"4096", 4096},
                {"64K", 65536},
                {"3M", 3 << 20},
                {"2G", UINT64_C(2) << 30},
                {"007", 7},
                {"9223372036854775807", INT64_MAX},
                {"8589934591G", UINT64_C(8589934591) << 30}};
    char reason[200];
    (void)state;
    for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
        uint64_t value = 77;
        assert_int_equal(size_parse(good[i].text, &value, reason, sizeof reason), 0);
        assert_true(value == good[i].value);
    }
}

static void bad_sizes_are_refused_with_a_reason(void **state)
{
    static const char *const bad[] = {"",
                                      "K",
                                      "12Q",
                                      "1KB",
                                      "1k",
                                      "-1",
                                      "+1",
                                      " 1",
                                      "1 ",
                                      "0x10",
                                      "1.5M",
                                      "8589934592G",
                                      "9223372036854775808",
                                      "18446744073709551616",
                                      "99999999999999999999K"};
    (void)state;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        char reason[200] = "";
        uint64_t value = 77;
        assert_int_equal(size_parse(bad[i], &value, reason, sizeof reason), -EINVAL);
        assert_true(value == 77 && *reason);
    }
}

static void ranges_double_and_lists_join(void **state)
{
    struct size_list list;
    char reason[200];
    (void)state;
    assert_int_equal(size_list_parse("0,5,1K..16K,3", &list, reason, sizeof reason), 0);
    static const uint64_t expected[] = {0, 5, 1024, 2048, 4096, 8192, 16384, 3};
    assert_int_equal(list.count, 8);
    assert_memory_equal(list.value, expected, sizeof expected);
    assert_int_equal(size_list_parse("3..20", &list, reason, sizeof reason), 0);
    assert_int_equal(list.count, 3); /* 3, 6, 12: the end is not forced in */
    assert_int_equal(size_list_parse("1..4611686018427387904", &list, reason, sizeof reason), 0);
    assert_int_equal(list.count, 63);
}

static void bad_lists_leave_the_result_alone(void **state)
{
    static const char *const bad[] = {"", ",", "1,", ",1", "1..", "..2", "0..4", "8..4", "1..2..4", "1-4", "1...4"};
    (void)state;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        struct size_list list = {.value = {42}, .count = 1};
        char reason[200];
        assert_int_equal(size_list_parse(bad[i], &list, reason, sizeof reason), -EINVAL);
        assert_true(list.count == 1 && list.value[0] == 42);
    }
}

static void long_lists_are_refused(void **state)
{
    char text[1024] = "1", reason[200];
    struct size_list list;
    (void)state;
    for (size_t i = 1; i < SIZE_LIST_MAX + 1; i++) {
        text[2 * i - 1] = ',';
        text[2 * i] = '1';
    }
    assert_int_equal(size_list_parse(text, &list, reason, sizeof reason), -EINVAL);
    text[2 * SIZE_LIST_MAX - 1] = 0;
    assert_int_equal(size_list_parse(text, &list, reason, sizeof reason), 0);
    assert_int_equal(list.count, SIZE_LIST_MAX);
}

static void durations_need_a_unit(void **state)
{
    char reason[200];
    double s = -1;
    (void)state;
    assert_int_equal(duration_parse("10us", &s, reason, sizeof reason), 0);
    assert_true(s > 9.999e-6 && s < 10.001e-6);
    assert_int_equal(duration_parse("1.5s", &s, reason, sizeof reason), 0);
    assert_true(s == 1.5);
    assert_int_equal(duration_parse("5", &s, reason, sizeof reason), -EINVAL);
    assert_int_equal(duration_parse("-1s", &s, reason, sizeof reason), -EINVAL);
    assert_int_equal(duration_parse("nans", &s, reason, sizeof reason), -EINVAL);
    assert_int_equal(duration_parse("infs", &s, reason, sizeof reason), -EINVAL);
}

static void formatted_sizes_read_back(void **state)
{
    (void)state;
    for (uint64_t size = 1; size < UINT64_C(1) << 40; size = size * 3 / 2 + 1) {
        char text[32], reason[200];
        uint64_t back;
        assert_int_equal(size_parse(size_format(size, text, sizeof text), &back, reason, sizeof reason), 0);
        assert_true(back == size);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sizes_are_powers_of_1024),     cmocka_unit_test(bad_sizes_are_refused_with_a_reason),
        cmocka_unit_test(ranges_double_and_lists_join), cmocka_unit_test(bad_lists_leave_the_result_alone),
        cmocka_unit_test(long_lists_are_refused),       cmocka_unit_test(durations_need_a_unit),
        cmocka_unit_test(formatted_sizes_read_back),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
