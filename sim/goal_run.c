#include "sim/goal_run.h"
#include "model/step.h"
#include "sim/goal_limits.h"
#include "sim/goal_state.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum event_kind {
    READY,  /* a task may begin */
    ARRIVE, /* the first byte of a send's message */
    TAKE,   /* a receive wants its processor */
    CROSS,  /* a message has come to a link: its place in flight */
};

static const struct goal_step *step_of(const struct goal_state *run, uint32_t task)
{
    return goal_program_step(run->program, run->rank_of[task], task);
}

static uint32_t peer_of(const struct goal_state *run, uint32_t task)
{
    return goal_program_peer(run->program, run->rank_of[task], task);
}

static uint64_t *cpu_of(struct goal_state *run, uint32_t task)
{
    return &run->cpu_ps[(size_t)run->rank_of[task] * run->program->cpus + step_of(run, task)->cpu];
}

static size_t nic_of(const struct goal_state *run, uint32_t task)
{
    return (size_t)run->rank_of[task] * run->program->nics + step_of(run, task)->nic;
}

static int is_inside(const struct goal_state *run, uint32_t send)
{
    return goal_network_inside(run->joined, run->rank_of[send], peer_of(run, send));
}

static int inside_cost(const struct goal_state *run, uint32_t send, struct sim_cluster_cost *out)
{
    return run->joined->inside(run->joined->context, run->rank_of[send], peer_of(run, send), step_of(run, send)->size, out);
}

static uint64_t receive_ps(const struct goal_state *run, uint32_t receive)
{
    return run->receive_ps ? run->receive_ps[receive] : run->network->overhead_ps;
}

/* Tells those who require the task to have begun (start) or ended; who has all it requires gets ready. */
static int fulfil(struct goal_state *run, uint32_t task, uint32_t start, uint64_t at_ps)
{
    uint32_t count, rank = run->rank_of[task], first = run->program->of_rank[rank].first;
    const struct goal_follower *follower = goal_program_followers(run->program, rank, task, &count);
    for (uint32_t f = 0; f < count; f++) {
        if (follower[f].start != start)
            continue;
        uint32_t who = first + follower[f].task;
        run->stamp_ps[who] = loggp_later_ps(run->stamp_ps[who], at_ps);
        if (--run->waits[who] == 0 && sim_radix_push(&run->queue, run->stamp_ps[who], who, READY))
            return -ENOMEM;
    }
    return 0;
}

static int task_begin(struct goal_state *run, uint32_t task, uint64_t at_ps)
{
    if (run->out.times)
        run->out.times[task].begin_ps = at_ps;
    return fulfil(run, task, 1, at_ps);
}

static int task_end(struct goal_state *run, uint32_t task, uint64_t at_ps)
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
static void spend(struct goal_state *run, uint32_t task, uint64_t ready_ps, uint64_t begin_ps, uint64_t busy_ps)
{
    if (!run->out.spent)
        return;
    struct goal_spent *spent = &run->out.spent[run->rank_of[task]];
    uint64_t at_ps = *cpu_of(run, task);
    idle_until(&at_ps, ready_ps, &spent->wait_ps);
    idle_until(&at_ps, begin_ps, &spent->network_ps);
    spent->busy_ps += busy_ps;
}

/* From when its processor begins to send a message until the other may take it in, if nothing is in the way. */
static uint64_t way_ps(const struct goal_state *run, uint32_t send, uint32_t receive)
{
    uint64_t bytes = step_of(run, send)->size, overhead_ps = run->network->overhead_ps;
    uint32_t ppn = run->flight.ppn;
    const struct sim_fabric *fabric = run->flight.fabric;
    struct sim_cluster_cost cost;
    if (is_inside(run, send))
        return inside_cost(run, send, &cost) ? 0 : cost.time_ps - cost.receive_ps;
    return overhead_ps + (fabric ? sim_fabric_alone_ps(fabric, run->rank_of[send] / ppn, run->rank_of[receive] / ppn, bytes)
                                 : run->network->latency_ps + loggp_stream_ps(run->network, bytes));
}

