#include "experiments/csv_table.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static int read_text(FILE *file, char **out)
{
    size_t used = 0, room = 65536;
    char *text = malloc(room);
    while (text) {
        size_t n = fread(text + used, 1, room - used - 1, file);
        used += n;
        if (n == 0)
            break;
        if (used + 1 < room)
            continue;
        char *larger = realloc(text, room *= 2);
        if (!larger)
            free(text);
        text = larger;
    }
    if (text && ferror(file)) {
        free(text);
        return -EIO;
    }
    if (text)
        text[used] = 0;
    *out = text;
    return text ? 0 : -ENOMEM;
}

/* Lines that end, or the last, if there is something in them. */
static size_t count_lines(const char *text)
{
    size_t lines = 0;
    for (const char *line = text; *line; line += strcspn(line, "\n") + (strchr(line, '\n') != NULL))
        lines++;
    return lines;
}

/* Cuts a line into its cells; how many there are. At most `most` are kept. */
static size_t split_line(char *line, const char **cell, size_t most)
{
    size_t count = 0;
    for (;;) {
        size_t length = strcspn(line, ",");
        int more = line[length] == ',';
        if (count < most)
            cell[count] = line;
        count++;
        line[length] = 0;
        if (!more)
            return count;
        line += length + 1;
    }
}

static size_t count_cells(const char *text)
{
    size_t cells = 1, length = strcspn(text, "\n");
    for (size_t i = 0; i < length; i++)
        cells += text[i] == ',';
    return cells;
}

int csv_table_read(FILE *file, struct csv_table *out)
{
    *out = (struct csv_table){0};
    int error = read_text(file, &out->text);
    if (error)
        return error;
    size_t lines = count_lines(out->text), line = 0;
    out->columns = count_cells(out->text);
    out->cell = calloc(lines * out->columns + 1, sizeof *out->cell);
    error = !out->cell ? -ENOMEM : lines == 0 ? -EINVAL : 0;
    for (char *at = out->text; !error && line < lines; line++) {
        char *next = strchr(at, '\n');
        if (next)
            *next = 0;
        if (split_line(at, out->cell + line * out->columns, out->columns) != out->columns)
            error = -EINVAL;
        at = next ? next + 1 : at;
    }
    out->rows = lines ? lines - 1 : 0;
    if (error)
        csv_table_destroy(out);
    return error;
}

void csv_table_destroy(struct csv_table *table)
{
    free(table->text);
    free(table->cell);
    *table = (struct csv_table){0};
}

static const char *text_of(const struct csv_table *table, size_t row, const char *column, size_t length)
{
    for (size_t i = 0; i < table->columns; i++)
        if (strncmp(table->cell[i], column, length) == 0 && table->cell[i][length] == 0)
            return table->cell[(row + 1) * table->columns + i];
    return NULL;
}

const char *csv_table_text(const struct csv_table *table, size_t row, const char *column)
{
    return text_of(table, row, column, strlen(column));
}

double csv_table_number(const struct csv_table *table, size_t row, const char *column)
{
    const char *text = csv_table_text(table, row, column);
    char *end = NULL;
    double value = text ? strtod(text, &end) : NAN;
    return text && *text && *end == 0 ? value : NAN;
}

int csv_table_matches(const struct csv_table *table, size_t row, const char *where)
{
    while (*where) {
        size_t name = strcspn(where, "="), length = strcspn(where, " ");
        const char *text = name < length ? text_of(table, row, where, name) : NULL, *wanted = where + name + 1;
        if (!text || strlen(text) != length - name - 1 || memcmp(text, wanted, strlen(text)) != 0)
            return 0;
        where += length + (where[length] == ' ');
    }
    return 1;
}
