#include "sim/goal_run.h"
#include "sim/goal_match.h"
#include "sim/sim_radix.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Processors or NICs of all ranks: 1 GiB of times. */
enum { UNITS_MAX = 1 << 27 };

enum event_kind {
    READY,  /* a task may begin */
    ARRIVE, /* the first byte of a send's message */
    TAKE,   /* a receive wants its processor */
};

struct run {
    const struct goal_program *program;
    const struct loggp *network;
    struct sim_radix queue;
    struct goal_match match;
    uint32_t *rank_of;  /* [tasks] */
    uint32_t *waits;    /* [tasks] needs not yet fulfilled */
    /* [tasks] when it gets ready; of a begun send when its first byte arrives, of a begun receive when it was posted */
    uint64_t *stamp_ps;
    uint64_t *cpu_ps;   /* [ranks * cpus] when it is free, as the next two */
    uint64_t *out_ps;   /* [ranks * nics] */
    uint64_t *in_ps;    /* [ranks * nics] */
    uint32_t ended;
    uint32_t too_small, too_large; /* the receive and the send that do not fit */
    struct goal_outcome out;
};

/* Whether all tasks one after the other would fit, so that nothing can overflow on the way. */
static int time_fits(const struct goal_program *p, const struct loggp *n)
{
    unsigned __int128 total = 0, most = (unsigned __int128)1 << 63;
    unsigned __int128 fixed = 2 * (unsigned __int128)n->overhead_ps + n->latency_ps + n->gap_ps + n->receiver_gap_ps;
    for (uint32_t i = 0; i < p->tasks && total < most; i++) {
        const struct goal_task *t = &p->task[i];
        unsigned __int128 bytes_ps = ((unsigned __int128)t->size * n->byte_fs + 999) / 1000;
        total += t->kind == GOAL_CALC ? (unsigned __int128)t->size * 1000 : fixed + 2 * bytes_ps;
    }
    return total < most && n->byte_fs < UINT64_MAX / 2000;
}

static void run_destroy(struct run *run)
{
    sim_radix_destroy(&run->queue);
    goal_match_destroy(&run->match);
    free(run->rank_of);
    free(run->waits);
    free(run->stamp_ps);
    free(run->cpu_ps);
    free(run->out_ps);
    free(run->in_ps);
}

static int run_create(struct run *run, int want_times)
{
    const struct goal_program *p = run->program;
    size_t tasks = (size_t)p->tasks + 1, ranks = p->ranks;
    run->rank_of = malloc(tasks * sizeof *run->rank_of);
    run->waits = malloc(tasks * sizeof *run->waits);
    run->stamp_ps = calloc(tasks, sizeof *run->stamp_ps);
    run->cpu_ps = calloc(ranks * p->cpus, sizeof *run->cpu_ps);
    run->out_ps = calloc(ranks * p->nics, sizeof *run->out_ps);
    run->in_ps = calloc(ranks * p->nics, sizeof *run->in_ps);
    run->out.end_ps = calloc(ranks, sizeof *run->out.end_ps);
    run->out.times = want_times ? malloc(tasks * sizeof *run->out.times) : NULL;
    run->out.spent = want_times ? calloc(ranks, sizeof *run->out.spent) : NULL;
    if (!run->rank_of || !run->waits || !run->stamp_ps || !run->cpu_ps || !run->out_ps || !run->in_ps || !run->out.end_ps ||
        (want_times && (!run->out.times || !run->out.spent)))
        return -ENOMEM;
    memcpy(run->waits, p->waits, p->tasks * sizeof *run->waits);
    for (uint32_t r = 0; r < p->ranks; r++)
        for (uint32_t k = 0; k < p->of_rank[r].count; k++)
            run->rank_of[p->of_rank[r].first + k] = r;
    if (want_times)
        memset(run->out.times, 0xff, tasks * sizeof *run->out.times);
    int err = goal_match_create(&run->match, p, run->rank_of);
    sim_radix_create(&run->queue);
    return err;
}