/* A message has come in at now_ps, or has lain there until its receive was posted then. */
static void spend_on_message(struct goal_state *run, uint32_t task, uint64_t now_ps)
{
    if (!run->out.spent)
        return;
    struct goal_spent *spent = &run->out.spent[run->rank_of[task]];
    uint32_t send = run->out.times[task].match;
    uint64_t at_ps = *cpu_of(run, task), sent_ps = run->out.times[send].begin_ps;
    uint64_t alone_ps = sent_ps + way_ps(run, send, task);
    if (run->stamp_ps[task] == now_ps)
        sent_ps = now_ps;
    idle_until(&at_ps, sent_ps < now_ps ? sent_ps : now_ps, &spent->wait_ps);
    idle_until(&at_ps, alone_ps < now_ps ? alone_ps : now_ps, &spent->network_ps);
    idle_until(&at_ps, now_ps, &spent->contention_ps);
    spent->busy_ps += receive_ps(run, task);
}

/* A processor works on a task from begin_ps until it is free; of a message with whom. */
static void show(struct goal_state *run, uint32_t task, const char *what, uint32_t peer, uint64_t bytes, uint64_t begin_ps)
{
    char label[40];
    if (!run->flight.sink)
        return;
    snprintf(label, sizeof label, peer == GOAL_ANY ? "%s" : "%s %" PRIu32, what, peer);
    struct trace_step step = {.rank = run->rank_of[task], .op = STEP_STORE, .label = label, .bytes = bytes, .start_ps = begin_ps,
                              .wait_end_ps = begin_ps, .end_ps = *cpu_of(run, task)};
    run->flight.sink->emit(run->flight.sink->context, &step);
}

static int calc_begin(struct goal_state *run, uint32_t task, uint64_t now_ps)
{
    uint64_t *cpu_ps = cpu_of(run, task), begin_ps = loggp_later_ps(now_ps, *cpu_ps);
    spend(run, task, begin_ps, begin_ps, step_of(run, task)->size * 1000);
    *cpu_ps = begin_ps + step_of(run, task)->size * 1000;
    show(run, task, "calc", GOAL_ANY, 0, begin_ps);
    int err = task_begin(run, task, begin_ps);
    return err ? err : task_end(run, task, *cpu_ps);
}

/* Its first byte arrives, or comes to the first link. */
static int send_out(struct goal_state *run, uint32_t task, uint64_t at_ps)
{
    if (!run->flight.fabric) {
        run->stamp_ps[task] = at_ps + run->network->latency_ps;
        return sim_radix_push(&run->queue, run->stamp_ps[task], task, ARRIVE);
    }
    uint32_t place = goal_flight_begin(&run->flight, task, run->rank_of[task], peer_of(run, task), step_of(run, task)->size,
                                       at_ps);
    return place == SIM_POOL_NONE ? -ENOMEM : sim_radix_push(&run->queue, at_ps, place, CROSS);
}

static int message_crosses(struct goal_state *run, uint32_t place)
{
    uint64_t at_ps;
    uint32_t send;
    int more = goal_flight_cross(&run->flight, place, &at_ps, &send);
    return sim_radix_push(&run->queue, at_ps, more ? place : send, more ? CROSS : ARRIVE);
}

/* To a rank of the same node. */
static int send_inside(struct goal_state *run, uint32_t task, uint64_t now_ps)
{
    uint64_t *cpu_ps = cpu_of(run, task), begin_ps = loggp_later_ps(now_ps, *cpu_ps);
    struct sim_cluster_cost cost;
    int err = inside_cost(run, task, &cost);
    if (err)
        return err;
    spend(run, task, begin_ps, begin_ps, cost.send_ps);
    *cpu_ps = begin_ps + cost.send_ps;
    show(run, task, "to", peer_of(run, task), step_of(run, task)->size, begin_ps);
    run->stamp_ps[task] = begin_ps + cost.time_ps - cost.receive_ps;
    err = sim_radix_push(&run->queue, run->stamp_ps[task], task, ARRIVE);
    err = err ? err : task_begin(run, task, begin_ps);
    return err ? err : task_end(run, task, *cpu_ps);
}

