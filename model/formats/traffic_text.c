#include "model/formats/traffic_text.h"

#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int traffic_text_refuse(const struct traffic_text *t, int err, const char *format, ...)
{
    va_list arguments;
    int head = t->line ? snprintf(t->reason, t->reason_bytes, "%s:%llu: ", t->name, (unsigned long long)t->line)
                       : snprintf(t->reason, t->reason_bytes, "%s: ", t->name);
    va_start(arguments, format);
    if (head >= 0 && (size_t)head < t->reason_bytes)
        vsnprintf(t->reason + head, t->reason_bytes - (size_t)head, format, arguments);
    va_end(arguments);
    return err;
}

static int is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\r';
}

static void skip_blanks(struct traffic_text *t)
{
    while (t->at < t->line_end && is_blank(*t->at))
        t->at++;
}

int traffic_text_line(struct traffic_text *t)
{
    while (t->next < t->end) {
        const char *newline = memchr(t->next, '\n', (size_t)(t->end - t->next));
        t->line++;
        if (!newline)
            return traffic_text_refuse(t, -EINVAL,
                                       "this last line has no end, so the file may have been cut: if not, end it with a newline");
        t->at = t->next;
        t->line_end = newline;
        t->next = newline + 1;
        skip_blanks(t);
        if (t->at < t->line_end && *t->at != t->comment)
            return 1;
    }
    t->at = t->line_end = t->end;
    return 0;
}

int traffic_text_more(struct traffic_text *t)
{
    skip_blanks(t);
    return t->at < t->line_end;
}

static const char *shape_of(const struct traffic_text *t)
{
    return t->shape ? t->shape : "";
}

/* The word at hand, fit for a message. */
static int refuse_word(struct traffic_text *t, const char *expected)
{
    int bytes = 0;
    if (!traffic_text_more(t))
        return traffic_text_refuse(t, -EINVAL, "expected %s, but the line ends here%s", expected, shape_of(t));
    unsigned char c = (unsigned char)*t->at;
    if (c < 0x20 || c > 0x7e)
        return traffic_text_refuse(t, -EINVAL, "expected %s, not the byte 0x%02x%s", expected, c, shape_of(t));
    while (bytes < 24 && t->at + bytes < t->line_end && t->at[bytes] > 0x20 && t->at[bytes] < 0x7f)
        if (t->at[bytes++] == ',')
            break;
    bytes -= bytes > 1 && t->at[bytes - 1] == ',';
    return traffic_text_refuse(t, -EINVAL, "expected %s, not '%.*s'%s", expected, bytes, t->at, shape_of(t));
}

int traffic_text_word(struct traffic_text *t, const char *what, char *word, size_t bytes)
{
    size_t length = 0;
    skip_blanks(t);
    while (t->at + length < t->line_end && !is_blank(t->at[length]) && t->at[length] != ',')
        length++;
    if (length == 0 || length >= bytes || memchr(t->at, 0, length))
        return refuse_word(t, what);
    memcpy(word, t->at, length);
    word[length] = 0;
    t->at += length;
    return 0;
}

/* 1: digits only, UINT64_MAX if they are more than that; 0: others. */
static int whole_number(const char *word, uint64_t *out)
{
    uint64_t number = 0;
    for (; *word; word++) {
        if (*word < '0' || *word > '9')
            return 0;
        if (__builtin_mul_overflow(number, 10u, &number) || __builtin_add_overflow(number, (unsigned)(*word - '0'), &number))
            number = UINT64_MAX; /* and stays beyond: another digit overflows again */
    }
    *out = number;
    return 1;
}

int traffic_text_number(struct traffic_text *t, const char *what, uint64_t most, uint64_t *out)
{
    char word[64];
    const char *start = t->at;
    int err = traffic_text_word(t, what, word, sizeof word);
    if (err)
        return err;
    if (!whole_number(word, out)) {
        t->at = start;
        return refuse_word(t, what);
    }
    return *out > most ? traffic_text_refuse(t, -EINVAL, "%s is too large: at most %llu", word, (unsigned long long)most) : 0;
}

/* Whether a word has only what decimal numbers are written with. */
static int is_decimal(const char *word)
{
    return word[strspn(word, "+-.0123456789eE")] == 0;
}

static int refuse_bytes(struct traffic_text *t, const char *word)
{
    return traffic_text_refuse(t, -EINVAL, "%s bytes are too many: give fewer than 2^62", word);
}

int traffic_text_bytes(struct traffic_text *t, int whole, uint64_t *out)
{
    char word[64], *rest;
    const char *what = whole ? "a whole number of bytes" : "a number of bytes", *start = t->at;
    int err = traffic_text_word(t, what, word, sizeof word);
    if (err)
        return err;
    if (whole_number(word, out))
        return *out <= TRAFFIC_BYTES_MAX ? 0 : refuse_bytes(t, word);
    double value = strtod(word, &rest);
    if (!*rest && !isfinite(value) && !is_decimal(word))
        return traffic_text_refuse(t, -EINVAL, "%s is no number of bytes: write 0 where there are none", word);
    if (*rest || !is_decimal(word) || (whole && value != floor(value))) {
        t->at = start;
        return refuse_word(t, what);
    }
    if (value < 0)
        return traffic_text_refuse(t, -EINVAL, "%s bytes are negative: write 0 where there are none", word);
    if (value >= 0x1p62)
        return refuse_bytes(t, word);
    *out = (uint64_t)(value + 0.5);
    return 0;
}

int traffic_text_line_end(struct traffic_text *t)
{
    return traffic_text_more(t) ? refuse_word(t, "the end of the line") : 0;
}

int traffic_text_comma(struct traffic_text *t)
{
    if (!traffic_text_more(t) || *t->at != ',')
        return refuse_word(t, "a comma");
    t->at++;
    return 0;
}

int traffic_text_add(struct traffic_text *t, uint64_t from, uint64_t to, uint64_t bytes)
{
    if (!bytes && !(t->rules & TRAFFIC_ONCE))
        return 0;
    if (t->entries == t->room) {
        size_t room = t->room ? 2 * t->room : 1024;
        struct traffic_entry *larger = reallocarray(t->entry, room, sizeof *larger);
        if (!larger)
            return traffic_text_refuse(t, -ENOMEM, "no memory for more than %zu entries", t->entries);
        t->entry = larger;
        t->room = room;
    }
    t->entry[t->entries++] = (struct traffic_entry){(uint32_t)from, (uint32_t)to, bytes, t->line};
    return 0;
}

int traffic_ranks_check(const struct traffic_text *t, uint64_t ranks)
{
    if (ranks == 0 || ranks > TRAFFIC_RANKS_MAX)
        return traffic_text_refuse(t, -EINVAL, "%llu ranks are out of range: from 1 to %d", (unsigned long long)ranks,
                                   TRAFFIC_RANKS_MAX);
    if (t->wish->ranks && t->wish->ranks != ranks)
        return traffic_text_refuse(t, -EINVAL, "this is a matrix of %llu ranks, not of %u: leave out the number of ranks",
                                   (unsigned long long)ranks, t->wish->ranks);
    return 0;
}
