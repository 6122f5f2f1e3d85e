#include "experiments/fit_rows.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { LINE_BYTES = 4096, COLUMNS_MAX = 128, PROCS_MAX = 1 << 20 };

enum kind { KIND_UNKNOWN, KIND_CSV, KIND_OSU, KIND_IMB };

struct reading {
    struct fit_rows *rows;
    const char *name;
    size_t line;
    enum kind kind;
    uint32_t procs;
    int column_procs, column_size, column_time, columns;
    char *reason;
    size_t reason_bytes;
};

static int fail(const struct reading *r, const char *what)
{
    snprintf(r->reason, r->reason_bytes, "%s:%zu: %s", r->name, r->line, what);
    return -EINVAL;
}

static int add(struct reading *r, double procs, double size_bytes, double time_s)
{
    struct fit_rows *rows = r->rows;
    if (!(procs >= 2 && procs <= PROCS_MAX) || procs != floor(procs))
        return fail(r, "not a number of ranks: a whole number from 2 on, or --procs where the file has none");
    if (!(size_bytes >= 1 && size_bytes <= 0x1p40) || size_bytes != floor(size_bytes))
        return fail(r, "not a size: whole bytes from 1 on");
    if (!(time_s > 0 && time_s < 1e6))
        return fail(r, "not a time: seconds above 0");
    if (rows->count == FIT_ROWS_MAX)
        return fail(r, "too many rows: leave some out");
    if (rows->count == rows->capacity) {
        size_t capacity = rows->capacity ? 2 * rows->capacity : 256;
        struct fit_row *row = reallocarray(rows->row, capacity, sizeof *row);
        if (!row)
            return -ENOMEM;
        rows->row = row;
        rows->capacity = capacity;
    }
    rows->row[rows->count++] = (struct fit_row){(uint32_t)procs, (uint64_t)size_bytes, time_s};
    return 0;
}

/* Splits at commas, in place. */
static int split(char *line, char *column[COLUMNS_MAX])
{
    int n = 0;
    for (char *at = line; n < COLUMNS_MAX; at++) {
        column[n++] = at;
        at = strchr(at, ',');
        if (!at)
            break;
        *at = 0;
    }
    return n;
}

/* A finite number and nothing else; NAN if it is none. */
static double number(const char *text)
{
    char *end;
    double value = strtod(text, &end);
    return end != text && *end == 0 && isfinite(value) ? value : NAN;
}

static int read_head(struct reading *r, char *line)
{
    char *column[COLUMNS_MAX];
    r->columns = split(line, column);
    r->column_procs = r->column_size = r->column_time = -1;
    for (int i = 0; i < r->columns; i++) {
        r->column_procs = strcmp(column[i], "procs") ? r->column_procs : i;
        r->column_size = strcmp(column[i], "size_bytes") ? r->column_size : i;
        r->column_time = strcmp(column[i], "time_s") ? r->column_time : i;
    }
    if (r->column_size < 0 || r->column_time < 0 || (r->column_procs < 0 && r->procs == 0))
        return fail(r, "neither rows as CSV, whose head names procs, size_bytes and time_s, nor what OSU's or IMB prints");
    r->kind = KIND_CSV;
    return 0;
}

static int read_csv(struct reading *r, char *line)
{
    char *column[COLUMNS_MAX];
    if (split(line, column) != r->columns)
        return fail(r, "not as many columns as the head has");
    double procs = r->column_procs < 0 ? r->procs : number(column[r->column_procs]);
    return add(r, procs, number(column[r->column_size]), number(column[r->column_time]));
}

static int read_comment(struct reading *r, const char *line)
{
    unsigned procs;
    if (strncmp(line, "# OSU", 5) == 0) {
        r->kind = KIND_OSU;
        r->rows->mean = 1;
    } else if (strstr(line, "#bytes") && strstr(line, "t_max[usec]")) {
        r->kind = KIND_IMB;
    }
    if (sscanf(line, "# #processes = %u", &procs) == 1)
        r->procs = procs;
    return 0;
}

static int read_benchmark(struct reading *r, const char *line)
{
    double size, time[4];
    int n = sscanf(line, "%lf %lf %lf %lf %lf", &size, &time[0], &time[1], &time[2], &time[3]);
    if (n < 2 || (r->kind == KIND_IMB && n != 5))
        return r->kind == KIND_IMB ? 0 : fail(r, "not a line of size and microseconds"); /* IMB ends with lines of text */
    if (r->procs == 0)
        return fail(r, "says nothing of the number of ranks: give it by --procs");
    if (size == 0)
        return 0;
    return add(r, r->procs, size, (r->kind == KIND_IMB ? time[2] : time[0]) * 1e-6);
}

static int read_line(struct reading *r, char *line)
{
    line[strcspn(line, "\r\n")] = 0;
    const char *first = line + strspn(line, " \t");
    if (*first == 0)
        return 0;
    if (*first == '#')
        return read_comment(r, first);
    if (r->kind == KIND_UNKNOWN)
        return read_head(r, line);
    return r->kind == KIND_CSV ? read_csv(r, line) : read_benchmark(r, first);
}

int fit_rows_read(FILE *file, const char *name, uint32_t procs, struct fit_rows *out, char *reason, size_t reason_bytes)
{
    struct fit_rows rows = {0};
    struct reading r = {.rows = &rows, .name = name, .procs = procs, .reason = reason, .reason_bytes = reason_bytes};
    char line[LINE_BYTES];
    int err = 0;
    snprintf(reason, reason_bytes, "%s: no memory for its rows", name);
    while (!err && fgets(line, sizeof line, file)) {
        r.line++;
        err = strchr(line, '\n') || feof(file) ? read_line(&r, line) : fail(&r, "a line longer than 4095 bytes");
    }
    if (!err && ferror(file)) {
        err = -errno;
        snprintf(reason, reason_bytes, "%s: cannot read: %s; check the path", name, strerror(errno));
    }
    r.line += !r.line;
    if (!err && rows.count == 0)
        err = fail(&r, "no rows: give some as CSV, or what OSU's or IMB's benchmarks print");
    if (err)
        fit_rows_destroy(&rows);
    else
        *out = rows;
    return err;
}

void fit_rows_destroy(struct fit_rows *rows)
{
    free(rows->row);
    *rows = (struct fit_rows){0};
}
