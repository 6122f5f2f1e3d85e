#include "sim/sim_nic.h"

#include <errno.h>
#include <stdlib.h>

/* What passes a stage, and what is done behind it. */
enum size_kind { ALL, DESCRIPTOR, REQUEST, DATA, DATA_AND_EVENT, EVENT };
enum after { PASS, READ, ISSUE, LEFT, TELL_OTHER, TELL_GIVER };

struct sim_nic_hop {
    enum nic_stage stage;
    int other; /* the stage is the other rank's */
    enum size_kind size;
    enum after after;
};

static const struct sim_nic_hop packet_route[] = {{NIC_STAGE_BUS_OUT, 0, ALL, PASS},
                                                  {NIC_STAGE_NIC_OUT, 0, ALL, PASS},
                                                  {NIC_STAGE_LINK, 0, ALL, PASS},
                                                  {NIC_STAGE_NIC_IN, 1, ALL, PASS},
                                                  {NIC_STAGE_BUS_IN, 1, ALL, TELL_OTHER}};
static const struct sim_nic_hop immediate_route[] = {{NIC_STAGE_BUS_OUT, 0, ALL, PASS},
                                                     {NIC_STAGE_NIC_OUT, 0, ALL, PASS},
                                                     {NIC_STAGE_LINK, 0, ALL, PASS},
                                                     {NIC_STAGE_NIC_IN, 1, ALL, PASS},
                                                     {NIC_STAGE_BUS_IN, 1, DATA_AND_EVENT, TELL_OTHER}};
static const struct sim_nic_hop put_route[] = {{NIC_STAGE_BUS_OUT, 0, DESCRIPTOR, PASS},
                                               {NIC_STAGE_NIC_OUT, 0, DESCRIPTOR, READ}};
static const struct sim_nic_hop put_data_route[] = {
    {NIC_STAGE_BUS_IN, 0, REQUEST, PASS}, {NIC_STAGE_BUS_OUT, 0, DATA, PASS}, {NIC_STAGE_NIC_OUT, 0, ALL, ISSUE},
    {NIC_STAGE_LINK, 0, ALL, PASS},       {NIC_STAGE_NIC_IN, 1, ALL, PASS},   {NIC_STAGE_BUS_IN, 1, DATA_AND_EVENT, TELL_OTHER}};
static const struct sim_nic_hop get_route[] = {{NIC_STAGE_BUS_OUT, 0, DESCRIPTOR, PASS},
                                               {NIC_STAGE_NIC_OUT, 0, DESCRIPTOR, PASS},
                                               {NIC_STAGE_LINK, 0, DESCRIPTOR, PASS},
                                               {NIC_STAGE_NIC_IN, 1, DESCRIPTOR, READ}};
static const struct sim_nic_hop get_data_route[] = {
    {NIC_STAGE_BUS_IN, 1, REQUEST, PASS}, {NIC_STAGE_BUS_OUT, 1, DATA, PASS}, {NIC_STAGE_NIC_OUT, 1, ALL, ISSUE},
    {NIC_STAGE_LINK, 1, ALL, LEFT},       {NIC_STAGE_NIC_IN, 0, ALL, PASS},   {NIC_STAGE_BUS_IN, 0, DATA_AND_EVENT, TELL_GIVER}};
static const struct sim_nic_hop event_route[] = {{NIC_STAGE_BUS_IN, 1, EVENT, TELL_OTHER}};

int sim_nic_create(struct sim_nic *nic, const struct nic_ps *costs, uint32_t ranks, uint32_t ppn, struct sim_queue *queue)
{
    *nic = (struct sim_nic){.costs = *costs, .queue = queue, .ppn = ppn};
    sim_pool_create(&nic->ops, sizeof(struct sim_nic_op));
    sim_pool_create(&nic->pieces, sizeof(struct sim_nic_piece));
    nic->free_ps = calloc(((size_t)ranks + ppn - 1) / ppn * NIC_STAGE_COUNT, sizeof *nic->free_ps);
    return nic->free_ps ? 0 : -ENOMEM;
}

