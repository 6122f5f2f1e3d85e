/* Rows as csv and JSON lines, and the statistics in them. */
#include "experiments/rows.h"
#include "experiments/statistics.h"

#include <jansson.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

/* What a printer writes about a row. */
static char *printed(void (*print)(FILE *, const struct row *), const struct row *row)
{
    char *text = NULL;
    size_t bytes;
    FILE *file = open_memstream(&text, &bytes);
    print(file, row);
    fclose(file);
    char *copy = strdup(text);
    free(text);
    return copy;
}

static struct row example(void)
{
    struct row row;
    row_init(&row);
    strcpy(row.source, "run");
    strcpy(row.node, "a \"quoted\", \\ odd\tname");
    row.procs = 2;
    row.size_bytes = INT64_C(1) << 40;
    row.time_s = 0.1 + 0.2;
    row.verified = 1;
    return row;
}

static void json_reads_back_what_is_there_and_nothing_else(void **state)
{
    struct row row = example();
    char *text = printed(row_print_json, &row);
    (void)state;
    assert_int_equal(strchr(text, '\n') - text, (long)strlen(text) - 1);
    json_t *object = json_loads(text, JSON_REJECT_DUPLICATES, NULL);
    assert_non_null(object);
    assert_string_equal(json_string_value(json_object_get(object, "node")), row.node);
    assert_true(json_integer_value(json_object_get(object, "size_bytes")) == row.size_bytes);
    assert_true(json_real_value(json_object_get(object, "time_s")) == row.time_s);
    assert_true(json_is_true(json_object_get(object, "verified")));
    assert_string_equal(json_string_value(json_object_get(object, "variant")), ""); /* always there */
    assert_null(json_object_get(object, "slots"));
    assert_null(json_object_get(object, "memcpy_cold_s"));
    assert_null(json_object_get(object, "tree"));
    json_decref(object);
    free(text);
}

static size_t unquoted_commas(const char *text)
{
    size_t commas = 0;
    int quoted = 0;
    for (; *text; text++) {
        quoted ^= *text == '"';
        commas += *text == ',' && !quoted;
    }
    return commas;
}

static void csv_has_a_cell_for_every_field(void **state)
{
    struct row row = example();
    char *text = printed(row_print_csv, &row);
    size_t fields = 0;
    (void)state;
    for (const struct row_field *f = row_fields; f->name; f++)
        fields++;
    assert_int_equal(unquoted_commas(text), fields - 1);
    assert_non_null(strstr(text, "\"a \"\"quoted\"\", \\ odd\tname\""));
    free(text);
}

static void names_are_unique_and_the_contract_is_there(void **state)
{
    static const char *const contract[] = {
        "source",    "variant",        "collective",    "algorithm",   "protocol", "node",
        "procs",     "placement",      "root",          "buffers",     "backend",  "size_bytes",
        "time_s",    "fragment_bytes", "slots",         "sets",        "tree",     "fragment_opt_bytes",
        "slots_opt", "events",         "time_min_s",    "time_p99_s",  "ci_low_s", "ci_high_s",
        "reps",      "verified",       "memcpy_cold_s", "copy_bound_s"};
    (void)state;
    for (size_t i = 0; i < sizeof contract / sizeof *contract; i++) {
        int found = 0;
        for (const struct row_field *f = row_fields; f->name; f++)
            found += strcmp(f->name, contract[i]) == 0;
        assert_int_equal(found, 1);
    }
}

static void numbers_read_back_exactly(void **state)
{
    static const double values[] = {0.1, 1.0 / 3, 16894.392e-6, 1e300, 5e-324, 0, 123456789};
    (void)state;
    for (size_t i = 0; i < sizeof values / sizeof *values; i++) {
        char text[40];
        assert_true(strtod(real_format(values[i], text, sizeof text), NULL) == values[i]);
    }
}

static void medians_lie_in_their_intervals(void **state)
{
    double samples[101];
    struct statistics s;
    (void)state;
    for (int i = 0; i <= 100; i++)
        samples[(i * 37) % 101] = i;
    assert_int_equal(statistics_of(samples, 101, &s), 0);
    assert_true(s.min == 0 && s.median == 50 && s.max == 100 && s.p90 == 90 && s.p99 == 99);
    /* Binomial(101, 1/2): the 41st and the 61st of the sorted samples. */
    assert_true(s.ci_low == 40 && s.ci_high == 60);
    assert_int_equal(statistics_of(samples, 3, &s), 0);
    assert_true(s.ci_low == s.min && s.ci_high == s.max);
    assert_true(statistics_of(samples, 0, &s) < 0);
}

static void kendall_tau_of_known_rankings(void **state)
{
    static const double up[] = {1, 2, 3, 4}, down[] = {4, 3, 2, 1}, one_swap[] = {1, 3, 2, 4}, flat[] = {1, 1, 1, 1};
    (void)state;
    assert_true(statistics_kendall_tau(up, up, 4) == 1);
    assert_true(statistics_kendall_tau(up, down, 4) == -1);
    assert_true(fabs(statistics_kendall_tau(up, one_swap, 4) - 4.0 / 6) < 1e-12);
    assert_true(isnan(statistics_kendall_tau(up, flat, 4)));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(json_reads_back_what_is_there_and_nothing_else),
        cmocka_unit_test(csv_has_a_cell_for_every_field),
        cmocka_unit_test(names_are_unique_and_the_contract_is_there),
        cmocka_unit_test(numbers_read_back_exactly),
        cmocka_unit_test(medians_lie_in_their_intervals),
        cmocka_unit_test(kendall_tau_of_known_rankings),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
