/* GOAL programs: what every rank of a parallel program does, as tasks with dependencies (the Group Operation Assembly
 * Language of LogGOPSim). A task computes, sends or receives; it may begin once those it needs have ended (requires) or
 * begun (irequires), all of its own rank. Tasks without such ties go at once, side by side.
 *
 * Built once and then only read: create, begin a rank, add its tasks and needs, finish. The owner of the struct destroys it;
 * who only reads may do so from any thread. Ranks that do the same, but for where it stands in the text, share what is kept
 * of it; and apart from that, those that talk to the same ranks seen from themselves share these. So what collectives
 * are written as takes far less memory than tasks. */
#ifndef SHMCOLL_MODEL_GOAL_PROGRAM_H
#define SHMCOLL_MODEL_GOAL_PROGRAM_H

#include "model/goal_store.h"

#include <stddef.h>
#include <stdint.h>

#define GOAL_ANY UINT32_MAX /* a receive from any rank, or of any tag */

enum { GOAL_RANKS_MAX = 1 << 24, GOAL_TASKS_MAX = 1 << 30, GOAL_UNITS_MAX = 256 /* processors, or NICs, of a rank */ };

enum goal_kind { GOAL_CALC, GOAL_SEND, GOAL_RECV };

struct goal_task {
    uint64_t size; /* bytes; of calc nanoseconds */
    uint32_t peer; /* rank or GOAL_ANY; 0 of calc */
    uint32_t tag;  /* or GOAL_ANY */
    uint32_t line; /* of the text it came from, 0: of none */
    uint8_t kind;  /* enum goal_kind */
    uint8_t cpu, nic;
};

struct goal_span {
    uint32_t first, count;
};

/* Task `task` of the rank waits; `start`: until the other has begun, not until it has ended. */
struct goal_follower {
    uint32_t task : 31, start : 1;
};

/* A task as it is kept, without whom it talks to; a rank's steps are followed by one more, where the last one's followers end. */
struct goal_step {
    uint64_t size;
    uint32_t tag, line; /* lines after the rank's first task */
    uint32_t waits;     /* how many needs it has */
    uint32_t follower;  /* first of those who need it; they end where the next step's begin */
    uint8_t kind, cpu, nic;
};

/* What a rank does. */
struct goal_part {
    uint32_t form;  /* place of its steps and, behind them, their followers */
    uint32_t peers; /* place of whom each talks to, as (peer - rank) modulo ranks; GOAL_ANY */
    uint32_t line;  /* of its first task */
};

struct goal_need {
    uint32_t before, after, start; /* as numbered within the rank */
};

/* The rank that is being built. */
struct goal_draft {
    uint32_t rank;
    struct goal_task *task;
    struct goal_need *need;
    uint32_t tasks, needs;
    size_t task_room, need_room;
    unsigned char *begun; /* [ranks] */
};

struct goal_program {
    uint32_t ranks, tasks, needs;
    uint32_t cpus, nics; /* one more than the highest number in use */
    struct goal_span *of_rank; /* [ranks] their tasks, as numbered in the program: in the order in which they came */
    struct goal_part *part;    /* [ranks] of those with tasks */
    struct goal_store forms, peers;
    struct goal_draft draft;
};

/* 0, -EINVAL unless 1 <= ranks <= GOAL_RANKS_MAX, or -ENOMEM. */
int goal_program_create(struct goal_program *out, uint32_t ranks);
void goal_program_destroy(struct goal_program *program);

/* What follows is of this rank. 0, -EINVAL if there is no such rank, -EEXIST if it has begun before, -ENOMEM. */
int goal_program_begin(struct goal_program *program, uint32_t rank);
/* Tasks are numbered as they come. 0, -EINVAL for a peer that is no rank, -E2BIG beyond GOAL_TASKS_MAX, or -ENOMEM. */
int goal_program_add(struct goal_program *program, const struct goal_task *task);
/* 0, -EINVAL unless both are tasks of the rank begun last, -E2BIG, or -ENOMEM. */
int goal_program_need(struct goal_program *program, uint32_t after, uint32_t before, int start);
/* Finishes, then checks: no task waits for itself, and sends and receives find each other (a rank with receives from any
 * rank or of any tag has but to have as many as are sent to it).
 * 0, -ENOMEM, or -EINVAL with one line in `reason` and the line it is about in *line. */
int goal_program_finish(struct goal_program *program, uint32_t *line, char *reason, size_t reason_bytes);

/* Of a finished program; goal_program_finish() calls both. */
int goal_program_check_cycles(const struct goal_program *program, uint32_t *line, char *reason, size_t reason_bytes);
int goal_program_check_messages(const struct goal_program *program, uint32_t *line, char *reason, size_t reason_bytes);

/* Whose task it is; GOAL_ANY if there is none of that number. O(ranks), for messages to people. */
uint32_t goal_program_rank_of(const struct goal_program *program, uint32_t task);

/* Of a finished program, O(1): tasks are named by their number in the program and their rank, which has to be theirs. */

/* All steps of a rank that has tasks. */
static inline const struct goal_step *goal_program_steps(const struct goal_program *p, uint32_t rank)
{
    return goal_store_at(&p->forms, p->part[rank].form);
}

static inline const struct goal_step *goal_program_step(const struct goal_program *p, uint32_t rank, uint32_t task)
{
    return goal_program_steps(p, rank) + (task - p->of_rank[rank].first);
}

/* Of a send or receive. */
static inline uint32_t goal_program_peer(const struct goal_program *p, uint32_t rank, uint32_t task)
{
    const uint32_t *peers = goal_store_at(&p->peers, p->part[rank].peers);
    uint32_t apart = peers[task - p->of_rank[rank].first];
    if (apart == GOAL_ANY)
        return GOAL_ANY;
    return rank + apart >= p->ranks ? rank + apart - p->ranks : rank + apart;
}

static inline uint32_t goal_program_line(const struct goal_program *p, uint32_t rank, uint32_t task)
{
    return p->part[rank].line + goal_program_step(p, rank, task)->line;
}

static inline struct goal_task goal_program_task(const struct goal_program *p, uint32_t rank, uint32_t task)
{
    const struct goal_step *s = goal_program_step(p, rank, task);
    uint32_t peer = s->kind == GOAL_CALC ? 0 : goal_program_peer(p, rank, task);
    return (struct goal_task){s->size, peer, s->tag, p->part[rank].line + s->line, s->kind, s->cpu, s->nic};
}

/* Who needs the task, `count` of them; what they name are tasks of the rank from 0 on. */
static inline const struct goal_follower *goal_program_followers(const struct goal_program *p, uint32_t rank, uint32_t task,
                                                                 uint32_t *count)
{
    const struct goal_step *steps = goal_program_steps(p, rank), *step = steps + (task - p->of_rank[rank].first);
    *count = step[1].follower - step->follower;
    return (const struct goal_follower *)(steps + p->of_rank[rank].count + 1) + step->follower;
}

#endif
