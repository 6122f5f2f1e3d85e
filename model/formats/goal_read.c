#include "model/formats/goal_read.h"
#include "model/formats/goal_labels.h"
#include "model/formats/text_file.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct reader {
    const char *name, *at, *end;
    uint32_t line;
    struct goal_program *program;
    struct goal_labels labels;
    char *reason;
    size_t reason_bytes;
};

/* A piece of the text, not copied. */
struct word {
    const char *start;
    size_t bytes;
};

__attribute__((format(printf, 3, 4))) static int refuse(const struct reader *r, int err, const char *format, ...)
{
    va_list arguments;
    int head = snprintf(r->reason, r->reason_bytes, "%s:%u: ", r->name, r->line);
    va_start(arguments, format);
    if (head >= 0 && (size_t)head < r->reason_bytes)
        vsnprintf(r->reason + head, r->reason_bytes - (size_t)head, format, arguments);
    va_end(arguments);
    return err;
}

static int is_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

static int is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static void skip_blanks(struct reader *r)
{
    while (r->at < r->end && (*r->at == ' ' || *r->at == '\t' || (*r->at == '\r' && r->at + 1 < r->end && r->at[1] == '\n')))
        r->at++;
}

/* What stands there instead, fit for a message. */
static int refuse_here(struct reader *r, const char *expected)
{
    skip_blanks(r);
    char c = r->at < r->end ? *r->at : 0;
    if (r->at >= r->end)
        return refuse(r, -EINVAL, "expected %s, but the file ends here", expected);
    if (c == '\n')
        return refuse(r, -EINVAL, "expected %s, but the line ends here", expected);
    if (c < 0x20 || c > 0x7e)
        return refuse(r, -EINVAL, "expected %s, not the byte 0x%02x", expected, (unsigned char)c);
    size_t bytes = 0;
    while (bytes < 24 && r->at + bytes < r->end && r->at[bytes] > 0x20 && r->at[bytes] < 0x7f)
        bytes++;
    return refuse(r, -EINVAL, "expected %s, not '%.*s'", expected, (int)bytes, r->at);
}

static int take(struct reader *r, const char *literal)
{
    size_t bytes = strlen(literal);
    skip_blanks(r);
    if ((size_t)(r->end - r->at) < bytes || memcmp(r->at, literal, bytes))
        return 0;
    r->at += bytes;
    return 1;
}

static int take_number(struct reader *r, uint64_t most, const char *what, uint64_t *out)
{
    uint64_t number = 0;
    skip_blanks(r);
    if (r->at >= r->end || !is_digit(*r->at))
        return refuse_here(r, what);
    for (; r->at < r->end && is_digit(*r->at); r->at++)
        if (__builtin_mul_overflow(number, 10u, &number) || __builtin_add_overflow(number, (unsigned)(*r->at - '0'), &number))
            number = UINT64_MAX; /* and stays beyond: another digit overflows again */
    if (number > most || number == UINT64_MAX)
        return refuse(r, -EINVAL, "%s is too large: at most %llu", what, (unsigned long long)most);
    *out = number;
    return 0;
}

static struct word take_word(struct reader *r)
{
    skip_blanks(r);
    struct word word = {r->at, 0};
    if (r->at < r->end && is_letter(*r->at))
        while (r->at < r->end && (is_letter(*r->at) || is_digit(*r->at) || *r->at == '_'))
            r->at++;
    word.bytes = (size_t)(r->at - word.start);
    return word;
}

/* How much of it fits into a message. */
static int shown(struct word word)
{
    return word.bytes > 40 ? 40 : (int)word.bytes;
}

static int word_is(struct word word, const char *text)
{
    return word.bytes == strlen(text) && memcmp(word.start, text, word.bytes) == 0;
}

/* To the end of this line, which is left. */
static void skip_line(struct reader *r)
{
    const char *end = memchr(r->at, '\n', (size_t)(r->end - r->at));
    r->at = end ? end : r->end;
}

