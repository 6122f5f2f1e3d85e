/* A report as a table with notes below, or a line for every quantity. */
#include "experiments/report.h"
#include "experiments/rows.h"

#include <math.h>
#include <string.h>

enum { LINE = 126, CELL = 32, RANGE = 80 };
static const char *const verdicts[] = {[REPORT_AGREES] = "agrees", [REPORT_PARTLY] = "partly", [REPORT_DEVIATES] = "deviates",
                                       [REPORT_GIVEN] = "given"};

/* One end of a range, as readers know the unit. */
static void format_value(char *out, size_t bytes, double value, const char *unit)
{
    if (isnan(value))
        snprintf(out, bytes, "%s", "");
    else if (strcmp(unit, "B") == 0 && value >= 1024)
        snprintf(out, bytes, "%gK", value / 1024);
    else if (strcmp(unit, "us") == 0)
        snprintf(out, bytes, fabs(value) < 2 ? "%.3f us" : "%.1f us", value);
    else if (strcmp(unit, "s") == 0)
        snprintf(out, bytes, "%.3g s", value);
    else if (strcmp(unit, "M/s") == 0)
        snprintf(out, bytes, "%.2f M/s", value);
    else
        snprintf(out, bytes, strcmp(unit, "slots") == 0 ? "%g" : "%.3f", value);
}

static void format_range(char *out, size_t bytes, const struct report_range *range, const char *unit)
{
    char low[CELL], high[CELL];
    format_value(low, sizeof low, range->low, unit);
    format_value(high, sizeof high, range->high, unit);
    if (isnan(range->low) && isnan(range->high))
        snprintf(out, bytes, "none");
    else if (isnan(range->high))
        snprintf(out, bytes, "from %s", low);
    else if (strcmp(low, high) == 0)
        snprintf(out, bytes, "%s", low);
    else
        snprintf(out, bytes, "%s%s%s", low, isnan(range->low) ? "to " : "..", high);
}

static void format_verdict(char *out, size_t bytes, const struct report_result *result)
{
    if (result->verdict == REPORT_DEVIATES && strcmp(result->unit, "tau") != 0)
        snprintf(out, bytes, "deviates %+.*f %%", fabs(result->deviation) < 0.01 ? 1 : 0, 100 * result->deviation);
    else
        snprintf(out, bytes, "%s", verdicts[result->verdict]);
}

static void print_line(FILE *file, const struct report_result *r)
{
    char published[RANGE], simulated[RANGE], verdict[CELL], cause[CELL] = "", figure[CELL] = "";
    format_range(published, sizeof published, &r->published, r->unit);
    format_range(simulated, sizeof simulated, &r->simulated, r->unit);
    format_verdict(verdict, sizeof verdict, r);
    if (r->row->figure)
        snprintf(figure, sizeof figure, "%d", r->row->figure);
    if (r->row->cause)
        snprintf(cause, sizeof cause, "  (%d)", r->row->cause);
    if (r->row->if_so)
        fprintf(file, "       if %-43s %17s %17s  %s\n", r->row->if_so, "", simulated, verdict);
    else
        fprintf(file, "%3s  %-48s %17s %17s  %s%s\n", figure, r->quantity, published, simulated, verdict, cause);
}

/* Lines that break between words. */
static void print_note(FILE *file, int number, const char *text)
{
    int column = fprintf(file, "(%d)", number);
    while (*text) {
        int length = (int)strcspn(text, " ");
        if (column + 1 + length > LINE)
            column = fprintf(file, "\n   ") - 1;
        column += fprintf(file, " %.*s", length, text);
        text += length + (text[length] == ' ');
    }
    fputc('\n', file);
}

static void print_table(FILE *file, const struct report *report)
{
    size_t of[REPORT_VERDICTS] = {0};
    fprintf(file, "fig  %-48s %17s %17s\n", "quantity", "paper", "simulated");
    for (size_t i = 0; i < report->count; i++) {
        print_line(file, &report->result[i]);
        if (!report->result[i].row->if_so)
            of[report->result[i].verdict]++;
    }
    fprintf(file, "\n%zu agree, %zu partly, %zu deviate", of[REPORT_AGREES], of[REPORT_PARTLY], of[REPORT_DEVIATES]);
    fprintf(file, of[REPORT_GIVEN] ? "; %zu went in\n\n" : "\n\n", of[REPORT_GIVEN]);
    for (int n = 1; report_note(report->source, n); n++)
        print_note(file, n, report_note(report->source, n));
}

static void print_number(FILE *file, const char *name, double value, int json)
{
    if (json && isnan(value))
        return;
    fprintf(file, json ? ",\"%s\":" : ",", name);
    if (!isnan(value))
        fprintf(file, "%.6g", value);
}

static void print_text(FILE *file, const char *name, const char *text, int json)
{
    if (json && !text)
        return;
    fprintf(file, json ? ",\"%s\":" : ",", name);
    if (text)
        json_print_text(file, text);
}

static void print_row(FILE *file, const struct report_source *source, const struct report_result *r, int json)
{
    fprintf(file, json ? "{\"figure\":%d" : "%d", r->row->figure);
    print_text(file, "id", r->row->id, json);
    print_text(file, "quantity", r->quantity, json);
    print_text(file, "if", r->row->if_so, json);
    print_text(file, "unit", r->unit, json);
    print_number(file, "paper_low", r->published.low, json);
    print_number(file, "paper_high", r->published.high, json);
    print_number(file, "simulated_low", r->simulated.low, json);
    print_number(file, "simulated_high", r->simulated.high, json);
    print_text(file, "verdict", verdicts[r->verdict], json);
    print_number(file, "deviation", r->deviation, json);
    print_text(file, "place", r->place, json);
    print_text(file, "cause", report_note(source, r->row->cause), json);
    fputs(json ? "}\n" : "\n", file);
}

void report_print(FILE *file, const struct report *report, enum format format)
{
    if (format == FORMAT_TABLE) {
        print_table(file, report);
        return;
    }
    if (format == FORMAT_CSV)
        fputs("figure,id,quantity,if,unit,paper_low,paper_high,simulated_low,simulated_high,verdict,deviation,place,cause\n",
              file);
    for (size_t i = 0; i < report->count; i++)
        print_row(file, report->source, &report->result[i], format == FORMAT_JSONL);
}
