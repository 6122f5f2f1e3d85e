/* GOAL programs: what every rank of a parallel program does, as tasks with dependencies (the Group Operation Assembly
 * Language of LogGOPSim). A task computes, sends or receives; it may begin once those it needs have ended (requires) or
 * begun (irequires), all of its own rank. Tasks without such ties go at once, side by side.
 *
 * Flat arrays, built once and then only read: create, begin a rank, add its tasks and needs, finish. The owner of the
 * struct destroys it; who only reads may do so from any thread. */
#ifndef SHMCOLL_MODEL_GOAL_PROGRAM_H
#define SHMCOLL_MODEL_GOAL_PROGRAM_H

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

/* `task` waits; `start`: until the other has begun, not until it has ended. */
struct goal_follower {
    uint32_t task, start;
};

struct goal_need {
    uint32_t before;
    struct goal_follower after;
};

struct goal_program {
    uint32_t ranks, tasks, needs;
    uint32_t cpus, nics; /* one more than the highest number in use */
    struct goal_span *of_rank; /* [ranks] their tasks */
    struct goal_task *task;    /* [tasks] */
    uint32_t *waits;           /* [tasks] how many needs a task has */
    uint32_t *first_follower;  /* [tasks + 1] who needs task i: follower[first_follower[i]] to before first_follower[i + 1] */
    struct goal_follower *follower; /* [needs] */
    /* While it is built. */
    struct goal_need *need;
    size_t task_room, need_room;
    unsigned char *begun; /* [ranks] */
    uint32_t rank;
};

/* 0, -EINVAL unless 1 <= ranks <= GOAL_RANKS_MAX, or -ENOMEM. */
int goal_program_create(struct goal_program *out, uint32_t ranks);
void goal_program_destroy(struct goal_program *program);

/* What follows is of this rank. 0, -EINVAL if there is no such rank, -EEXIST if it has begun before. */
int goal_program_begin(struct goal_program *program, uint32_t rank);
/* Tasks are numbered as they come. 0, -EINVAL for a peer that is no rank, -E2BIG beyond GOAL_TASKS_MAX, or -ENOMEM. */
int goal_program_add(struct goal_program *program, const struct goal_task *task);
/* 0, -EINVAL unless both are tasks of the rank begun last, -E2BIG, or -ENOMEM. */
int goal_program_need(struct goal_program *program, uint32_t after, uint32_t before, int start);
/* Finishes, then checks: no task waits for itself, and sends and receives find each other (a rank with receives from any
 * rank or of any tag has but to have as many as are sent to it).
 * 0, -ENOMEM, or -EINVAL with one line in `reason` and the line it is about in *line. */
int goal_program_finish(struct goal_program *program, uint32_t *line, char *reason, size_t reason_bytes);

/* Of a finished program; goal_program_finish() calls both. `waits` is left as it was. */
int goal_program_check_cycles(const struct goal_program *program, uint32_t *line, char *reason, size_t reason_bytes);
int goal_program_check_messages(const struct goal_program *program, uint32_t *line, char *reason, size_t reason_bytes);

/* Whose task it is; GOAL_ANY if there is none of that number. O(ranks), for messages to people. */
uint32_t goal_program_rank_of(const struct goal_program *program, uint32_t task);

#endif
