#include "model/nic_cost.h"

#include "model/network.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

static uint64_t more(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

/* From the interface's memory to the other's: five stages, of which the slowest holds up the last byte. */
static uint64_t cross_ps(const struct nic_ps *c, uint64_t bytes)
{
    uint64_t latency_ps = 0;
    for (int stage = NIC_STAGE_BUS_OUT; stage <= NIC_STAGE_BUS_IN; stage++)
        latency_ps += c->latency_ps[stage];
    return latency_ps + more(nic_stage_ps(c, NIC_STAGE_BUS_OUT, bytes), nic_stage_ps(c, NIC_STAGE_LINK, bytes));
}

/* A packet into a queue, or a put with its data. */
static uint64_t short_ps(const struct nic_ps *c, uint64_t bytes)
{
    return cross_ps(c, bytes + c->head_bytes);
}

/* What the slowest stage does for a piece. */
static uint64_t piece_ps(const struct nic_ps *c, uint64_t bytes)
{
    uint64_t bus_ps = nic_stage_ps(c, NIC_STAGE_BUS_IN, bytes + c->event_bytes);
    return more(bus_ps, nic_stage_ps(c, NIC_STAGE_LINK, bytes + c->head_bytes));
}

static uint64_t pieces_ps(const struct nic_ps *c, uint64_t bytes)
{
    uint64_t whole = bytes / c->packet_bytes, rest = bytes % c->packet_bytes;
    return whole * piece_ps(c, c->packet_bytes) + (rest || !whole ? piece_ps(c, rest) : 0);
}

/* Read from memory and brought to the other's. */
static uint64_t data_ps(const struct nic_ps *c, uint64_t bytes)
{
    uint64_t latency_ps = c->latency_ps[NIC_STAGE_BUS_IN] + c->memory_ps;
    for (int stage = NIC_STAGE_BUS_OUT; stage <= NIC_STAGE_BUS_IN; stage++)
        latency_ps += c->latency_ps[stage];
    return latency_ps + pieces_ps(c, bytes);
}

/* From the core to the interface that is to read. */
static uint64_t put_ps(const struct nic_ps *c, uint64_t bytes)
{
    return c->latency_ps[NIC_STAGE_BUS_OUT] + c->latency_ps[NIC_STAGE_NIC_OUT] +
           nic_stage_ps(c, NIC_STAGE_BUS_OUT, c->descriptor_bytes) + data_ps(c, bytes);
}

static uint64_t get_ps(const struct nic_ps *c, uint64_t bytes)
{
    return cross_ps(c, c->descriptor_bytes) - c->latency_ps[NIC_STAGE_BUS_IN] + data_ps(c, bytes);
}

/* ---- ways ---- */

enum way { WAY_PACKET, WAY_IMMEDIATE, WAY_PUT, WAY_POOL, WAY_FETCH };

/* What the two cores do, and what is between, in order; and the slowest stage's part. */
struct parts {
    uint64_t send_ps, between_ps, receive_ps, stage_ps;
};

static int way_of(const struct nic_ps *c, const struct nic_message *m, enum way *out)
{
    const struct channel_kind *k = m->kind;
    int fetched = (k == &channel_kind_zc || k == &channel_kind_combined) && m->bytes > m->shape->offer_bytes;
    int ring = k == &channel_kind_er || k == &channel_kind_combined;
    uint32_t most = ring ? m->shape->fragment_bytes : k == &channel_kind_mp ? CHANNEL_QUEUE_PAYLOAD_BYTES : m->shape->unit_bytes;
    if (!fetched && (m->bytes > most || m->bytes > m->shape->eager_bytes))
        return -ENOTSUP;
    *out = fetched                                     ? WAY_FETCH
           : ring                                      ? m->bytes + c->layer_bytes <= c->immediate_bytes ? WAY_IMMEDIATE : WAY_PUT
           : m->bytes <= CHANNEL_QUEUE_PAYLOAD_BYTES   ? WAY_PACKET
                                                       : WAY_POOL;
    return 0;
}

static uint64_t stage_ps(const struct nic_ps *c, uint64_t bytes)
{
    return more(nic_stage_ps(c, NIC_STAGE_BUS_OUT, bytes), nic_stage_ps(c, NIC_STAGE_LINK, bytes));
}

/* Of what goes with a descriptor the other's bus sees the data and an event, which may be more than what crossed before. */
static uint64_t later_ps(const struct nic_ps *c, uint64_t bytes)
{
    uint64_t event_ps = nic_stage_ps(c, NIC_STAGE_BUS_IN, bytes + c->event_bytes), before_ps = stage_ps(c, bytes + c->head_bytes);
    return event_ps > before_ps ? event_ps - before_ps : 0;
}

static struct parts carried(const struct nic_ps *c, const struct nic_message *m, int immediate)
{
    uint64_t bytes = m->bytes + c->layer_bytes, event_ps = immediate ? later_ps(c, bytes) : 0;
    return (struct parts){nic_post_ps(c, bytes + c->head_bytes), short_ps(c, bytes) + event_ps, nic_copy_ps(c, m->bytes, m->cold),
                          stage_ps(c, bytes + c->head_bytes) + event_ps};
}

static struct parts put(const struct nic_ps *c, const struct nic_message *m)
{
    uint64_t bytes = m->bytes + c->layer_bytes;
    return (struct parts){nic_copy_ps(c, bytes, m->cold) + nic_post_ps(c, c->descriptor_bytes), put_ps(c, bytes),
                          nic_copy_ps(c, m->bytes, m->cold), pieces_ps(c, bytes)};
}

/* A packet tells, a get follows, which both ends hear of. */
static struct parts told(const struct nic_ps *c, const struct nic_message *m, uint64_t send_ps, uint64_t before_ps,
                         uint64_t after_ps)
{
    uint64_t event_ps = m->kind == &channel_kind_combined ? later_ps(c, c->layer_bytes) : 0; /* told by the ring */
    return (struct parts){send_ps + nic_post_ps(c, c->layer_bytes + c->head_bytes),
                          short_ps(c, c->layer_bytes) + event_ps + get_ps(c, m->bytes),
                          before_ps + nic_post_ps(c, c->descriptor_bytes) + c->poll_ps + after_ps, pieces_ps(c, m->bytes)};
}

static int parts_of(const struct nic_ps *c, const struct nic_message *m, struct parts *out)
{
    enum way way;
    uint64_t copy_ps = nic_copy_ps(c, m->bytes, m->cold);
    uint64_t register_ps = m->cold ? nic_register_ps(c, m->bytes) : c->register_hit_ps;
    if (way_of(c, m, &way))
        return -ENOTSUP;
    *out = way == WAY_POOL    ? told(c, m, copy_ps, 0, copy_ps)
           : way == WAY_FETCH ? told(c, m, register_ps, register_ps, 0)
           : way == WAY_PUT   ? put(c, m)
                              : carried(c, m, way == WAY_IMMEDIATE);
    out->send_ps += c->send_ps;
    out->receive_ps += c->poll_ps + c->receive_ps;
    out->stage_ps = more(out->stage_ps, c->gap_ps[NIC_STAGE_NIC_OUT]);
    return 0;
}

int nic_message_ps(const struct nic_ps *costs, const struct nic_message *message, uint64_t *out)
{
    struct parts p;
    int err = parts_of(costs, message, &p);
    if (!err)
        *out = p.send_ps + p.between_ps + p.receive_ps;
    return err;
}

int nic_pace_ps(const struct nic_ps *costs, const struct nic_message *message, uint64_t *out)
{
    struct parts p;
    int err = parts_of(costs, message, &p);
    if (!err)
        *out = more(more(p.send_ps, p.receive_ps), p.stage_ps);
    return err;
}

double nic_bytes_per_s(const struct nic_ps *costs)
{
    return costs->packet_bytes / ((double)piece_ps(costs, costs->packet_bytes) * 1e-12);
}

/* ---- scenarios ---- */

static int tell_layers(const struct nic *nic, const char *layer, char *reason, size_t reason_bytes)
{
    char names[160] = "";
    for (size_t i = 0, n = 0; i < nic->layers && n < sizeof names; i++)
        n += (size_t)snprintf(names + n, sizeof names - n, "%s%s", i ? ", " : "", nic->layer[i].name);
    snprintf(reason, reason_bytes, "the interfaces of network %s have no layer '%s': use %s", nic->network, layer, names);
    return -EINVAL;
}

int nic_setup_of(const struct scenario *s, struct nic_setup *out, char *reason, size_t reason_bytes)
{
    const struct network *network = s->machine.network;
    const char *colon = strchr(network->name, ':'), *layer = colon ? colon + 1 : NULL;
    struct nic_setup setup = {.kind = scenario_channel(s)};
    const struct nic *described = nic_find(network->name);
    struct nic nic;
    if (!described) {
        snprintf(reason, reason_bytes,
                 "nobody has described the interfaces of network %s: use tianhe, infiniband-ddr or infiniband-hdr",
                 network->name);
        return -ENOTSUP;
    }
    if (!nic_layer_find(described, layer))
        return tell_layers(described, layer, reason, reason_bytes);
    if (channel_shape_remote(setup.kind, s->params.fragment_bytes, s->params.slots, &setup.shape)) {
        snprintf(reason, reason_bytes,
                 "rings take fragments of 64 bytes to a quarter of their slots, of 1 GiB at most, not %u of %u", s->params.slots,
                 s->params.fragment_bytes);
        return -EINVAL;
    }
    nic = nic_of_port(described, network->byte_ns.value);
    setup.costs = nic_ps_of(&nic, nic_layer_find(described, layer));
    *out = setup;
    return 0;
}

int nic_scenario_s(const struct scenario *s, double *out_s, char *reason, size_t reason_bytes)
{
    struct nic_setup setup;
    uint64_t time_ps;
    int err = nic_setup_of(s, &setup, reason, reason_bytes);
    if (err)
        return err;
    struct nic_message message = {setup.kind, &setup.shape, s->job.p2p.size_bytes, s->conditions.buffers == BUFFERS_COLD};
    err = s->job.p2p.pattern == P2P_STREAM ? nic_pace_ps(&setup.costs, &message, &time_ps)
                                           : nic_message_ps(&setup.costs, &message, &time_ps);
    if (err)
        snprintf(reason, reason_bytes, "there is no closed form of %llu bytes in several fragments over %s: shmcoll sim has it",
                 (unsigned long long)message.bytes, setup.kind->name);
    else
        *out_s = (double)time_ps * 1e-12;
    return err;
}
