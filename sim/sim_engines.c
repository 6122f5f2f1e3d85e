#include "sim/sim_engine.h"
#include "sim/sim_remote_p2p.h"
#include "sim/sim_time.h"

#include <errno.h>
#include <stdio.h>

/* The first so many ranks, which are on one node, have a core each. */
static int check_cores(const struct scenario *scenario, uint32_t ranks, char *reason, size_t reason_bytes)
{
    const uint32_t *cores = scenario->placement.core_of_rank;
    for (uint32_t i = 1; i < ranks && i < scenario->job.procs && !scenario->machine.node->contention_free; i++)
        for (uint32_t j = 0; j < i; j++)
            if (cores[i] == cores[j]) {
                snprintf(reason, reason_bytes, "ranks %u and %u share core %u; of messages each rank needs one for itself", j, i,
                         cores[i]);
                return -ENOTSUP;
            }
    return 0;
}

static int check_nodes(const struct scenario *scenario, char *reason, size_t reason_bytes)
{
    if (scenario->machine.nodes <= 1)
        return 0;
    snprintf(reason, reason_bytes, "the simulator runs a collective on one node, not on %u", scenario->machine.nodes);
    return -ENOTSUP;
}

/* What no network can be asked. */
static int check_network(const struct scenario *scenario, const char *what, char *reason, size_t reason_bytes)
{
    what = scenario->conditions.noise > 0 ? "noise: use skew" : what;
    if (what)
        snprintf(reason, reason_bytes, "the simulator of networks does not know %s", what);
    return what ? -ENOTSUP : check_cores(scenario, scenario->machine.ppn, reason, reason_bytes);
}

/* What all ranks' parts of all calls are of one. */
static void report_parts(struct outcome *out, uint64_t copy_ps, uint64_t wait_ps, uint64_t notify_ps)
{
    double samples = (double)out->sample_count;
    out->copy_s = sim_s_from_ps(copy_ps) / samples;
    out->wait_s = sim_s_from_ps(wait_ps) / samples;
    out->notify_s = sim_s_from_ps(notify_ps) / samples;
}

/* ---- step programs ---- */

static int steps_applies(const struct scenario *scenario)
{
    return !scenario->machine.network && !scenario_by_messages(scenario);
}

static int steps_reason(const struct scenario *scenario, int traced, char *reason, size_t reason_bytes)
{
    (void)traced;
    return check_nodes(scenario, reason, reason_bytes);
}

static int steps_create(union sim_state *out, const struct scenario *scenario, char *reason, size_t reason_bytes)
{
    return sim_create(&out->steps, scenario, reason, reason_bytes);
}

static void steps_destroy(union sim_state *state)
{
    sim_destroy(&state->steps);
}

static int steps_call(union sim_state *state, const struct scenario *scenario, uint32_t i, struct trace_sink *sink,
                      uint64_t *time_ps, char *reason, size_t reason_bytes)
{
    uint32_t root = job_root(&scenario->job);
    root = scenario->conditions.root_shift ? (root + i) % scenario->job.procs : root;
    return sim_call(&state->steps, root, sink, time_ps, reason, reason_bytes);
}

static double steps_mean_s(const union sim_state *state)
{
    return sim_s_from_ps(state->steps.ends_ps) / state->steps.procs;
}

static void steps_report(const union sim_state *state, struct outcome *out)
{
    uint64_t copy_ps = 0, wait_ps = 0, notify_ps = 0, own_ps = 0;
    for (uint32_t r = 0; r < state->steps.procs; r++) {
        const struct sim_rank *rank = &state->steps.rank[r];
        copy_ps += rank->copy_ps;
        wait_ps += rank->wait_ps;
        notify_ps += rank->notify_ps;
        own_ps = rank->own_ps > own_ps ? rank->own_ps : own_ps;
    }
    report_parts(out, copy_ps, wait_ps, notify_ps);
    out->time_own_s = sim_s_from_ps(own_ps) / (double)out->sample_count;
    out->events = state->steps.queue.popped;
    out->messages = state->steps.messages;
}

/* ---- messages over channels of a node ---- */

static int channel_applies(const struct scenario *scenario)
{
    return !scenario->machine.network && scenario_by_messages(scenario);
}

static int channel_reason(const struct scenario *scenario, int traced, char *reason, size_t reason_bytes)
{
    (void)traced;
    int rc = check_nodes(scenario, reason, reason_bytes);
    return rc ? rc : check_cores(scenario, scenario->job.procs, reason, reason_bytes);
}

