#include "model/step.h"
#include "sim/goal_state.h"

#include <inttypes.h>
#include <stdio.h>

static void idle_until(uint64_t *at_ps, uint64_t to_ps, uint64_t *account_ps)
{
    if (to_ps <= *at_ps)
        return;
    *account_ps += to_ps - *at_ps;
    *at_ps = to_ps;
}

void goal_spend(struct goal_state *run, uint32_t task, uint64_t ready_ps, uint64_t begin_ps, uint64_t busy_ps)
{
    if (!run->out.spent)
        return;
    struct goal_spent *spent = &run->out.spent[run->rank_of[task]];
    uint64_t at_ps = *goal_cpu_of(run, task);
    idle_until(&at_ps, ready_ps, &spent->wait_ps);
    idle_until(&at_ps, begin_ps, &spent->network_ps);
    spent->busy_ps += busy_ps;
}

/* From when its processor begins to send a message until the other may take it in, if nothing is in the way. */
static uint64_t way_ps(const struct goal_state *run, uint32_t send, uint32_t receive)
{
    uint64_t bytes = goal_step_of(run, send)->size, overhead_ps = run->network->overhead_ps;
    uint32_t ppn = run->flight.ppn;
    const struct sim_fabric *fabric = run->flight.fabric;
    struct sim_cluster_cost cost;
    if (goal_is_inside(run, send))
        return goal_inside_cost(run, send, &cost) ? 0 : cost.time_ps - cost.receive_ps;
    return overhead_ps + (fabric ? sim_fabric_alone_ps(fabric, run->rank_of[send] / ppn, run->rank_of[receive] / ppn, bytes)
                                 : run->network->latency_ps + loggp_stream_ps(run->network, bytes));
}

void goal_spend_on_message(struct goal_state *run, uint32_t task, uint64_t now_ps)
{
    if (!run->out.spent)
        return;
    struct goal_spent *spent = &run->out.spent[run->rank_of[task]];
    uint32_t send = run->out.times[task].match;
    uint64_t at_ps = *goal_cpu_of(run, task), sent_ps = run->out.times[send].begin_ps;
    uint64_t alone_ps = sent_ps + way_ps(run, send, task);
    if (run->stamp_ps[task] == now_ps)
        sent_ps = now_ps;
    idle_until(&at_ps, sent_ps < now_ps ? sent_ps : now_ps, &spent->wait_ps);
    idle_until(&at_ps, alone_ps < now_ps ? alone_ps : now_ps, &spent->network_ps);
    idle_until(&at_ps, now_ps, &spent->contention_ps);
    spent->busy_ps += goal_receive_ps(run, task);
}

void goal_show(struct goal_state *run, uint32_t task, const char *what, uint32_t peer, uint64_t bytes, uint64_t begin_ps,
               uint64_t slowed_ps)
{
    char label[40];
    if (!run->flight.sink)
        return;
    snprintf(label, sizeof label, peer == GOAL_ANY ? "%s" : "%s %" PRIu32, what, peer);
    struct trace_step step = {.rank = run->rank_of[task], .op = STEP_STORE, .label = label, .bytes = bytes, .start_ps = begin_ps,
                              .wait_end_ps = begin_ps + slowed_ps, .end_ps = *goal_cpu_of(run, task)};
    run->flight.sink->emit(run->flight.sink->context, &step);
}
