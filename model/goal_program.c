#include "model/goal_program.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

static_assert(sizeof(struct goal_step) % GOAL_STORE_UNIT == 0 && sizeof(struct goal_follower) == 4, "records are of whole units");

int goal_program_create(struct goal_program *out, uint32_t ranks)
{
    *out = (struct goal_program){.ranks = ranks, .draft.rank = GOAL_ANY, .cpus = 1, .nics = 1};
    if (ranks < 1 || ranks > GOAL_RANKS_MAX)
        return -EINVAL;
    out->of_rank = calloc(ranks, sizeof *out->of_rank);
    out->part = calloc(ranks, sizeof *out->part);
    out->draft.begun = calloc(ranks, 1);
    if (out->of_rank && out->part && out->draft.begun)
        return 0;
    goal_program_destroy(out);
    return -ENOMEM;
}

static void draft_destroy(struct goal_draft *draft)
{
    free(draft->task);
    free(draft->need);
    free(draft->begun);
    *draft = (struct goal_draft){.rank = GOAL_ANY};
}

void goal_program_destroy(struct goal_program *program)
{
    free(program->of_rank);
    free(program->part);
    goal_store_destroy(&program->forms);
    goal_store_destroy(&program->peers);
    draft_destroy(&program->draft);
    *program = (struct goal_program){0};
}

/* The needs as followers of whom they wait for, in the order in which they were given. */
static void write_followers(const struct goal_draft *d, struct goal_step *step, struct goal_follower *follower)
{
    for (uint32_t i = 0; i < d->needs; i++) {
        step[d->need[i].after].waits++;
        step[d->need[i].before + 1].follower++;
    }
    for (uint32_t k = 0; k < d->tasks; k++)
        step[k + 1].follower += step[k].follower;
    for (uint32_t i = 0; i < d->needs; i++)
        follower[step[d->need[i].before].follower++] = (struct goal_follower){d->need[i].after, d->need[i].start};
    for (uint32_t k = d->tasks; k > 0; k--) /* each has moved to where the next began */
        step[k].follower = step[k - 1].follower;
    step[0].follower = 0;
}

static int keep_form(struct goal_program *p, struct goal_part *part)
{
    const struct goal_draft *d = &p->draft;
    size_t bytes = ((size_t)d->tasks + 1) * sizeof(struct goal_step) + d->needs * sizeof(struct goal_follower);
    struct goal_step *step = goal_store_reserve(&p->forms, bytes);
    if (!step)
        return -ENOMEM;
    for (uint32_t k = 0; k < d->tasks; k++) {
        const struct goal_task *t = &d->task[k];
        step[k].size = t->size;
        step[k].tag = t->tag;
        step[k].line = t->line - part->line;
        step[k].kind = t->kind;
        step[k].cpu = t->cpu;
        step[k].nic = t->nic;
    }
    write_followers(d, step, (struct goal_follower *)(step + d->tasks + 1));
    return goal_store_keep(&p->forms, bytes, &part->form);
}

static int keep_peers(struct goal_program *p, struct goal_part *part)
{
    const struct goal_draft *d = &p->draft;
    uint32_t *peer = goal_store_reserve(&p->peers, d->tasks * sizeof *peer);
    if (!peer)
        return -ENOMEM;
    for (uint32_t k = 0; k < d->tasks; k++) {
        uint32_t to = d->task[k].kind == GOAL_CALC ? d->rank : d->task[k].peer;
        peer[k] = to == GOAL_ANY ? GOAL_ANY : to >= d->rank ? to - d->rank : to + p->ranks - d->rank;
    }
    return goal_store_keep(&p->peers, d->tasks * sizeof *peer, &part->peers);
}

/* What has been drafted is kept. */
static int close_rank(struct goal_program *p)
{
    struct goal_draft *d = &p->draft;
    if (d->tasks) {
        struct goal_part *part = &p->part[d->rank];
        part->line = d->task[0].line;
        if (keep_form(p, part) || keep_peers(p, part))
            return -ENOMEM;
    }
    d->tasks = d->needs = 0;
    return 0;
}

int goal_program_begin(struct goal_program *program, uint32_t rank)
{
    if (rank >= program->ranks)
        return -EINVAL;
    if (program->draft.begun[rank])
        return -EEXIST;
    if (close_rank(program))
        return -ENOMEM;
    program->draft.begun[rank] = 1;
    program->draft.rank = rank;
    program->of_rank[rank].first = program->tasks;
    return 0;
}

/* Room for one more. */
static int make_room(void **array, size_t count, size_t *room, size_t size)
{
    if (count < *room)
        return 0;
    size_t more = *room + *room / 2 + 64;
    void *larger = realloc(*array, more * size);
    if (!larger)
        return -ENOMEM;
    *array = larger;
    *room = more;
    return 0;
}

int goal_program_add(struct goal_program *program, const struct goal_task *task)
{
    struct goal_draft *d = &program->draft;
    int any = task->kind == GOAL_RECV && task->peer == GOAL_ANY;
    if (d->rank == GOAL_ANY || task->kind > GOAL_RECV || (task->kind != GOAL_CALC && !any && task->peer >= program->ranks))
        return -EINVAL;
    if (program->tasks == GOAL_TASKS_MAX)
        return -E2BIG;
    int err = make_room((void **)&d->task, d->tasks, &d->task_room, sizeof *d->task);
    if (err)
        return err;
    d->task[d->tasks++] = *task;
    program->tasks++;
    program->of_rank[d->rank].count++;
    program->cpus = task->cpu >= program->cpus ? task->cpu + 1u : program->cpus;
    program->nics = task->nic >= program->nics ? task->nic + 1u : program->nics;
    return 0;
}

int goal_program_need(struct goal_program *program, uint32_t after, uint32_t before, int start)
{
    struct goal_draft *d = &program->draft;
    if (d->rank == GOAL_ANY)
        return -EINVAL;
    uint32_t first = program->of_rank[d->rank].first;
    if (after < first || before < first || after >= program->tasks || before >= program->tasks)
        return -EINVAL;
    if (program->needs == GOAL_TASKS_MAX)
        return -E2BIG;
    int err = make_room((void **)&d->need, d->needs, &d->need_room, sizeof *d->need);
    if (err)
        return err;
    d->need[d->needs++] = (struct goal_need){before - first, after - first, start != 0};
    program->needs++;
    return 0;
}

/* Ranks without a block lie where no task is. */
static void place_missing(struct goal_program *p)
{
    for (uint32_t r = 0; r < p->ranks; r++)
        if (!p->draft.begun[r])
            p->of_rank[r] = (struct goal_span){p->tasks, 0};
}

int goal_program_finish(struct goal_program *program, uint32_t *line, char *reason, size_t reason_bytes)
{
    int err = close_rank(program);
    if (err)
        return err;
    place_missing(program);
    draft_destroy(&program->draft);
    goal_store_seal(&program->forms);
    goal_store_seal(&program->peers);
    err = goal_program_check_cycles(program, line, reason, reason_bytes);
    return err ? err : goal_program_check_messages(program, line, reason, reason_bytes);
}

uint32_t goal_program_rank_of(const struct goal_program *program, uint32_t task)
{
    for (uint32_t r = 0; r < program->ranks; r++)
        if (task - program->of_rank[r].first < program->of_rank[r].count)
            return r;
    return GOAL_ANY;
}
