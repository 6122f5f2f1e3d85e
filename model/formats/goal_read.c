#include "model/formats/goal_read.h"
#include "model/formats/goal_labels.h"
#include "model/formats/goal_scan.h"
#include "model/formats/text_file.h"

#include <errno.h>

struct reader {
    struct goal_scan scan;
    struct goal_program *program;
    struct goal_labels labels;
};

/* A number behind a keyword that may be missing. `any`: so may the number be -1. */
static int take_option(struct reader *r, const char *keyword, const char *what, uint64_t most, int any, uint32_t *out)
{
    uint64_t number = 0;
    if (!goal_scan_take(&r->scan, keyword))
        return 0;
    if (any && goal_scan_take(&r->scan, "-1")) {
        *out = GOAL_ANY;
        return 0;
    }
    int err = goal_scan_number(&r->scan, most, what, &number);
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
    int err = goal_scan_number(&r->scan, UINT64_MAX - 1, "a size", &task->size);
    if (err)
        return err;
    if (!goal_scan_take(&r->scan, "b"))
        return goal_scan_refuse_here(&r->scan, "'b' behind the size");
    if (!goal_scan_take(&r->scan, receives ? "from" : "to"))
        return goal_scan_refuse_here(&r->scan, receives ? "'from'" : "'to'");
    if (!(receives && goal_scan_take(&r->scan, "-1")))
        err = goal_scan_number(&r->scan, UINT32_MAX - 1, "a rank", &peer);
    if (err)
        return err;
    if (peer != GOAL_ANY && peer >= r->program->ranks)
        return goal_scan_refuse(&r->scan, -EINVAL, "there is no rank %llu, num_ranks is %u", (unsigned long long)peer,
                                r->program->ranks);
    task->peer = (uint32_t)peer;
    err = take_option(r, "tag", "a tag", UINT32_MAX - 1, receives, &task->tag);
    return err ? err : read_units(r, task);
}

static int kind_of(struct goal_word word)
{
    if (goal_word_is(word, "calc"))
        return GOAL_CALC;
    return goal_word_is(word, "send") ? GOAL_SEND : goal_word_is(word, "recv") ? GOAL_RECV : -1;
}

static int read_task(struct reader *r, int kind, struct goal_word label)
{
    struct goal_task task = {.kind = (uint8_t)kind, .line = r->scan.line};
    int err = kind == GOAL_CALC ? goal_scan_number(&r->scan, UINT64_MAX - 1, "nanoseconds", &task.size) : read_message(r, &task);
    if (!err && kind == GOAL_CALC)
        err = read_units(r, &task);
    if (!err)
        err = goal_scan_item_end(&r->scan);
    if (err)
        return err;
    err = goal_program_add(r->program, &task);
    if (err == -E2BIG)
        return goal_scan_refuse(&r->scan, -EINVAL, "more than %d tasks", GOAL_TASKS_MAX);
    if (!err && label.bytes)
        err = goal_labels_add(&r->labels, label.start, label.bytes, r->program->tasks - 1);
    if (err == -EEXIST)
        return goal_scan_refuse(&r->scan, -EINVAL, "the label '%.*s' is taken in this rank: choose another",
                                goal_word_shown(label), label.start);
    return err;
}

static int find_label(struct reader *r, struct goal_word label, uint32_t *task)
{
    if (goal_labels_find(&r->labels, label.start, label.bytes, task) == 0)
        return 0;
    return goal_scan_refuse(&r->scan, -EINVAL, "unknown label '%.*s': its task must come before, in the same rank",
                            goal_word_shown(label), label.start);
}

static int read_need(struct reader *r, struct goal_word label, int start)
{
    uint32_t after, before;
    struct goal_word other = goal_scan_word(&r->scan);
    if (!other.bytes)
        return goal_scan_refuse_here(&r->scan, "a label");
    int err = find_label(r, label, &after);
    if (!err)
        err = find_label(r, other, &before);
    if (!err)
        err = goal_scan_item_end(&r->scan);
    if (err)
        return err;
    err = goal_program_need(r->program, after, before, start);
    return err == -E2BIG ? goal_scan_refuse(&r->scan, -EINVAL, "more than %d dependencies", GOAL_TASKS_MAX) : err;
}

