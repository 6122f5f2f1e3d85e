/* Messages between nodes: from the beginning to the end, and whether all adds up. */
#include "sim/sim_remote.h"

#include "model/channel/channel_memory.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

static int endpoint_create(struct sim_remote *s, uint32_t rank)
{
    struct sim_remote_endpoint *e = &s->endpoint[rank];
    e->rank = rank;
    e->pair = calloc(s->procs, sizeof *e->pair);
    e->account = calloc(s->procs, sizeof *e->account);
    e->registered.entry = calloc(s->costs.register_entries, sizeof *e->registered.entry);
    if (!e->pair || !e->account || !e->registered.entry)
        return -ENOMEM;
    e->registered.entries = s->costs.register_entries;
    for (uint32_t r = 0; r < s->procs; r++)
        credit_account_start(&e->account[r], s->shape.queue_initial, 0);
    e->idle_in = e->idle_out = s->shape.pool_units;
    e->memory_bytes = channel_memory_fixed_bytes(s->kind, &s->shape, s->procs);
    return credit_pool_start(&e->pool, s->procs, s->shape.queue_initial, s->queue_slots);
}

int sim_remote_create(struct sim_remote *s, const struct sim_remote_question *q, char *reason, size_t reason_bytes)
{
    *s = (struct sim_remote){.question = *q, .costs = q->costs, .shape = q->shape, .kind = q->kind, .procs = q->procs,
                             .queue_slots = credit_slots(q->procs, q->shape.queue_initial, q->shape.queue_extension)};
    if (!s->queue_slots ||
        q->shape.ring_bytes / CHANNEL_UNIT_BYTES < 4 * channel_ring_units(q->shape.fragment_bytes + s->costs.layer_bytes) / 2) {
        snprintf(reason, reason_bytes, "rings of %u bytes are too small for fragments of %u", q->shape.ring_bytes,
                 q->shape.fragment_bytes);
        return -EINVAL;
    }
    if (q->procs > SIM_REMOTE_PROCS_MOST) {
        snprintf(reason, reason_bytes, "channels are simulated among %d ranks at most, not %u: leave out --channel",
                 SIM_REMOTE_PROCS_MOST, q->procs);
        return -ENOTSUP;
    }
    s->question.ppn = q->ppn ? q->ppn : 1;
    s->endpoint = calloc(q->procs, sizeof *s->endpoint);
    int err = s->endpoint ? sim_queue_create(&s->queue, 64) : -ENOMEM;
    err = err ? err : sim_nic_create(&s->nic, &s->costs, q->procs, s->question.ppn, &s->queue);
    for (uint32_t r = 0; r < q->procs && !err; r++)
        err = endpoint_create(s, r);
    if (!err)
        return 0;
    snprintf(reason, reason_bytes, "no memory for the channels of %u ranks: use fewer", q->procs);
    sim_remote_destroy(s);
    return err;
}

void sim_remote_destroy(struct sim_remote *s)
{
    for (uint32_t r = 0; r < s->procs && s->endpoint; r++) {
        struct sim_remote_endpoint *e = &s->endpoint[r];
        for (uint32_t peer = 0; peer < s->procs && e->pair; peer++)
            free(e->pair[peer]);
        free(e->pair);
        free(e->account);
        free(e->inbox);
        free(e->registered.entry);
    }
    free(s->endpoint);
    for (struct sim_remote_packet *packet = s->packet_made, *made; packet; packet = made) {
        made = packet->made;
        free(packet);
    }
    for (struct sim_remote_message *m = s->message_made, *made; m; m = made) {
        made = m->made;
        free(m);
    }
    sim_nic_destroy(&s->nic);
    sim_queue_destroy(&s->queue);
    *s = (struct sim_remote){0};
}

uint64_t sim_remote_memory_bytes(const struct sim_remote *s)
{
    uint64_t most_bytes = 0;
    for (uint32_t r = 0; r < s->procs; r++)
        most_bytes = s->endpoint[r].memory_bytes > most_bytes ? s->endpoint[r].memory_bytes : most_bytes;
    return most_bytes;
}

int sim_remote_sound(const struct sim_remote *s)
{
    for (uint32_t r = 0; r < s->procs; r++) {
        const struct sim_remote_endpoint *e = &s->endpoint[r];
        if (!credit_pool_sound(&e->pool, e->account, s->queue_slots) || e->in_queue || e->in_queue_most > s->queue_slots)
            return 0;
        if (e->idle_in != s->shape.pool_units || e->idle_out != s->shape.pool_units || e->open)
            return 0;
        for (uint32_t peer = 0; peer < s->procs; peer++) {
            const struct sim_remote_pair *p = e->pair[peer], *there = p ? s->endpoint[peer].pair[r] : NULL;
            if (p && (p->ring.head || p->early.head || p->inside.head || (int32_t)credit_sender_credits(&p->credit) < 0))
                return 0;
            if (there && p->out.at != there->in.at)
                return 0;
            if (there && p->credit.spent != s->endpoint[peer].account[r].seen)
                return 0;
        }
    }
    return 1;
}
