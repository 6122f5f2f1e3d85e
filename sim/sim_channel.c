#include "sim/sim_channel.h"

#include "model/channel/channel_thresholds.h"
#include "model/message_model.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- lists ---- */

void sim_message_push(struct sim_message_queue *q, struct sim_message *m)
{
    m->next = NULL;
    *(q->head ? &q->last->next : &q->head) = m;
    q->last = m;
}

struct sim_message *sim_message_pop(struct sim_message_queue *q)
{
    struct sim_message *m = q->head;
    q->head = m->next;
    return m;
}

struct sim_packet *sim_channel_packet(struct sim_channel *c, struct sim_packet what)
{
    struct sim_packet *packet = c->spare;
    if (packet) {
        c->spare = packet->next;
        what.made = packet->made;
    } else if ((packet = malloc(sizeof *packet)) != NULL) {
        what.made = c->made;
        c->made = packet;
    } else {
        c->error = -ENOMEM;
        return NULL;
    }
    *packet = what;
    return packet;
}

void sim_channel_packet_free(struct sim_channel *c, struct sim_packet *packet)
{
    packet->next = c->spare;
    c->spare = packet;
}

static void packets_destroy(struct sim_packet *packet)
{
    while (packet) {
        struct sim_packet *made = packet->made;
        free(packet);
        packet = made;
    }
}

/* ---- pairs ---- */

static int has_ring(const struct sim_channel *c)
{
    return c->kind == &channel_kind_er;
}

static struct sim_pair *pair_create(const struct sim_channel *c, uint32_t peer)
{
    struct sim_pair *p = calloc(1, sizeof *p);
    uint32_t start = c->scenario->conditions.op_start, units = c->shape.ring_bytes / CHANNEL_UNIT_BYTES;
    if (!p)
        return NULL;
    p->rank = peer;
    p->out = er_sender_start(units, start);
    p->in = er_receiver_start(units, start);
    p->out_ring = p->in_ring = has_ring(c);
    p->told[SIM_TOLD_RING].value = start;
    p->told[SIM_TOLD_LIMIT].value = start + c->shape.queue_initial;
    credit_sender_start(&p->credit, c->shape.queue_initial, start);
    p->kept_tail = &p->kept;
    p->sends = SIM_RINGS_ASK; /* there have been calls before */
    return p;
}

static struct sim_pair **slot_of(struct sim_pair **slot, uint32_t slots, uint32_t peer)
{
    uint32_t i = peer * 2654435761u & (slots - 1);
    while (slot[i] && slot[i]->rank != peer)
        i = (i + 1) & (slots - 1);
    return &slot[i];
}

static int pairs_grow(struct sim_endpoint *e)
{
    uint32_t slots = e->slots ? 2 * e->slots : 8;
    struct sim_pair **slot = calloc(slots, sizeof(struct sim_pair *));
    if (!slot)
        return -ENOMEM;
    for (uint32_t i = 0; i < e->slots; i++)
        if (e->slot[i])
            *slot_of(slot, slots, e->slot[i]->rank) = e->slot[i];
    free(e->slot);
    e->slot = slot;
    e->slots = slots;
    return 0;
}

struct sim_pair *sim_channel_pair(struct sim_channel *c, uint32_t rank, uint32_t peer)
{
    struct sim_endpoint *e = &c->endpoint[rank];
    struct sim_pair **at = e->slots ? slot_of(e->slot, e->slots, peer) : NULL;
    if (at && *at)
        return *at;
    if (2 * e->pairs >= e->slots && pairs_grow(e) != 0) {
        c->error = -ENOMEM;
        return NULL;
    }
    struct sim_pair *p = pair_create(c, peer);
    *slot_of(e->slot, e->slots, peer) = p;
    if (!p) {
        c->error = -ENOMEM;
        return NULL;
    }
    e->pairs++;
    if (e->account)
        credit_account_start(&e->account[peer], c->shape.queue_initial, c->scenario->conditions.op_start);
    return p;
}

void sim_channel_pending(struct sim_channel *c, struct sim_endpoint *e, struct sim_pair *p)
{
    if (p->pending)
        return;
    if (e->pending_count == e->pending_most) {
        uint32_t most = e->pending_most ? 2 * e->pending_most : 8;
        struct sim_pair **pending = realloc(e->pending, most * sizeof(struct sim_pair *));
        if (!pending) {
            c->error = -ENOMEM;
            return;
        }
        e->pending = pending;
        e->pending_most = most;
    }
    e->pending[e->pending_count++] = p;
    p->pending = 1;
}

static void pair_destroy(struct sim_pair *p)
{
    if (p->open_kept && p->open_kept->taker)
        free(p->open_kept); /* is in no list */
    while (p->kept) {
        struct sim_kept *k = p->kept;
        p->kept = k->next;
        free(k);
    }
    free(p);
}

/* ---- work ---- */

void sim_channel_work(struct sim_channel *c, struct sim_endpoint *e, struct sim_work work)
{
    if (e->work_end - e->work_at == SIM_WORKS)
        c->error = -EPROTO;
    else
        e->work[e->work_end++ % SIM_WORKS] = work;
}

void sim_channel_time(struct sim_channel *c, struct sim_endpoint *e, uint64_t ps)
{
    if (ps > 0 && !c->costs.contention_free)
        sim_channel_work(c, e, (struct sim_work){.kind = SIM_WORK_TIME, .ps = ps});
}

