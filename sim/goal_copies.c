#include "sim/goal_copies.h"
#include "sim/goal_state.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* Owners of flows: tasks, or messages in flight with this bit. */
#define BY_NIC (UINT32_C(1) << 31)

int goal_copies_create(struct goal_copies *out, struct sim_memories *memories, size_t cpus, uint32_t tasks)
{
    size_t task_bytes = ((size_t)tasks + 1) * sizeof *out->other;
    *out = (struct goal_copies){.memories = memories};
    if (!memories)
        return 0;
    sim_memories_reset(memories);
    out->cpu = malloc(cpus * sizeof *out->cpu);
    out->other = malloc(task_bytes);
    out->next = malloc(task_bytes);
    if (!out->cpu || !out->other || !out->next)
        return -ENOMEM;
    for (size_t i = 0; i < cpus; i++)
        out->cpu[i] = (struct goal_copier){.task = GOAL_ANY, .first = GOAL_ANY, .last = GOAL_ANY};
    memset(out->other, 0xff, task_bytes);
    return 0;
}

void goal_copies_destroy(struct goal_copies *copies)
{
    free(copies->cpu);
    free(copies->other);
    free(copies->next);
    *copies = (struct goal_copies){.memories = NULL};
}

static struct goal_copier *copier_of(struct goal_state *run, uint32_t task)
{
    return &run->copies.cpu[goal_cpu_number(run, task)];
}

/* ---- processors ---- */

void goal_copies_wait(struct goal_state *run, uint32_t task)
{
    struct goal_copier *c = copier_of(run, task);
    run->copies.next[task] = GOAL_ANY;
    *(c->first == GOAL_ANY ? &c->first : &run->copies.next[c->last]) = task;
    c->last = task;
}

/* The processor is free again, or from then on: what waits for it goes on, until it copies again. */
static int ended(struct goal_state *run, uint32_t task, uint64_t end_ps)
{
    struct goal_copier *c = copier_of(run, task);
    int err = goal_run_copied(run, task, c->begin_ps, c->alone_ps, end_ps);
    while (!err && c->first != GOAL_ANY && *goal_cpu_of(run, task) != GOAL_COPYING_PS) {
        uint32_t first = c->first;
        c->first = run->copies.next[first];
        err = goal_run_work(run, first, *goal_cpu_of(run, first));
    }
    return err;
}

/* Without a class nothing can slow it. */
static int begin_later(struct goal_state *run, uint32_t task, uint32_t class_id, uint64_t begin_ps, uint64_t alone_ps)
{
    struct goal_copier *c = copier_of(run, task);
    c->task = task;
    c->class_id = class_id;
    c->begin_ps = begin_ps;
    c->alone_ps = alone_ps;
    c->awaits = 0;
    *goal_cpu_of(run, task) = GOAL_COPYING_PS;
    return sim_radix_push(&run->queue, begin_ps + (class_id == SIM_NO_CLASS ? alone_ps : 0), task, GOAL_COPY);
}

int goal_copies_send(struct goal_state *run, uint32_t task, const struct sim_cluster_cost *cost, uint64_t begin_ps)
{
    int shares = cost->send_class != SIM_NO_CLASS;
    run->flight.last_ps[task] = shares ? GOAL_COPYING_PS : begin_ps + cost->time_ps;
    if (!shares)
        return goal_run_copied(run, task, begin_ps, cost->send_ps, begin_ps + cost->send_ps);
    copier_of(run, task)->tail_ps = cost->time_ps - cost->send_ps;
    return begin_later(run, task, cost->send_class, begin_ps, cost->send_ps);
}

int goal_copies_receive(struct goal_state *run, uint32_t task, const struct sim_cluster_cost *cost, uint64_t begin_ps)
{
    uint64_t last_ps = run->flight.last_ps[run->copies.other[task]], end_ps = begin_ps + cost->receive_ps;
    if (cost->receive_class == SIM_NO_CLASS && last_ps != GOAL_COPYING_PS)
        return goal_run_copied(run, task, begin_ps, cost->receive_ps, loggp_later_ps(end_ps, last_ps));
    return begin_later(run, task, cost->receive_class, begin_ps, cost->receive_ps);
}

