/* Matrix Market, as NIST describes it: a banner, comments, a line of counts, then entries; ranks are counted from 1. */
#include "model/formats/traffic_text.h"

#include <errno.h>
#include <strings.h>

struct market {
    int coordinate, whole, symmetric;
    uint64_t ranks, entries;
};

/* One of two words: 0 or 1 in `second`. */
static int banner_word(struct traffic_text *t, const char *what, const char *one, const char *other, int *second)
{
    char word[32];
    int err = traffic_text_word(t, what, word, sizeof word);
    if (err)
        return err;
    *second = strcasecmp(word, other) == 0;
    if (*second || strcasecmp(word, one) == 0)
        return 0;
    return traffic_text_refuse(t, -EINVAL, "a Matrix Market file with '%s' is no matrix of bytes: expected %s", word, what);
}

static int read_banner(struct traffic_text *t, struct market *m)
{
    char banner[32];
    int is_matrix;
    int err = traffic_text_word(t, "%%MatrixMarket", banner, sizeof banner);
    if (!err)
        err = banner_word(t, "matrix", "matrix", "matrix", &is_matrix);
    if (!err)
        err = banner_word(t, "coordinate or array", "array", "coordinate", &m->coordinate);
    if (!err)
        err = banner_word(t, "real or integer", "real", "integer", &m->whole);
    if (!err)
        err = banner_word(t, "general or symmetric", "general", "symmetric", &m->symmetric);
    return err ? err : traffic_text_line_end(t);
}

/* Entries that an array has, or most that coordinates may be. */
static uint64_t market_room(const struct market *m)
{
    return m->symmetric ? m->ranks * (m->ranks + 1) / 2 : m->ranks * m->ranks;
}

static int read_counts(struct traffic_text *t, struct market *m)
{
    uint64_t columns;
    int line = traffic_text_line(t);
    if (line <= 0)
        return line ? line : traffic_text_refuse(t, -EINVAL, "expected the numbers of rows and columns, but the file ends here");
    int err = traffic_text_number(t, "the number of rows", UINT32_MAX, &m->ranks);
    if (!err)
        err = traffic_text_number(t, "the number of columns", UINT32_MAX, &columns);
    if (!err && m->ranks != columns)
        return traffic_text_refuse(t, -EINVAL, "%llu rows and %llu columns: it must have as many of both",
                                   (unsigned long long)m->ranks, (unsigned long long)columns);
    if (!err)
        err = traffic_ranks_check(t, m->ranks);
    m->entries = market_room(m);
    if (!err && m->coordinate)
        err = traffic_text_number(t, "the number of entries", m->entries, &m->entries);
    return err ? err : traffic_text_line_end(t);
}

static int add(struct traffic_text *t, const struct market *m, uint64_t row, uint64_t column, uint64_t bytes)
{
    int err = traffic_text_add(t, row, column, bytes);
    return err || !m->symmetric || row == column ? err : traffic_text_add(t, column, row, bytes);
}

static int read_coordinate(struct traffic_text *t, const struct market *m)
{
    uint64_t row, column, bytes;
    int err = traffic_text_number(t, "the number of a row", m->ranks, &row);
    if (!err)
        err = traffic_text_number(t, "the number of a column", m->ranks, &column);
    if (!err && (!row || !column))
        return traffic_text_refuse(t, -EINVAL, "rows and columns of Matrix Market are counted from 1, not from 0");
    if (!err && m->symmetric && row < column)
        return traffic_text_refuse(t, -EINVAL, "row %llu, column %llu is above the diagonal, which a symmetric file leaves out",
                                   (unsigned long long)row, (unsigned long long)column);
    if (!err)
        err = traffic_text_bytes(t, m->whole, &bytes);
    if (!err)
        err = traffic_text_line_end(t);
    return err ? err : add(t, m, row - 1, column - 1, bytes);
}

/* Column after column, of a symmetric one from the diagonal down. */
static int read_array(struct traffic_text *t, const struct market *m, uint64_t *row, uint64_t *column)
{
    uint64_t bytes;
    int err = traffic_text_bytes(t, m->whole, &bytes);
    if (!err)
        err = traffic_text_line_end(t);
    if (!err)
        err = add(t, m, *row, *column, bytes);
    if (++*row == m->ranks) {
        ++*column;
        *row = m->symmetric ? *column : 0;
    }
    return err;
}

int traffic_market_read(struct traffic_text *t)
{
    struct market m = {0};
    uint64_t row = 0, column = 0, i;
    t->comment = 0;
    t->is_matrix = 1;
    int line = traffic_text_line(t);
    int err = line <= 0 ? line : read_banner(t, &m);
    t->comment = '%';
    if (!err)
        err = read_counts(t, &m);
    t->rules = (m.coordinate ? TRAFFIC_ONCE : 0) | (m.symmetric || t->wish->directed ? 0 : TRAFFIC_BOTH_WAYS);
    t->ranks = (uint32_t)m.ranks;
    for (i = 0; !err && i < m.entries; i++) {
        line = traffic_text_line(t);
        if (line <= 0)
            return line ? line
                        : traffic_text_refuse(t, -EINVAL, "the file ends after %llu of %llu entries", (unsigned long long)i,
                                              (unsigned long long)m.entries);
        err = m.coordinate ? read_coordinate(t, &m) : read_array(t, &m, &row, &column);
    }
    if (!err && (line = traffic_text_line(t)))
        return line < 0 ? line
                        : traffic_text_refuse(t, -EINVAL, "there is more than the %llu entries that were announced",
                                              (unsigned long long)m.entries);
    return err;
}