static int send_begin(struct goal_state *run, uint32_t task, uint64_t now_ps)
{
    const struct loggp *n = run->network;
    const uint64_t bytes = step_of(run, task)->size;
    uint64_t *cpu_ps = cpu_of(run, task), *out_ps = &run->out_ps[nic_of(run, task)];
    uint64_t begin_ps = loggp_later_ps(now_ps, loggp_later_ps(*cpu_ps, *out_ps));
    spend(run, task, now_ps, begin_ps, n->overhead_ps);
    *cpu_ps = begin_ps + n->overhead_ps;
    *out_ps = begin_ps + n->gap_ps + loggp_stream_ps(n, bytes);
    show(run, task, "to", peer_of(run, task), bytes, begin_ps);
    int err = send_out(run, task, *cpu_ps);
    if (!err)
        err = task_begin(run, task, begin_ps);
    return err ? err : task_end(run, task, *cpu_ps);
}

/* When its last byte is there: the receiver's NIC takes it in now, or has. Within a node, when it can be taken. */
static uint64_t last_byte_ps(struct goal_state *run, uint32_t send, uint32_t receive)
{
    if (is_inside(run, send))
        return run->stamp_ps[send];
    if (run->flight.fabric)
        return run->flight.last_ps[send];
    uint64_t *in_ps = &run->in_ps[nic_of(run, receive)];
    uint64_t last_ps = loggp_later_ps(run->stamp_ps[send], *in_ps) + loggp_stream_ps(run->network, step_of(run, send)->size);
    *in_ps = last_ps + run->network->receiver_gap_ps;
    return last_ps;
}

/* What the receiver's processor will do. */
static int receive_cost(struct goal_state *run, uint32_t send, uint32_t receive)
{
    struct sim_cluster_cost cost = {.receive_ps = run->network->overhead_ps};
    int err = run->receive_ps && is_inside(run, send) ? inside_cost(run, send, &cost) : 0;
    if (run->receive_ps)
        run->receive_ps[receive] = cost.receive_ps;
    return err;
}

/* Both ends are known: once the bytes are there the receiver's processor is wanted. */
static int join(struct goal_state *run, uint32_t send, uint32_t receive)
{
    uint64_t bytes = step_of(run, send)->size;
    if (step_of(run, receive)->size < bytes) {
        run->too_small = receive;
        run->too_large = send;
        return -EMSGSIZE;
    }
    uint64_t last_ps = last_byte_ps(run, send, receive);
    int err = receive_cost(run, send, receive);
    run->out.messages++;
    run->out.bytes += bytes;
    if (run->out.times) {
        run->out.times[send].match = receive;
        run->out.times[receive].match = send;
        run->out.times[receive].last_byte_ps = last_ps;
    }
    return err ? err : sim_radix_push(&run->queue, loggp_later_ps(run->stamp_ps[receive], last_ps), receive, TAKE);
}

static int receive_begin(struct goal_state *run, uint32_t task, uint64_t now_ps)
{
    int err = task_begin(run, task, now_ps);
    uint32_t send = goal_match_receive(&run->match, task);
    return err || send == GOAL_ANY ? err : join(run, send, task);
}

static int message_arrives(struct goal_state *run, uint32_t send)
{
    uint32_t receive = goal_match_message(&run->match, send);
    return receive == GOAL_ANY ? 0 : join(run, send, receive);
}

