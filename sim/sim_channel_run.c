/* The event loop: works, one after the other on each core, and between them what each endpoint does next. */
#include "sim/sim_channel.h"
#include "sim/sim_random.h"
#include "sim/sim_time.h"

#include <errno.h>
#include <stdio.h>

enum { COPY_BEGINS = 1, COPY_MOVES };

static uint64_t noisy(struct sim_channel *c, struct sim_endpoint *e, uint64_t cost_ps)
{
    return sim_random_cost(&e->random, c->scenario->conditions.noise, cost_ps);
}

static void trace(struct sim_channel *c, const struct sim_endpoint *e, enum step_name name, enum step_op op, uint64_t bytes,
                  uint64_t start_ps, uint64_t wait_end_ps, uint64_t end_ps)
{
    struct trace_step record = {.rank = e->rank, .name = name, .op = op, .bytes = bytes};
    if (!c->sink)
        return;
    record.start_ps = start_ps - c->base_ps;
    record.wait_end_ps = wait_end_ps - c->base_ps;
    record.end_ps = end_ps - c->base_ps;
    c->sink->emit(c->sink->context, &record);
}

/* Something has been stored for that rank, now. Returns whether its core was spinning for it. */
static int wake(struct sim_channel *c, uint32_t rank)
{
    struct sim_endpoint *e = &c->endpoint[rank];
    if (e->state != SIM_ENDPOINT_PARKED)
        return 0;
    e->state = SIM_ENDPOINT_PROGRAM;
    e->wait_ps += c->now_ps - e->parked_ps;
    trace(c, e, STEP_NAME_W, STEP_WAIT_NE, 0, e->parked_ps, c->now_ps, c->now_ps);
    if (sim_queue_push(&c->queue, c->now_ps, rank, 0) != 0)
        c->error = -ENOMEM;
    return 1;
}

/* A store leaves after the one before; from a core that spins on its line that has to be taken first. */
static void drain(struct sim_channel *c, struct sim_endpoint *e, uint32_t peer, int spun)
{
    if (spun && !c->costs.contention_free)
        e->drain_ps = c->now_ps + sim_costs_drain_ps(&c->costs, sim_costs_between_ps(&c->costs, peer, e->rank));
}

static void packet_append(struct sim_packet_queue *q, struct sim_packet *packet)
{
    packet->next = NULL;
    *(q->head ? &q->last->next : &q->head) = packet;
    q->last = packet;
}

static void work_send(struct sim_channel *c, struct sim_endpoint *e, const struct sim_work *w)
{
    struct sim_endpoint *to = &c->endpoint[w->peer];
    struct sim_packet *packet = w->packet;
    packet->stored = 1;
    packet->stored_ps = c->now_ps;
    if (packet->units) {
        struct sim_pair *p = sim_channel_pair(c, w->peer, e->rank);
        if (!p)
            return;
        packet_append(&p->come, packet);
        sim_channel_ready(to, p);
    }
    packet->spun = wake(c, w->peer);
    drain(c, e, w->peer, packet->spun);
    c->messages++;
    trace(c, e, STEP_NAME_N, STEP_STORE, packet->payload_bytes, c->now_ps, c->now_ps, c->now_ps);
}

/* The tail of the peer's queue is a line that all senders add to. Returns when that is over. */
static uint64_t work_slot(struct sim_channel *c, struct sim_endpoint *e, const struct sim_work *w)
{
    struct sim_endpoint *to = &c->endpoint[w->peer];
    packet_append(&to->come, w->packet);
    if (c->costs.contention_free)
        return c->now_ps;
    uint64_t start_ps = c->now_ps > e->drain_ps ? c->now_ps : e->drain_ps;
    uint64_t fetch_ps = to->tail_rank == e->rank ? 0 : sim_costs_between_ps(&c->costs, to->tail_rank, e->rank);
    to->tail_busy_ps = (start_ps > to->tail_busy_ps ? start_ps : to->tail_busy_ps) + noisy(c, e, fetch_ps + c->costs.atomic_ps);
    to->tail_rank = e->rank;
    return to->tail_busy_ps;
}