static uint64_t *cpu_of(struct run *run, uint32_t task)
{
    return &run->cpu_ps[(size_t)run->rank_of[task] * run->program->cpus + run->program->task[task].cpu];
}

static size_t nic_of(const struct run *run, uint32_t task)
{
    return (size_t)run->rank_of[task] * run->program->nics + run->program->task[task].nic;
}

/* Tells those who require the task to have begun (start) or ended; who has all it requires gets ready. */
static int fulfil(struct run *run, uint32_t task, uint32_t start, uint64_t at_ps)
{
    const struct goal_program *p = run->program;
    for (uint32_t f = p->first_follower[task]; f < p->first_follower[task + 1]; f++) {
        if (p->follower[f].start != start)
            continue;
        uint32_t who = p->follower[f].task;
        run->stamp_ps[who] = loggp_later_ps(run->stamp_ps[who], at_ps);
        if (--run->waits[who] == 0 && sim_radix_push(&run->queue, run->stamp_ps[who], who, READY))
            return -ENOMEM;
    }
    return 0;
}

static int task_begin(struct run *run, uint32_t task, uint64_t at_ps)
{
    if (run->out.times)
        run->out.times[task].begin_ps = at_ps;
    return fulfil(run, task, 1, at_ps);
}

static int task_end(struct run *run, uint32_t task, uint64_t at_ps)
{
    uint64_t *end_ps = &run->out.end_ps[run->rank_of[task]];
    *end_ps = loggp_later_ps(*end_ps, at_ps);
    run->out.time_ps = loggp_later_ps(run->out.time_ps, at_ps);
    run->ended++;
    if (run->out.times)
        run->out.times[task].end_ps = at_ps;
    return fulfil(run, task, 0, at_ps);
}

static void idle_until(uint64_t *at_ps, uint64_t to_ps, uint64_t *account_ps)
{
    if (to_ps <= *at_ps)
        return;
    *account_ps += to_ps - *at_ps;
    *at_ps = to_ps;
}

/* A processor goes on with a task that it could have had from ready_ps on, and a NIC from begin_ps on. */
static void spend(struct run *run, uint32_t task, uint64_t ready_ps, uint64_t begin_ps, uint64_t busy_ps)
{
    if (!run->out.spent)
        return;
    struct goal_spent *spent = &run->out.spent[run->rank_of[task]];
    uint64_t at_ps = *cpu_of(run, task);
    idle_until(&at_ps, ready_ps, &spent->wait_ps);
    idle_until(&at_ps, begin_ps, &spent->network_ps);
    spent->busy_ps += busy_ps;
}

/* A message has come in at now_ps, or has lain there until its receive was posted then. */
static void spend_on_message(struct run *run, uint32_t task, uint64_t now_ps)
{
    if (!run->out.spent)
        return;
    const struct loggp *n = run->network;
    struct goal_spent *spent = &run->out.spent[run->rank_of[task]];
    uint32_t send = run->out.times[task].match;
    uint64_t at_ps = *cpu_of(run, task), first_ps = run->stamp_ps[send], sent_ps = first_ps - n->latency_ps - n->overhead_ps;
    uint64_t alone_ps = first_ps + loggp_stream_ps(n, run->program->task[send].size);
    if (run->stamp_ps[task] == now_ps)
        sent_ps = now_ps;
    idle_until(&at_ps, sent_ps < now_ps ? sent_ps : now_ps, &spent->wait_ps);
    idle_until(&at_ps, alone_ps < now_ps ? alone_ps : now_ps, &spent->network_ps);
    idle_until(&at_ps, now_ps, &spent->contention_ps);
    spent->busy_ps += n->overhead_ps;
}