/* The sender has ended: who has copied all but the last of it has that a piece later. */
static int sent(struct goal_state *run, uint32_t task, uint64_t now_ps)
{
    uint32_t receive = run->copies.other[task];
    uint64_t last_ps = now_ps + copier_of(run, task)->tail_ps;
    run->flight.last_ps[task] = last_ps;
    int err = ended(run, task, now_ps);
    const struct goal_copier *c = err || receive == GOAL_ANY ? NULL : copier_of(run, receive);
    return c && c->task == receive && c->awaits ? ended(run, receive, loggp_later_ps(c->copied_ps, last_ps)) : err;
}

static int copied(struct goal_state *run, uint32_t task, uint64_t now_ps)
{
    if (goal_step_of(run, task)->kind == GOAL_SEND)
        return sent(run, task, now_ps);
    uint64_t last_ps = run->flight.last_ps[run->copies.other[task]];
    if (last_ps != GOAL_COPYING_PS)
        return ended(run, task, loggp_later_ps(now_ps, last_ps));
    struct goal_copier *c = copier_of(run, task);
    c->copied_ps = now_ps;
    c->awaits = 1;
    return 0;
}

static int copy_begins(struct goal_state *run, uint32_t task, uint64_t now_ps)
{
    const struct goal_copier *c = copier_of(run, task);
    if (c->class_id == SIM_NO_CLASS)
        return copied(run, task, now_ps);
    return sim_memories_begin(run->copies.memories, run->rank_of[task] / run->flight.ppn, c->class_id, task, c->alone_ps, now_ps);
}

/* ---- NICs ---- */

static struct goal_flight_message *message_at(struct goal_state *run, uint32_t place)
{
    return sim_pool_at(&run->flight.messages, place);
}

int goal_copies_nic(struct goal_state *run, uint32_t place, const struct sim_fabric_crossing *crossing)
{
    int leaves = crossing->hop == 0, enters = crossing->hop == crossing->hops - 1;
    if (!leaves && !enters)
        return 0;
    message_at(run, place)->flows++;
    return sim_radix_push(&run->queue, crossing->start_ps, place, enters ? GOAL_NIC_WRITES : GOAL_NIC_READS);
}

static int nic_begins(struct goal_state *run, uint32_t place, int enters, uint64_t now_ps)
{
    const struct goal_network *joined = run->joined;
    const struct goal_flight_message *m = message_at(run, place);
    uint32_t class_id = joined->nic_class(joined->context, enters ? m->to : m->from, enters);
    return sim_memories_begin(run->copies.memories, enters ? m->at.to_node : m->at.from_node, class_id, BY_NIC | place,
                              loggp_stream_ps(&run->flight.fabric->nic, m->at.bytes), now_ps);
}

static int nic_ended(struct goal_state *run, uint32_t place, uint32_t node, uint64_t now_ps)
{
    struct goal_flight_message *m = message_at(run, place);
    uint64_t there_ps = now_ps + sim_fabric_onward_ps(run->flight.fabric, &m->at, node == m->at.to_node);
    m->there_ps = loggp_later_ps(m->there_ps, there_ps);
    m->flows--;
    if (m->flows || m->at.hop < 2 * m->at.turn)
        return 0;
    m->at.last_ps = loggp_later_ps(m->at.last_ps, m->there_ps);
    uint32_t send = m->send, receive = run->copies.other[send];
    goal_flight_end(&run->flight, place);
    return receive == GOAL_ANY ? 0 : goal_run_take(run, send, receive);
}

/* ---- events ---- */

static int memory_event(struct goal_state *run, const struct sim_radix_event *event)
{
    uint32_t node, owner;
    int err = 0;
    while (!err && (owner = sim_memories_end(run->copies.memories, event->target, event->generation, event->time_ps, &node)) !=
                       SIM_MEMORIES_NONE)
        err = owner & BY_NIC ? nic_ended(run, owner & ~BY_NIC, node, event->time_ps) : copied(run, owner, event->time_ps);
    return err;
}

int goal_copies_event(struct goal_state *run, const struct sim_radix_event *event)
{
    if (event->target >= SIM_CLUSTER_MEMORY_TARGETS)
        return memory_event(run, event);
    if (event->generation == GOAL_COPY)
        return copy_begins(run, event->target, event->time_ps);
    return nic_begins(run, event->target, event->generation == GOAL_NIC_WRITES, event->time_ps);
}

int goal_copies_settle(struct goal_state *run, uint64_t now_ps)
{
    struct sim_memories *m = run->copies.memories;
    return m->unsettled_count && !sim_radix_same_time(&run->queue) ? sim_memories_settle(m, &run->queue, now_ps) : 0;
}