static int receive_take(struct goal_state *run, uint32_t task, uint64_t now_ps)
{
    uint64_t *cpu_ps = cpu_of(run, task);
    uint32_t send = run->flight.sink ? run->out.times[task].match : task;
    spend_on_message(run, task, now_ps);
    uint64_t begin_ps = loggp_later_ps(now_ps, *cpu_ps);
    *cpu_ps = begin_ps + receive_ps(run, task);
    show(run, task, "from", run->rank_of[send], step_of(run, send)->size, begin_ps);
    return task_end(run, task, *cpu_ps);
}

static int handle(struct goal_state *run, const struct sim_radix_event *event)
{
    if (event->generation == ARRIVE)
        return message_arrives(run, event->target);
    if (event->generation == TAKE)
        return receive_take(run, event->target, event->time_ps);
    if (event->generation == CROSS)
        return message_crosses(run, event->target);
    switch (step_of(run, event->target)->kind) {
    case GOAL_CALC: return calc_begin(run, event->target, event->time_ps);
    case GOAL_SEND: return (is_inside(run, event->target) ? send_inside : send_begin)(run, event->target, event->time_ps);
    default: return receive_begin(run, event->target, event->time_ps);
    }
}

static int run_all(struct goal_state *run)
{
    const struct goal_program *p = run->program;
    int err = 0;
    for (uint32_t r = 0; r < p->ranks && !err; r++)
        for (uint32_t k = 0; k < p->of_rank[r].count && !err; k++)
            if (run->waits[p->of_rank[r].first + k] == 0)
                err = sim_radix_push(&run->queue, 0, p->of_rank[r].first + k, READY);
    while (!err && run->queue.count) {
        struct sim_radix_event event;
        err = sim_radix_pop(&run->queue, &event);
        err = err ? err : handle(run, &event);
    }
    run->out.events = run->queue.popped;
    return err ? err : run->ended < p->tasks ? -EDEADLK : 0;
}

static uint32_t line_of(const struct goal_state *run, uint32_t task)
{
    return goal_program_line(run->program, run->rank_of[task], task);
}

static void tell(const struct goal_state *run, int err, char *reason, size_t reason_bytes)
{
    if (err == -EDEADLK)
        goal_match_tell(&run->match, reason, reason_bytes);
    else if (err == -EMSGSIZE)
        snprintf(reason, reason_bytes,
                 "line %" PRIu32 ": rank %" PRIu32 " receives %" PRIu64 " bytes of the %" PRIu64 " that rank %" PRIu32
                 " sends in line %" PRIu32,
                 line_of(run, run->too_small), run->rank_of[run->too_small], step_of(run, run->too_small)->size,
                 step_of(run, run->too_large)->size, run->rank_of[run->too_large], line_of(run, run->too_large));
    else if (err == -ENOMEM)
        snprintf(reason, reason_bytes, "not enough memory to run %" PRIu32 " tasks", run->program->tasks);
}

int goal_run_over(const struct goal_program *program, const struct goal_network *network, int want_times,
                  struct goal_outcome *out, char *reason, size_t reason_bytes)
{
    struct goal_state run = {.program = program, .joined = network, .network = &network->loggp};
    int err = goal_limits_check(program, network, reason, reason_bytes);
    if (err)
        return err;
    err = goal_state_create(&run, network, want_times);
    if (!err)
        err = run_all(&run);
    if (err) {
        tell(&run, err, reason, reason_bytes);
        goal_outcome_destroy(&run.out);
    } else {
        *out = run.out;
    }
    goal_state_destroy(&run);
    return err;
}

int goal_run(const struct goal_program *program, const struct loggp *network, int want_times, struct goal_outcome *out,
             char *reason, size_t reason_bytes)
{
    struct goal_network alone = {.loggp = *network};
    return goal_run_over(program, &alone, want_times, out, reason, reason_bytes);
}

void goal_outcome_destroy(struct goal_outcome *outcome)
{
    free(outcome->end_ps);
    free(outcome->times);
    free(outcome->spent);
    *outcome = (struct goal_outcome){0};
}
