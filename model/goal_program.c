#include "model/goal_program.h"

#include <errno.h>
#include <stdlib.h>

int goal_program_create(struct goal_program *out, uint32_t ranks)
{
    *out = (struct goal_program){.ranks = ranks, .rank = GOAL_ANY, .cpus = 1, .nics = 1};
    if (ranks < 1 || ranks > GOAL_RANKS_MAX)
        return -EINVAL;
    out->of_rank = calloc(ranks, sizeof *out->of_rank);
    out->begun = calloc(ranks, 1);
    if (out->of_rank && out->begun)
        return 0;
    goal_program_destroy(out);
    return -ENOMEM;
}

void goal_program_destroy(struct goal_program *program)
{
    free(program->of_rank);
    free(program->task);
    free(program->waits);
    free(program->first_follower);
    free(program->follower);
    free(program->need);
    free(program->begun);
    *program = (struct goal_program){0};
}

int goal_program_begin(struct goal_program *program, uint32_t rank)
{
    if (rank >= program->ranks)
        return -EINVAL;
    if (program->begun[rank])
        return -EEXIST;
    program->begun[rank] = 1;
    program->rank = rank;
    program->of_rank[rank].first = program->tasks;
    return 0;
}

/* Room for one more; by half as much again, since a program is large and not read twice. */
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
    int any = task->kind == GOAL_RECV && task->peer == GOAL_ANY;
    if (program->rank == GOAL_ANY || task->kind > GOAL_RECV || (task->kind != GOAL_CALC && !any && task->peer >= program->ranks))
        return -EINVAL;
    if (program->tasks == GOAL_TASKS_MAX)
        return -E2BIG;
    int err = make_room((void **)&program->task, program->tasks, &program->task_room, sizeof *program->task);
    if (err)
        return err;
    program->task[program->tasks++] = *task;
    program->of_rank[program->rank].count++;
    program->cpus = task->cpu >= program->cpus ? task->cpu + 1u : program->cpus;
    program->nics = task->nic >= program->nics ? task->nic + 1u : program->nics;
    return 0;
}

int goal_program_need(struct goal_program *program, uint32_t after, uint32_t before, int start)
{
    if (program->rank == GOAL_ANY)
        return -EINVAL;
    uint32_t first = program->of_rank[program->rank].first;
    if (after < first || before < first || after >= program->tasks || before >= program->tasks)
        return -EINVAL;
    if (program->needs == GOAL_TASKS_MAX)
        return -E2BIG;
    int err = make_room((void **)&program->need, program->needs, &program->need_room, sizeof *program->need);
    if (err)
        return err;
    program->need[program->needs++] = (struct goal_need){before, {after, start != 0}};
    return 0;
}

/* Needs sorted by whom they wait for, in the order they were given. */
static int sort_needs(struct goal_program *p)
{
    p->waits = calloc((size_t)p->tasks + 1, sizeof *p->waits);
    p->first_follower = calloc((size_t)p->tasks + 2, sizeof *p->first_follower);
    p->follower = malloc(((size_t)p->needs + 1) * sizeof *p->follower);
    if (!p->waits || !p->first_follower || !p->follower)
        return -ENOMEM;
    for (uint32_t i = 0; i < p->needs; i++) {
        p->waits[p->need[i].after.task]++;
        p->first_follower[p->need[i].before + 2]++;
    }
    for (uint32_t i = 1; i <= p->tasks; i++)
        p->first_follower[i + 1] += p->first_follower[i];
    for (uint32_t i = 0; i < p->needs; i++)
        p->follower[p->first_follower[p->need[i].before + 1]++] = p->need[i].after;
    free(p->need);
    p->need = NULL;
    p->need_room = 0;
    return 0;
}

/* Ranks without a block lie where no task is. */
static void trim(struct goal_program *p)
{
    for (uint32_t r = 0; r < p->ranks; r++)
        if (!p->begun[r])
            p->of_rank[r] = (struct goal_span){p->tasks, 0};
    free(p->begun);
    p->begun = NULL;
    struct goal_task *exact = p->tasks ? realloc(p->task, p->tasks * sizeof *exact) : NULL;
    if (exact) {
        p->task = exact;
        p->task_room = p->tasks;
    }
}

int goal_program_finish(struct goal_program *program, uint32_t *line, char *reason, size_t reason_bytes)
{
    int err = sort_needs(program);
    if (err)
        return err;
    trim(program);
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
