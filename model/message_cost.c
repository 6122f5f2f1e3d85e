#include "model/message_cost.h"

#include <math.h>
#include <stdio.h>

/* Thirds of a copy: a byte read one, a byte written two, since its line is fetched before. */
enum { LOAD_READ = 1, LOAD_WRITE = 2, LOAD_COPY = 3 };

void message_costs_init(struct message_costs *out, const struct node *node, const struct message_way *way)
{
    *out = (struct message_costs){.node = node, .way = *way};
    if (!node->contention_free)
        out->tell_s = (quantity_or(&node->step_ns, 0) + quantity_or(&node->packet_ns, 0) / 2) * 1e-9;
}

/* What a copy is, beside its bytes. */
struct copying {
    enum copy_class copy_class;
    int beside;
    uint32_t far_thirds; /* of it, if the two cores are on different domains */
    uint64_t most;       /* bytes at once */
};

static double ask_node(const struct message_costs *c, const struct copying *k, uint64_t bytes, uint64_t whole_bytes)
{
    uint64_t queue = whole_bytes < c->way.queue_bytes || k->copy_class == COPY_PLAIN_COLD ? whole_bytes : c->way.queue_bytes;
    struct copy_context context = {k->copy_class, bytes, queue, whole_bytes};
    return k->beside ? node_copy_beside_s(c->node, &context) : node_copy_alone_s(c->node, &context);
}

/* One copy of so many bytes, of a message of so many. */
static double copy_s(struct message_costs *c, const struct copying *how, uint64_t bytes, uint64_t whole_bytes)
{
    if (bytes == 0)
        return 0;
    for (uint32_t i = 0; i < c->kept_count && i < MESSAGE_COSTS_KEPT; i++) {
        const struct message_kept *k = &c->kept[i];
        if (k->copy_class == how->copy_class && k->beside == how->beside && k->bytes == bytes && k->message_bytes == whole_bytes)
            return k->time_s;
    }
    double time_s = ask_node(c, how, bytes, whole_bytes);
    if (!(time_s >= 0))
        snprintf(c->missing, sizeof c->missing, "copy (%s)", copy_class_name(how->copy_class));
    c->kept[c->kept_count++ % MESSAGE_COSTS_KEPT] =
        (struct message_kept){how->copy_class, how->beside, bytes, whole_bytes, time_s};
    return time_s;
}

/* All pieces, none longer than `most`; what of it lies on another domain takes longer, the starts do not. */
static double pieces_s(struct message_costs *c, const struct message *m, const struct copying *how)
{
    uint64_t whole = message_bytes(m), full = m->run_bytes / how->most, rest = m->run_bytes % how->most;
    double full_s = full ? copy_s(c, how, how->most, whole) : 0, rest_s = copy_s(c, how, rest, whole);
    double time_s = m->runs * ((double)full * full_s + rest_s);
    if (c->node->contention_free || c->node->core_domain[m->from_core] == c->node->core_domain[m->to_core])
        return time_s;
    double start_s = quantity_or(&c->node->copy[how->copy_class].start_ns, 0) * 1e-9;
    double starts_s = m->runs * ((double)full * fmin(start_s, full_s) + fmin(start_s, rest_s));
    return time_s + (time_s - starts_s) * (1 / quantity_or(&c->node->remote_ratio, 1) - 1) * how->far_thirds / LOAD_COPY;
}

/* A fragment may hold several pieces. Without bytes there is still something to tell. */
static uint64_t fragments_of(const struct message_costs *c, const struct message *m)
{
    uint64_t bytes = message_bytes(m), fragment = c->way.fragment_bytes;
    return bytes > fragment ? (bytes + fragment - 1) / fragment : 1;
}

static double copy_in_s(struct message_costs *c, const struct message *m, int beside)
{
    struct copying in = {m->source_cold ? COPY_IN_COLD : COPY_IN_WARM, beside, LOAD_WRITE, c->way.fragment_bytes};
    return (double)fragments_of(c, m) * c->tell_s + pieces_s(c, m, &in);
}

static double copy_out_s(struct message_costs *c, const struct message *m, int beside)
{
    struct copying out = {m->target_cold ? COPY_OUT_COLD : COPY_OUT_WARM, beside, 0, c->way.fragment_bytes};
    return (double)fragments_of(c, m) * c->tell_s + pieces_s(c, m, &out);
}

/* What the sender's core has in its cache is copied as from a queue. */
static double fetch_s(struct message_costs *c, const struct message *m)
{
    struct copying fetch = {m->target_cold ? COPY_OUT_COLD : COPY_OUT_WARM, 0, LOAD_READ, m->run_bytes ? m->run_bytes : 1};
    if (m->source_cold)
        fetch.copy_class = COPY_PLAIN_COLD;
    return 2 * c->tell_s + (c->way.by_kernel ? node_peer_extra_s(c->node, message_bytes(m)) : 0) + pieces_s(c, m, &fetch);
}

double message_sender_s(struct message_costs *c, const struct message *m)
{
    return message_is_fetched(c, m) ? c->tell_s : copy_in_s(c, m, 1);
}

double message_receiver_s(struct message_costs *c, const struct message *m)
{
    return message_is_fetched(c, m) ? fetch_s(c, m) : copy_out_s(c, m, 1);
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

static int holds_two(const struct message_costs *c)
{
    return c->way.queue_bytes / 2 >= c->way.fragment_bytes;
}

double message_latency_s(struct message_costs *c, const struct message *m)
{
    double there_s = message_handover_s(c, m->from_core, m->to_core), back_s = message_handover_s(c, m->to_core, m->from_core);
    if (message_is_fetched(c, m))
        return there_s + back_s;
    double fragments = (double)fragments_of(c, m);
    return fragments * there_s + (holds_two(c) ? 0 : (fragments - 1) * back_s);
}

double message_time_s(struct message_costs *c, const struct message *m)
{
    double there_s = message_handover_s(c, m->from_core, m->to_core), fragments = (double)fragments_of(c, m);
    if (message_is_fetched(c, m))
        return c->tell_s + there_s + fetch_s(c, m);
    double in_s = copy_in_s(c, m, 0), out_s = copy_out_s(c, m, 0);
    if (!holds_two(c) || m->from_core == m->to_core)
        return in_s + message_latency_s(c, m) + out_s;
    double pace_s = fmax(copy_in_s(c, m, 1), copy_out_s(c, m, 1)) / fragments;
    return in_s / fragments + (fragments - 1) * pace_s + there_s + out_s / fragments;
}

double message_move_s(struct message_costs *c, uint64_t bytes, int cold)
{
    struct copying plain = {.copy_class = COPY_PLAIN_COLD};
    struct copying in = {.copy_class = COPY_IN_WARM}, out = {.copy_class = COPY_OUT_WARM};
    return cold ? copy_s(c, &plain, bytes, bytes) : fmin(copy_s(c, &in, bytes, bytes), copy_s(c, &out, bytes, bytes));
}
