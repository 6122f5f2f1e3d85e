#include "sim/sim_remote.h"

#include "model/channel/channel_memory.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

enum { INBOX_FIRST = 16 };
static const uint64_t FRESH_FIRST = UINT64_C(1) << 48; /* of what is never used again; below it each rank's buffer */

/* ---- lists ---- */

void sim_remote_message_push(struct sim_remote_messages *q, struct sim_remote_message *m)
{
    m->next = NULL;
    if (q->head)
        q->last->next = m;
    else
        q->head = m;
    q->last = m;
}

void sim_remote_packet_push(struct sim_remote_packets *q, struct sim_remote_packet *packet)
{
    packet->next = NULL;
    if (q->head)
        q->last->next = packet;
    else
        q->head = packet;
    q->last = packet;
}

struct sim_remote_packet *sim_remote_packet_pop(struct sim_remote_packets *q)
{
    struct sim_remote_packet *packet = q->head;
    if (packet)
        q->head = packet->next;
    return packet;
}

struct sim_remote_packet *sim_remote_packet_make(struct sim_remote *s, struct sim_remote_packet what)
{
    struct sim_remote_packet *packet = s->packet_spare;
    if (packet) {
        s->packet_spare = packet->next;
    } else if ((packet = malloc(sizeof *packet))) {
        packet->made = s->packet_made;
        s->packet_made = packet;
    } else {
        s->error = -ENOMEM;
        return NULL;
    }
    what.made = packet->made;
    what.next = NULL;
    *packet = what;
    return packet;
}

void sim_remote_packet_free(struct sim_remote *s, struct sim_remote_packet *packet)
{
    packet->next = s->packet_spare;
    s->packet_spare = packet;
}

/* ---- pairs ---- */

struct sim_remote_pair *sim_remote_pair_of(struct sim_remote *s, struct sim_remote_endpoint *e, uint32_t peer)
{
    struct sim_remote_pair *p = e->pair[peer];
    if (p)
        return p;
    p = e->pair[peer] = calloc(1, sizeof *p);
    if (!p) {
        s->error = -ENOMEM;
        return NULL;
    }
    p->rank = peer;
    p->out = er_sender_start(s->shape.ring_bytes / CHANNEL_UNIT_BYTES, 0);
    p->in = er_receiver_start(s->shape.ring_bytes / CHANNEL_UNIT_BYTES, 0);
    credit_sender_start(&p->credit, s->shape.queue_initial, 0);
    e->pairs++;
    e->memory_bytes += sim_remote_is_inside(s, e->rank, peer) ? 0 : CHANNEL_STATE_BYTES;
    return p;
}

void sim_remote_ring_made(struct sim_remote *s, struct sim_remote_endpoint *e, struct sim_remote_pair *p,
                          struct sim_remote_endpoint *other, struct sim_remote_pair *there)
{
    if (!p || !there || p->out_ring)
        return;
    p->out_ring = there->in_ring = 1;
    e->memory_bytes += s->shape.ring_bytes;
    other->memory_bytes += s->shape.ring_bytes;
}

/* ---- a core ---- */

static void wake(struct sim_remote *s, struct sim_remote_endpoint *e, uint64_t at_ps)
{
    if (e->scheduled)
        return;
    e->scheduled = 1;
    if (sim_queue_push(&s->queue, at_ps, e->rank, SIM_REMOTE_CORE_EVENT))
        s->error = -ENOMEM;
}

static void tell(struct sim_remote *s, struct sim_remote_endpoint *e, uint32_t op, uint64_t ps, const char *label, uint64_t bytes)
{
    struct trace_step step = {.rank = e->rank, .op = e->over ? STEP_DONE : op, .stage = NIC_STAGE_CORE, .label = label,
                              .bytes = bytes, .start_ps = e->told_ps - s->base_ps, .wait_end_ps = e->at_ps - s->base_ps,
                              .end_ps = e->at_ps + ps - s->base_ps};
    if (step.end_ps > step.start_ps)
        s->sink->emit(s->sink->context, &step);
    e->told_ps = e->at_ps + ps;
}

static void work(struct sim_remote *s, struct sim_remote_endpoint *e, uint32_t op, uint64_t ps, const char *label, uint64_t bytes)
{
    if (s->sink && ps)
        tell(s, e, op, ps, label, bytes);
    e->at_ps += ps;
    e->busy_ps += ps;
}

void sim_remote_spend(struct sim_remote *s, struct sim_remote_endpoint *e, uint64_t ps, const char *label, uint64_t bytes)
{
    work(s, e, STEP_STORE, ps, label, bytes);
}

void sim_remote_copying(struct sim_remote *s, struct sim_remote_endpoint *e, uint64_t ps, const char *label, uint64_t bytes)
{
    e->copy_ps += ps;
    work(s, e, STEP_COPY, ps, label, bytes);
}