/* Lines, blanks and comments between items. */
static int skip_between(struct reader *r)
{
    for (;;) {
        skip_blanks(r);
        if (r->at < r->end && *r->at == '\n') {
            r->at++;
            r->line++;
        } else if (take(r, "//")) {
            skip_line(r);
        } else if (take(r, "/*")) {
            uint32_t begun = r->line;
            for (; r->end - r->at >= 2 && memcmp(r->at, "*/", 2); r->at++)
                r->line += *r->at == '\n';
            if (r->end - r->at < 2) {
                r->line = begun;
                return refuse(r, -EINVAL, "this comment does not end: close it with */");
            }
            r->at += 2;
        } else {
            return 0;
        }
    }
}

static int item_end(struct reader *r)
{
    if (take(r, "//"))
        skip_line(r);
    skip_blanks(r);
    if (r->at >= r->end || *r->at == '\n' || *r->at == '}')
        return 0;
    return refuse_here(r, "the end of the line");
}

/* A number behind a keyword that may be missing. `any`: so may the number be -1. */
static int take_option(struct reader *r, const char *keyword, const char *what, uint64_t most, int any, uint32_t *out)
{
    uint64_t number = 0;
    if (!take(r, keyword))
        return 0;
    if (any && take(r, "-1")) {
        *out = GOAL_ANY;
        return 0;
    }
    int err = take_number(r, most, what, &number);
    *out = (uint32_t)number;
    return err;
}

static int read_units(struct reader *r, struct goal_task *task)
{
    uint32_t cpu = 0, nic = 0;
    int err = take_option(r, "cpu", "the number of a cpu", GOAL_UNITS_MAX - 1, 0, &cpu);
    if (!err && task->kind != GOAL_CALC)
        err = take_option(r, "nic", "the number of a nic", GOAL_UNITS_MAX - 1, 0, &nic);
    task->cpu = (uint8_t)cpu;
    task->nic = (uint8_t)nic;
    return err;
}

static int read_message(struct reader *r, struct goal_task *task)
{
    int receives = task->kind == GOAL_RECV;
    uint64_t peer = GOAL_ANY;
    int err = take_number(r, UINT64_MAX - 1, "a size", &task->size);
    if (err)
        return err;
    if (!take(r, "b"))
        return refuse_here(r, "'b' behind the size");
    if (!take(r, receives ? "from" : "to"))
        return refuse_here(r, receives ? "'from'" : "'to'");
    if (!(receives && take(r, "-1")))
        err = take_number(r, UINT32_MAX - 1, "a rank", &peer);
    if (err)
        return err;
    if (peer != GOAL_ANY && peer >= r->program->ranks)
        return refuse(r, -EINVAL, "there is no rank %llu, num_ranks is %u", (unsigned long long)peer, r->program->ranks);
    task->peer = (uint32_t)peer;
    err = take_option(r, "tag", "a tag", UINT32_MAX - 1, receives, &task->tag);
    return err ? err : read_units(r, task);
}

static int kind_of(struct word word)
{
    return word_is(word, "calc") ? GOAL_CALC : word_is(word, "send") ? GOAL_SEND : word_is(word, "recv") ? GOAL_RECV : -1;
}

static int read_task(struct reader *r, int kind, struct word label)
{
    struct goal_task task = {.kind = (uint8_t)kind, .line = r->line};
    int err = kind == GOAL_CALC ? take_number(r, UINT64_MAX - 1, "nanoseconds", &task.size) : read_message(r, &task);
    if (!err && kind == GOAL_CALC)
        err = read_units(r, &task);
    if (!err)
        err = item_end(r);
    if (err)
        return err;
    err = goal_program_add(r->program, &task);
    if (err == -E2BIG)
        return refuse(r, -EINVAL, "more than %d tasks", GOAL_TASKS_MAX);
    if (!err && label.bytes)
        err = goal_labels_add(&r->labels, label.start, label.bytes, r->program->tasks - 1);
    if (err == -EEXIST)
        return refuse(r, -EINVAL, "the label '%.*s' is taken in this rank: choose another", shown(label), label.start);
    return err;
}

static int find_label(struct reader *r, struct word label, uint32_t *task)
{
    if (goal_labels_find(&r->labels, label.start, label.bytes, task) == 0)
        return 0;
    return refuse(r, -EINVAL, "unknown label '%.*s': its task must come before, in the same rank", shown(label), label.start);
}

