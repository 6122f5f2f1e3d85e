/* The text of a GOAL program word by word, and what is said of a text that is wrong. */
#ifndef SHMCOLL_MODEL_FORMATS_GOAL_SCAN_H
#define SHMCOLL_MODEL_FORMATS_GOAL_SCAN_H

#include "model/formats/line_source.h"

#include <errno.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

struct goal_scan {
    const char *name, *at, *end;
    uint32_t line;
    struct line_source *source; /* NULL: what is at hand is all */
    char *reason;
    size_t reason_bytes;
};

/* A piece of the text, not copied; it lasts to the end of its line. */
struct goal_word {
    const char *start;
    size_t bytes;
};

/* One line "NAME:LINE: ..." in reason. Returns err. */
__attribute__((format(printf, 3, 4))) int goal_scan_refuse(const struct goal_scan *scan, int err, const char *format, ...);
/* The same of what stands there instead of what is expected; -EINVAL. */
int goal_scan_refuse_here(struct goal_scan *scan, const char *expected);

/* The whole line is to be at hand, since items do not go on in the next. 0, -EINVAL, -ENOMEM or -errno. */
int goal_scan_line(struct goal_scan *scan);
/* To the next item: lines, blanks and comments are left behind. Errors as before. */
int goal_scan_between(struct goal_scan *scan);
/* An item has to end here, but for a comment. 0 or -EINVAL. */
int goal_scan_item_end(struct goal_scan *scan);

/* How many of its bytes fit into a message. */
int goal_word_shown(struct goal_word word);

/* What follows is inline since texts have gigabytes. */

static inline int goal_is_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

static inline int goal_is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static inline void goal_scan_blanks(struct goal_scan *s)
{
    while (s->at < s->end && (*s->at == ' ' || *s->at == '\t' || (*s->at == '\r' && s->at + 1 < s->end && s->at[1] == '\n')))
        s->at++;
}

/* Whether the literal stands there, behind blanks: then it is passed. */
static inline int goal_scan_take(struct goal_scan *s, const char *literal)
{
    size_t bytes = strlen(literal);
    goal_scan_blanks(s);
    if ((size_t)(s->end - s->at) < bytes || memcmp(s->at, literal, bytes))
        return 0;
    s->at += bytes;
    return 1;
}

/* 0, or -EINVAL where no number stands or one beyond `most`; `what` is what it is called. */
static inline int goal_scan_number(struct goal_scan *s, uint64_t most, const char *what, uint64_t *out)
{
    uint64_t number = 0;
    goal_scan_blanks(s);
    if (s->at >= s->end || !goal_is_digit(*s->at))
        return goal_scan_refuse_here(s, what);
    for (; s->at < s->end && goal_is_digit(*s->at); s->at++)
        if (__builtin_mul_overflow(number, 10u, &number) || __builtin_add_overflow(number, (unsigned)(*s->at - '0'), &number))
            number = UINT64_MAX; /* and stays beyond: another digit overflows again */
    if (number > most || number == UINT64_MAX)
        return goal_scan_refuse(s, -EINVAL, "%s is too large: at most %llu", what, (unsigned long long)most);
    *out = number;
    return 0;
}

/* A label or keyword; empty if none stands there. */
static inline struct goal_word goal_scan_word(struct goal_scan *s)
{
    goal_scan_blanks(s);
    struct goal_word word = {s->at, 0};
    if (s->at < s->end && goal_is_letter(*s->at))
        while (s->at < s->end && (goal_is_letter(*s->at) || goal_is_digit(*s->at) || *s->at == '_'))
            s->at++;
    word.bytes = (size_t)(s->at - word.start);
    return word;
}

static inline int goal_word_is(struct goal_word word, const char *text)
{
    return word.bytes == strlen(text) && memcmp(word.start, text, word.bytes) == 0;
}

#endif
