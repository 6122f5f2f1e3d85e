/* Reports: tables that are read, verdicts, and of the paper's figures what agrees, what does not, and that causes do what they
 * say. */
#include "tests/experiments/report_case.h"
#include "tests/model/cmocka_all.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static int read_text(const char *text, struct csv_table *out)
{
    FILE *file = tmpfile();
    assert_non_null(file);
    fputs(text, file);
    rewind(file);
    int error = csv_table_read(file, out);
    fclose(file);
    return error;
}

static void tables_are_read(void **state)
{
    (void)state;
    struct csv_table t;
    assert_int_equal(read_text("a,b,c\n1,two,\n,x y,3.5", &t), 0);
    assert_int_equal(t.rows, 2);
    assert_string_equal(csv_table_text(&t, 0, "b"), "two");
    assert_string_equal(csv_table_text(&t, 0, "c"), "");
    assert_null(csv_table_text(&t, 0, "d"));
    assert_true(csv_table_number(&t, 0, "a") == 1 && csv_table_number(&t, 1, "c") == 3.5);
    assert_true(isnan(csv_table_number(&t, 0, "c")) && isnan(csv_table_number(&t, 0, "b")));
    assert_true(isnan(csv_table_number(&t, 0, "d")));
    assert_true(csv_table_matches(&t, 0, "a=1 b=two") && csv_table_matches(&t, 0, ""));
    assert_false(csv_table_matches(&t, 0, "a=1 b=tw") || csv_table_matches(&t, 0, "b=two3") || csv_table_matches(&t, 0, "d=1"));
    csv_table_destroy(&t);
    assert_int_equal(read_text("a,b\n1\n", &t), -EINVAL);
    assert_int_equal(read_text("a,b\n1,2,3\n", &t), -EINVAL);
    assert_int_equal(read_text("", &t), -EINVAL);
}

static enum report_verdict judge(double paper_low, double paper_high, double low, double high, double *deviation)
{
    struct report_range paper = {paper_low, paper_high}, ours = {low, high};
    return report_judge(&paper, &ours, deviation);
}

static void verdicts(void **state)
{
    (void)state;
    double d;
    assert_int_equal(judge(2, 4, 2, 4, &d), REPORT_AGREES);
    assert_int_equal(judge(NAN, 1, 0.5, 1, &d), REPORT_AGREES);
    assert_int_equal(judge(2, 4, 3, 5, &d), REPORT_PARTLY);
    assert_int_equal(judge(2, 4, 1, 5, &d), REPORT_PARTLY);
    assert_int_equal(judge(2, 4, 5, 6, &d), REPORT_DEVIATES);
    assert_near(d, 0.25, 1e-12);
    assert_int_equal(judge(2, 4, 0.5, 1, &d), REPORT_DEVIATES);
    assert_near(d, -0.5, 1e-12);
    assert_int_equal(judge(2, 4, NAN, NAN, &d), REPORT_DEVIATES); /* nothing simulated agrees with nothing */
}

static void measures(void **state)
{
    (void)state;
    struct csv_table t;
    assert_int_equal(read_text("tree,slots,fragment_bytes,size_bytes,time_s,relative\n"
                               "a,1,4096,1024,2e-6,1\na,2,8192,1024,1e-6,0.5\na,1,4096,2048,4e-6,1\na,2,8192,2048,3e-6,0.75\n"
                               "b,1,4096,1024,0.5e-6,1\n",
                               &t),
                     0);
    struct report_selection a = {"tree=a", 0, 4096, ""}, small = {"tree=a", 0, 1024, NULL}, none = {"tree=c", 0, 4096, NULL},
                            one = {"tree=a slots=1", 0, 4096, ""};
    assert_true(report_best_fragment(&t, &small).low == 8192);
    assert_near(report_least_time(&t, &small).high, 1, 1e-9);
    assert_true(report_relative(&t, &a).low == 0.5 && report_relative(&t, &a).high == 1);
    assert_true(report_least_relative(&t, &a).high == 0.5);
    assert_near(report_to_least(&t, &one).high, 4, 1e-9);
    assert_near(report_to_least(&t, &one).low, 4 / 3.0, 1e-9);
    assert_true(report_slots_enough(&t, &small).low == 2);
    struct report_selection two = {"tree=a slots=2", 0, 4096, NULL};
    assert_true(report_gain_grows(&t, &two).low == -1);
    assert_true(isnan(report_least_time(&t, &none).low) && isnan(report_relative(&t, &none).low));
    csv_table_destroy(&t);
}

static int simulate(void **state)
{
    (void)state;
    return report_case_make(&report_source_s1, 64 << 10);
}

static void every_quantity_is_reported_once(void **state)
{
    (void)state;
    for (size_t row = 0; row < report_case.published.rows; row++)
        report_case_result(csv_table_text(&report_case.published, row, "id"), NULL);
}

static int of_long_messages(const struct report_row *row)
{
    return strcmp(row->id, "f7.enough") == 0;
}