void sim_remote_copy(struct sim_remote *s, struct sim_remote_endpoint *e, uint64_t bytes, int cold)
{
    sim_remote_copying(s, e, nic_copy_ps(&s->costs, bytes, cold), "copy", bytes);
}

void sim_remote_register(struct sim_remote *s, struct sim_remote_endpoint *e, const struct sim_remote_message *m)
{
    int hit = registration_use(&e->registered, m->address, m->bytes);
    sim_remote_spend(s, e, hit ? s->costs.register_hit_ps : nic_register_ps(&s->costs, m->bytes), hit ? "registered" : "register",
                     m->bytes);
}

void sim_remote_post(struct sim_remote *s, struct sim_remote_endpoint *e, enum sim_nic_verb verb, uint32_t to, uint64_t bytes,
                     void *subject)
{
    static const char *const labels[] = {"post packet", "post immediate", "post put", "post get"};
    int carries = verb == SIM_NIC_PACKET || verb == SIM_NIC_IMMEDIATE;
    sim_remote_spend(s, e, nic_post_ps(&s->costs, carries ? bytes + s->costs.head_bytes : s->costs.descriptor_bytes),
                     labels[verb], bytes);
    if (subject)
        sim_nic_post(&s->nic, verb, e->rank, to, bytes, subject, e->at_ps);
}

void sim_remote_done(struct sim_remote_endpoint *e, struct sim_remote_message *m)
{
    m->done = 1;
    e->open--;
}

void sim_remote_item(struct sim_remote *s, struct sim_remote_endpoint *e, enum sim_remote_item_kind kind, void *what)
{
    if (e->inbox_end - e->inbox_at == e->inbox_most) {
        uint32_t most = e->inbox_most ? 2 * e->inbox_most : INBOX_FIRST;
        struct sim_remote_item *more = malloc(most * sizeof *more);
        if (!more) {
            s->error = -ENOMEM;
            return;
        }
        for (uint32_t i = e->inbox_at; i != e->inbox_end; i++)
            more[i & (most - 1)] = e->inbox[i & (e->inbox_most - 1)];
        free(e->inbox);
        e->inbox = more;
        e->inbox_most = most;
    }
    e->inbox[e->inbox_end++ & (e->inbox_most - 1)] = (struct sim_remote_item){kind, what};
    wake(s, e, s->now_ps);
}

/* ---- the program ---- */

static struct sim_remote_message *message_make(struct sim_remote *s, struct sim_remote_endpoint *e,
                                               const struct sim_remote_act *act)
{
    struct sim_remote_message *m = calloc(1, sizeof *m);
    if (!m) {
        s->error = -ENOMEM;
        return NULL;
    }
    m->made = s->message_made;
    s->message_made = m;
    m->peer = act->peer;
    m->bytes = act->bytes;
    m->act = e->act - 1;
    m->cold = s->question.cold && !act->warm;
    m->address = (s->question.cold ? FRESH_FIRST + e->fresh_address : 0) + act->place;
    e->fresh_address += s->program.buffer_bytes ? 0 : act->bytes;
    e->open++;
    return m;
}

/* The next act: 1, or 0 if it waits or is over. */
static int act(struct sim_remote *s, struct sim_remote_endpoint *e)
{
    struct sim_remote_act what;
    struct sim_remote_message *m;
    if (e->over)
        return 0;
    s->program.act(s->program.context, e->rank, e->act, &what);
    if (what.kind == SIM_REMOTE_WAIT || what.kind == SIM_REMOTE_OVER) {
        if (e->open > 0)
            return 0;
        e->act++;
        if (s->sink && what.kind == SIM_REMOTE_OVER)
            tell(s, e, STEP_STORE, 0, "end", 0);
        e->over = what.kind == SIM_REMOTE_OVER;
        e->end_ps = e->at_ps;
        s->running -= (uint32_t)e->over;
        return !e->over;
    }
    e->act++;
    if (what.kind == SIM_REMOTE_MOVE) {
        for (uint32_t i = 0; i < what.times; i++)
            sim_remote_copy(s, e, what.bytes, s->question.cold && !what.warm);
        return 1;
    }
    if (!(m = message_make(s, e, &what)))
        return 0;
    if (what.kind == SIM_REMOTE_SEND)
        sim_remote_send(s, e, m);
    else
        sim_remote_receive(s, e, m);
    return 1;
}

static void turn(struct sim_remote *s, struct sim_remote_endpoint *e)
{
    int went = 1;
    e->at_ps = s->now_ps;
    while (went && e->at_ps == s->now_ps && !s->error) {
        int comes = e->inbox_at != e->inbox_end;
        if (comes && !e->took)
            sim_remote_take(s, e);
        else
            went = sim_remote_fetch(s, e) || sim_remote_push(s, e) || (!comes && act(s, e));
        e->took = comes && !e->took;
        went |= comes;
    }
    e->scheduled = 0; /* what came meanwhile has waked nobody */
    if (went)
        wake(s, e, e->at_ps);
}

