#include "sim/goal_run.h"
#include "sim/goal_limits.h"
#include "sim/goal_state.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static size_t nic_of(const struct goal_state *run, uint32_t task)
{
    return (size_t)run->rank_of[task] * run->program->nics + goal_step_of(run, task)->nic;
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
        if (--run->waits[who] == 0 && sim_radix_push(&run->queue, run->stamp_ps[who], who, GOAL_READY))
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

int goal_run_copied(struct goal_state *run, uint32_t task, uint64_t begin_ps, uint64_t alone_ps, uint64_t end_ps)
{
    int sends = goal_step_of(run, task)->kind == GOAL_SEND;
    uint32_t send = sends ? task : run->copies.other[task], peer = sends ? goal_peer_of(run, task) : run->rank_of[send];
    uint64_t slowed_ps = end_ps - begin_ps - alone_ps, bytes = goal_step_of(run, send)->size;
    *goal_cpu_of(run, task) = end_ps;
    if (run->out.spent)
        run->out.spent[run->rank_of[task]].contention_ps += slowed_ps;
    goal_show(run, task, sends ? "to" : "from", peer, bytes, begin_ps, slowed_ps);
    return task_end(run, task, end_ps);
}

static int calc_begin(struct goal_state *run, uint32_t task, uint64_t now_ps)
{
    uint64_t *cpu_ps = goal_cpu_of(run, task), begin_ps = loggp_later_ps(now_ps, *cpu_ps);
    goal_spend(run, task, begin_ps, begin_ps, goal_step_of(run, task)->size * 1000);
    *cpu_ps = begin_ps + goal_step_of(run, task)->size * 1000;
    goal_show(run, task, "calc", GOAL_ANY, 0, begin_ps, 0);
    int err = task_begin(run, task, begin_ps);
    return err ? err : task_end(run, task, *cpu_ps);
}

/* Its first byte arrives, or comes to the first link. */
static int send_out(struct goal_state *run, uint32_t task, uint64_t at_ps)
{
    if (!run->flight.fabric) {
        run->stamp_ps[task] = at_ps + run->network->latency_ps;
        return sim_radix_push(&run->queue, run->stamp_ps[task], task, GOAL_ARRIVE);
    }
    uint32_t from = run->rank_of[task], to = goal_peer_of(run, task);
    uint32_t place = goal_flight_begin(&run->flight, task, from, to, goal_step_of(run, task)->size, at_ps);
    return place == SIM_POOL_NONE ? -ENOMEM : sim_radix_push(&run->queue, at_ps, place, GOAL_CROSS);
}

/* Where memory is shared NICs have still to read and write it. */
static int message_crosses(struct goal_state *run, uint32_t place)
{
    struct sim_fabric_crossing crossing;
    int more = goal_flight_cross(&run->flight, place, &crossing);
    const struct goal_flight_message *m = sim_pool_at(&run->flight.messages, place);
    int err = sim_radix_push(&run->queue, m->at.first_ps, more ? place : m->send, more ? GOAL_CROSS : GOAL_ARRIVE);
    if (run->copies.memories)
        return err ? err : goal_copies_nic(run, place, &crossing);
    if (!more)
        goal_flight_end(&run->flight, place);
    return err;
}

/* To a rank of the same node. */
static int send_inside(struct goal_state *run, uint32_t task, uint64_t now_ps)
{
    uint64_t *cpu_ps = goal_cpu_of(run, task), begin_ps = loggp_later_ps(now_ps, *cpu_ps);
    struct sim_cluster_cost cost;
    int err = goal_inside_cost(run, task, &cost);
    if (err)
        return err;
    goal_spend(run, task, begin_ps, begin_ps, cost.send_ps);
    run->stamp_ps[task] = begin_ps + cost.time_ps - cost.receive_ps;
    err = sim_radix_push(&run->queue, run->stamp_ps[task], task, GOAL_ARRIVE);
    err = err ? err : task_begin(run, task, begin_ps);
    if (err || run->copies.memories)
        return err ? err : goal_copies_send(run, task, &cost, begin_ps);
    return goal_run_copied(run, task, begin_ps, cost.send_ps, begin_ps + cost.send_ps);
}

static int send_begin(struct goal_state *run, uint32_t task, uint64_t now_ps)
{
    const struct loggp *n = run->network;
    const uint64_t bytes = goal_step_of(run, task)->size;
    uint64_t *cpu_ps = goal_cpu_of(run, task), *out_ps = &run->out_ps[nic_of(run, task)];
    uint64_t begin_ps = loggp_later_ps(now_ps, loggp_later_ps(*cpu_ps, *out_ps));
    goal_spend(run, task, now_ps, begin_ps, n->overhead_ps);
    *cpu_ps = begin_ps + n->overhead_ps;
    *out_ps = begin_ps + n->gap_ps + loggp_stream_ps(n, bytes);
    goal_show(run, task, "to", goal_peer_of(run, task), bytes, begin_ps, 0);
    int err = send_out(run, task, *cpu_ps);
    if (!err)
        err = task_begin(run, task, begin_ps);
    return err ? err : task_end(run, task, *cpu_ps);
}

/* When its last byte is there: the receiver's NIC takes it in now, or has. Within a node, when it can be taken. */
static uint64_t last_byte_ps(struct goal_state *run, uint32_t send, uint32_t receive)
{
    if (goal_is_inside(run, send))
        return run->stamp_ps[send];
    if (run->flight.fabric)
        return run->flight.last_ps[send];
    uint64_t *in_ps = &run->in_ps[nic_of(run, receive)];
    uint64_t last_ps = loggp_later_ps(run->stamp_ps[send], *in_ps) + loggp_stream_ps(run->network, goal_step_of(run, send)->size);
    *in_ps = last_ps + run->network->receiver_gap_ps;
    return last_ps;
}

/* What the receiver's processor will do. */
static int receive_cost(struct goal_state *run, uint32_t send, uint32_t receive)
{
    struct sim_cluster_cost cost = {.receive_ps = run->network->overhead_ps};
    int err = run->receive_ps && goal_is_inside(run, send) ? goal_inside_cost(run, send, &cost) : 0;
    if (run->receive_ps)
        run->receive_ps[receive] = cost.receive_ps;
    return err;
}

int goal_run_take(struct goal_state *run, uint32_t send, uint32_t receive)
{
    uint64_t last_ps = last_byte_ps(run, send, receive);
    if (run->out.times)
        run->out.times[receive].last_byte_ps = last_ps;
    return sim_radix_push(&run->queue, loggp_later_ps(run->stamp_ps[receive], last_ps), receive, GOAL_TAKE);
}

/* NICs have not yet read and written all of it. */
static int is_on_its_way(const struct goal_state *run, uint32_t send)
{
    return run->copies.memories && !goal_is_inside(run, send) && run->flight.last_ps[send] == UINT64_MAX;
}

/* Both ends are known: once the bytes are there the receiver's processor is wanted. */
static int join(struct goal_state *run, uint32_t send, uint32_t receive)
{
    uint64_t bytes = goal_step_of(run, send)->size;
    if (goal_step_of(run, receive)->size < bytes) {
        run->too_small = receive;
        run->too_large = send;
        return -EMSGSIZE;
    }
    int err = receive_cost(run, send, receive);
    run->out.messages++;
    run->out.bytes += bytes;
    if (run->out.times) {
        run->out.times[send].match = receive;
        run->out.times[receive].match = send;
    }
    if (run->copies.memories) {
        run->copies.other[send] = receive;
        run->copies.other[receive] = send;
    }
    return err || is_on_its_way(run, send) ? err : goal_run_take(run, send, receive);
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

static int receive_copy(struct goal_state *run, uint32_t task, uint64_t begin_ps)
{
    struct sim_cluster_cost cost;
    int err = goal_inside_cost(run, run->copies.other[task], &cost);
    return err ? err : goal_copies_receive(run, task, &cost, begin_ps);
}

static int receive_take(struct goal_state *run, uint32_t task, uint64_t now_ps)
{
    uint64_t *cpu_ps = goal_cpu_of(run, task);
    uint32_t send = run->flight.sink ? run->out.times[task].match : task;
    goal_spend_on_message(run, task, now_ps);
    uint64_t begin_ps = loggp_later_ps(now_ps, *cpu_ps);
    if (run->copies.memories && goal_is_inside(run, run->copies.other[task]))
        return receive_copy(run, task, begin_ps);
    *cpu_ps = begin_ps + goal_receive_ps(run, task);
    goal_show(run, task, "from", run->rank_of[send], goal_step_of(run, send)->size, begin_ps, 0);
    return task_end(run, task, *cpu_ps);
}

int goal_run_work(struct goal_state *run, uint32_t task, uint64_t now_ps)
{
    switch (goal_step_of(run, task)->kind) {
    case GOAL_CALC: return calc_begin(run, task, now_ps);
    case GOAL_SEND: return (goal_is_inside(run, task) ? send_inside : send_begin)(run, task, now_ps);
    default: return receive_take(run, task, now_ps);
    }
}

static int want(struct goal_state *run, uint32_t task, uint64_t now_ps)
{
    if (!run->copies.memories || *goal_cpu_of(run, task) != GOAL_COPYING_PS)
        return goal_run_work(run, task, now_ps);
    goal_copies_wait(run, task);
    return 0;
}

static int handle(struct goal_state *run, const struct sim_radix_event *event)
{
    if (event->target >= SIM_CLUSTER_MEMORY_TARGETS)
        return goal_copies_event(run, event);
    switch (event->generation) {
    case GOAL_READY:
        if (goal_step_of(run, event->target)->kind == GOAL_RECV)
            return receive_begin(run, event->target, event->time_ps);
        return want(run, event->target, event->time_ps);
    case GOAL_ARRIVE: return message_arrives(run, event->target);
    case GOAL_TAKE: return want(run, event->target, event->time_ps);
    case GOAL_CROSS: return message_crosses(run, event->target);
    default: return goal_copies_event(run, event);
    }
}

static int run_all(struct goal_state *run)
{
    const struct goal_program *p = run->program;
    int err = 0;
    for (uint32_t r = 0; r < p->ranks && !err; r++)
        for (uint32_t k = 0; k < p->of_rank[r].count && !err; k++)
            if (run->waits[p->of_rank[r].first + k] == 0)
                err = sim_radix_push(&run->queue, 0, p->of_rank[r].first + k, GOAL_READY);
    while (!err && run->queue.count) {
        struct sim_radix_event event;
        err = sim_radix_pop(&run->queue, &event);
        err = err ? err : handle(run, &event);
        if (!err && run->copies.memories)
            err = goal_copies_settle(run, event.time_ps);
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
                 line_of(run, run->too_small), run->rank_of[run->too_small], goal_step_of(run, run->too_small)->size,
                 goal_step_of(run, run->too_large)->size, run->rank_of[run->too_large], line_of(run, run->too_large));
    else if (err == -EOVERFLOW)
        snprintf(reason, reason_bytes, "a message takes longer than two minutes, which memories are not simulated for: use less");
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