static void whatever_deviates_has_a_cause(void **state)
{
    (void)state;
    for (size_t i = 0; i < report_case.count; i++) {
        const struct report_result *r = &report_case.result[i];
        if (of_long_messages(r->row))
            continue;
        if (isnan(r->simulated.low) || isnan(r->simulated.high))
            fail_msg("nothing was simulated of %s", r->row->id);
        if (!r->row->if_so && r->verdict != REPORT_AGREES && !report_note(report_case.source, r->row->cause))
            fail_msg("%s has no cause", r->row->id);
    }
}

static void expect(const char *id, const char *if_so, enum report_verdict verdict)
{
    const struct report_result *r = report_case_result(id, if_so);
    if (r->verdict != verdict)
        fail_msg("%s, if %s: %g..%g for %g..%g", id, if_so ? if_so : "as it is", r->simulated.low, r->simulated.high,
                 r->published.low, r->published.high);
}

/* What the simulated servers share with the paper's. */
static void what_agrees(void **state)
{
    (void)state;
    static const char *const ids[] = {"f5.best.p16.64K", "f7.short", "f10.binary.flat", "f10.chain.flat", "f11.off", "f13.long"};
    for (size_t i = 0; i < sizeof ids / sizeof *ids; i++)
        expect(ids[i], NULL, REPORT_AGREES);
}

/* One thing changed gives what the paper reports, and without it the simulation does not: as the notes say. */
static void causes_do_what_notes_say(void **state)
{
    (void)state;
    static const struct {
        const char *id, *if_so;
    } rows[] = {{"f5.best.p8.16K", "copy starts"},    {"f5.best.p8.32K", "hand-overs"},      {"f5.best.p8.64K", "hand-overs"},
                {"f5.best.p16.16K", "hand-overs"},    {"f5.best.p16.32K", "hand-overs"},     {"f5.time.p8.16K", "controllers"},
                {"f5.time.p8.32K", "controllers"},    {"f5.time.p8.64K", "controllers"},     {"f5.time.p16.16K", "copy starts"},
                {"f7.s2.16K", "hand-overs"},          {"f7.s4.32K", "hand-overs"}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        expect(rows[i].id, NULL, REPORT_DEVIATES);
        expect(rows[i].id, rows[i].if_so, REPORT_AGREES);
    }
    expect("f7.twofold", "hand-overs", REPORT_DEVIATES);
}

/* The peer's ring alone is as fast; with its queues where S1 found them slower; with its leader slower than S1 has it. */
static void what_a_leader_costs(void **state)
{
    (void)state;
    const struct report_result *alone = report_case_result("f12.long", NULL),
                               *together = report_case_result("f12.long", "queues"),
                               *leader = report_case_result("f12.long", "send to rank 0");
    assert_int_equal(alone->verdict, REPORT_DEVIATES);
    assert_true(alone->simulated.low > 0.95 && alone->simulated.high < 1.08);
    assert_true(together->simulated.low > 0.89 && together->simulated.high < alone->simulated.low);
    assert_true(leader->simulated.high < 0.8);
}

static void what_additions_cost(void **state)
{
    (void)state;
    assert_true(report_case_result("f12.short", NULL)->simulated.low > 1);
    assert_true(report_case_result("f12.short", "counters")->simulated.high < 1);
}

static char *printed(enum format format)
{
    char *text = NULL;
    size_t bytes;
    FILE *file = open_memstream(&text, &bytes);
    report_print(file, &report_case, format);
    fclose(file);
    return text;
}

/* A line for each row in every format; the table says figures, verdicts and notes, and no line is long. */
static void what_is_printed(void **state)
{
    (void)state;
    char *table = printed(FORMAT_TABLE), *csv = printed(FORMAT_CSV), *jsonl = printed(FORMAT_JSONL);
    size_t lines[2] = {0, 0};
    for (char *c = csv; *c; c++)
        lines[0] += *c == '\n';
    for (char *c = jsonl; *c; c++)
        lines[1] += *c == '\n';
    assert_int_equal(lines[0], report_case.count + 1);
    assert_int_equal(lines[1], report_case.count);
    for (char *line = table; *line; line += strcspn(line, "\n") + 1)
        assert_in_range(strcspn(line, "\n"), 0, 130);
    for (int n = 1; report_note(report_case.source, n); n++) {
        char number[16];
        snprintf(number, sizeof number, "\n(%d) ", n);
        assert_non_null(strstr(table, number));
    }
    assert_non_null(strstr(table, "8K..12K"));
    assert_non_null(strstr(jsonl, "\"verdict\":\"agrees\""));
    free(table);
    free(csv);
    free(jsonl);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tables_are_read),
        cmocka_unit_test(verdicts),
        cmocka_unit_test(measures),
        cmocka_unit_test(every_quantity_is_reported_once),
        cmocka_unit_test(whatever_deviates_has_a_cause),
        cmocka_unit_test(what_agrees),
        cmocka_unit_test(causes_do_what_notes_say),
        cmocka_unit_test(what_a_leader_costs),
        cmocka_unit_test(what_additions_cost),
        cmocka_unit_test(what_is_printed),
    };
    return cmocka_run_group_tests(tests, simulate, report_case_forget);
}
