/* The report on channels between nodes: every quantity of the paper is simulated once, what went in comes out, and what is
 * changed does what the notes say. */
#include "tests/experiments/report_case.h"
#include "tests/model/cmocka_all.h"

#include <stdlib.h>
#include <string.h>

static int simulate(void **state)
{
    (void)state;
    return report_case_make(&report_source_s2, 0);
}

static void every_quantity_is_reported_once(void **state)
{
    (void)state;
    assert_int_equal(report_case.published.rows, 20);
    for (size_t row = 0; row < report_case.published.rows; row++) {
        const struct report_result *r = report_case_result(csv_table_text(&report_case.published, row, "id"), NULL);
        assert_false(isnan(r->simulated.low) || isnan(r->simulated.high));
        if ((r->verdict == REPORT_PARTLY || r->verdict == REPORT_DEVIATES) && !report_note(report_case.source, r->row->cause))
            fail_msg("%s has no cause", r->row->id);
        assert_int_equal(r->verdict == REPORT_GIVEN, r->row->given);
    }
}

static void verdicts(void **state)
{
    (void)state;
    static const struct {
        const char *id, *if_so;
        enum report_verdict verdict;
    } rows[] = {{"f7.gap", NULL, REPORT_AGREES},            {"f7.sr.er", NULL, REPORT_PARTLY},
                {"f7.sr.er", "descriptor", REPORT_AGREES},  {"f8.half", NULL, REPORT_AGREES},
                {"f8.half", "14 Gbit/s", REPORT_AGREES},    {"f8.short", NULL, REPORT_AGREES},
                {"f8.peak.ch4", NULL, REPORT_AGREES},       {"f8.peak.ch3", NULL, REPORT_AGREES},
                {"f9.ahead", NULL, REPORT_DEVIATES},        {"f9.ahead", "80 ns", REPORT_AGREES},
                {"f9.ahead", "14 Gbit/s", REPORT_PARTLY},   {"f9.ahead", "8 KiB", REPORT_PARTLY},
                {"m.1024", NULL, REPORT_AGREES},            {"m.65536", NULL, REPORT_AGREES},
                {"m.idle", NULL, REPORT_AGREES}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const struct report_result *r = report_case_result(rows[i].id, rows[i].if_so);
        if (r->verdict != rows[i].verdict)
            fail_msg("%s, if %s: %g..%g", rows[i].id, rows[i].if_so ? rows[i].if_so : "as it is", r->simulated.low,
                     r->simulated.high);
    }
    /* With a port of 14 Gbit/s the two MPIs are alike where the link binds, as the note says. */
    assert_true(report_case_result("f9.ahead", "14 Gbit/s")->simulated.high < 1.001);
    assert_true(report_case_result("f9.ahead", "8 KiB")->simulated.high > 1.1);
    /* The form at 65,536 ranks and the count at 1,024 see the same shrinking. */
    assert_true(report_case_result("m.65536", NULL)->simulated.high < report_case_result("m.1024", NULL)->simulated.high);
}

static char *printed(enum format format)
{
    char *text = NULL;
    size_t bytes;
    FILE *file = open_memstream(&text, &bytes);
    assert_non_null(file);
    report_print(file, &report_case, format);
    fclose(file);
    return text;
}

static void what_went_in_is_told(void **state)
{
    (void)state;
    char *table = printed(FORMAT_TABLE), *lines = printed(FORMAT_JSONL);
    assert_non_null(strstr(table, "0.950 us  given\n"));
    assert_non_null(strstr(table, "\n10 agree, 1 partly, 1 deviate; 8 went in\n"));
    assert_non_null(strstr(table, "from 1.000"));
    assert_non_null(strstr(lines, "\"verdict\":\"given\""));
    free(table);
    free(lines);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_quantity_is_reported_once),
        cmocka_unit_test(verdicts),
        cmocka_unit_test(what_went_in_is_told),
    };
    return cmocka_run_group_tests(tests, simulate, report_case_forget);
}
