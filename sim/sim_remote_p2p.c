#include "sim/sim_remote_p2p.h"

#include "model/nic_cost.h"

enum { ROUND_TRIPS = 4 };

int sim_remote_question_of(const struct scenario *s, struct sim_remote_question *out, char *reason, size_t reason_bytes)
{
    struct nic_setup setup;
    int err = nic_setup_of(s, &setup, reason, reason_bytes);
    if (!err)
        *out = (struct sim_remote_question){.costs = setup.costs, .kind = setup.kind, .shape = setup.shape, .procs = s->job.procs,
                                            .cold = s->conditions.buffers == BUFFERS_COLD};
    return err;
}

/* There and back, one after the other; or all of a window, and an empty one back. */
static void act(const void *context, uint32_t rank, uint32_t i, struct sim_remote_act *out)
{
    const struct job_p2p *job = context;
    int stream = job->pattern == P2P_STREAM;
    uint32_t message = stream ? i : i / 2, messages = stream ? job->window : 2 * ROUND_TRIPS;
    *out = (struct sim_remote_act){.kind = SIM_REMOTE_WAIT, .peer = !rank};
    if (stream && i > job->window)
        out->kind = i == job->window + 1 ? rank ? SIM_REMOTE_SEND : SIM_REMOTE_RECEIVE : SIM_REMOTE_OVER;
    else if (!stream && message == messages)
        out->kind = SIM_REMOTE_OVER;
    else if (stream ? i < job->window : i % 2 == 0) {
        out->kind = (stream ? 0 : message & 1) == rank ? SIM_REMOTE_SEND : SIM_REMOTE_RECEIVE;
        out->bytes = job->size_bytes;
    }
}

struct sim_remote_program sim_remote_p2p(const struct job_p2p *job)
{
    return (struct sim_remote_program){.act = act, .context = job};
}

uint64_t sim_remote_p2p_time_ps(const struct job_p2p *job, uint64_t call_ps)
{
    return call_ps / (job->pattern == P2P_STREAM ? job->window : 2 * ROUND_TRIPS);
}