static void work_tell(struct sim_channel *c, struct sim_endpoint *e, const struct sim_work *w)
{
    struct sim_pair *p = sim_channel_pair(c, w->peer, e->rank);
    if (!p)
        return;
    p->told[w->word] = (struct sim_told){w->value, 1, wake(c, w->peer), c->now_ps};
    drain(c, e, w->peer, p->told[w->word].spun);
}

static void work_unit(struct sim_channel *c, const struct sim_work *w)
{
    struct sim_endpoint *owner = &c->endpoint[w->peer];
    owner->back[owner->back_count++] = w->value;
    wake(c, w->peer);
}

static int is_store(const struct sim_work *w)
{
    return w->kind == SIM_WORK_SEND || w->kind == SIM_WORK_TELL || w->kind == SIM_WORK_UNIT;
}

static uint64_t begin_copy(struct sim_channel *c, struct sim_endpoint *e, const struct sim_work *w)
{
    if (sim_channel_copies_prepare(&c->copies, e->rank, &w->copy, &e->copy) != 0)
        c->error = -ENOMEM;
    e->copying = COPY_BEGINS;
    e->parked_ps = c->now_ps;
    return c->now_ps + noisy(c, e, e->copy.start_ps);
}

static void end_copy(struct sim_channel *c, struct sim_endpoint *e)
{
    const struct sim_work *w = &e->work[e->work_at++ % SIM_WORKS];
    e->copying = 0;
    e->drain_ps = c->now_ps + e->copy.tail_ps;
    e->copy_ps += c->now_ps - e->parked_ps;
    trace(c, e, STEP_NAME_C, STEP_COPY, w->copy.bytes, e->parked_ps, e->parked_ps, c->now_ps);
}

/* Begins the next work, or makes its store; returns when the rank goes on. */
static uint64_t work_next(struct sim_channel *c, struct sim_endpoint *e)
{
    const struct sim_work *w = &e->work[e->work_at % SIM_WORKS];
    if (is_store(w) && e->drain_ps > c->now_ps)
        return e->drain_ps;
    if (w->kind == SIM_WORK_COPY)
        return begin_copy(c, e, w);
    e->work_at++;
    uint64_t end_ps = c->now_ps;
    if (w->kind == SIM_WORK_TIME)
        end_ps += noisy(c, e, w->ps);
    else if (w->kind == SIM_WORK_SLOT)
        end_ps = work_slot(c, e, w);
    else if (w->kind == SIM_WORK_SEND)
        work_send(c, e, w);
    else if (w->kind == SIM_WORK_TELL)
        work_tell(c, e, w);
    else
        work_unit(c, w);
    e->notify_ps += end_ps - c->now_ps;
    return end_ps;
}

static void begin_flow(struct sim_channel *c, struct sim_endpoint *e)
{
    e->copying = COPY_MOVES;
    sim_bandwidth_begin(&c->copies.memory.bandwidth, e->rank, e->copy.class_id, noisy(c, e, e->copy.alone_ps), c->now_ps);
}

static void pass_begin(struct sim_endpoint *e)
{
    e->state = SIM_ENDPOINT_POLL;
    e->moved = 0;
    sim_channel_poll_begin(e);
}

/* What the endpoint does next, as in endpoint_wait: looks whether it is done, takes in, sends on. */
static void decide(struct sim_channel *c, struct sim_endpoint *e)
{
    switch (e->state) {
    case SIM_ENDPOINT_PROGRAM: {
        enum sim_program_next next = sim_program_next(c, e);
        if (next == SIM_PROGRAM_WAITS)
            pass_begin(e);
        else if (next == SIM_PROGRAM_OVER)
            e->state = SIM_ENDPOINT_OVER;
        return;
    }
    case SIM_ENDPOINT_POLL:
        if (sim_channel_poll(c, e)) {
            e->moved = 1;
        } else {
            e->state = SIM_ENDPOINT_PUSH;
            e->push_at = 0;
        }
        return;
    default:
        if (sim_channel_push(c, e)) {
            e->moved = 1;
            return;
        }
        e->state = e->moved ? SIM_ENDPOINT_PROGRAM : SIM_ENDPOINT_PARKED;
        e->parked_ps = c->now_ps;
    }
}

