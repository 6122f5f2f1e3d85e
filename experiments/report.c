/* shmcoll report: a source paper's figures simulated, and what they say beside what comes out. */
#include "experiments/report.h"

#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The data of one figure on servers of which something may be changed. */
struct drawn {
    int figure;
    void (*change)(struct node *node);
    struct csv_table data;
};
/* Beyond it nothing changes any more. */
enum { SIZE_MOST = 4 << 20, DRAWN_MOST = 32 };
struct drawings {
    uint64_t size_most_bytes;
    struct drawn drawn[DRAWN_MOST];
    size_t count;
};

/* On the server of the paper's figure. */
static int write_figure(int figure, FILE *file, struct figure_paper *paper)
{
    static const struct {
        int figure;
        int (*write)(FILE *csv, const struct figure_paper *paper);
        const char *node;
    } writers[] = {{5, figure_paper_5, NULL},
                   {7, figure_paper_7, "broadwell-2x8"},
                   {10, figure_paper_10, "broadwell-2x8"},
                   {11, figure_paper_11, "broadwell-2x8"},
                   {12, figure_paper_12, "nehalem-2x4"},
                   {13, figure_paper_13, "broadwell-2x8"}};
    for (size_t i = 0; i < sizeof writers / sizeof *writers; i++)
        if (writers[i].figure == figure) {
            paper->node = writers[i].node;
            return writers[i].write(file, paper);
        }
    return talk_fail(EXIT_FAILED, "nothing is simulated of figure %d", figure);
}

/* 0, or an exit code after telling why. */
static int draw(struct drawings *all, const struct report_row *row, const struct csv_table **out)
{
    for (size_t i = 0; i < all->count; i++)
        if (all->drawn[i].figure == row->figure && all->drawn[i].change == row->change) {
            *out = &all->drawn[i].data;
            return 0;
        }
    if (all->count == DRAWN_MOST)
        return talk_fail(EXIT_FAILED, "more figures with changes than a report has room for");
    struct drawn *drawn = &all->drawn[all->count];
    struct figure_paper paper = {row->change, all->size_most_bytes, NULL};
    FILE *file = tmpfile();
    if (!file)
        return talk_fail(EXIT_FAILED, "cannot write a temporary file: %s", strerror(errno));
    *drawn = (struct drawn){.figure = row->figure, .change = row->change};
    int code = write_figure(row->figure, file, &paper);
    rewind(file);
    int error = code ? 0 : csv_table_read(file, &drawn->data);
    fclose(file);
    if (error)
        return talk_fail(EXIT_FAILED, "the data of figure %d cannot be read again: %s", row->figure, strerror(-error));
    all->count += code == 0;
    *out = &drawn->data;
    return code;
}

static void drawings_destroy(struct drawings *all)
{
    for (size_t i = 0; i < all->count; i++)
        csv_table_destroy(&all->drawn[i].data);
}

static int simulate(uint64_t size_most_bytes, struct report *report)
{
    struct drawings *all = calloc(1, sizeof *all);
    int code = all ? 0 : talk_fail(EXIT_UNABLE, "out of memory for a report");
    if (all)
        all->size_most_bytes = size_most_bytes;
    for (size_t i = 0; i < report->count && !code; i++) {
        struct report_result *result = &report->result[i];
        const struct csv_table *data = NULL;
        code = result->row->ask ? result->row->ask(result->row, &result->simulated) : draw(all, result->row, &data);
        if (!code && data)
            result->simulated = result->row->measure(data, &result->row->selection);
    }
    if (all)
        drawings_destroy(all);
    free(all);
    return code;
}

const char *report_note(const struct report_source *source, int number)
{
    for (int n = 1; number > 0 && source->notes[n - 1]; n++)
        if (n == number)
            return source->notes[n - 1];
    return NULL;
}