static int read_need(struct reader *r, struct word label, int start)
{
    uint32_t after, before;
    struct word other = take_word(r);
    if (!other.bytes)
        return refuse_here(r, "a label");
    int err = find_label(r, label, &after);
    if (!err)
        err = find_label(r, other, &before);
    if (!err)
        err = item_end(r);
    if (err)
        return err;
    err = goal_program_need(r->program, after, before, start);
    return err == -E2BIG ? refuse(r, -EINVAL, "more than %d dependencies", GOAL_TASKS_MAX) : err;
}

static int read_item(struct reader *r)
{
    struct word word = take_word(r), none = {NULL, 0};
    if (!word.bytes)
        return refuse_here(r, "a label, calc, send, recv or }");
    if (kind_of(word) >= 0)
        return read_task(r, kind_of(word), none);
    if (word_is(word, "rank") || word_is(word, "num_ranks"))
        return refuse(r, -EINVAL, "expected an item or }, not '%.*s': rank %u is still open", shown(word), word.start,
                      r->program->rank);
    if (take(r, ":")) {
        int kind = kind_of(take_word(r));
        return kind < 0 ? refuse_here(r, "calc, send or recv behind the label") : read_task(r, kind, word);
    }
    if (take(r, "requires"))
        return read_need(r, word, 0);
    if (take(r, "irequires"))
        return read_need(r, word, 1);
    return refuse_here(r, "':', requires or irequires behind the label");
}

static int read_rank(struct reader *r)
{
    uint64_t rank;
    if (!take(r, "rank"))
        return refuse_here(r, "rank");
    int err = take_number(r, UINT32_MAX - 1, "a rank", &rank);
    if (err)
        return err;
    if (!take(r, "{"))
        return refuse_here(r, "{");
    err = goal_program_begin(r->program, (uint32_t)rank);
    if (err == -EEXIST)
        return refuse(r, -EINVAL, "rank %u has been before: put its tasks together", (uint32_t)rank);
    if (err)
        return refuse(r, -EINVAL, "there is no rank %u, num_ranks is %u", (uint32_t)rank, r->program->ranks);
    goal_labels_clear(&r->labels);
    for (;;) {
        err = skip_between(r);
        if (err || take(r, "}"))
            return err;
        err = read_item(r);
        if (err)
            return err;
    }
}

static int read_head(struct reader *r)
{
    uint64_t ranks;
    int err = skip_between(r);
    if (err)
        return err;
    if (!take(r, "num_ranks"))
        return refuse_here(r, "num_ranks");
    err = take_number(r, UINT64_MAX - 1, "the number of ranks", &ranks);
    if (err)
        return err;
    if (ranks < 1 || ranks > GOAL_RANKS_MAX)
        return refuse(r, -EINVAL, "num_ranks is %llu: it must be from 1 to %d", (unsigned long long)ranks, GOAL_RANKS_MAX);
    return goal_program_create(r->program, (uint32_t)ranks);
}

static int read_ranks(struct reader *r)
{
    for (;;) {
        int err = skip_between(r);
        if (err || r->at >= r->end)
            return err;
        err = read_rank(r);
        if (err)
            return err;
    }
}

static int finish(struct reader *r)
{
    char what[160] = "";
    int err = goal_program_finish(r->program, &r->line, what, sizeof what);
    return err == -EINVAL ? refuse(r, err, "%s", what) : err;
}

int goal_read(const char *name, const char *text, size_t bytes, struct goal_program *out, char *reason, size_t reason_bytes)
{
    struct reader reader = {.name = name, .at = text, .end = text + bytes, .line = 1, .program = out};
    reader.reason = reason;
    reader.reason_bytes = reason_bytes;
    *out = (struct goal_program){0};
    int err = goal_labels_create(&reader.labels);
    if (!err)
        err = read_head(&reader);
    if (!err)
        err = read_ranks(&reader);
    if (!err)
        err = finish(&reader);
    if (err == -ENOMEM)
        refuse(&reader, err, "not enough memory for this program");
    goal_labels_destroy(&reader.labels);
    if (err)
        goal_program_destroy(out);
    return err;
}

int goal_read_file(const char *path, struct goal_program *out, char *reason, size_t reason_bytes)
{
    char *text;
    size_t bytes;
    int err = text_file_read_most(path, (size_t)16 << 30, &text, &bytes, reason, reason_bytes);
    if (err)
        return err;
    err = goal_read(path, text, bytes, out, reason, reason_bytes);
    free(text);
    return err;
}
