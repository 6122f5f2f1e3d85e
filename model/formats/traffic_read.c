#include "model/formats/traffic_read.h"
#include "model/formats/text_file.h"
#include "model/formats/traffic_text.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { FILE_MOST_BYTES = 1 << 30 };

/* Commas between the columns of this line, plus one. */
static uint64_t count_columns(const struct traffic_text *t)
{
    uint64_t columns = 1;
    for (const char *at = t->at; at < t->line_end; at++)
        columns += *at == ',';
    return columns;
}

static int dense_row(struct traffic_text *t, uint64_t row, uint64_t columns)
{
    uint64_t here = count_columns(t), bytes;
    if (here != columns)
        return traffic_text_refuse(t, -EINVAL, "row %llu has %llu columns, those before have %llu", (unsigned long long)row + 1,
                                   (unsigned long long)here, (unsigned long long)columns);
    if (row >= columns)
        return traffic_text_refuse(t, -EINVAL, "this is row %llu of a matrix of %llu columns: it must have as many of both",
                                   (unsigned long long)row + 1, (unsigned long long)columns);
    for (uint64_t c = 0; c < columns; c++) {
        int err = c ? traffic_text_comma(t) : 0;
        if (!err)
            err = traffic_text_bytes(t, 0, &bytes);
        if (!err)
            err = traffic_text_add(t, row, c, bytes);
        if (err)
            return err;
    }
    return traffic_text_line_end(t);
}

int traffic_dense_read(struct traffic_text *t)
{
    uint64_t row = 0, columns = count_columns(t);
    t->is_matrix = 1;
    t->shape = "; a row of a matrix is numbers with commas between, without names";
    int more = 1, err = traffic_ranks_check(t, columns);
    for (; !err && more > 0; more = err ? 0 : traffic_text_line(t))
        err = dense_row(t, row++, columns);
    if (err || more < 0)
        return err ? err : more;
    if (row < columns)
        return traffic_text_refuse(t, -EINVAL, "the file ends after row %llu of %llu", (unsigned long long)row,
                                   (unsigned long long)columns);
    t->ranks = (uint32_t)columns;
    t->rules = t->wish->directed ? 0 : TRAFFIC_BOTH_WAYS;
    return 0;
}

static int edge_rank(struct traffic_text *t, const char *what, uint64_t *out)
{
    int err = traffic_text_number(t, what, TRAFFIC_RANKS_MAX - 1, out);
    if (err)
        return err;
    if (t->wish->ranks && *out >= t->wish->ranks)
        return traffic_text_refuse(t, -EINVAL, "there is no rank %llu among %u", (unsigned long long)*out, t->wish->ranks);
    if (*out >= t->ranks)
        t->ranks = (uint32_t)*out + 1;
    return 0;
}

int traffic_edges_read(struct traffic_text *t)
{
    uint64_t from, to, bytes;
    int more = 1, err = 0;
    t->ranks = t->wish->ranks;
    t->shape = "; a line is FROM TO BYTES, and a matrix has commas";
    for (; !err && more > 0; more = err ? 0 : traffic_text_line(t)) {
        err = edge_rank(t, "the number of the sending rank", &from);
        if (!err)
            err = edge_rank(t, "the number of the receiving rank", &to);
        if (!err)
            err = traffic_text_bytes(t, 0, &bytes);
        if (!err)
            err = traffic_text_line_end(t);
        if (!err)
            err = traffic_text_add(t, from, to, bytes);
    }
    return err ? err : more;
}

/* What some programs begin UTF-8 with. */
static void skip_mark(struct traffic_text *t)
{
    static const char mark[] = "\xef\xbb\xbf";
    size_t bytes = sizeof mark - 1;
    if ((size_t)(t->end - t->next) >= bytes && memcmp(t->next, mark, bytes) == 0)
        t->next += bytes;
}

/* By its first line; a single number is a matrix of one rank. */
static int read_any(struct traffic_text *t)
{
    static const char market[] = "%%MatrixMarket";
    size_t bytes = sizeof market - 1;
    skip_mark(t);
    if ((size_t)(t->end - t->next) >= bytes && memcmp(t->next, market, bytes) == 0)
        return traffic_market_read(t);
    int line = traffic_text_line(t);
    if (line < 0)
        return line;
    if (!line)
        return traffic_text_refuse(t, -EINVAL, "there is nothing in it: give a matrix, or lines \"FROM TO BYTES\"");
    size_t length = (size_t)(t->line_end - t->at);
    while (length && strchr(" \t\r", t->at[length - 1]))
        length--;
    int dense = memchr(t->at, ',', length) || (!memchr(t->at, ' ', length) && !memchr(t->at, '\t', length));
    return dense ? traffic_dense_read(t) : traffic_edges_read(t);
}

static int complain(struct traffic_text *t, const struct traffic_complaint *c)
{
    const struct traffic_entry *e = &c->entry;
    unsigned long long from = e->from, to = e->to, bytes = e->bytes;
    char where[64] = "";
    if (t->is_matrix)
        snprintf(where, sizeof where, "row %llu, column %llu: ", from + 1, to + 1);
    t->line = e->line;
    if (c->fault == TRAFFIC_TWICE)
        return traffic_text_refuse(t, -EINVAL, "%swhat rank %llu sends to rank %llu has been before", where, from, to);
    if (c->fault == TRAFFIC_TOO_MUCH)
        return traffic_text_refuse(t, -EINVAL, "with this all bytes together are too many: give fewer than 2^62");
    return traffic_text_refuse(t, -EINVAL,
                               "%srank %llu sends %llu bytes to rank %llu, but gets %llu back: make the matrix symmetric, or say "
                               "that it is directed",
                               where, from, bytes, to, (unsigned long long)c->back_bytes);
}

int traffic_read(const char *name, const char *text, size_t bytes, const struct traffic_wish *wish, struct traffic *out,
                 char *reason, size_t reason_bytes)
{
    struct traffic_complaint complaint;
    struct traffic_text t = {.name = name, .next = text, .end = text + bytes, .comment = '#', .wish = wish, .reason = reason,
                             .reason_bytes = reason_bytes};
    int err = read_any(&t);
    if (!err) {
        err = traffic_create(out, t.ranks, t.entry, t.entries, t.rules, &complaint);
        if (err == -EINVAL)
            complain(&t, &complaint);
        else if (err)
            traffic_text_refuse(&t, err, "no memory for %zu entries of %u ranks", t.entries, t.ranks);
    }
    free(t.entry);
    return err;
}

int traffic_read_file(const char *path, const struct traffic_wish *wish, struct traffic *out, char *reason, size_t reason_bytes)
{
    char *text;
    size_t bytes;
    int err = text_file_read_most(path, FILE_MOST_BYTES, &text, &bytes, reason, reason_bytes);
    if (err)
        return err;
    err = traffic_read(path, text, bytes, wish, out, reason, reason_bytes);
    free(text);
    return err;
}
