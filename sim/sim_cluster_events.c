/* Message by message: a rank goes on until it waits for one that has not come, and a queue says which message comes next. */
#include "sim/sim_cluster_events.h"
#include "sim/sim_memories.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

/* The message of that round, if it is here already, taken out; SIM_TRAFFIC_NONE if not. */
static uint32_t early_take(struct sim_events *e, struct sim_waiter *rank, uint32_t round)
{
    struct sim_parcel *parcel = e->traffic.parcel;
    for (uint32_t *link = &rank->early, at; (at = *link) != SIM_TRAFFIC_NONE; link = &parcel[at].next)
        if (parcel[at].round == round) {
            *link = parcel[at].next;
            return at;
        }
    return SIM_TRAFFIC_NONE;
}

/* The step in which a rank waits. */
static void step_again(const struct sim_events *e, uint32_t r, struct schedule_step *out)
{
    const struct sim_cluster_question *q = e->call->question;
    schedule_step_numbered(q->schedule, sim_cluster_numbering(q), r, e->rank[r].next_step - 1, out);
}

static const struct sim_fabric *fabric_of(const struct sim_events *e)
{
    return e->call->question->nodes ? e->call->question->nodes->fabric : NULL;
}

/* Its core takes it in. */
static void take_in(struct sim_events *e, struct sim_waiter *rank, const struct sim_parcel *parcel,
                    const struct sim_journey *journey)
{
    const struct loggp *p = e->call->question->loggp;
    if (journey->at.from_node == journey->at.to_node)
        rank->at.free_ps = loggp_later_ps(rank->at.free_ps + journey->receive_ps, journey->at.last_ps);
    else if (fabric_of(e))
        rank->at.free_ps = loggp_later_ps(rank->at.free_ps, journey->at.last_ps) + p->overhead_ps;
    else
        loggp_receive(p, &rank->at, parcel->first_byte_ps, parcel->bytes);
}

static void tell_received(struct sim_events *e, const struct sim_parcel *parcel, const struct sim_journey *j, uint64_t want_ps)
{
    const struct sim_cluster_observer *observer = e->call->question->observer;
    const struct loggp_rank *at = &e->rank[parcel->to].at;
    struct sim_cluster_message m = {.from = parcel->from, .to = parcel->to, .round = parcel->round, .bytes = parcel->bytes,
                                    .ready_ps = j->ready_ps, .send_ps = j->send_ps, .send_end_ps = j->send_end_ps,
                                    .send_work_ps = j->send_work_ps, .first_byte_ps = parcel->first_byte_ps,
                                    .alone_ps = j->alone_ps, .want_ps = want_ps, .end_ps = at->free_ps};
    m.last_byte_ps = j->at.last_ps ? j->at.last_ps : at->in_ps - e->call->question->loggp->receiver_gap_ps;
    m.take_ps = m.end_ps - j->receive_ps;
    observer->message(observer->context, &m);
}

/* Who looks on needs journeys. */
static inline void received(struct sim_events *e, uint32_t at, uint64_t want_ps)
{
    const struct sim_parcel *parcel = &e->traffic.parcel[at];
    sim_cluster_count(e->call, parcel->from, parcel->to, parcel->bytes);
    if (e->call->question->observer)
        tell_received(e, parcel, &e->traffic.journey[at], want_ps);
    sim_traffic_free(&e->traffic, at);
}

void sim_events_received(struct sim_events *e, uint32_t at, uint64_t want_ps)
{
    received(e, at, want_ps);
}

static int tell_unexpected(struct sim_events *e, const struct sim_parcel *parcel)
{
    snprintf(e->call->reason, e->call->reason_bytes, "rank %u gets in round %u %llu bytes from rank %u, which it does not expect",
             parcel->to, parcel->round, (unsigned long long)parcel->bytes, parcel->from);
    return -EPROTO;
}

