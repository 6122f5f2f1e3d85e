#include "model/message_model.h"

#include "model/channel/channel_way.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>

enum { ROW_BYTES = 4096 };

uint64_t message_model_row_bytes(const struct scenario *s)
{
    const struct job_p2p *p = &s->job.p2p;
    if (p->pattern == P2P_STREAM)
        return p->size_bytes * p->window;
    return p->size_bytes >= s->machine.node->line_bytes ? 0 : ROW_BYTES;
}

/* Messages of a page and more each begin anew: they are no faster than alone, nor than the row that they are. */
static double pace_s(struct message_costs *costs, const struct message *m)
{
    uint64_t row = costs->row_bytes;
    double in_row_s = message_pace_s(costs, m);
    if (message_bytes(m) < ROW_BYTES)
        return in_row_s;
    costs->row_bytes = 0;
    double alone_s = message_pace_s(costs, m);
    costs->row_bytes = row;
    return fmax(in_row_s, alone_s);
}

static double stream_s(struct message_costs *costs, const struct message *m, uint32_t window)
{
    struct message answer = {.from_core = m->to_core, .to_core = m->from_core, .runs = 1};
    double first_s = message_time_s(costs, m), others_s = window > 1 ? (window - 1) * pace_s(costs, m) : 0;
    return (first_s + others_s + message_time_s(costs, &answer)) / window;
}

/* Warm buffers that the cache cannot hold at both ends are not warm. */
static int is_cold(const struct scenario *s)
{
    const struct node *node = s->machine.node;
    const uint32_t *core = s->placement.core_of_rank;
    uint64_t places = s->job.p2p.pattern == P2P_STREAM ? s->job.p2p.window : 1;
    places *= node->core_cache[core[0]] == node->core_cache[core[1]] ? 2 : 1;
    return s->conditions.buffers == BUFFERS_COLD || (node->llc_bytes > 0 && s->job.p2p.size_bytes > node->llc_bytes / places);
}

int message_model_time(const struct scenario *s, struct message_answer *out, char *reason, size_t reason_bytes)
{
    const struct node *node = s->machine.node;
    const uint32_t *core = s->placement.core_of_rank;
    struct message m = {.from_core = core[0], .to_core = core[1], .run_bytes = s->job.p2p.size_bytes, .runs = 1,
                        .source_cold = is_cold(s), .target_cold = is_cold(s)};
    struct message_way way;
    struct message_costs costs;
    int err = channel_way_of(s, &way, reason, reason_bytes);
    if (err)
        return err;
    message_costs_init(&costs, node, &way);
    costs.row_bytes = message_model_row_bytes(s);
    struct message_answer answer = {.copy_s = message_sender_s(&costs, &m) + message_receiver_s(&costs, &m)};
    answer.time_s = s->job.p2p.pattern == P2P_STREAM ? stream_s(&costs, &m, s->job.p2p.window) : message_time_s(&costs, &m);
    if (costs.missing[0]) {
        snprintf(reason, reason_bytes, "node %s does not say what a %s costs; calibrate it", node->name, costs.missing);
        return -ENOTSUP;
    }
    *out = answer;
    return 0;
}