/* Takes a rank as far as it gets, as long as nothing else happens before. */
static int advance(struct sim_channel *c, uint32_t r)
{
    struct sim_endpoint *e = &c->endpoint[r];
    if (e->copying == COPY_BEGINS) {
        begin_flow(c, e);
        return 0;
    }
    while (!c->error) {
        if (e->work_at == e->work_end) {
            if (e->state == SIM_ENDPOINT_PARKED)
                return 0;
            decide(c, e);
            if (e->state != SIM_ENDPOINT_OVER || e->work_at != e->work_end)
                continue;
            c->running--;
            c->end_ps = c->now_ps > c->end_ps ? c->now_ps : c->end_ps;
            return 0;
        }
        uint64_t next_ps = work_next(c, e);
        if (next_ps > c->now_ps || e->copying)
            return sim_queue_push(&c->queue, next_ps, r, 0);
    }
    return c->error;
}

static int end_flows(struct sim_channel *c, uint32_t class_id, uint32_t generation)
{
    uint32_t r;
    while ((r = sim_bandwidth_end(&c->copies.memory.bandwidth, class_id, generation, c->now_ps)) != SIM_NO_RANK) {
        end_copy(c, &c->endpoint[r]);
        int rc = advance(c, r);
        if (rc)
            return rc;
    }
    return 0;
}

static int start_ranks(struct sim_channel *c)
{
    const struct conditions *k = &c->scenario->conditions;
    for (uint32_t r = 0; r < c->procs; r++) {
        struct sim_endpoint *e = &c->endpoint[r];
        double skew_s = k->skew_s > 0 ? k->skew_s * sim_random_uniform(&e->random) : 0;
        uint64_t call_ps = c->scenario->job.kind == JOB_P2P ? 0 : noisy(c, e, c->costs.call_ps);
        e->state = SIM_ENDPOINT_PROGRAM;
        sim_program_start(c, e);
        if (sim_queue_push(&c->queue, c->base_ps + sim_ps_from_s(skew_s) + call_ps, r, 0) != 0)
            return -ENOMEM;
    }
    c->running = c->procs;
    return 0;
}

static int run_events(struct sim_channel *c)
{
    struct sim_bandwidth *bandwidth = &c->copies.memory.bandwidth;
    while (c->running > 0) {
        if (bandwidth->dirty && sim_queue_head_ps(&c->queue) > c->now_ps) {
            int rc = sim_bandwidth_settle(bandwidth, &c->queue, c->now_ps);
            if (rc)
                return rc;
        }
        if (c->queue.count == 0)
            return -EDEADLK;
        struct sim_event event = sim_queue_pop(&c->queue);
        c->now_ps = event.time_ps;
        int rc = event.target < c->procs ? advance(c, event.target) : end_flows(c, event.target - c->procs, event.generation);
        if (rc)
            return rc;
    }
    return 0;
}

int sim_channel_call(struct sim_channel *c, struct trace_sink *sink, uint64_t *time_ps, char *reason, size_t reason_bytes)
{
    c->base_ps = c->now_ps = c->end_ps;
    c->sink = sink;
    int rc = start_ranks(c);
    if (rc == 0)
        rc = run_events(c);
    if (rc == 0)
        *time_ps = sim_program_time_ps(c, c->end_ps - c->base_ps);
    else if (rc == -ENOMEM)
        snprintf(reason, reason_bytes, "no memory for the events of %u ranks", c->procs);
    else
        snprintf(reason, reason_bytes, "channel %s %s after %.3f us", c->kind->name,
                 rc == -EDEADLK ? "stops for ever" : "has more to do than it can note", sim_s_from_ps(c->now_ps) * 1e6);
    return rc == 0 || rc == -ENOMEM ? rc : -EPROTO;
}