/* Where memory is shared the rank may have to copy first. */
static inline int receive(struct sim_events *e, uint32_t r, const struct schedule_step *step, uint32_t at)
{
    const struct sim_parcel *parcel = &e->traffic.parcel[at];
    struct sim_waiter *rank = &e->rank[r];
    uint64_t want_ps = rank->at.free_ps;
    if (parcel->from != step->receive_from || parcel->bytes != sim_cluster_bytes(e->call->question, &step->receive))
        return tell_unexpected(e, parcel);
    rank->round = SIM_TRAFFIC_NONE;
    if (e->traffic.journeys) {
        if (e->copier && e->traffic.journey[at].at.from_node == e->traffic.journey[at].at.to_node)
            return sim_copies_in(e, r, at);
        take_in(e, rank, parcel, &e->traffic.journey[at]);
    } else {
        loggp_receive(e->call->question->loggp, &rank->at, parcel->first_byte_ps, parcel->bytes);
    }
    received(e, at, want_ps);
    return 0;
}

/* To a rank of the same node, by the node's costs. */
static int send_inside(struct sim_events *e, struct loggp_rank *rank, struct sim_parcel *parcel, struct sim_journey *journey)
{
    const struct sim_cluster_nodes *nodes = e->call->question->nodes;
    struct sim_cluster_cost cost;
    int err = nodes->inside(nodes->context, parcel->from, parcel->to, parcel->bytes, &cost);
    if (err)
        return err;
    journey->receive_ps = cost.receive_ps;
    journey->send_work_ps = cost.send_ps;
    journey->at.last_ps = rank->free_ps + cost.time_ps;
    journey->alone_ps = journey->at.last_ps;
    parcel->first_byte_ps = journey->at.last_ps;
    rank->free_ps += cost.send_ps;
    return 0;
}

/* To a rank of another node. The next event of a message is when its NIC is given it; without links when its first byte is at the
 * receiver. */
static void send_outside(struct sim_events *e, struct loggp_rank *rank, struct sim_parcel *parcel, struct sim_journey *journey)
{
    const struct loggp *p = e->call->question->loggp;
    const struct sim_fabric *fabric = fabric_of(e);
    uint32_t from = journey->at.from_node, to = journey->at.to_node;
    parcel->first_byte_ps = loggp_send(p, rank, parcel->bytes);
    journey->receive_ps = journey->send_work_ps = p->overhead_ps;
    journey->alone_ps = parcel->first_byte_ps + loggp_stream_ps(p, parcel->bytes);
    if (fabric) {
        if (e->call->question->observer)
            journey->alone_ps = rank->free_ps + sim_fabric_alone_ps(fabric, from, to, parcel->bytes);
        parcel->first_byte_ps = rank->free_ps;
        sim_fabric_send(fabric, from, to, parcel->bytes, rank->free_ps, &journey->at);
    }
}

static int send_journey(struct sim_events *e, struct loggp_rank *rank, struct sim_parcel *parcel)
{
    const struct sim_cluster_question *q = e->call->question;
    uint32_t ppn = q->nodes ? q->nodes->ppn : 1, from = parcel->from / ppn, to = parcel->to / ppn;
    struct sim_journey journey = {.at = {.from_node = from, .to_node = to}, .ready_ps = rank->free_ps};
    int err = 0;
    journey.send_ps = from == to ? rank->free_ps : loggp_send_ps(rank);
    if (from == to && e->copier)
        return sim_copies_out(e, parcel->from, parcel, &journey);
    if (from == to)
        err = send_inside(e, rank, parcel, &journey);
    else
        send_outside(e, rank, parcel, &journey);
    journey.send_end_ps = rank->free_ps;
    return err ? err : sim_traffic_push(&e->traffic, parcel, &journey);
}

static inline int send(struct sim_events *e, uint32_t r, const struct schedule_step *step)
{
    const struct sim_cluster_question *q = e->call->question;
    struct sim_parcel parcel = {.bytes = sim_cluster_bytes(q, &step->send), .to = step->send_to, .from = r, .round = step->round};
    e->call->answer.bytes_sent += parcel.bytes;
    if (e->traffic.journeys)
        return send_journey(e, &e->rank[r].at, &parcel);
    parcel.first_byte_ps = loggp_send(q->loggp, &e->rank[r].at, parcel.bytes);
    return sim_traffic_push(&e->traffic, &parcel, NULL);
}