void sim_nic_destroy(struct sim_nic *nic)
{
    free(nic->free_ps);
    sim_pool_destroy(&nic->ops);
    sim_pool_destroy(&nic->pieces);
    *nic = (struct sim_nic){0};
}

/* ---- room ---- */

static struct sim_nic_op *op_at(const struct sim_nic *nic, uint32_t i)
{
    return sim_pool_at(&nic->ops, i);
}

static struct sim_nic_piece *piece_at(const struct sim_nic *nic, uint32_t i)
{
    return sim_pool_at(&nic->pieces, i);
}

static uint32_t place_take(struct sim_nic *nic, struct sim_pool *pool)
{
    uint32_t i = sim_pool_take(pool);
    if (i == SIM_POOL_NONE)
        nic->error = -ENOMEM;
    return i;
}

static void wake(struct sim_nic *nic, uint32_t piece, uint64_t at_ps)
{
    if (sim_queue_push(nic->queue, at_ps, piece, SIM_NIC_EVENT))
        nic->error = -ENOMEM;
}

static void piece_start(struct sim_nic *nic, uint32_t op, const struct sim_nic_hop *route, uint64_t bytes, uint64_t at_ps)
{
    uint32_t i = place_take(nic, &nic->pieces);
    if (i == SIM_POOL_NONE)
        return;
    *piece_at(nic, i) = (struct sim_nic_piece){.op = op, .route = route, .bytes = bytes, .first_ps = at_ps, .last_ps = at_ps};
    wake(nic, i, at_ps);
}

/* ---- operations ---- */

static uint32_t pieces_of(const struct sim_nic *nic, uint64_t bytes)
{
    return bytes ? (uint32_t)((bytes + nic->costs.packet_bytes - 1) / nic->costs.packet_bytes) : 1;
}

void sim_nic_post(struct sim_nic *nic, enum sim_nic_verb verb, uint32_t from, uint32_t to, uint64_t bytes, void *subject,
                  uint64_t at_ps)
{
    static const struct sim_nic_hop *const routes[] = {packet_route, immediate_route, put_route, get_route};
    uint32_t i = place_take(nic, &nic->ops);
    if (i == SIM_POOL_NONE)
        return;
    *op_at(nic, i) = (struct sim_nic_op){.verb = verb, .from = from, .to = to, .bytes = bytes, .subject = subject,
                                     .pieces = pieces_of(nic, bytes), .told = verb == SIM_NIC_GET ? 2 : 1};
    piece_start(nic, i, routes[verb], bytes, at_ps);
}

/* The next piece is asked of memory. */
static void issue(struct sim_nic *nic, uint32_t i, uint64_t at_ps)
{
    struct sim_nic_op *op = op_at(nic, i);
    if (op->pieces_asked == op->pieces)
        return;
    uint64_t left_bytes = op->bytes - op->read_bytes, most = nic->costs.packet_bytes,
             bytes = left_bytes < most ? left_bytes : most;
    op->read_bytes += bytes;
    op->pieces_asked++;
    piece_start(nic, i, op->verb == SIM_NIC_PUT ? put_data_route : get_data_route, bytes, at_ps);
}

static uint64_t size_of(const struct sim_nic *nic, const struct sim_nic_piece *p)
{
    const struct nic_ps *c = &nic->costs;
    switch (p->route[p->hop].size) {
    case ALL:
        return p->bytes + c->head_bytes;
    case DESCRIPTOR:
        return c->descriptor_bytes;
    case REQUEST:
        return c->request_bytes;
    case DATA:
        return p->bytes;
    case DATA_AND_EVENT:
        return p->bytes + c->event_bytes;
    default:
        return c->event_bytes;
    }
}

static const char *label_of(const struct sim_nic *nic, const struct sim_nic_piece *p)
{
    static const char *const labels[] = {"packet", "immediate put", "put", "get"};
    enum size_kind size = p->route[p->hop].size;
    return size == DESCRIPTOR ? "descriptor"
           : size == REQUEST  ? "read request"
           : size == EVENT    ? "event"
                              : labels[op_at(nic, p->op)->verb];
}

