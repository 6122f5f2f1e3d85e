#include "kernels/run_messages.h"

#include "kernels/channels/endpoint_internal.h"
#include "model/channel/channel_thresholds.h"

#include <errno.h>
#include <stdlib.h>

enum { TAG = 1 };

int run_messages_fit(const struct scenario *s)
{
    struct channel_shape shape;
    return channel_shape_of_scenario(s, &shape) == 0;
}

static void tell_stall(void *context, const struct endpoint_stall *stall)
{
    const struct scenario *s = context;
    s->conditions.stall_report(stall->text);
}

static int config_of(const struct launch_rank *self, const struct scenario *s, struct endpoint_config *out)
{
    const struct node *node = s->machine.node;
    struct channel_shape shape;
    int error = channel_shape_of_scenario(s, &shape);
    if (error)
        return error;
    *out = endpoint_config_default(self->procs, self->rank, channel_find(scenario_channel(s)->name));
    endpoint_config_shape(out, &shape);
    out->domain_os = (int32_t)node->domain_os[node->core_domain[s->placement.core_of_rank[self->rank]]];
    out->op_start = s->conditions.op_start;
    out->delay_max_ns = s->conditions.delay_max_ns;
    out->seed = s->conditions.seed;
    out->stall_report_s = s->conditions.stall_report_s;
    out->stall = s->conditions.stall_report ? tell_stall : NULL;
    out->stall_context = (void *)(uintptr_t)s;
    out->dead_rank = launcher_dead_rank;
    out->dead_rank_context = (void *)(uintptr_t)self;
    return 0;
}

static int numbering_keep(struct run_messages *m, const struct numbering *numbering, uint32_t rank)
{
    if (!numbering)
        return 0;
    m->numbering = *numbering;
    if (numbering->remap != NUMBERING_EXCH)
        return 0;
    m->numbering = (struct numbering){.remap = NUMBERING_EXCH, .neighbours = &m->neighbours};
    return schedule_neighbours(&m->schedule, numbering, rank, &m->neighbours);
}

int run_messages_create(struct run_messages *m, struct launch_rank *self, const struct scenario *s, struct comm **comm)
{
    struct endpoint_config config;
    int error = config_of(self, s, &config);
    *m = (struct run_messages){.scenario = s};
    if (!error && s->algorithm)
        error = schedule_init_regions(&m->schedule, s->algorithm, s->job.procs, 0, scenario_region(s));
    if (!error)
        error = numbering_keep(m, s->numbering, self->rank);
    if (!error && s->job.kind == JOB_P2P && !(m->transfer = calloc(run_messages_of(s), sizeof *m->transfer)))
        error = -ENOMEM;
    if (!error)
        error = endpoint_create(&config, &self->bootstrap, &m->endpoint, self->message);
    if (error)
        run_messages_destroy(m);
    else
        *comm = m->endpoint->comm;
    return error;
}

void run_messages_destroy(struct run_messages *m)
{
    endpoint_destroy(m->endpoint);
    free(m->transfer);
    *m = (struct run_messages){0};
}

/* ---- between two ranks ---- */

static uint32_t other(const struct run_messages *m)
{
    return 1 - m->endpoint->rank;
}

static int post_send(struct run_messages *m, const void *buffer, uint64_t bytes, struct transfer *t)
{
    return endpoint_send(m->endpoint, other(m), TAG, buffer, bytes, t);
}

static int message_send(struct run_messages *m, const void *buffer, uint64_t bytes)
{
    int error = post_send(m, buffer, bytes, m->transfer);
    return error ? error : endpoint_wait(m->endpoint, m->transfer);
}

static int message_receive(struct run_messages *m, void *buffer, uint64_t bytes)
{
    int error = endpoint_receive(m->endpoint, other(m), TAG, buffer, bytes, m->transfer);
    error = error ? error : endpoint_wait(m->endpoint, m->transfer);
    return error ? error : m->transfer->bytes == bytes ? 0 : -EPROTO;
}

static int pingpong(struct run_messages *m, const struct run_places *p, uint64_t bytes, uint32_t trips)
{
    int error = 0, answers = m->endpoint->rank == 1;
    for (uint32_t i = 0; i < trips && !error; i++) {
        uint64_t at = i < p->count ? i * p->stride : 0;
        error = answers ? 0 : message_send(m, p->send + at, bytes);
        error = error ? error : message_receive(m, p->receive + at, bytes);
        error = error || !answers ? error : message_send(m, p->send + at, bytes);
    }
    return error;
}

static int window_send(struct run_messages *m, const struct run_places *p, uint64_t bytes)
{
    int error = 0;
    for (uint32_t i = 0; i < p->count && !error; i++)
        error = post_send(m, p->send + i * p->stride, bytes, &m->transfer[i]);
    return error ? error : endpoint_wait_all(m->endpoint, m->transfer, p->count);
}

static int window_receive(struct run_messages *m, const struct run_places *p, uint64_t bytes)
{
    int error = 0;
    for (uint32_t i = 0; i < p->count && !error; i++)
        error = endpoint_receive(m->endpoint, other(m), TAG, p->receive + i * p->stride, bytes, &m->transfer[i]);
    error = error ? error : endpoint_wait_all(m->endpoint, m->transfer, p->count);
    for (uint32_t i = 0; i < p->count && !error; i++)
        error = m->transfer[i].bytes == bytes ? 0 : -EPROTO;
    return error;
}

static int stream(struct run_messages *m, const struct run_places *p, uint64_t bytes)
{
    if (m->endpoint->rank == 1) {
        int error = window_receive(m, p, bytes);
        return error ? error : message_send(m, NULL, 0);
    }
    int error = window_send(m, p, bytes);
    return error ? error : message_receive(m, NULL, 0);
}

int run_messages_repeat(struct run_messages *m, const struct run_places *p)
{
    const struct scenario *s = m->scenario;
    uint64_t bytes = job_size_bytes(&s->job);
    if (s->job.kind != JOB_P2P)
        return allgather_schedule_run(m->endpoint, p->send, p->receive, bytes, &m->schedule, s->numbering ? &m->numbering : NULL);
    return s->job.p2p.pattern == P2P_STREAM ? stream(m, p, bytes) : pingpong(m, p, bytes, run_messages_of(s) / 2);
}