/* ---- events ---- */

static void ring_come(struct sim_remote *s, struct sim_remote_endpoint *e, struct sim_remote_packet *packet)
{
    struct sim_remote_pair *p = e->pair[packet->from];
    packet->come = 1;
    if (p->ring.head == packet)
        sim_remote_item(s, e, SIM_REMOTE_ITEM_RING, p);
}

static void limit_come(struct sim_remote *s, struct sim_remote_endpoint *e, struct sim_remote_packet *packet)
{
    struct sim_remote_pair *p = e->pair[packet->from];
    p->limit = packet->note.limit;
    sim_remote_packet_free(s, packet);
    if (!p->fresh)
        sim_remote_item(s, e, SIM_REMOTE_ITEM_LIMIT, p);
    p->fresh = 1;
}

static void told(struct sim_remote *s, const struct sim_nic_told *what)
{
    struct sim_remote_endpoint *e = &s->endpoint[what->rank];
    struct sim_remote_packet *packet = what->subject;
    if (what->verb == SIM_NIC_GET) {
        sim_remote_item(s, e, what->giver ? SIM_REMOTE_ITEM_GOT : SIM_REMOTE_ITEM_TAKEN, packet);
    } else if (packet->kind == SIM_REMOTE_LIMIT) {
        limit_come(s, e, packet);
    } else if (what->verb == SIM_NIC_PACKET) {
        e->in_queue++;
        e->in_queue_most = e->in_queue > e->in_queue_most ? e->in_queue : e->in_queue_most;
        if (e->in_queue > s->queue_slots)
            s->error = -EPROTO; /* credits are to prevent that */
        sim_remote_item(s, e, SIM_REMOTE_ITEM_PACKET, packet);
    } else {
        ring_come(s, e, packet);
    }
}

static void run(struct sim_remote *s)
{
    while (s->queue.count > 0 && !s->error) {
        struct sim_event event = sim_queue_pop(&s->queue);
        struct sim_nic_told what;
        s->now_ps = event.time_ps;
        if (event.generation == SIM_REMOTE_CORE_EVENT)
            turn(s, &s->endpoint[event.target]);
        else if (event.generation == SIM_REMOTE_INSIDE_EVENT)
            sim_remote_inside_come(s, event.target);
        else if (sim_nic_advance(&s->nic, event.target, event.time_ps, &what))
            told(s, &what);
        s->error = s->error ? s->error : s->nic.error;
    }
}

static int tell_error(const struct sim_remote *s, char *reason, size_t reason_bytes)
{
    if (s->error == -EPROTO)
        snprintf(reason, reason_bytes, "a queue of %u packets overflowed, or a ring: the simulation is wrong", s->queue_slots);
    else if (s->error == -EBADMSG)
        snprintf(reason, reason_bytes, "rank %u gets %llu bytes from rank %u and expects %llu", s->unlike->to,
                 (unsigned long long)s->unlike->bytes, s->unlike->from, (unsigned long long)s->unlike->taker->bytes);
    else if (s->error == -ENOMEM)
        snprintf(reason, reason_bytes, "no memory for the messages of %u ranks: use fewer", s->procs);
    if (s->error || s->running == 0)
        return s->error;
    for (uint32_t r = 0; r < s->procs; r++)
        if (!s->endpoint[r].over) {
            snprintf(reason, reason_bytes, "%u of %u ranks wait for ever, the first is rank %u at its act %u", s->running,
                     s->procs, r, s->endpoint[r].act);
            break;
        }
    return -EDEADLK;
}

int sim_remote_call(struct sim_remote *s, const struct sim_remote_program *program, struct trace_sink *sink, uint64_t *time_ps,
                    char *reason, size_t reason_bytes)
{
    uint64_t end_ps = s->now_ps;
    s->program = *program;
    s->base_ps = s->nic.base_ps = s->now_ps;
    s->sink = s->nic.sink = sink;
    s->running = s->procs;
    for (uint32_t r = 0; r < s->procs; r++) {
        struct sim_remote_endpoint *e = &s->endpoint[r];
        e->act = e->over = 0;
        e->told_ps = s->base_ps;
        e->fresh_address += program->buffer_bytes;
        wake(s, e, s->now_ps + (program->late_ps ? program->late_ps(program->context, r) : 0));
    }
    run(s);
    s->sink = s->nic.sink = NULL;
    int err = tell_error(s, reason, reason_bytes);
    for (struct sim_remote_message *m = s->message_made, *next; m && !err; m = next) {
        next = m->made;
        free(m);
        s->message_made = next;
    }
    for (uint32_t r = 0; r < s->procs && !err; r++)
        end_ps = s->endpoint[r].end_ps > end_ps ? s->endpoint[r].end_ps : end_ps;
    *time_ps = end_ps - s->base_ps;
    return err;
}
