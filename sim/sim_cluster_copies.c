/* Ranks whose copies, and NICs whose reads and writes, share the memory of their node.
 *
 * A message within a node is a copy by the sender's core and one by the receiver's, a piece behind: the receiver's begins when
 * the first piece is there, and ends no sooner than the last one has come. Alone both take what the node's costs say; beside
 * others each is a flow that goes as fast as the memory lets it (sim_memories.h). What a NIC sends it reads from memory as it
 * sends, what comes it writes; a message is there once all of it has been read, sent, and written. */
#include "sim/sim_cluster_events.h"
#include "sim/sim_memories.h"

#include <errno.h>

/* Targets of events: parcels below RANKS; from there on the ranks whose copies begin; NICs' flows; then the memories'. */
#define RANKS (UINT32_C(1) << 30)
#define NIC_BEGINS SIM_CLUSTER_MEMORY_TARGETS - 1
/* Owners of flows: ranks, or parcels with this bit. */
#define BY_NIC (UINT32_C(1) << 31)

static struct sim_journey *journey_of(struct sim_events *e, uint32_t parcel)
{
    return &e->traffic.journey[parcel];
}

static int at_ps(struct sim_events *e, uint64_t time_ps, uint32_t target, uint32_t generation)
{
    return sim_radix_push(&e->traffic.radix, time_ps, target, generation);
}

static int begin_later(struct sim_events *e, uint32_t r, struct sim_copier copier)
{
    e->copier[r] = copier;
    return at_ps(e, copier.begin_ps, RANKS + r, 0);
}

static int begin(struct sim_events *e, uint32_t r, uint64_t now_ps)
{
    const struct sim_copier *c = &e->copier[r];
    uint32_t node = r / e->call->question->nodes->ppn;
    return sim_memories_begin(sim_events_memories(e), node, c->class_id, r, c->alone_ps, now_ps);
}

/* ---- cores ---- */

int sim_copies_out(struct sim_events *e, uint32_t r, const struct sim_parcel *parcel, struct sim_journey *journey)
{
    const struct sim_cluster_nodes *nodes = e->call->question->nodes;
    struct sim_waiter *rank = &e->rank[r];
    struct sim_cluster_cost cost;
    int err = nodes->inside(nodes->context, parcel->from, parcel->to, parcel->bytes, &cost);
    uint32_t at = err ? SIM_TRAFFIC_NONE : sim_traffic_new(&e->traffic);
    if (at == SIM_TRAFFIC_NONE)
        return err ? err : -ENOMEM;
    uint64_t begin_ps = rank->at.free_ps;
    journey->receive_ps = cost.receive_ps;
    journey->receive_class = cost.receive_class;
    journey->tail_ps = cost.time_ps - cost.send_ps;
    journey->send_work_ps = cost.send_ps;
    journey->alone_ps = begin_ps + cost.time_ps;
    journey->send_end_ps = UINT64_MAX;
    e->traffic.parcel[at] = *parcel;
    e->traffic.parcel[at].next = SIM_TRAFFIC_NONE;
    e->traffic.parcel[at].first_byte_ps = begin_ps + cost.time_ps - cost.receive_ps;
    if (cost.send_class == SIM_NO_CLASS)
        journey->send_end_ps = rank->at.free_ps = begin_ps + cost.send_ps;
    e->traffic.journey[at] = *journey;
    err = sim_traffic_queue(&e->traffic, at);
    if (err || cost.send_class == SIM_NO_CLASS)
        return err;
    return begin_later(e, r, (struct sim_copier){SIM_COPYING_OUT, cost.send_class, at, begin_ps, cost.send_ps, 0, 0});
}

/* The receiver has copied what there was; the sender has ended. */
static void taken(struct sim_events *e, uint32_t r, uint64_t copied_ps)
{
    uint32_t parcel = e->copier[r].parcel;
    struct sim_journey *j = journey_of(e, parcel);
    j->at.last_ps = j->send_end_ps + j->tail_ps;
    e->rank[r].at.free_ps = loggp_later_ps(copied_ps, j->at.last_ps);
    e->copier[r].what = SIM_COPYING_NOTHING;
    sim_events_received(e, parcel, e->copier[r].want_ps);
}

static void copied(struct sim_events *e, uint32_t r, uint64_t end_ps)
{
    struct sim_copier *c = &e->copier[r];
    if (journey_of(e, c->parcel)->send_end_ps != UINT64_MAX) {
        taken(e, r, end_ps);
        return;
    }
    c->what = SIM_COPYING_AWAITED;
    c->begin_ps = end_ps;
}

int sim_copies_in(struct sim_events *e, uint32_t r, uint32_t parcel)
{
    const struct sim_journey *j = journey_of(e, parcel);
    uint64_t want_ps = e->rank[r].at.free_ps, begin_ps = loggp_later_ps(want_ps, e->traffic.parcel[parcel].first_byte_ps);
    struct sim_copier copier = {SIM_COPYING_IN, j->receive_class, parcel, begin_ps, j->receive_ps, want_ps, 0};
    if (j->receive_class != SIM_NO_CLASS)
        return begin_later(e, r, copier);
    e->copier[r] = copier;
    copied(e, r, begin_ps + j->receive_ps);
    return 0;
}