static int read_published(const char *name, struct csv_table *out)
{
    char plots[PATH_MAX], path[PATH_MAX];
    int code = figure_plots_directory(plots, sizeof plots);
    if (code)
        return code;
    if (snprintf(path, sizeof path, "%s/%s", plots, name) >= (int)sizeof path)
        return talk_fail(EXIT_FAILED, "the path of %s is too long", name);
    FILE *file = fopen(path, "r");
    int error = file ? csv_table_read(file, out) : -errno;
    if (file)
        fclose(file);
    return error ? talk_fail(EXIT_FAILED, "cannot read %s: %s", path, strerror(-error)) : 0;
}

enum report_verdict report_judge(const struct report_range *published, const struct report_range *simulated, double *deviation)
{
    double low = isnan(published->low) ? -INFINITY : published->low, high = isnan(published->high) ? INFINITY : published->high;
    *deviation = 0;
    if (simulated->low >= low && simulated->high <= high)
        return REPORT_AGREES;
    if (simulated->low <= high && simulated->high >= low)
        return REPORT_PARTLY;
    *deviation = simulated->low > high ? simulated->low / high - 1 : simulated->high / low - 1;
    return REPORT_DEVIATES;
}

static int compare_result(const struct report_source *source, const struct csv_table *published, struct report_result *result)
{
    for (size_t row = 0; row < published->rows; row++) {
        const char *id = csv_table_text(published, row, "id");
        if (!id || strcmp(id, result->row->id) != 0)
            continue;
        result->published.low = csv_table_number(published, row, "low");
        result->published.high = csv_table_number(published, row, "high");
        result->quantity = csv_table_text(published, row, "quantity");
        result->unit = csv_table_text(published, row, "unit");
        result->place = csv_table_text(published, row, "place");
        result->verdict = report_judge(&result->published, &result->simulated, &result->deviation);
        if (result->verdict == REPORT_AGREES && result->row->given)
            result->verdict = REPORT_GIVEN;
        if (result->quantity && result->unit && result->place)
            return 0;
    }
    return talk_fail(EXIT_FAILED, "%s has nothing, or not all, of %s", source->published, result->row->id);
}

int report_make(const struct report_source *source, uint64_t size_most_bytes, struct report *out)
{
    *out = (struct report){.source = source};
    while (source->rows[out->count].id)
        out->count++;
    out->result = calloc(out->count, sizeof *out->result);
    int code = out->result ? 0 : talk_fail(EXIT_UNABLE, "out of memory for a report");
    for (size_t i = 0; i < out->count && !code; i++)
        out->result[i].row = &source->rows[i];
    code = code ? code : read_published(source->published, &out->published);
    code = code ? code : simulate(size_most_bytes, out);
    for (size_t i = 0; i < out->count && !code; i++)
        code = compare_result(source, &out->published, &out->result[i]);
    if (code)
        report_destroy(out);
    return code;
}

void report_destroy(struct report *report)
{
    csv_table_destroy(&report->published);
    free(report->result);
    *report = (struct report){0};
}

static const struct report_source *source_find(const char *name)
{
    static const struct report_source *const sources[] = {&report_source_s1, &report_source_s2, &report_source_s3};
    for (size_t i = 0; i < sizeof sources / sizeof *sources; i++)
        if (strcmp(sources[i]->name, name) == 0)
            return sources[i];
    return NULL;
}

int command_report(int argc, char **argv)
{
    struct settings settings;
    struct report report;
    int code = options_parse(argc, argv, &settings);
    if (code >= 0)
        return code;
    const struct report_source *source = settings.positional_count == 1 ? source_find(settings.positional[0]) : NULL;
    if (!source)
        return talk_fail(EXIT_USAGE, "report needs the paper: s1, s2 or s3");
    code = report_make(source, SIZE_MOST, &report);
    if (code)
        return code;
    FILE *file = settings.output ? fopen(settings.output, "w") : stdout;
    int error = file ? 0 : errno;
    if (file) {
        report_print(file, &report, settings.format);
        error = (fflush(file) || ferror(file)) ? EIO : 0;
    }
    if (file && file != stdout && fclose(file) && !error)
        error = errno;
    report_destroy(&report);
    const char *name = settings.output ? settings.output : "the report";
    return error ? talk_fail(EXIT_FAILED, "cannot write %s: %s", name, strerror(error)) : 0;
}