static int calc_begin(struct run *run, uint32_t task, uint64_t now_ps)
{
    uint64_t *cpu_ps = cpu_of(run, task), begin_ps = loggp_later_ps(now_ps, *cpu_ps);
    spend(run, task, begin_ps, begin_ps, run->program->task[task].size * 1000);
    *cpu_ps = begin_ps + run->program->task[task].size * 1000;
    int err = task_begin(run, task, begin_ps);
    return err ? err : task_end(run, task, *cpu_ps);
}

static int send_begin(struct run *run, uint32_t task, uint64_t now_ps)
{
    const struct loggp *n = run->network;
    uint64_t *cpu_ps = cpu_of(run, task), *out_ps = &run->out_ps[nic_of(run, task)];
    uint64_t begin_ps = loggp_later_ps(now_ps, loggp_later_ps(*cpu_ps, *out_ps));
    spend(run, task, now_ps, begin_ps, n->overhead_ps);
    *cpu_ps = begin_ps + n->overhead_ps;
    *out_ps = begin_ps + n->gap_ps + loggp_stream_ps(n, run->program->task[task].size);
    run->stamp_ps[task] = *cpu_ps + n->latency_ps;
    int err = sim_radix_push(&run->queue, run->stamp_ps[task], task, ARRIVE);
    if (!err)
        err = task_begin(run, task, begin_ps);
    return err ? err : task_end(run, task, *cpu_ps);
}

/* Both ends are known: the receiver's NIC takes the bytes in, then its processor is wanted. */
static int join(struct run *run, uint32_t send, uint32_t receive)
{
    const struct goal_task *task = run->program->task;
    uint64_t bytes = task[send].size, *in_ps = &run->in_ps[nic_of(run, receive)];
    if (task[receive].size < bytes) {
        run->too_small = receive;
        run->too_large = send;
        return -EMSGSIZE;
    }
    uint64_t last_ps = loggp_later_ps(run->stamp_ps[send], *in_ps) + loggp_stream_ps(run->network, bytes);
    *in_ps = last_ps + run->network->receiver_gap_ps;
    run->out.messages++;
    run->out.bytes += bytes;
    if (run->out.times) {
        run->out.times[send].match = receive;
        run->out.times[receive].match = send;
        run->out.times[receive].last_byte_ps = last_ps;
    }
    return sim_radix_push(&run->queue, loggp_later_ps(run->stamp_ps[receive], last_ps), receive, TAKE);
}

static int receive_begin(struct run *run, uint32_t task, uint64_t now_ps)
{
    int err = task_begin(run, task, now_ps);
    uint32_t send = goal_match_receive(&run->match, task);
    return err || send == GOAL_ANY ? err : join(run, send, task);
}

static int message_arrives(struct run *run, uint32_t send)
{
    uint32_t receive = goal_match_message(&run->match, send);
    return receive == GOAL_ANY ? 0 : join(run, send, receive);
}

static int receive_take(struct run *run, uint32_t task, uint64_t now_ps)
{
    uint64_t *cpu_ps = cpu_of(run, task);
    spend_on_message(run, task, now_ps);
    *cpu_ps = loggp_later_ps(now_ps, *cpu_ps) + run->network->overhead_ps;
    return task_end(run, task, *cpu_ps);
}

static int handle(struct run *run, const struct sim_radix_event *event)
{
    if (event->generation == ARRIVE)
        return message_arrives(run, event->target);
    if (event->generation == TAKE)
        return receive_take(run, event->target, event->time_ps);
    switch (run->program->task[event->target].kind) {
    case GOAL_CALC: return calc_begin(run, event->target, event->time_ps);
    case GOAL_SEND: return send_begin(run, event->target, event->time_ps);
    default: return receive_begin(run, event->target, event->time_ps);
    }
}

