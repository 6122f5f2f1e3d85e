#include "tests/sim/goal_case.h"
#include "tests/model/cmocka_all.h"

#include "model/formats/goal_read.h"
#include "model/formats/goal_write.h"
#include "sim/sim_random.h"

#include <stdlib.h>
#include <string.h>

void goal_case_schedule(const struct schedule *schedule, uint64_t size_bytes, struct goal_program *out)
{
    struct schedule_job job = {.schedule = schedule, .size_bytes = size_bytes};
    char *text, reason[200] = "";
    size_t bytes;
    FILE *file = open_memstream(&text, &bytes);
    assert_non_null(file);
    assert_int_equal(goal_write_schedule(file, &job), 0);
    fclose(file);
    if (goal_read("schedule", text, bytes, out, reason, sizeof reason))
        fail_msg("%s", reason);
    free(text);
}

void goal_case_text(const char *text, struct goal_program *out)
{
    char reason[200] = "";
    if (goal_read("text", text, strlen(text), out, reason, sizeof reason))
        fail_msg("%s", reason);
}

char *goal_case_format(const struct goal_program *program, size_t *bytes)
{
    char *text;
    FILE *file = open_memstream(&text, bytes);
    assert_non_null(file);
    assert_int_equal(goal_write_program(file, program), 0);
    fclose(file);
    return text;
}

/* Tasks are drawn in the order in which they could run; they are put into the program rank by rank. */
struct drawn {
    struct goal_task task;
    uint32_t rank;
};

enum { RANKS_MAX = 9, DRAWN_MAX = 160 };

struct draw {
    uint64_t state;
    enum goal_case_kind kind;
    uint32_t ranks, count, nics;
    struct drawn task[DRAWN_MAX];
};

static uint32_t below(struct draw *d, uint32_t n)
{
    return (uint32_t)(sim_random_next(&d->state) % n);
}

static void draw_task(struct draw *d, uint32_t rank, struct goal_task task)
{
    task.cpu = (uint8_t)below(d, 2);
    task.nic = task.kind == GOAL_CALC ? 0 : (uint8_t)(below(d, 2) % d->nics);
    d->task[d->count++] = (struct drawn){task, rank};
}

static void draw_some(struct draw *d)
{
    uint32_t rank = below(d, d->ranks), to = below(d, d->ranks), tag = d->kind == GOAL_CASE_TAGS ? d->count : 7;
    uint64_t bytes = below(d, 4) ? below(d, 5000) : below(d, 2);
    if (below(d, 4) == 0) {
        draw_task(d, rank, (struct goal_task){.kind = GOAL_CALC, .size = below(d, 3000)});
        return;
    }
    draw_task(d, rank, (struct goal_task){.kind = GOAL_SEND, .size = bytes, .peer = to, .tag = tag});
    if (d->kind == GOAL_CASE_ANY)
        draw_task(d, to, (struct goal_task){.kind = GOAL_RECV, .size = 5000, .peer = GOAL_ANY, .tag = GOAL_ANY});
    else
        draw_task(d, to, (struct goal_task){.kind = GOAL_RECV, .size = bytes, .peer = rank, .tag = tag});
}

/* `last`: the task of each kind of the rank that was added last. */
static void add_drawn(struct draw *d, struct goal_program *out, const struct goal_task *task, uint32_t first, uint32_t *last)
{
    uint32_t same = last[task->kind], me = out->tasks;
    assert_int_equal(goal_program_add(out, task), 0);
    last[task->kind] = me;
    if (d->kind != GOAL_CASE_TAGS && task->kind != GOAL_CALC && same != GOAL_ANY)
        assert_int_equal(goal_program_need(out, me, same, 0), 0);
    for (uint32_t n = me > first ? below(d, 3) : 0; n > 0; n--)
        assert_int_equal(goal_program_need(out, me, first + below(d, me - first), below(d, 3) == 0), 0);
}

void goal_case_random(uint64_t seed, enum goal_case_kind kind, uint32_t nics, struct goal_program *out)
{
    struct draw d = {.state = seed, .kind = kind, .nics = nics};
    uint32_t line = 0;
    char reason[200] = "";
    d.ranks = 1 + below(&d, RANKS_MAX);
    for (uint32_t n = below(&d, DRAWN_MAX); d.count < n && d.count < DRAWN_MAX - 1;)
        draw_some(&d);
    assert_int_equal(goal_program_create(out, d.ranks), 0);
    for (uint32_t r = 0; r < d.ranks; r++) {
        assert_int_equal(goal_program_begin(out, r), 0);
        uint32_t first = out->tasks, last[] = {GOAL_ANY, GOAL_ANY, GOAL_ANY};
        for (uint32_t i = 0; i < d.count; i++)
            if (d.task[i].rank == r)
                add_drawn(&d, out, &d.task[i].task, first, last);
    }
    if (goal_program_finish(out, &line, reason, sizeof reason))
        fail_msg("seed %llu: %s", (unsigned long long)seed, reason);
}