static void trace(const struct sim_nic *nic, const struct sim_nic_piece *p, uint32_t rank, uint64_t start_ps, uint64_t end_ps)
{
    struct trace_step step = {.rank = rank, .op = STEP_COPY, .stage = p->route[p->hop].stage, .label = label_of(nic, p),
                              .start_ps = start_ps - nic->base_ps, .wait_end_ps = start_ps - nic->base_ps,
                              .end_ps = end_ps - nic->base_ps, .bytes = size_of(nic, p)};
    nic->sink->emit(nic->sink->context, &step);
}

/* The piece's first byte is at its next stage, which takes it when it is free. Its last one leaves no sooner than it came. */
static void pass(struct sim_nic *nic, struct sim_nic_piece *p, uint64_t now_ps)
{
    const struct sim_nic_hop *hop = &p->route[p->hop];
    const struct sim_nic_op *op = op_at(nic, p->op);
    uint32_t rank = hop->other ? op->to : op->from;
    uint64_t *free_ps = &nic->free_ps[(size_t)(rank / nic->ppn) * NIC_STAGE_COUNT + hop->stage], bytes = size_of(nic, p);
    uint64_t start_ps = now_ps > *free_ps ? now_ps : *free_ps,
             through_ps = start_ps + nic_stage_ps(&nic->costs, hop->stage, bytes);
    uint64_t latency_ps = nic->costs.latency_ps[hop->stage] + (hop->size == REQUEST ? nic->costs.memory_ps : 0);
    uint64_t last_ps = through_ps > p->last_ps ? through_ps : p->last_ps, gap_ps = start_ps + nic->costs.gap_ps[hop->stage];
    *free_ps = last_ps > gap_ps ? last_ps : gap_ps;
    p->first_ps = start_ps + latency_ps;
    p->last_ps = last_ps + latency_ps;
    if (hop->stage == NIC_STAGE_LINK)
        nic->passed_bytes += bytes;
    if (nic->sink)
        trace(nic, p, rank, start_ps, p->last_ps);
}

/* Told of when the last piece is there. */
static int come(struct sim_nic *nic, uint32_t i, int giver, struct sim_nic_told *out)
{
    struct sim_nic_op *op = op_at(nic, i);
    if (op->verb != SIM_NIC_GET || giver)
        if (++op->pieces_come < (op->verb == SIM_NIC_PUT || op->verb == SIM_NIC_GET ? op->pieces : 1))
            return 0;
    *out = (struct sim_nic_told){.rank = giver ? op->from : op->to, .verb = op->verb, .giver = giver, .subject = op->subject};
    if (--op->told == 0)
        sim_pool_release(&nic->ops, i);
    return 1;
}

static void left(struct sim_nic *nic, uint32_t i, uint64_t at_ps)
{
    if (++op_at(nic, i)->pieces_left == op_at(nic, i)->pieces)
        piece_start(nic, i, event_route, 0, at_ps);
}

enum { ARRIVED = 64 }; /* of hop: the piece only waits for its last byte */

int sim_nic_advance(struct sim_nic *nic, uint32_t target, uint64_t now_ps, struct sim_nic_told *out)
{
    struct sim_nic_piece *p = piece_at(nic, target);
    uint32_t op = p->op, hop = p->hop & (ARRIVED - 1);
    enum after after = p->route[hop].after;
    if (p->hop & ARRIVED) {
        sim_pool_release(&nic->pieces, target);
        return come(nic, op, after == TELL_GIVER, out);
    }
    pass(nic, p, now_ps);
    uint64_t first_ps = p->first_ps, last_ps = p->last_ps; /* p may move below */
    if (after == READ) {
        sim_pool_release(&nic->pieces, target);
        for (uint32_t i = 0; i < nic->costs.reads; i++)
            issue(nic, op, last_ps);
        return 0;
    }
    p->hop = after == TELL_OTHER || after == TELL_GIVER ? hop | ARRIVED : hop + 1;
    wake(nic, target, p->hop & ARRIVED ? last_ps : first_ps);
    if (after == ISSUE)
        issue(nic, op, last_ps);
    if (after == LEFT)
        left(nic, op, last_ps - nic->costs.latency_ps[NIC_STAGE_LINK]);
    return 0;
}