static int run_all(struct run *run)
{
    const struct goal_program *p = run->program;
    int err = 0;
    for (uint32_t r = 0; r < p->ranks && !err; r++)
        for (uint32_t k = 0; k < p->of_rank[r].count && !err; k++)
            if (p->waits[p->of_rank[r].first + k] == 0)
                err = sim_radix_push(&run->queue, 0, p->of_rank[r].first + k, READY);
    while (!err && run->queue.count) {
        struct sim_radix_event event;
        err = sim_radix_pop(&run->queue, &event);
        err = err ? err : handle(run, &event);
    }
    run->out.events = run->queue.popped;
    return err ? err : run->ended < p->tasks ? -EDEADLK : 0;
}

/* The first few ranks that have posted a receive for which nothing came, and from whom. */
static void tell_deadlock(const struct run *run, char *reason, size_t reason_bytes)
{
    enum { TOLD_MAX = 4 };
    uint32_t waiting = 0;
    int at = snprintf(reason, reason_bytes, "deadlock:");
    for (uint32_t r = 0; r < run->program->ranks; r++) {
        uint32_t task = run->match.posted[r].head;
        if (task == GOAL_ANY || waiting++ >= TOLD_MAX || at < 0 || (size_t)at >= reason_bytes)
            continue;
        const struct goal_task *t = &run->program->task[task];
        char from[32] = "any rank", line[32] = "";
        if (t->peer != GOAL_ANY)
            snprintf(from, sizeof from, "rank %" PRIu32, t->peer);
        if (t->line)
            snprintf(line, sizeof line, " (line %" PRIu32 ")", t->line);
        at += snprintf(reason + at, reason_bytes - (size_t)at, "%s rank %" PRIu32 " waits for %s%s", waiting > 1 ? "," : "", r,
                       from, line);
    }
    if (waiting > TOLD_MAX && at > 0 && (size_t)at < reason_bytes)
        snprintf(reason + at, reason_bytes - (size_t)at, ", and %" PRIu32 " ranks more wait", waiting - TOLD_MAX);
}

static void tell(const struct run *run, int err, char *reason, size_t reason_bytes)
{
    const struct goal_task *task = run->program->task;
    if (err == -EDEADLK)
        tell_deadlock(run, reason, reason_bytes);
    else if (err == -EMSGSIZE)
        snprintf(reason, reason_bytes,
                 "line %" PRIu32 ": rank %" PRIu32 " receives %" PRIu64 " bytes of the %" PRIu64 " that rank %" PRIu32
                 " sends in line %" PRIu32,
                 task[run->too_small].line, run->rank_of[run->too_small], task[run->too_small].size, task[run->too_large].size,
                 run->rank_of[run->too_large], task[run->too_large].line);
    else
        snprintf(reason, reason_bytes, "not enough memory to run %" PRIu32 " tasks", run->program->tasks);
}

int goal_run(const struct goal_program *program, const struct loggp *network, int want_times, struct goal_outcome *out,
             char *reason, size_t reason_bytes)
{
    if ((uint64_t)program->ranks * program->cpus > UNITS_MAX || (uint64_t)program->ranks * program->nics > UNITS_MAX) {
        snprintf(reason, reason_bytes,
                 "%" PRIu32 " ranks of %" PRIu32 " cpus and %" PRIu32 " nics are too many: number those of a rank from 0",
                 program->ranks, program->cpus, program->nics);
        return -ENOTSUP;
    }
    if (!time_fits(program, network)) {
        snprintf(reason, reason_bytes, "the times of this program and network add up to more than 106 days: check its sizes");
        return -EOVERFLOW;
    }
    struct run run = {.program = program, .network = network};
    int err = run_create(&run, want_times);
    if (!err)
        err = run_all(&run);
    if (err) {
        tell(&run, err, reason, reason_bytes);
        goal_outcome_destroy(&run.out);
    } else {
        *out = run.out;
    }
    run_destroy(&run);
    return err;
}

void goal_outcome_destroy(struct goal_outcome *outcome)
{
    free(outcome->end_ps);
    free(outcome->times);
    free(outcome->spent);
    *outcome = (struct goal_outcome){0};
}