static int channel_create(union sim_state *out, const struct scenario *scenario, char *reason, size_t reason_bytes)
{
    return sim_channel_create(&out->channel, scenario, reason, reason_bytes);
}

static void channel_destroy(union sim_state *state)
{
    sim_channel_destroy(&state->channel);
}

static int channel_call(union sim_state *state, const struct scenario *scenario, uint32_t i, struct trace_sink *sink,
                        uint64_t *time_ps, char *reason, size_t reason_bytes)
{
    (void)scenario, (void)i;
    return sim_channel_call(&state->channel, sink, time_ps, reason, reason_bytes);
}

static void channel_forget(union sim_state *state)
{
    struct sim_channel *channel = &state->channel;
    channel->messages = channel->queue.popped = 0;
    for (uint32_t r = 0; r < channel->procs; r++)
        channel->endpoint[r].copy_ps = channel->endpoint[r].wait_ps = channel->endpoint[r].notify_ps = 0;
}

static void channel_report(const union sim_state *state, struct outcome *out)
{
    uint64_t copy_ps = 0, wait_ps = 0, notify_ps = 0;
    for (uint32_t r = 0; r < state->channel.procs; r++) {
        const struct sim_endpoint *e = &state->channel.endpoint[r];
        copy_ps += e->copy_ps;
        wait_ps += e->wait_ps;
        notify_ps += e->notify_ps;
    }
    report_parts(out, copy_ps, wait_ps, notify_ps);
    out->events = state->channel.queue.popped;
    out->messages = state->channel.messages;
}

/* ---- messages over network interfaces ---- */

static int remote_applies(const struct scenario *scenario)
{
    return scenario->machine.network && scenario->job.kind == JOB_P2P;
}

static int remote_reason(const struct scenario *scenario, int traced, char *reason, size_t reason_bytes)
{
    const struct conditions *c = &scenario->conditions;
    const char *what = c->skew_s > 0 ? "skew of messages: leave it out" : c->root_shift ? "a root that moves" : NULL;
    (void)traced;
    return check_network(scenario, what, reason, reason_bytes);
}

static int remote_create(union sim_state *out, const struct scenario *scenario, char *reason, size_t reason_bytes)
{
    struct sim_remote_question question;
    int err = sim_remote_question_of(scenario, &question, reason, reason_bytes);
    return err ? err : sim_remote_create(&out->remote, &question, reason, reason_bytes);
}

static void remote_destroy(union sim_state *state)
{
    sim_remote_destroy(&state->remote);
}

static int remote_call(union sim_state *state, const struct scenario *scenario, uint32_t i, struct trace_sink *sink,
                       uint64_t *time_ps, char *reason, size_t reason_bytes)
{
    (void)i;
    struct sim_remote_program program = sim_remote_p2p(&scenario->job.p2p);
    int err = sim_remote_call(&state->remote, &program, sink, time_ps, reason, reason_bytes);
    if (!err)
        *time_ps = sim_remote_p2p_time_ps(&scenario->job.p2p, *time_ps);
    return err;
}

static void endpoints_forget(struct sim_remote *remote)
{
    for (uint32_t r = 0; r < remote->procs; r++)
        remote->endpoint[r].copy_ps = remote->endpoint[r].busy_ps = 0;
    remote->messages = remote->delivered_bytes = remote->messages_inside = remote->bytes_inside = remote->queue.popped = 0;
}

static void remote_forget(union sim_state *state)
{
    endpoints_forget(&state->remote);
}

/* What cores do beside copying is the software's and the interface's. */
static void endpoints_report(const struct sim_remote *remote, struct outcome *out)
{
    uint64_t copy_ps = 0, busy_ps = 0;
    for (uint32_t r = 0; r < remote->procs; r++) {
        const struct sim_remote_endpoint *e = &remote->endpoint[r];
        copy_ps += e->copy_ps;
        busy_ps += e->busy_ps;
    }
    double samples = (double)out->sample_count;
    out->channel_bytes = sim_remote_memory_bytes(remote);
    out->copy_s = sim_s_from_ps(copy_ps) / samples;
    out->notify_s = sim_s_from_ps(busy_ps - copy_ps) / samples;
    out->events = remote->queue.popped;
    out->messages = remote->messages;
}

static void remote_report(const union sim_state *state, struct outcome *out)
{
    endpoints_report(&state->remote, out);
}

/* ---- schedules over network interfaces ---- */

