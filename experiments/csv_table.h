/* A small table read from text: names in the first line, cells between commas, nothing quoted.
 *
 * It owns the text and is not changed once read; any thread may then look. */
#ifndef SHMCOLL_EXPERIMENTS_CSV_TABLE_H
#define SHMCOLL_EXPERIMENTS_CSV_TABLE_H

#include <stddef.h>
#include <stdio.h>

struct csv_table {
    char *text;
    const char **cell; /* [(row + 1)*columns + column]; the names come first */
    size_t columns, rows;
};

/* From the file's place to its end. 0; -EINVAL if a line has another number of cells than the first, or there is none; -ENOMEM;
 * -EIO. */
int csv_table_read(FILE *file, struct csv_table *out);
void csv_table_destroy(struct csv_table *table);

/* The cell of a column by its name; NULL if there is no such column. */
const char *csv_table_text(const struct csv_table *table, size_t row, const char *column);
/* The same as a number; NAN if it is empty, absent or none. */
double csv_table_number(const struct csv_table *table, size_t row, const char *column);
/* Whether the row has what `where` says: column=text, any number of them with blanks between. */
int csv_table_matches(const struct csv_table *table, size_t row, const char *where);

#endif
