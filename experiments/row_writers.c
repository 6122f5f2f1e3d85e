#include "experiments/rows.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char *text_at(const struct row *row, const struct row_field *f)
{
    return (const char *)row + f->offset;
}

static double real_at(const struct row *row, const struct row_field *f)
{
    return *(const double *)((const char *)row + f->offset);
}

static int64_t integer_at(const struct row *row, const struct row_field *f)
{
    return *(const int64_t *)((const char *)row + f->offset);
}

const char *real_format(double value, char *text, size_t bytes)
{
    for (int digits = 9; digits <= 17; digits++) {
        snprintf(text, bytes, "%.*g", digits, value);
        if (strtod(text, NULL) == value)
            break;
    }
    return text;
}

void json_print_text(FILE *file, const char *text)
{
    fputc('"', file);
    for (const unsigned char *c = (const unsigned char *)text; *c; c++) {
        if (*c == '"' || *c == '\\')
            fprintf(file, "\\%c", *c);
        else if (*c < 0x20)
            fprintf(file, "\\u%04x", *c);
        else
            fputc(*c, file);
    }
    fputc('"', file);
}

static void print_number(FILE *file, const struct row *row, const struct row_field *f)
{
    char text[40];
    if (f->kind == ROW_REAL)
        fputs(real_format(real_at(row, f), text, sizeof text), file);
    else if (f->kind == ROW_TRUTH)
        fputs(integer_at(row, f) ? "true" : "false", file);
    else
        fprintf(file, "%lld", (long long)integer_at(row, f));
}

void row_print_json(FILE *file, const struct row *row)
{
    const char *separator = "{";
    for (const struct row_field *f = row_fields; f->name; f++) {
        int has = row_has(row, f);
        if (!has && !(f->kind == ROW_TEXT && (f->use & ROW_ALWAYS)))
            continue;
        fprintf(file, "%s\"%s\":", separator, f->name);
        if (f->kind == ROW_TEXT)
            json_print_text(file, text_at(row, f));
        else
            print_number(file, row, f);
        separator = ",";
    }
    fputs("}\n", file);
}

void row_print_csv_header(FILE *file)
{
    for (const struct row_field *f = row_fields; f->name; f++)
        fprintf(file, "%s%c", f->name, f[1].name ? ',' : '\n');
}

static void print_csv_text(FILE *file, const char *text)
{
    if (!strpbrk(text, ",\"\n")) {
        fputs(text, file);
        return;
    }
    fputc('"', file);
    for (; *text; text++) {
        if (*text == '"')
            fputc('"', file);
        fputc(*text, file);
    }
    fputc('"', file);
}

void row_print_csv(FILE *file, const struct row *row)
{
    for (const struct row_field *f = row_fields; f->name; f++) {
        if (f->kind == ROW_TEXT)
            print_csv_text(file, text_at(row, f));
        else if (row_has(row, f))
            print_number(file, row, f);
        fputc(f[1].name ? ',' : '\n', file);
    }
}

/* A cell as people read it: times in us, sizes with K, M, G, ratios in percent. */
static const char *cell_format(const struct row *row, const struct row_field *f, char *text, size_t bytes)
{
    if (f->kind == ROW_TEXT) {
        snprintf(text, bytes, "%s", text_at(row, f));
        return text;
    }
    if (!row_has(row, f)) {
        snprintf(text, bytes, "-");
        return text;
    }
    if (f->kind == ROW_TRUTH)
        snprintf(text, bytes, "%s", integer_at(row, f) ? "yes" : "NO");
    else if (f->kind == ROW_INTEGER && *f->unit == 'B')
        size_format((uint64_t)integer_at(row, f), text, bytes);
    else if (f->kind == ROW_INTEGER)
        snprintf(text, bytes, "%lld", (long long)integer_at(row, f));
    else if (strcmp(f->unit, "s") == 0)
        snprintf(text, bytes, "%.3f", real_at(row, f) * 1e6);
    else if (*f->unit == '1')
        snprintf(text, bytes, "%+.1f%%", real_at(row, f) * 100);
    else if (strcmp(f->unit, "any") == 0)
        snprintf(text, bytes, "%.6g", real_at(row, f));
    else
        snprintf(text, bytes, "%.1f", real_at(row, f));
    return text;
}

enum { FIELD_MAX = 64, CELL_BYTES = 128 };

struct column {
    const struct row_field *field;
    int width;
};

static int field_varies(const struct row *rows, size_t count, const struct row_field *f)
{
    char first[CELL_BYTES], other[CELL_BYTES];
    cell_format(&rows[0], f, first, sizeof first);
    for (size_t i = 1; i < count; i++)
        if (strcmp(first, cell_format(&rows[i], f, other, sizeof other)))
            return 1;
    return 0;
}

static int field_present(const struct row *rows, size_t count, const struct row_field *f)
{
    for (size_t i = 0; i < count; i++)
        if (row_has(&rows[i], f))
            return 1;
    return 0;
}

static int column_width(const struct row *rows, size_t count, const struct row_field *f)
{
    char cell[CELL_BYTES];
    size_t width = strlen(f->heading);
    for (size_t i = 0; i < count; i++) {
        size_t length = strlen(cell_format(&rows[i], f, cell, sizeof cell));
        width = length > width ? length : width;
    }
    return (int)width;
}

/* Bold only where someone looks at a terminal that can. */
static int terminal_can_bold(FILE *file)
{
    const char *none = getenv("NO_COLOR"), *term = getenv("TERM");
    return isatty(fileno(file)) && !(none && *none) && term && strcmp(term, "dumb");
}

static void print_line(FILE *file, const struct column *columns, size_t n, const struct row *row)
{
    char cell[CELL_BYTES];
    for (size_t c = 0; c < n; c++) {
        const struct row_field *f = columns[c].field;
        const char *text = row ? cell_format(row, f, cell, sizeof cell) : f->heading;
        int left = f->kind == ROW_TEXT;
        fprintf(file, "%s%*s", c ? "  " : "", left ? -columns[c].width : columns[c].width, text);
    }
    fputc('\n', file);
}

void row_print_table(FILE *file, const struct row *rows, size_t count, int verbosity)
{
    struct column columns[FIELD_MAX];
    char cell[CELL_BYTES];
    size_t n = 0;
    const char *separator = "";
    for (const struct row_field *f = row_fields; f->name && n < FIELD_MAX; f++) {
        if (!field_present(rows, count, f) || ((f->use & ROW_DETAIL) && verbosity < 1))
            continue;
        if ((f->use & ROW_HEAD) && !field_varies(rows, count, f)) {
            fprintf(file, "%s%s %s", separator, f->heading, cell_format(rows, f, cell, sizeof cell));
            separator = ", ";
            continue;
        }
        columns[n++] = (struct column){f, column_width(rows, count, f)};
    }
    if (*separator)
        fputc('\n', file);
    int bold = terminal_can_bold(file);
    fputs(bold ? "\033[1m" : "", file);
    print_line(file, columns, n, NULL);
    fputs(bold ? "\033[0m" : "", file);
    for (size_t i = 0; i < count; i++)
        print_line(file, columns, n, &rows[i]);
}
