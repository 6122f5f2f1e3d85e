/* Messages between ranks of one node, which pass no interface: the sender's core copies into a ring of the receiver's, whose core
 * copies out of it, a piece behind. A ring holds what a message needs, until its receive is posted. */
#include "sim/sim_remote.h"

#include <errno.h>

void sim_remote_inside_send(struct sim_remote *s, struct sim_remote_endpoint *e, struct sim_remote_pair *p,
                            struct sim_remote_message *m)
{
    struct sim_remote_endpoint *other = &s->endpoint[p->rank];
    struct sim_remote_pair *there = sim_remote_pair_of(s, other, e->rank);
    struct sim_remote_packet packet = {.kind = SIM_REMOTE_INSIDE, .from = e->rank, .to = p->rank, .number = m->number,
                                       .bytes = m->bytes};
    struct sim_cluster_cost cost = {.send_ps = 0};
    int err = s->question.inside(s->question.context, e->rank, p->rank, m->bytes, &cost);
    uint64_t first_ps = e->at_ps + cost.time_ps - cost.receive_ps; /* then its last byte is there no later than it can be
                                                                      copied */
    packet.receive_ps = cost.receive_ps;
    struct sim_remote_packet *own = err ? NULL : sim_remote_packet_make(s, packet);
    s->error = err ? err : s->error;
    if (!own || !there)
        return;
    p->inside_ps = first_ps > p->inside_ps ? first_ps : p->inside_ps; /* in order */
    sim_remote_packet_push(&there->inside, own);
    if (sim_queue_push(&s->queue, p->inside_ps, p->rank * s->procs + e->rank, SIM_REMOTE_INSIDE_EVENT))
        s->error = -ENOMEM;
    sim_remote_copying(s, e, cost.send_ps, "send", m->bytes);
    sim_remote_done(e, m);
}

void sim_remote_inside_come(struct sim_remote *s, uint32_t target)
{
    struct sim_remote_endpoint *e = &s->endpoint[target / s->procs];
    sim_remote_item(s, e, SIM_REMOTE_ITEM_INSIDE, sim_remote_packet_pop(&e->pair[target % s->procs]->inside));
}

void sim_remote_inside_receive(struct sim_remote *s, struct sim_remote_endpoint *e, const struct sim_remote_packet *packet)
{
    sim_remote_copying(s, e, packet->receive_ps, "receive", packet->bytes);
    s->messages_inside++;
    s->bytes_inside += packet->bytes;
}
