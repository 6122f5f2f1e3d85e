#include "model/formats/numbering_file.h"
#include "model/formats/text_file.h"
#include "model/schedule.h"

#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

enum { LINE_SHOWN = 24 };

struct reader {
    const char *name, *at, *end;
    const char *line, *line_end; /* the line taken last, without blanks around it and without comment */
    uint64_t number;             /* its */
    char *reason;
    size_t reason_bytes;
};

__attribute__((format(printf, 2, 3))) static int refuse(const struct reader *r, const char *format, ...)
{
    va_list arguments;
    int head = snprintf(r->reason, r->reason_bytes, "%s:%llu: ", r->name, (unsigned long long)(r->number ? r->number : 1));
    va_start(arguments, format);
    if (head >= 0 && (size_t)head < r->reason_bytes)
        vsnprintf(r->reason + head, r->reason_bytes - (size_t)head, format, arguments);
    va_end(arguments);
    return -EINVAL;
}

static int is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\r';
}

/* The next line that says something; 0 at the end of the text. */
static int take_line(struct reader *r)
{
    while (r->at < r->end) {
        const char *end = memchr(r->at, '\n', (size_t)(r->end - r->at));
        end = end ? end : r->end;
        const char *comment = memchr(r->at, '#', (size_t)(end - r->at));
        r->line = r->at;
        r->line_end = comment ? comment : end;
        r->at = end < r->end ? end + 1 : end;
        r->number++;
        while (r->line < r->line_end && is_blank(*r->line))
            r->line++;
        while (r->line < r->line_end && is_blank(r->line_end[-1]))
            r->line_end--;
        if (r->line < r->line_end)
            return 1;
    }
    return 0;
}

/* What stands there instead, fit for a message. */
static int refuse_line(const struct reader *r, const char *expected)
{
    size_t bytes = 0;
    while (r->line + bytes < r->line_end && bytes < LINE_SHOWN && r->line[bytes] >= 0x20 && r->line[bytes] <= 0x7e)
        bytes++;
    if (bytes == 0)
        return refuse(r, "expected %s, not the byte 0x%02x", expected, (unsigned char)*r->line);
    return refuse(r, "expected %s, not '%.*s'", expected, (int)bytes, r->line);
}

/* Decimal digits from *at on, which is moved behind them; more than 2^32 stays beyond it. 0 if there are none. */
static int take_number(const char **at, const char *end, uint64_t *out)
{
    const char *start = *at;
    for (*out = 0; *at < end && **at >= '0' && **at <= '9'; ++*at)
        *out = *out > UINT32_MAX ? *out : *out * 10 + (uint64_t)(**at - '0');
    return *at > start;
}

/* The rest of the first line. */
static int take_maker(const struct reader *r, const char *at, char *out)
{
    while (at < r->line_end && is_blank(*at))
        at++;
    size_t bytes = (size_t)(r->line_end - at);
    if (bytes >= NUMBERING_MAKER_BYTES)
        return refuse(r, "what made it is %zu characters long, more than %d: shorten it", bytes, NUMBERING_MAKER_BYTES - 1);
    for (size_t i = 0; i < bytes; i++)
        if (at[i] < 0x20 || at[i] > 0x7e)
            return refuse(r, "what made it has the byte 0x%02x: use printable characters", (unsigned char)at[i]);
    memcpy(out, at, bytes);
    out[bytes] = 0;
    return 0;
}

static int take_header(struct reader *r, struct numbering_file *out)
{
    static const char word[] = "ranks";
    const size_t word_bytes = sizeof word - 1;
    uint64_t procs;
    if (!take_line(r))
        return refuse(r, "is empty: expected 'ranks N', then N lines of virtual ranks");
    const char *at = r->line + word_bytes;
    if ((size_t)(r->line_end - r->line) <= word_bytes || memcmp(r->line, word, word_bytes) || !is_blank(*at))
        return refuse_line(r, "'ranks N', the number of ranks");
    while (is_blank(*at))
        at++;
    if (!take_number(&at, r->line_end, &procs) || (at < r->line_end && !is_blank(*at)))
        return refuse_line(r, "'ranks N', the number of ranks");
    if (procs < 1 || procs > SCHEDULE_PROCS_MAX)
        return refuse(r, "%llu ranks: must be 1 to %d", (unsigned long long)procs, SCHEDULE_PROCS_MAX);
    out->procs = (uint32_t)procs;
    return take_maker(r, at, out->maker);
}