int sim_copies_own(struct sim_events *e, uint32_t r, uint64_t bytes, uint64_t copies)
{
    const struct sim_cluster_question *q = e->call->question;
    uint64_t begin_ps = e->rank[r].at.free_ps;
    struct sim_cluster_cost cost;
    int err = q->nodes->move(q->nodes->context, r, bytes, copies, &cost);
    if (err)
        return err;
    struct sim_copier copier = {SIM_COPYING_OWN, cost.send_class, 0, begin_ps, cost.send_ps, 0, bytes};
    if (cost.send_class != SIM_NO_CLASS)
        return begin_later(e, r, copier);
    e->rank[r].at.free_ps += cost.send_ps;
    sim_cluster_moved(e->call, r, bytes, begin_ps, cost.send_ps, e->rank[r].at.free_ps);
    return 0;
}

/* The core has ended a copy. */
static int ended(struct sim_events *e, uint32_t r, uint64_t now_ps)
{
    struct sim_copier *c = &e->copier[r];
    enum sim_copying what = c->what;
    if (what == SIM_COPYING_IN) {
        copied(e, r, now_ps);
        return c->what == SIM_COPYING_AWAITED ? 0 : sim_events_proceed(e, r);
    }
    c->what = SIM_COPYING_NOTHING;
    e->rank[r].at.free_ps = now_ps;
    if (what == SIM_COPYING_OWN) {
        sim_cluster_moved(e->call, r, c->bytes, c->begin_ps, c->alone_ps, now_ps);
        return sim_events_proceed(e, r);
    }
    uint32_t parcel = c->parcel, to = e->traffic.parcel[parcel].to;
    const struct sim_copier *other = &e->copier[to];
    int awaited = other->what == SIM_COPYING_AWAITED && other->parcel == parcel;
    journey_of(e, parcel)->send_end_ps = now_ps;
    if (awaited)
        taken(e, to, other->begin_ps);
    int err = sim_events_sent(e, r);
    return err || !awaited ? err : sim_events_proceed(e, to);
}

/* ---- NICs ---- */

int sim_copies_nic(struct sim_events *e, uint32_t parcel, const struct sim_fabric_crossing *crossing)
{
    int leaves = crossing->hop == 0, enters = crossing->hop == crossing->hops - 1;
    if (!leaves && !enters)
        return 0;
    journey_of(e, parcel)->flows++;
    return at_ps(e, crossing->start_ps, NIC_BEGINS, parcel | (enters ? BY_NIC : 0));
}

static int nic_begins(struct sim_events *e, uint32_t what, uint64_t now_ps)
{
    const struct sim_cluster_nodes *nodes = e->call->question->nodes;
    uint32_t parcel = what & ~BY_NIC, enters = what & BY_NIC;
    const struct sim_parcel *p = &e->traffic.parcel[parcel];
    const struct sim_fabric_message *m = &journey_of(e, parcel)->at;
    uint32_t class_id = nodes->nic_class(nodes->context, enters ? p->to : p->from, enters != 0);
    return sim_memories_begin(sim_events_memories(e), enters ? m->to_node : m->from_node, class_id, BY_NIC | parcel,
                              loggp_stream_ps(&nodes->fabric->nic, p->bytes), now_ps);
}

static int nic_ended(struct sim_events *e, uint32_t parcel, uint32_t node, uint64_t now_ps)
{
    struct sim_journey *j = journey_of(e, parcel);
    uint64_t there_ps = now_ps + sim_fabric_onward_ps(e->call->question->nodes->fabric, &j->at, node == j->at.to_node);
    j->there_ps = loggp_later_ps(j->there_ps, there_ps);
    j->flows--;
    if (!j->arrived || j->flows)
        return 0;
    j->at.last_ps = loggp_later_ps(j->at.last_ps, j->there_ps);
    return sim_events_arrive(e, parcel);
}

/* ---- events ---- */

static int memory_event(struct sim_events *e, const struct sim_radix_event *event)
{
    struct sim_memories *m = sim_events_memories(e);
    uint32_t node, owner;
    int err = 0;
    while (!err && (owner = sim_memories_end(m, event->target, event->generation, event->time_ps, &node)) != SIM_MEMORIES_NONE)
        err = owner & BY_NIC ? nic_ended(e, owner & ~BY_NIC, node, event->time_ps) : ended(e, owner, event->time_ps);
    return err;
}

static int event(struct sim_events *e, const struct sim_radix_event *event)
{
    if (event->target >= SIM_CLUSTER_MEMORY_TARGETS)
        return memory_event(e, event);
    if (event->target == NIC_BEGINS)
        return nic_begins(e, event->generation, event->time_ps);
    if (event->target >= RANKS)
        return begin(e, event->target - RANKS, event->time_ps);
    return sim_events_deliver(e, event->target);
}

int sim_copies_run(struct sim_events *e)
{
    struct sim_memories *m = sim_events_memories(e);
    struct sim_radix *queue = &e->traffic.radix;
    struct sim_radix_event next = {.time_ps = 0};
    int err = 0;
    while (!err && (queue->count || m->unsettled_count)) {
        if (m->unsettled_count && !sim_radix_same_time(queue)) {
            err = sim_memories_settle(m, queue, next.time_ps);
            continue;
        }
        err = sim_radix_pop(queue, &next);
        if (!err)
            err = event(e, &next);
    }
    e->traffic.pops = queue->popped;
    return err;
}
