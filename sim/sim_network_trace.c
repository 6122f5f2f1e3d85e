/* What ranks, NICs and links do, as steps of a trace. */
#include "model/nic.h"
#include "model/step.h"
#include "sim/sim_network.h"

static void tell(const struct sim_network_watch *watch, struct trace_step step)
{
    watch->sink->emit(watch->sink->context, &step);
}

/* Ports of the two ranks alone. */
static void tell_ports(const struct sim_network_watch *watch, const struct sim_cluster_message *m)
{
    uint64_t stream_ps = loggp_stream_ps(watch->loggp, m->bytes);
    tell(watch, (struct trace_step){.rank = m->from, .stage = NIC_STAGE_NIC_OUT, .label = "message", .bytes = m->bytes,
                                    .start_ps = m->send_end_ps, .wait_end_ps = m->send_end_ps,
                                    .end_ps = m->send_end_ps + stream_ps});
    tell(watch, (struct trace_step){.rank = m->to, .stage = NIC_STAGE_NIC_IN, .label = "message", .bytes = m->bytes,
                                    .start_ps = m->last_byte_ps - stream_ps, .wait_end_ps = m->last_byte_ps - stream_ps,
                                    .end_ps = m->last_byte_ps});
}

/* A sender waits for nobody but its own port, and is slowed by who shares its node's memory; so is a receiver. What either takes
 * longer than alone stands before its work. */
static void tell_message(void *context, const struct sim_cluster_message *m)
{
    const struct sim_network_watch *watch = context;
    int inside = m->from / watch->ppn == m->to / watch->ppn;
    uint64_t take_ps = m->alone_ps - (inside ? m->end_ps - m->take_ps : 0); /* alone it would have begun then */
    tell(watch, (struct trace_step){.rank = m->from, .op = STEP_STORE, .label = "send", .bytes = m->bytes,
                                    .start_ps = m->ready_ps, .wait_end_ps = m->send_end_ps - m->send_work_ps,
                                    .end_ps = m->send_end_ps, .sent_ps = m->ready_ps, .alone_ps = m->send_ps});
    tell(watch, (struct trace_step){.rank = m->to, .op = STEP_WAIT_GE, .label = "receive", .bytes = m->bytes,
                                    .start_ps = m->want_ps, .wait_end_ps = m->take_ps, .end_ps = m->end_ps, .sent_ps = m->send_ps,
                                    .alone_ps = take_ps});
    if (!watch->links && !inside)
        tell_ports(watch, m);
}

static void tell_crossing(void *context, uint32_t from, uint32_t to, uint64_t bytes, const struct sim_fabric_crossing *c)
{
    const struct sim_network_watch *watch = context;
    int enters = c->hop == c->hops - 1;
    tell(watch, (struct trace_step){.rank = enters ? to : from, .index = c->link, .label = "message", .bytes = bytes,
                                    .stage = enters ? NIC_STAGE_NIC_IN : c->hop ? NIC_STAGE_LINK : NIC_STAGE_NIC_OUT,
                                    .start_ps = c->start_ps, .wait_end_ps = c->start_ps, .end_ps = c->end_ps});
}

static void tell_move(void *context, const struct sim_cluster_move *m)
{
    tell(context, (struct trace_step){.rank = m->rank, .op = STEP_STORE, .label = "rotate", .bytes = m->bytes,
                                      .start_ps = m->begin_ps, .wait_end_ps = m->end_ps - m->work_ps, .end_ps = m->end_ps,
                                      .sent_ps = m->begin_ps, .alone_ps = m->begin_ps});
}

struct sim_cluster_observer sim_network_observer(struct sim_network_watch *watch)
{
    return (struct sim_cluster_observer){tell_message, tell_crossing, tell_move, watch};
}
