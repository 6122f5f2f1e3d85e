/* Message by message: a rank goes on until it waits for one that has not come, and a queue says which message comes next. */
#include "sim/sim_cluster.h"
#include "sim/sim_queue.h"
#include "sim/sim_radix.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

enum { NONE = UINT32_MAX };

/* Where a rank is. The step it waits in is computed again when its message comes. */
struct waiter {
    struct loggp_rank at;
    uint32_t next_step;
    uint32_t round; /* it waits for, NONE: nothing */
    uint32_t early; /* messages of later rounds, linked by `next` */
};

struct parcel {
    uint64_t first_byte_ps, bytes;
    uint32_t to, from, round, next;
};

/* A message where nodes are shared: its way, or within a node when it may be taken. */
struct journey {
    struct sim_fabric_message at;
    uint64_t send_ps, receive_ps; /* receive_ps: the receiving core's work */
};

/* Messages under way, by their place in a pool. */
struct traffic {
    struct parcel *parcel;   /* [capacity] */
    struct journey *journey; /* [capacity], of the same messages; NULL: nodes are not shared */
    int shared;
    uint32_t used, capacity, spare;
    enum sim_order order;
    struct sim_queue heap;
    struct sim_radix radix;
    uint32_t first, last; /* ARRIVAL */
    size_t pending;
    uint64_t pops;
};

struct events {
    struct sim_cluster_call *call;
    struct waiter *rank; /* [procs] */
    struct traffic traffic;
};

static int traffic_create(struct traffic *t, enum sim_order order, int shared)
{
    *t = (struct traffic){.order = order, .shared = shared, .spare = NONE, .first = NONE, .last = NONE};
    sim_radix_create(&t->radix);
    return order == SIM_ORDER_HEAP ? sim_queue_create(&t->heap, 64) : 0;
}

static void traffic_destroy(struct traffic *t)
{
    free(t->parcel);
    free(t->journey);
    sim_queue_destroy(&t->heap);
    sim_radix_destroy(&t->radix);
}

static int pool_grow(struct traffic *t)
{
    uint32_t capacity = t->capacity ? 2 * t->capacity : 64;
    struct parcel *parcel = capacity > t->capacity ? realloc(t->parcel, capacity * sizeof *parcel) : NULL;
    if (!parcel)
        return -ENOMEM;
    t->parcel = parcel;
    sim_radix_target_at(&t->radix, parcel, sizeof *parcel);
    struct journey *journey = t->shared ? realloc(t->journey, capacity * sizeof *journey) : NULL;
    if (t->shared && !journey)
        return -ENOMEM;
    t->journey = journey;
    t->capacity = capacity;
    return 0;
}

/* A place in the pool, or NONE if there is no memory. */
static uint32_t parcel_new(struct traffic *t)
{
    uint32_t at = t->spare;
    if (at != NONE) {
        t->spare = t->parcel[at].next;
        return at;
    }
    if (t->used == t->capacity && pool_grow(t))
        return NONE;
    return t->used++;
}

static void parcel_free(struct traffic *t, uint32_t at)
{
    t->parcel[at].next = t->spare;
    t->spare = at;
}

/* To be popped at its first byte's time. */
static inline int traffic_queue(struct traffic *t, uint32_t at)
{
    t->pending++;
    if (t->order == SIM_ORDER_HEAP)
        return sim_queue_push(&t->heap, t->parcel[at].first_byte_ps, at, 0);
    if (t->order == SIM_ORDER_RADIX)
        return sim_radix_push(&t->radix, t->parcel[at].first_byte_ps, at, t->parcel[at].to);
    if (t->first == NONE)
        t->first = at;
    else
        t->parcel[t->last].next = at;
    t->last = at;
    return 0;
}

static inline int traffic_push(struct traffic *t, const struct parcel *parcel, const struct journey *journey)
{
    uint32_t at = parcel_new(t);
    if (at == NONE)
        return -ENOMEM;
    t->parcel[at] = *parcel;
    t->parcel[at].next = NONE;
    if (journey)
        t->journey[at] = *journey;
    return traffic_queue(t, at);
}

static int traffic_pop(struct traffic *t, uint32_t *out)
{
    struct sim_radix_event event;
    int err = 0;
    t->pending--;
    t->pops++;
    if (t->order == SIM_ORDER_HEAP) {
        *out = sim_queue_pop(&t->heap).target;
    } else if (t->order == SIM_ORDER_RADIX) {
        err = sim_radix_pop(&t->radix, &event);
        *out = event.target;
    } else {
        *out = t->first;
        t->first = t->parcel[t->first].next;
    }
    return err;
}

/* The message of that round, if it is here already, taken out; NONE if not. */
static uint32_t early_take(struct events *e, struct waiter *rank, uint32_t round)
{
    struct parcel *parcel = e->traffic.parcel;
    for (uint32_t *link = &rank->early, at; (at = *link) != NONE; link = &parcel[at].next)
        if (parcel[at].round == round) {
            *link = parcel[at].next;
            return at;
        }
    return NONE;
}

