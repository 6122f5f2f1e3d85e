#include "model/message_cost.h"

#include <math.h>
#include <stdio.h>

/* Thirds of a copy: a byte read one, a byte written two, since its line is fetched before. */
enum { LOAD_READ = 1, LOAD_WRITE = 2, LOAD_COPY = 3 };

void message_costs_init(struct message_costs *out, const struct node *node, const struct message_way *way)
{
    *out = (struct message_costs){.node = node, .way = *way};
    out->step_s = node->contention_free ? 0 : quantity_or(&node->step_ns, 0) * 1e-9;
}

static double ask_node(const struct message_costs *c, enum copy_class copy_class, uint64_t bytes, uint64_t whole_bytes)
{
    uint64_t queue = whole_bytes < c->way.queue_bytes ? whole_bytes : c->way.queue_bytes;
    int plain = copy_class == COPY_PLAIN_COLD;
    return node_copy_alone_s(c->node, &(struct copy_context){copy_class, bytes, plain ? whole_bytes : queue, whole_bytes});
}

/* One copy of so many bytes, of a message of so many. */
static double copy_s(struct message_costs *c, enum copy_class copy_class, uint64_t bytes, uint64_t whole_bytes)
{
    if (bytes == 0)
        return 0;
    for (uint32_t i = 0; i < c->kept_count && i < MESSAGE_COSTS_KEPT; i++) {
        const struct message_kept *k = &c->kept[i];
        if (k->copy_class == copy_class && k->bytes == bytes && k->message_bytes == whole_bytes)
            return k->time_s;
    }
    double time_s = ask_node(c, copy_class, bytes, whole_bytes);
    if (!(time_s >= 0))
        snprintf(c->missing, sizeof c->missing, "copy (%s)", copy_class_name(copy_class));
    c->kept[c->kept_count++ % MESSAGE_COSTS_KEPT] = (struct message_kept){copy_class, bytes, whole_bytes, time_s};
    return time_s;
}

/* All pieces, none longer than `most`; those thirds of it that lie on another domain take longer, the starts do not. */
static double pieces_s(struct message_costs *c, enum copy_class copy_class, const struct message *m, uint64_t most,
                       uint32_t far_thirds)
{
    uint64_t whole = message_bytes(m), full = m->run_bytes / most, rest = m->run_bytes % most;
    double full_s = full ? copy_s(c, copy_class, most, whole) : 0, rest_s = copy_s(c, copy_class, rest, whole);
    double time_s = m->runs * ((double)full * full_s + rest_s);
    if (c->node->contention_free || c->node->core_domain[m->from_core] == c->node->core_domain[m->to_core])
        return time_s;
    double start_s = quantity_or(&c->node->copy[copy_class].start_ns, 0) * 1e-9;
    double starts_s = m->runs * ((double)full * fmin(start_s, full_s) + fmin(start_s, rest_s));
    return time_s + (time_s - starts_s) * (1 / quantity_or(&c->node->remote_ratio, 1) - 1) * far_thirds / LOAD_COPY;
}

/* A fragment may hold several pieces. Without bytes there is still something to tell. */
static double telling_s(const struct message_costs *c, const struct message *m)
{
    uint64_t bytes = message_bytes(m), fragment = c->way.fragment_bytes;
    return c->step_s * (double)(bytes > fragment ? (bytes + fragment - 1) / fragment : 1);
}

double message_sender_s(struct message_costs *c, const struct message *m)
{
    if (message_is_fetched(c, m))
        return c->step_s;
    enum copy_class copy_class = m->source_cold ? COPY_IN_COLD : COPY_IN_WARM;
    return telling_s(c, m) + pieces_s(c, copy_class, m, c->way.fragment_bytes, LOAD_WRITE);
}

double message_receiver_s(struct message_costs *c, const struct message *m)
{
    enum copy_class out = m->target_cold ? COPY_OUT_COLD : COPY_OUT_WARM;
    if (!message_is_fetched(c, m))
        return telling_s(c, m) + pieces_s(c, out, m, c->way.fragment_bytes, 0);
    double extra_s = c->way.by_kernel ? node_peer_extra_s(c->node, message_bytes(m)) : 0;
    /* What the sender's core has in its cache is copied as from a queue. */
    enum copy_class copy_class = m->source_cold ? COPY_PLAIN_COLD : out;
    uint64_t most = m->run_bytes ? m->run_bytes : 1;
    return 2 * c->step_s + extra_s + pieces_s(c, copy_class, m, most, LOAD_READ);
}

double message_handover_s(struct message_costs *c, uint32_t from_core, uint32_t to_core)
{
    if (c->node->contention_free)
        return c->node->paper.t_w_s.value;
    double time_s = from_core == to_core ? 0 : node_handover_ns(c->node, from_core, to_core) * 1e-9;
    if (!(time_s >= 0))
        snprintf(c->missing, sizeof c->missing, "line hand-over");
    return time_s;
}

double message_latency_s(struct message_costs *c, const struct message *m)
{
    double there_s = message_handover_s(c, m->from_core, m->to_core), back_s = message_handover_s(c, m->to_core, m->from_core);
    uint64_t bytes = message_bytes(m), queue = c->way.queue_bytes;
    if (message_is_fetched(c, m))
        return there_s + back_s;
    uint64_t more = bytes > queue ? (bytes - 1) / queue : 0;
    return there_s + (double)more * (there_s + back_s);
}

double message_move_s(struct message_costs *c, uint64_t bytes, int cold)
{
    if (cold)
        return copy_s(c, COPY_PLAIN_COLD, bytes, bytes);
    return fmin(copy_s(c, COPY_IN_WARM, bytes, bytes), copy_s(c, COPY_OUT_WARM, bytes, bytes));
}