void sim_channel_fetch(struct sim_channel *c, struct sim_endpoint *e, uint32_t from, int spun, uint64_t stored_ps)
{
    uint64_t ps = c->costs.t_w_ps;
    if (!c->costs.contention_free) {
        uint64_t whole_ps = sim_costs_between_ps(&c->costs, from, e->rank), seen_ps = stored_ps + whole_ps;
        ps = spun ? whole_ps : (uint64_t)(c->costs.fetch_share * (double)whole_ps);
        ps = seen_ps > c->now_ps + ps ? seen_ps - c->now_ps : ps;
    }
    sim_channel_work(c, e, (struct sim_work){.kind = SIM_WORK_TIME, .ps = ps});
}

uint32_t sim_channel_read(struct sim_channel *c, struct sim_endpoint *e, struct sim_pair *p, enum sim_told_word word)
{
    struct sim_told *told = &p->told[word];
    if (told->fresh && !c->costs.contention_free)
        sim_channel_fetch(c, e, p->rank, told->spun, told->stored_ps);
    told->fresh = 0;
    return told->value;
}

void sim_channel_tell(struct sim_channel *c, struct sim_endpoint *e, const struct sim_pair *p, enum sim_told_word word,
                      uint32_t value)
{
    sim_channel_work(c, e, (struct sim_work){.kind = SIM_WORK_TELL, .peer = p->rank, .word = word, .value = value});
}

/* ---- creation ---- */

static int endpoint_create(struct sim_channel *c, uint32_t rank)
{
    struct sim_endpoint *e = &c->endpoint[rank];
    const struct channel_shape *s = &c->shape;
    *e = (struct sim_endpoint){.rank = rank, .state = SIM_ENDPOINT_OVER, .tail_rank = rank,
                               .random = c->scenario->conditions.seed + UINT64_C(0xd1342543de82ef95) * (rank + 1)};
    int rc = sim_program_create(c, e);
    if (rc || has_ring(c)) {
        e->ring_count = c->procs - 1;
        return rc;
    }
    uint32_t slots = credit_slots(c->procs, s->queue_initial, s->queue_extension);
    e->account = calloc(c->procs, sizeof *e->account);
    e->idle = calloc(s->pool_units, sizeof *e->idle);
    e->back = calloc(s->pool_units, sizeof *e->back);
    e->ring_most = c->kind == &channel_kind_combined ? s->rings_most : 0;
    e->ring_from = calloc(e->ring_most + 1, sizeof *e->ring_from);
    if (!e->account || !e->idle || !e->back || !e->ring_from)
        return -ENOMEM;
    for (uint32_t u = 0; u < s->pool_units; u++)
        e->idle[e->idle_count++] = s->pool_units - 1 - u;
    return credit_pool_start(&e->pool, c->procs, s->queue_initial, slots);
}

static void endpoint_destroy(struct sim_endpoint *e)
{
    for (uint32_t i = 0; i < e->slots; i++)
        if (e->slot[i])
            pair_destroy(e->slot[i]);
    free(e->slot);
    free(e->pending);
    free(e->account);
    free(e->idle);
    free(e->back);
    free(e->ring_from);
    free(e->program.message);
}

static int create(struct sim_channel *c, char *reason, size_t reason_bytes)
{
    const struct scenario *s = c->scenario;
    int rc = channel_shape_of_scenario(s, &c->shape);
    if (rc) {
        snprintf(reason, reason_bytes, "rings take fragments of 64 bytes to a quarter of their slots, of 1 GiB at most");
        return -ENOTSUP;
    }
    c->row_bytes = s->job.kind == JOB_P2P ? message_model_row_bytes(s) : 0;
    c->kept_units = c->shape.kept_bytes / 64;
    c->eager_units = c->kept_units / 4 * 3;
    if (s->algorithm && (rc = schedule_init_regions(&c->schedule, s->algorithm, c->procs, 0, scenario_region(s))) != 0)
        return rc;
    if (s->numbering && s->numbering->remap == NUMBERING_REORDER)
        c->reorder_moves = numbering_moves(s->numbering, c->procs, 0);
    rc = sim_costs_create(&c->costs, s, reason, reason_bytes);
    rc = rc ? rc : sim_channel_copies_create(&c->copies, s, c->procs, reason, reason_bytes);
    rc = rc ? rc : sim_queue_create(&c->queue, 2 * (size_t)c->procs + 64);
    c->endpoint = rc ? NULL : calloc(c->procs, sizeof *c->endpoint);
    rc = rc || c->endpoint ? rc : -ENOMEM;
    for (uint32_t r = 0; r < c->procs && rc == 0; r++)
        rc = endpoint_create(c, r);
    return rc;
}

int sim_channel_create(struct sim_channel *c, const struct scenario *scenario, char *reason, size_t reason_bytes)
{
    *c = (struct sim_channel){.scenario = scenario, .kind = scenario_channel(scenario), .procs = scenario->job.procs};
    int rc = create(c, reason, reason_bytes);
    if (rc == 0)
        return 0;
    if (!reason[0])
        snprintf(reason, reason_bytes, "no memory to simulate %u ranks", c->procs);
    sim_channel_destroy(c);
    return rc;
}

void sim_channel_destroy(struct sim_channel *c)
{
    for (uint32_t r = 0; c->endpoint && r < c->procs; r++)
        endpoint_destroy(&c->endpoint[r]);
    packets_destroy(c->made);
    free(c->endpoint);
    sim_costs_destroy(&c->costs);
    sim_channel_copies_destroy(&c->copies);
    sim_queue_destroy(&c->queue);
    *c = (struct sim_channel){0};
}