/* The step in which a rank waits. */
static void step_again(const struct events *e, uint32_t r, struct schedule_step *out)
{
    const struct sim_cluster_question *q = e->call->question;
    schedule_step_numbered(q->schedule, sim_cluster_numbering(q), r, e->rank[r].next_step - 1, out);
}

/* Its core takes it in where nodes are shared. Returns when the sender's began. */
static uint64_t take_in(struct events *e, struct waiter *rank, const struct parcel *parcel, const struct journey *journey)
{
    const struct loggp *p = e->call->question->loggp;
    if (journey->at.from_node == journey->at.to_node)
        rank->at.free_ps = loggp_later_ps(rank->at.free_ps + journey->receive_ps, journey->at.last_ps);
    else if (e->call->question->nodes->fabric)
        rank->at.free_ps = loggp_later_ps(rank->at.free_ps, journey->at.last_ps) + p->overhead_ps;
    else
        loggp_receive(p, &rank->at, parcel->first_byte_ps, parcel->bytes);
    return journey->send_ps;
}

static int receive(struct events *e, uint32_t r, const struct schedule_step *step, uint32_t at)
{
    const struct loggp *p = e->call->question->loggp;
    struct waiter *rank = &e->rank[r];
    struct parcel parcel = e->traffic.parcel[at];
    parcel_free(&e->traffic, at);
    if (parcel.from != step->receive_from || parcel.bytes != sim_cluster_bytes(e->call->question, &step->receive)) {
        snprintf(e->call->reason, e->call->reason_bytes,
                 "rank %u gets in round %u %llu bytes from rank %u, which it does not expect", r, parcel.round,
                 (unsigned long long)parcel.bytes, parcel.from);
        return -EPROTO;
    }
    uint64_t send_ps = parcel.first_byte_ps - p->latency_ps - p->overhead_ps;
    if (e->traffic.shared)
        send_ps = take_in(e, rank, &parcel, &e->traffic.journey[at]);
    else
        loggp_receive(p, &rank->at, parcel.first_byte_ps, parcel.bytes);
    sim_cluster_received(e->call, &(struct sim_cluster_message){.from = parcel.from,
                                                                .to = r,
                                                                .round = parcel.round,
                                                                .bytes = parcel.bytes,
                                                                .send_ps = send_ps,
                                                                .first_byte_ps = parcel.first_byte_ps,
                                                                .end_ps = rank->at.free_ps});
    return 0;
}

/* To a rank of the same node, by the node's costs. */
static int send_inside(struct events *e, struct loggp_rank *rank, struct parcel *parcel, struct journey *journey)
{
    const struct sim_cluster_nodes *nodes = e->call->question->nodes;
    struct sim_cluster_cost cost;
    int err = nodes->inside(nodes->context, parcel->from, parcel->to, parcel->bytes, &cost);
    if (err)
        return err;
    journey->send_ps = rank->free_ps;
    journey->receive_ps = cost.receive_ps;
    journey->at.last_ps = rank->free_ps + cost.time_ps;
    parcel->first_byte_ps = journey->at.last_ps;
    rank->free_ps += cost.send_ps;
    return 0;
}

/* The next event of a message is when its NIC is given it; without links when its first byte is at the receiver. */
static int send_shared(struct events *e, struct loggp_rank *rank, struct parcel *parcel)
{
    const struct sim_cluster_question *q = e->call->question;
    uint32_t from = parcel->from / q->nodes->ppn, to = parcel->to / q->nodes->ppn;
    struct journey journey = {.at = {.from_node = from, .to_node = to}, .send_ps = loggp_send_ps(rank)};
    int err = 0;
    if (from == to) {
        err = send_inside(e, rank, parcel, &journey);
    } else {
        parcel->first_byte_ps = loggp_send(q->loggp, rank, parcel->bytes);
        if (q->nodes->fabric) {
            parcel->first_byte_ps = rank->free_ps;
            sim_fabric_send(q->nodes->fabric, from, to, parcel->bytes, rank->free_ps, &journey.at);
        }
    }
    return err ? err : traffic_push(&e->traffic, parcel, &journey);
}

static inline int send(struct events *e, uint32_t r, const struct schedule_step *step)
{
    const struct sim_cluster_question *q = e->call->question;
    struct parcel parcel = {.bytes = sim_cluster_bytes(q, &step->send), .to = step->send_to, .from = r, .round = step->round};
    e->call->answer.bytes_sent += parcel.bytes;
    if (q->nodes)
        return send_shared(e, &e->rank[r].at, &parcel);
    parcel.first_byte_ps = loggp_send(q->loggp, &e->rank[r].at, parcel.bytes);
    return traffic_push(&e->traffic, &parcel, NULL);
}

