#include "model/message_cost.h"

#include <math.h>
#include <stdio.h>

/* Thirds of a copy: a byte read one, a byte written two, since its line is fetched before. */
enum { LOAD_READ = 1, LOAD_WRITE = 2, LOAD_COPY = 3 };

void message_costs_init(struct message_costs *out, const struct node *node, const struct message_way *way)
{
    *out = (struct message_costs){.node = node, .way = *way};
    if (node->contention_free)
        return;
    out->step_s = quantity_or(&node->step_ns, 0) * 1e-9;
    out->tell_s = out->step_s + quantity_or(&node->packet_ns, 0) / 2 * 1e-9;
    out->atomic_s = quantity_or(&node->atomic_ns, 0) * 1e-9;
}

/* What a copy is, beside its bytes. */
struct copying {
    enum copy_class copy_class;
    int beside;
    uint32_t far_thirds; /* of it, if the two cores are on different domains */
    uint64_t most;       /* bytes at once */
    uint64_t queue_bytes;
};

static double ask_node(const struct message_costs *c, const struct copying *k, uint64_t bytes, uint64_t whole_bytes)
{
    uint64_t queue = whole_bytes < k->queue_bytes || k->copy_class == COPY_PLAIN_COLD ? whole_bytes : k->queue_bytes;
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
    uint64_t whole = c->row_bytes ? c->row_bytes : message_bytes(m), full = m->run_bytes / how->most,
             rest = m->run_bytes % how->most;
    double full_s = full ? copy_s(c, how, how->most, whole) : 0, rest_s = copy_s(c, how, rest, whole);
    double time_s = m->runs * ((double)full * full_s + rest_s);
    if (c->node->contention_free || c->node->core_domain[m->from_core] == c->node->core_domain[m->to_core])
        return time_s;
    double start_s = quantity_or(&c->node->copy[how->copy_class].start_ns, 0) * 1e-9;
    double starts_s = m->runs * ((double)full * fmin(start_s, full_s) + fmin(start_s, rest_s));
    return time_s + (time_s - starts_s) * (1 / quantity_or(&c->node->remote_ratio, 1) - 1) * how->far_thirds / LOAD_COPY;
}

static uint32_t fragment_of(const struct message_costs *c, const struct message *m)
{
    return message_is_brief(c, m) ? c->way.brief_fragment_bytes : c->way.fragment_bytes;
}

/* A fragment may hold several pieces. Without bytes there is still something to tell. */
static uint64_t fragments_of(const struct message_costs *c, const struct message *m)
{
    uint64_t bytes = message_bytes(m), fragment = fragment_of(c, m);
    return bytes > fragment ? (bytes + fragment - 1) / fragment : 1;
}

/* Fragments that the queue holds. */
static double window_of(const struct message_costs *c, const struct message *m)
{
    return (double)(message_queue_bytes(c, m) / fragment_of(c, m));
}

/* What each end does for a message beyond its fragments; where each is waited for, for each. */
static double head_s(const struct message_costs *c, const struct message *m)
{
    double heads = window_of(c, m) < 2 ? (double)fragments_of(c, m) : 1;
    return heads * (c->tell_s - c->step_s);
}

static int is_asked(const struct message_costs *c, const struct message *m)
{
    return c->way.ask_bytes && message_bytes(m) >= c->way.ask_bytes;
}

/* Of each core: it tells or is told of the message, and of its being wanted. */
static double asking_s(const struct message_costs *c, const struct message *m)
{
    return is_asked(c, m) ? 2 * c->tell_s : 0;
}

static double place_s(const struct message_costs *c, const struct message *m)
{
    return (message_is_brief(c, m) ? c->way.brief_shared : c->way.shared) ? c->atomic_s : 0;
}

static double copy_in_s(struct message_costs *c, const struct message *m, int beside)
{
    struct copying in = {m->source_cold ? COPY_IN_COLD : COPY_IN_WARM, beside, LOAD_WRITE, fragment_of(c, m),
                         message_queue_bytes(c, m)};
    return head_s(c, m) + (double)fragments_of(c, m) * (c->step_s + place_s(c, m)) + pieces_s(c, m, &in);
}

static double copy_out_s(struct message_costs *c, const struct message *m, int beside)
{
    struct copying out = {m->target_cold ? COPY_OUT_COLD : COPY_OUT_WARM, beside, 0, fragment_of(c, m),
                          message_queue_bytes(c, m)};
    return head_s(c, m) + (double)fragments_of(c, m) * c->step_s + pieces_s(c, m, &out);
}

