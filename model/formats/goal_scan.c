#include "model/formats/goal_scan.h"
#include "model/formats/text_file.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

int goal_scan_refuse(const struct goal_scan *s, int err, const char *format, ...)
{
    va_list arguments;
    int head = snprintf(s->reason, s->reason_bytes, "%s:%u: ", s->name, s->line);
    va_start(arguments, format);
    if (head >= 0 && (size_t)head < s->reason_bytes)
        vsnprintf(s->reason + head, s->reason_bytes - (size_t)head, format, arguments);
    va_end(arguments);
    return err;
}

/* What stands there instead, fit for a message. */
int goal_scan_refuse_here(struct goal_scan *s, const char *expected)
{
    goal_scan_blanks(s);
    char c = s->at < s->end ? *s->at : 0;
    if (s->at >= s->end)
        return goal_scan_refuse(s, -EINVAL, "expected %s, but the file ends here", expected);
    if (c == '\n')
        return goal_scan_refuse(s, -EINVAL, "expected %s, but the line ends here", expected);
    if (c < 0x20 || c > 0x7e)
        return goal_scan_refuse(s, -EINVAL, "expected %s, not the byte 0x%02x", expected, (unsigned char)c);
    size_t bytes = 0;
    while (bytes < 24 && s->at + bytes < s->end && s->at[bytes] > 0x20 && s->at[bytes] < 0x7f)
        bytes++;
    return goal_scan_refuse(s, -EINVAL, "expected %s, not '%.*s'", expected, (int)bytes, s->at);
}

int goal_word_shown(struct goal_word word)
{
    return word.bytes > 40 ? 40 : (int)word.bytes;
}

/* To the end of this line, which is left. */
static void skip_line(struct goal_scan *s)
{
    const char *end = memchr(s->at, '\n', (size_t)(s->end - s->at));
    s->at = end ? end : s->end;
}

int goal_scan_line(struct goal_scan *s)
{
    if (!s->source)
        return 0;
    int err = line_source_fill(s->source, &s->at, &s->end);
    if (err == -EMSGSIZE)
        return goal_scan_refuse(s, -EINVAL, "a line of more than %d MiB; is it the right file?", LINE_SOURCE_MAX_BYTES >> 20);
    return err && err != -ENOMEM ? text_file_refuse(err, s->name, s->reason, s->reason_bytes) : err;
}

static int next_line(struct goal_scan *s)
{
    s->at++;
    s->line++;
    return goal_scan_line(s);
}

/* Behind its opening. */
static int skip_comment(struct goal_scan *s)
{
    const uint32_t begun = s->line;
    int err = 0;
    while (!err && s->at < s->end) {
        if (s->end - s->at >= 2 && memcmp(s->at, "*/", 2) == 0) {
            s->at += 2;
            return 0;
        }
        if (*s->at == '\n')
            err = next_line(s);
        else
            s->at++;
    }
    s->line = err ? s->line : begun;
    return err ? err : goal_scan_refuse(s, -EINVAL, "this comment does not end: close it with */");
}

/* Lines, blanks and comments between items. */
int goal_scan_between(struct goal_scan *s)
{
    for (;;) {
        int err = 0;
        goal_scan_blanks(s);
        if (s->at < s->end && *s->at == '\n')
            err = next_line(s);
        else if (goal_scan_take(s, "//"))
            skip_line(s);
        else if (goal_scan_take(s, "/*"))
            err = skip_comment(s);
        else
            return 0;
        if (err)
            return err;
    }
}

int goal_scan_item_end(struct goal_scan *s)
{
    if (goal_scan_take(s, "//"))
        skip_line(s);
    goal_scan_blanks(s);
    if (s->at >= s->end || *s->at == '\n' || *s->at == '}')
        return 0;
    return goal_scan_refuse_here(s, "the end of the line");
}