/* Steps of a rank until it waits or has done all. */
static int proceed(struct events *e, uint32_t r)
{
    const struct sim_cluster_question *q = e->call->question;
    struct waiter *rank = &e->rank[r];
    struct schedule_step step;
    int err = 0;
    rank->round = NONE;
    while (!err && sim_cluster_next(q, r, &rank->next_step, &step)) {
        if (step.send_to != SCHEDULE_NONE)
            err = send(e, r, &step);
        if (err || step.receive_from == SCHEDULE_NONE)
            continue;
        uint32_t at = early_take(e, rank, step.round);
        if (at == NONE) {
            rank->round = step.round;
            return 0;
        }
        err = receive(e, r, &step, at);
    }
    return err;
}

/* Whether the message has come to a link, which it then takes and is to be queued again. */
static int is_at_link(struct events *e, uint32_t at)
{
    const struct sim_cluster_nodes *nodes = e->call->question->nodes;
    struct sim_fabric_message *m = nodes && nodes->fabric ? &e->traffic.journey[at].at : NULL;
    if (!m || m->from_node == m->to_node)
        return 0;
    int more = sim_fabric_cross(nodes->fabric, m);
    e->traffic.parcel[at].first_byte_ps = m->first_ps;
    return more;
}

/* A message has come: to a link, to a rank that waits for it, or too early. */
static int deliver(struct events *e, uint32_t at)
{
    if (is_at_link(e, at))
        return traffic_queue(&e->traffic, at);
    struct parcel *parcel = &e->traffic.parcel[at];
    struct waiter *rank = &e->rank[parcel->to];
    struct schedule_step step;
    uint32_t r = parcel->to;
    if (rank->round != parcel->round) {
        parcel->next = rank->early;
        rank->early = at;
        return 0;
    }
    step_again(e, r, &step);
    int err = receive(e, r, &step, at);
    return err ? err : proceed(e, r);
}

/* Who waits in the earliest round waits for a rank that does not wait for it: there lies the fault. */
static int tell_waiting(struct events *e)
{
    const struct schedule *schedule = e->call->question->schedule;
    uint32_t first = NONE, waiting = 0;
    struct schedule_step step;
    for (uint32_t r = 0; r < schedule->procs; r++) {
        waiting += e->rank[r].round != NONE;
        if (e->rank[r].round != NONE && (first == NONE || e->rank[r].round < e->rank[first].round))
            first = r;
    }
    if (first == NONE)
        return 0;
    step_again(e, first, &step);
    snprintf(e->call->reason, e->call->reason_bytes,
             "rank %u waits in round %u for a message from rank %u, which sends none; %u ranks wait", first, step.round,
             step.receive_from, waiting);
    return -EPROTO;
}

/* Everyone has ended, and nothing is left over. */
static int finish(struct events *e)
{
    struct sim_cluster_answer *answer = &e->call->answer;
    int err = tell_waiting(e);
    for (uint32_t r = 0; r < e->call->question->schedule->procs && !err; r++) {
        const struct waiter *rank = &e->rank[r];
        answer->time_ps = loggp_later_ps(answer->time_ps, rank->at.free_ps);
        if (e->call->question->end_ps)
            e->call->question->end_ps[r] = rank->at.free_ps;
        if (rank->early == NONE)
            continue;
        snprintf(e->call->reason, e->call->reason_bytes,
                 "rank %u is sent a message from rank %u in round %u that it does not receive", r,
                 e->traffic.parcel[rank->early].from, e->traffic.parcel[rank->early].round);
        err = -EPROTO;
    }
    answer->pops = e->traffic.pops;
    return err;
}

static int run(struct events *e)
{
    uint32_t procs = e->call->question->schedule->procs, at;
    int err = 0;
    sim_radix_generation_at(&e->traffic.radix, e->rank, sizeof *e->rank);
    for (uint32_t r = 0; r < procs; r++)
        e->rank[r] = (struct waiter){.at.free_ps = sim_cluster_start_ps(e->call->question, r), .round = NONE, .early = NONE};
    for (uint32_t r = 0; r < procs && !err; r++)
        err = proceed(e, r);
    while (!err && e->traffic.pending) {
        err = traffic_pop(&e->traffic, &at);
        if (!err)
            err = deliver(e, at);
    }
    return err ? err : finish(e);
}

int sim_cluster_events(struct sim_cluster_call *call)
{
    struct events e = {.call = call, .rank = calloc(call->question->schedule->procs, sizeof *e.rank)};
    int err = e.rank ? traffic_create(&e.traffic, call->question->order, call->question->nodes != NULL) : -ENOMEM;
    if (!err)
        err = run(&e);
    if (e.rank)
        traffic_destroy(&e.traffic);
    free(e.rank);
    return err;
}