static inline int copies(const struct sim_events *e, uint32_t r)
{
    return e->copier && e->copier[r].what != SIM_COPYING_NOTHING;
}

/* What the step receives, once it has sent. *stays: the rank does not go on before an event. */
static inline int take(struct sim_events *e, uint32_t r, const struct schedule_step *step, int *stays)
{
    uint32_t at = early_take(e, &e->rank[r], step->round);
    if (at == SIM_TRAFFIC_NONE) {
        e->rank[r].round = step->round;
        *stays = 1;
        return 0;
    }
    int err = receive(e, r, step, at);
    *stays = copies(e, r);
    return err;
}

/* Steps of a rank until it waits, copies, or has done all. */
static int proceed(struct sim_events *e, uint32_t r)
{
    const struct sim_cluster_question *q = e->call->question;
    struct sim_waiter *rank = &e->rank[r];
    struct schedule_step step;
    int err = 0, stays = 0;
    rank->round = SIM_TRAFFIC_NONE;
    while (!err && !stays && sim_cluster_next(q, r, &rank->next_step, &step)) {
        if (step.send_to != SCHEDULE_NONE)
            err = send(e, r, &step);
        else if (step.op != SCHEDULE_EXCHANGE)
            err = step.op == SCHEDULE_PERMUTE
                      ? sim_copies_own(e, r, q->size_bytes * q->nodes->reorder_moves, q->nodes->reorder_moves)
                      : sim_copies_own(e, r, q->size_bytes * q->schedule->procs, 1);
        stays = copies(e, r);
        if (!err && !stays && step.receive_from != SCHEDULE_NONE)
            err = take(e, r, &step, &stays);
    }
    if (!stays && q->nodes && !q->nodes->memories)
        rank->at.free_ps += q->nodes->reorder_ps;
    return err;
}

int sim_events_proceed(struct sim_events *e, uint32_t r)
{
    return proceed(e, r);
}

int sim_events_sent(struct sim_events *e, uint32_t r)
{
    struct schedule_step step;
    int stays = 0;
    step_again(e, r, &step);
    int err = step.receive_from == SCHEDULE_NONE ? 0 : take(e, r, &step, &stays);
    return err || stays ? err : proceed(e, r);
}

/* Takes the link that the message has come to. 1: it is to be queued again; 0: there is no link left; or an error. */
static int cross(struct sim_events *e, uint32_t at)
{
    const struct sim_cluster_observer *observer = e->call->question->observer;
    struct sim_parcel *parcel = &e->traffic.parcel[at];
    struct sim_fabric *fabric = e->call->question->nodes ? e->call->question->nodes->fabric : NULL;
    struct sim_fabric_message *m = fabric ? &e->traffic.journey[at].at : NULL;
    if (!m || m->from_node == m->to_node)
        return 0;
    struct sim_fabric_crossing crossing, *before = fabric->last;
    int told = observer && observer->crossing;
    fabric->last = told || e->copier ? &crossing : before;
    int more = sim_fabric_cross(fabric, m);
    fabric->last = before;
    if (told)
        observer->crossing(observer->context, parcel->from, parcel->to, parcel->bytes, &crossing);
    parcel->first_byte_ps = m->first_ps;
    int err = e->copier ? sim_copies_nic(e, at, &crossing) : 0;
    return err ? err : more;
}

/* To a rank that waits for it, or too early. */
static inline int arrive(struct sim_events *e, uint32_t at)
{
    struct sim_parcel *parcel = &e->traffic.parcel[at];
    struct sim_waiter *rank = &e->rank[parcel->to];
    struct schedule_step step;
    uint32_t r = parcel->to;
    if (rank->round != parcel->round) {
        parcel->next = rank->early;
        rank->early = at;
        return 0;
    }
    step_again(e, r, &step);
    int err = receive(e, r, &step, at);
    return err || copies(e, r) ? err : proceed(e, r);
}

int sim_events_arrive(struct sim_events *e, uint32_t at)
{
    return arrive(e, at);
}