/* What the sender's core has in its cache is copied as from a queue. */
static double fetch_s(struct message_costs *c, const struct message *m)
{
    struct copying fetch = {m->target_cold ? COPY_OUT_COLD : COPY_OUT_WARM, 0, LOAD_READ, m->run_bytes ? m->run_bytes : 1,
                            UINT64_MAX};
    if (m->source_cold)
        fetch.copy_class = COPY_PLAIN_COLD;
    return 2 * c->tell_s + (c->way.by_kernel ? node_peer_extra_s(c->node, message_bytes(m)) : 0) + pieces_s(c, m, &fetch);
}

double message_sender_s(struct message_costs *c, const struct message *m)
{
    return message_is_fetched(c, m) ? c->tell_s : asking_s(c, m) + copy_in_s(c, m, 1);
}

double message_receiver_s(struct message_costs *c, const struct message *m)
{
    return message_is_fetched(c, m) ? fetch_s(c, m) : asking_s(c, m) + copy_out_s(c, m, 1);
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

static double there_and_back_s(struct message_costs *c, const struct message *m)
{
    return message_handover_s(c, m->from_core, m->to_core) + message_handover_s(c, m->to_core, m->from_core);
}

double message_latency_s(struct message_costs *c, const struct message *m)
{
    double there_s = message_handover_s(c, m->from_core, m->to_core), both_s = there_and_back_s(c, m);
    if (message_is_fetched(c, m))
        return both_s;
    double fragments = (double)fragments_of(c, m), asking = is_asked(c, m) ? both_s : 0;
    return asking + fragments * there_s + (window_of(c, m) < 2 ? (fragments - 1) * (both_s - there_s) : 0);
}

/* Between one fragment and the next, where there are so many: each core has its work, and whoever finds the queue full waits for
 * the room of the first in it, which the receiver has read and told of. */
static double fragment_pace_s(struct message_costs *c, const struct message *m, double in_s, double out_s)
{
    double window = window_of(c, m), around_s = in_s + out_s + there_and_back_s(c, m);
    return fmax(fmax(in_s, out_s), fragments_of(c, m) > window ? around_s / window : 0);
}

double message_time_s(struct message_costs *c, const struct message *m)
{
    double there_s = message_handover_s(c, m->from_core, m->to_core), fragments = (double)fragments_of(c, m);
    if (message_is_fetched(c, m))
        return c->tell_s + there_s + fetch_s(c, m);
    double in_s = copy_in_s(c, m, 0), out_s = copy_out_s(c, m, 0), head = head_s(c, m), asking = 2 * asking_s(c, m);
    if (window_of(c, m) < 2 || m->from_core == m->to_core)
        return asking + in_s + message_latency_s(c, m) + out_s;
    double pace_s = fragment_pace_s(c, m, (copy_in_s(c, m, 1) - head) / fragments, (copy_out_s(c, m, 1) - head) / fragments);
    double asked_s = is_asked(c, m) ? there_and_back_s(c, m) : 0;
    return asking + asked_s + 2 * head + (in_s + out_s - 2 * head) / fragments + (fragments - 1) * pace_s + there_s;
}

double message_pace_s(struct message_costs *c, const struct message *m)
{
    int fetched = message_is_fetched(c, m);
    double sender_s = message_sender_s(c, m), receiver_s = message_receiver_s(c, m),
           fragments = fetched ? 1 : (double)fragments_of(c, m);
    if (m->from_core == m->to_core)
        return sender_s + receiver_s;
    if (!c->node->contention_free)
        receiver_s += fragments * message_handover_s(c, m->from_core, m->to_core) * node_fetch_share(c->node);
    double around_s = (sender_s + receiver_s) / fragments + there_and_back_s(c, m);
    double room_s = fetched ? 0 : fragments * around_s / window_of(c, m);
    return fmax(fmax(sender_s, receiver_s), room_s);
}

double message_move_s(struct message_costs *c, uint64_t bytes, int cold)
{
    struct copying plain = {.copy_class = COPY_PLAIN_COLD};
    struct copying in = {.copy_class = COPY_IN_WARM, .queue_bytes = c->way.queue_bytes};
    struct copying out = {.copy_class = COPY_OUT_WARM, .queue_bytes = c->way.queue_bytes};
    return cold ? copy_s(c, &plain, bytes, bytes) : fmin(copy_s(c, &in, bytes, bytes), copy_s(c, &out, bytes, bytes));
}