static int take_rank(struct reader *r, struct numbering_file *out, uint32_t rank)
{
    uint64_t v;
    if (!take_line(r))
        return refuse(r, "ends after %u of %u ranks: was it cut off?", rank, out->procs);
    const char *at = r->line;
    if (!take_number(&at, r->line_end, &v) || at != r->line_end)
        return refuse_line(r, "a virtual rank");
    if (v >= out->procs)
        return refuse(r, "virtual rank %.*s of rank %u: must be below %u",
                      (int)(at - r->line > LINE_SHOWN ? LINE_SHOWN : at - r->line), r->line, rank, out->procs);
    if (out->rank_of_virtual[v] != UINT32_MAX)
        return refuse(r, "virtual rank %llu is of rank %u and again of rank %u: each must come once", (unsigned long long)v,
                      out->rank_of_virtual[v], rank);
    out->virtual_of_rank[rank] = (uint32_t)v;
    out->rank_of_virtual[v] = rank;
    return 0;
}

static int take_ranks(struct reader *r, struct numbering_file *out)
{
    int err = 0;
    for (uint32_t rank = 0; rank < out->procs; rank++)
        out->rank_of_virtual[rank] = UINT32_MAX;
    for (uint32_t rank = 0; rank < out->procs && !err; rank++)
        err = take_rank(r, out, rank);
    if (!err && take_line(r))
        err = refuse_line(r, "nothing after the last rank's line");
    return err;
}

int numbering_read(const char *name, const char *text, size_t bytes, struct numbering_file *out, char *reason,
                   size_t reason_bytes)
{
    struct reader r = {.name = name, .at = text, .end = text + bytes, .reason = reason, .reason_bytes = reason_bytes};
    struct numbering_file file = {.procs = 0};
    int err = take_header(&r, &file);
    if (err)
        return err;
    if (file.procs > bytes) /* a rank takes a digit at least: no memory for what cannot come */
        return refuse(&r, "%u ranks, but the file has only %zu bytes: was it cut off?", file.procs, bytes);
    file.virtual_of_rank = malloc(file.procs * sizeof *file.virtual_of_rank);
    file.rank_of_virtual = malloc(file.procs * sizeof *file.rank_of_virtual);
    if (!file.virtual_of_rank || !file.rank_of_virtual) {
        snprintf(reason, reason_bytes, "%s: no memory for %u ranks", name, file.procs);
        err = -ENOMEM;
    }
    err = err ? err : take_ranks(&r, &file);
    if (err)
        numbering_file_destroy(&file);
    else
        *out = file;
    return err;
}

int numbering_read_file(const char *path, struct numbering_file *out, char *reason, size_t reason_bytes)
{
    char *text;
    size_t bytes;
    int err = text_file_read_most(path, NUMBERING_FILE_MAX_BYTES, &text, &bytes, reason, reason_bytes);
    if (err)
        return err;
    err = numbering_read(path, text, bytes, out, reason, reason_bytes);
    free(text);
    return err;
}

void numbering_file_destroy(struct numbering_file *file)
{
    free(file->virtual_of_rank);
    free(file->rank_of_virtual);
    *file = (struct numbering_file){.procs = 0};
}

int numbering_write(FILE *file, uint32_t procs, const char *maker, const uint32_t *virtual_of_rank)
{
    fprintf(file, "# the virtual rank of each rank, a line each\nranks %u%s%s\n", procs, *maker ? " " : "", maker);
    for (uint32_t rank = 0; rank < procs; rank++)
        fprintf(file, "%u\n", virtual_of_rank[rank]);
    return fflush(file) || ferror(file) ? -EIO : 0;
}

int numbering_write_file(const char *path, uint32_t procs, const char *maker, const uint32_t *virtual_of_rank, char *reason,
                         size_t reason_bytes)
{
    char *text = NULL;
    size_t bytes;
    FILE *file = open_memstream(&text, &bytes);
    int err = file ? numbering_write(file, procs, maker, virtual_of_rank) : -ENOMEM;
    if (file && fclose(file))
        err = -ENOMEM;
    if (err)
        snprintf(reason, reason_bytes, "%s: no memory for %u ranks", path, procs);
    else
        err = text_file_write(path, text, bytes, reason, reason_bytes);
    free(text);
    return err;
}