static int read_item(struct reader *r)
{
    struct goal_word word = goal_scan_word(&r->scan), none = {NULL, 0};
    if (!word.bytes)
        return goal_scan_refuse_here(&r->scan, "a label, calc, send, recv or }");
    if (kind_of(word) >= 0)
        return read_task(r, kind_of(word), none);
    if (goal_word_is(word, "rank") || goal_word_is(word, "num_ranks"))
        return goal_scan_refuse(&r->scan, -EINVAL, "expected an item or }, not '%.*s': rank %u is still open",
                                goal_word_shown(word), word.start, r->program->draft.rank);
    if (goal_scan_take(&r->scan, ":")) {
        int kind = kind_of(goal_scan_word(&r->scan));
        return kind < 0 ? goal_scan_refuse_here(&r->scan, "calc, send or recv behind the label") : read_task(r, kind, word);
    }
    if (goal_scan_take(&r->scan, "requires"))
        return read_need(r, word, 0);
    if (goal_scan_take(&r->scan, "irequires"))
        return read_need(r, word, 1);
    return goal_scan_refuse_here(&r->scan, "':', requires or irequires behind the label");
}

static int read_rank(struct reader *r)
{
    uint64_t rank = 0;
    if (!goal_scan_take(&r->scan, "rank"))
        return goal_scan_refuse_here(&r->scan, "rank");
    int err = goal_scan_number(&r->scan, UINT32_MAX - 1, "a rank", &rank);
    if (err)
        return err;
    if (!goal_scan_take(&r->scan, "{"))
        return goal_scan_refuse_here(&r->scan, "{");
    err = goal_program_begin(r->program, (uint32_t)rank);
    if (err == -ENOMEM)
        return err;
    if (err == -EEXIST)
        return goal_scan_refuse(&r->scan, -EINVAL, "rank %u has been before: put its tasks together", (uint32_t)rank);
    if (err)
        return goal_scan_refuse(&r->scan, -EINVAL, "there is no rank %u, num_ranks is %u", (uint32_t)rank, r->program->ranks);
    goal_labels_clear(&r->labels);
    for (;;) {
        err = goal_scan_between(&r->scan);
        if (err || goal_scan_take(&r->scan, "}"))
            return err;
        err = read_item(r);
        if (err)
            return err;
    }
}

static int read_head(struct reader *r)
{
    uint64_t ranks = 0;
    int err = goal_scan_between(&r->scan);
    if (err)
        return err;
    if (!goal_scan_take(&r->scan, "num_ranks"))
        return goal_scan_refuse_here(&r->scan, "num_ranks");
    err = goal_scan_number(&r->scan, UINT64_MAX - 1, "the number of ranks", &ranks);
    if (err)
        return err;
    if (ranks < 1 || ranks > GOAL_RANKS_MAX)
        return goal_scan_refuse(&r->scan, -EINVAL, "num_ranks is %llu: it must be from 1 to %d", (unsigned long long)ranks,
                                GOAL_RANKS_MAX);
    return goal_program_create(r->program, (uint32_t)ranks);
}

static int read_ranks(struct reader *r)
{
    for (;;) {
        int err = goal_scan_between(&r->scan);
        if (err || r->scan.at >= r->scan.end)
            return err;
        err = read_rank(r);
        if (err)
            return err;
    }
}

static int finish(struct reader *r)
{
    char what[160] = "";
    int err = goal_program_finish(r->program, &r->scan.line, what, sizeof what);
    return err == -EINVAL ? goal_scan_refuse(&r->scan, err, "%s", what) : err;
}

static int read_all(struct reader *r)
{
    *r->program = (struct goal_program){0};
    int err = goal_labels_create(&r->labels);
    if (!err)
        err = goal_scan_line(&r->scan);
    if (!err)
        err = read_head(r);
    if (!err)
        err = read_ranks(r);
    if (!err)
        err = finish(r);
    if (err == -ENOMEM)
        goal_scan_refuse(&r->scan, err, "not enough memory for this program");
    goal_labels_destroy(&r->labels);
    if (err)
        goal_program_destroy(r->program);
    return err;
}

int goal_read(const char *name, const char *text, size_t bytes, struct goal_program *out, char *reason, size_t reason_bytes)
{
    struct reader reader = {.scan = {.name = name, .at = text, .end = text + bytes, .line = 1}, .program = out};
    reader.scan.reason = reason;
    reader.scan.reason_bytes = reason_bytes;
    return read_all(&reader);
}

int goal_read_file(const char *path, struct goal_program *out, char *reason, size_t reason_bytes)
{
    struct line_source source;
    int err = line_source_open(&source, path);
    if (err)
        return text_file_refuse(err, path, reason, reason_bytes);
    struct reader reader = {.scan = {.name = path, .line = 1, .source = &source}, .program = out};
    reader.scan.reason = reason;
    reader.scan.reason_bytes = reason_bytes;
    err = read_all(&reader);
    line_source_close(&source);
    return err;
}
