/* Times that others measured: whatever comes in, rows one can fit to, or one line. What was read is written as CSV and read again
 * the same. */
#include "experiments/fit_rows.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes);

static void must(int condition)
{
    if (!condition)
        abort();
}

static int read_bytes(const void *data, size_t bytes, uint32_t procs, struct fit_rows *out, char *reason, size_t reason_bytes)
{
    FILE *file = fmemopen((void *)data, bytes, "r");
    must(file != NULL);
    int err = fit_rows_read(file, "fuzz", procs, out, reason, reason_bytes);
    fclose(file);
    return err;
}

static char *write_rows(const struct fit_rows *rows, size_t *bytes)
{
    char *text;
    FILE *file = open_memstream(&text, bytes);
    must(file != NULL);
    fprintf(file, "procs,size_bytes,time_s\n");
    for (size_t i = 0; i < rows->count; i++)
        fprintf(file, "%u,%llu,%.17g\n", rows->row[i].procs, (unsigned long long)rows->row[i].size_bytes, rows->row[i].time_s);
    fclose(file);
    return text;
}

static void check_rows(const struct fit_rows *rows)
{
    struct fit_rows again;
    char reason[200];
    size_t bytes;
    must(rows->count > 0 && rows->count <= FIT_ROWS_MAX);
    char *text = write_rows(rows, &bytes);
    must(read_bytes(text, bytes, 0, &again, reason, sizeof reason) == 0 && again.count == rows->count);
    for (size_t i = 0; i < rows->count; i++) {
        const struct fit_row *a = &rows->row[i], *b = &again.row[i];
        must(a->procs >= 2 && a->size_bytes >= 1 && a->time_s > 0);
        must(a->procs == b->procs && a->size_bytes == b->size_bytes && a->time_s == b->time_s);
    }
    free(text);
    fit_rows_destroy(&again);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes)
{
    for (uint32_t procs = 0; procs <= 4 && bytes > 0; procs += 4) {
        struct fit_rows rows;
        char reason[200] = "";
        if (read_bytes(data, bytes, procs, &rows, reason, sizeof reason)) {
            must(strncmp(reason, "fuzz:", 5) == 0 && !strchr(reason, '\n'));
            continue;
        }
        check_rows(&rows);
        fit_rows_destroy(&rows);
    }
    return 0;
}