/* A message has come: to a link, or where it is for, unless its node's NIC has still to write it. */
static int deliver(struct sim_events *e, uint32_t at)
{
    int more = cross(e, at);
    if (more)
        return more < 0 ? more : sim_traffic_queue(&e->traffic, at);
    if (e->copier && e->traffic.journey[at].flows) {
        e->traffic.journey[at].arrived = 1;
        return 0;
    }
    return arrive(e, at);
}

int sim_events_deliver(struct sim_events *e, uint32_t at)
{
    return deliver(e, at);
}

/* Who waits in the earliest round waits for a rank that does not wait for it: there lies the fault. */
static int tell_waiting(struct sim_events *e)
{
    const struct schedule *schedule = e->call->question->schedule;
    uint32_t first = SIM_TRAFFIC_NONE, waiting = 0;
    struct schedule_step step;
    for (uint32_t r = 0; r < schedule->procs; r++) {
        waiting += e->rank[r].round != SIM_TRAFFIC_NONE;
        if (e->rank[r].round != SIM_TRAFFIC_NONE && (first == SIM_TRAFFIC_NONE || e->rank[r].round < e->rank[first].round))
            first = r;
    }
    if (first == SIM_TRAFFIC_NONE)
        return 0;
    step_again(e, first, &step);
    snprintf(e->call->reason, e->call->reason_bytes,
             "rank %u waits in round %u for a message from rank %u, which sends none; %u ranks wait", first, step.round,
             step.receive_from, waiting);
    return -EPROTO;
}

/* Everyone has ended, and nothing is left over. */
static int finish(struct sim_events *e)
{
    struct sim_cluster_answer *answer = &e->call->answer;
    int err = tell_waiting(e);
    for (uint32_t r = 0; r < e->call->question->schedule->procs && !err; r++) {
        const struct sim_waiter *rank = &e->rank[r];
        answer->time_ps = loggp_later_ps(answer->time_ps, rank->at.free_ps);
        if (e->call->question->end_ps)
            e->call->question->end_ps[r] = rank->at.free_ps;
        if (rank->early == SIM_TRAFFIC_NONE)
            continue;
        snprintf(e->call->reason, e->call->reason_bytes,
                 "rank %u is sent a message from rank %u in round %u that it does not receive", r,
                 e->traffic.parcel[rank->early].from, e->traffic.parcel[rank->early].round);
        err = -EPROTO;
    }
    answer->pops = e->traffic.pops;
    return err;
}

static int run(struct sim_events *e)
{
    uint32_t procs = e->call->question->schedule->procs, at;
    int err = 0;
    sim_radix_generation_at(&e->traffic.radix, e->rank, sizeof *e->rank);
    for (uint32_t r = 0; r < procs; r++)
        e->rank[r] = (struct sim_waiter){
            .at.free_ps = sim_cluster_start_ps(e->call->question, r), .round = SIM_TRAFFIC_NONE, .early = SIM_TRAFFIC_NONE};
    for (uint32_t r = 0; r < procs && !err; r++)
        err = proceed(e, r);
    if (!err && e->copier)
        err = sim_copies_run(e);
    while (!err && !e->copier && e->traffic.pending) {
        err = sim_traffic_pop(&e->traffic, &at);
        if (!err)
            err = e->traffic.journeys ? deliver(e, at) : arrive(e, at);
    }
    return err ? err : finish(e);
}

static int create(struct sim_events *e)
{
    const struct sim_cluster_question *q = e->call->question;
    int shared = q->nodes && q->nodes->memories;
    e->rank = calloc(q->schedule->procs, sizeof *e->rank);
    e->copier = shared ? calloc(q->schedule->procs, sizeof *e->copier) : NULL;
    if (shared)
        sim_memories_reset(q->nodes->memories);
    if (!e->rank || (shared && !e->copier))
        return -ENOMEM;
    return sim_traffic_create(&e->traffic, q->order, q->nodes || q->observer);
}

int sim_cluster_events(struct sim_cluster_call *call)
{
    struct sim_events e = {.call = call};
    int err = create(&e);
    if (!err)
        err = run(&e);
    sim_traffic_destroy(&e.traffic);
    free(e.rank);
    free(e.copier);
    return err;
}