static int scheduled_applies(const struct scenario *scenario)
{
    return scenario->machine.network && scenario->channel && scenario->machine.levels != 2;
}

static int scheduled_reason(const struct scenario *scenario, int traced, char *reason, size_t reason_bytes)
{
    (void)traced;
    return check_network(scenario, scenario->conditions.root_shift ? "a root that moves" : NULL, reason, reason_bytes);
}

static int scheduled_create(union sim_state *out, const struct scenario *scenario, char *reason, size_t reason_bytes)
{
    return sim_remote_schedule_create(&out->scheduled, scenario, reason, reason_bytes);
}

static void scheduled_destroy(union sim_state *state)
{
    sim_remote_schedule_destroy(&state->scheduled);
}

static int scheduled_call(union sim_state *state, const struct scenario *scenario, uint32_t i, struct trace_sink *sink,
                          uint64_t *time_ps, char *reason, size_t reason_bytes)
{
    return sim_remote_schedule_call(&state->scheduled, scenario->conditions.seed + i, sink, time_ps, reason, reason_bytes);
}

static void scheduled_forget(union sim_state *state)
{
    endpoints_forget(&state->scheduled.remote);
}

static void scheduled_report(const union sim_state *state, struct outcome *out)
{
    const struct sim_remote *remote = &state->scheduled.remote;
    endpoints_report(remote, out);
    out->levels_counted = 1;
    out->messages_inside = remote->messages_inside / out->sample_count;
    out->bytes_inside = remote->bytes_inside / out->sample_count;
    out->messages_between = remote->messages / out->sample_count - out->messages_inside;
    out->bytes_between = remote->delivered_bytes / out->sample_count - out->bytes_inside;
}

/* ---- schedules over a network ---- */

static int network_applies(const struct scenario *scenario)
{
    return scenario->machine.network != NULL;
}

static int network_reason(const struct scenario *scenario, int traced, char *reason, size_t reason_bytes)
{
    const struct conditions *c = &scenario->conditions;
    int levels = scenario->machine.levels == 2;
    (void)traced;
    const char *what = levels && c->skew_s > 0 ? "skew in two levels: leave it out"
                       : c->root_shift         ? "a root that moves"
                                               : NULL;
    return check_network(scenario, what, reason, reason_bytes);
}

static int network_create(union sim_state *out, const struct scenario *scenario, char *reason, size_t reason_bytes)
{
    return sim_network_create(&out->network, scenario, reason, reason_bytes);
}

static void network_destroy(union sim_state *state)
{
    sim_network_destroy(&state->network);
}

static int network_call(union sim_state *state, const struct scenario *scenario, uint32_t i, struct trace_sink *sink,
                        uint64_t *time_ps, char *reason, size_t reason_bytes)
{
    int err = sim_network_call(&state->network, scenario->conditions.seed + i, sink, time_ps, reason, reason_bytes);
    return err == -EOVERFLOW ? -EINVAL : err;
}

static void network_report(const union sim_state *state, struct outcome *out)
{
    const struct sim_network *network = &state->network;
    out->channel_bytes = sim_network_channel_bytes(network);
    out->events = network->answer.pops * out->sample_count + network->inside_events;
    out->messages = network->answer.messages * out->sample_count;
    out->levels_counted = !network->end_ps;
    out->messages_between = network->answer.messages_between;
    out->messages_inside = network->answer.messages - network->answer.messages_between;
    out->bytes_between = network->answer.bytes_between;
    out->bytes_inside = network->answer.bytes_received - network->answer.bytes_between;
}

/* ---- all of them ---- */

/* The first that applies is taken. */
static const struct sim_engine engine_table[] = {
    {steps_applies, steps_reason, steps_create, steps_destroy, steps_call, NULL, steps_mean_s, steps_report},
    {channel_applies, channel_reason, channel_create, channel_destroy, channel_call, channel_forget, NULL, channel_report},
    {remote_applies, remote_reason, remote_create, remote_destroy, remote_call, remote_forget, NULL, remote_report},
    {scheduled_applies, scheduled_reason, scheduled_create, scheduled_destroy, scheduled_call, scheduled_forget, NULL,
     scheduled_report},
    {network_applies, network_reason, network_create, network_destroy, network_call, NULL, NULL, network_report},
};

const struct sim_engine *sim_engine_of(const struct scenario *scenario)
{
    const struct sim_engine *engine = engine_table;
    while (!engine->applies(scenario))
        engine++;
    return engine;
}
