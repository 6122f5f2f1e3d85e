/* Creation of an endpoint. A communicator of its own brings the segment, domains, liveness and waiting; the channels' memory is
 * its area. */
#include "kernels/channels/endpoint_internal.h"

#include "model/protocol/eager.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { RING_LEAST_BYTES = 4096, KEPT_LEAST_BYTES = 4096, EAGER_MOST_BYTES = 1 << 30, QUEUE_MOST = 1 << 15, UNITS_MOST = 1 << 14 };

struct endpoint_config endpoint_config_default(uint32_t procs, uint32_t rank, const struct channel *channel)
{
    struct channel_shape shape = channel_shape_default(channel->kind);
    struct endpoint_config config = {.procs = procs, .rank = rank, .channel = {channel}, .domain_os = -1};
    endpoint_config_shape(&config, &shape);
    return config;
}

void endpoint_config_shape(struct endpoint_config *config, const struct channel_shape *shape)
{
    config->ring_bytes = shape->ring_bytes;
    config->rings_most = shape->rings_most;
    config->fragment_bytes = shape->fragment_bytes;
    config->eager_bytes = shape->eager_bytes;
    config->queue_initial = shape->queue_initial;
    config->queue_extension = shape->queue_extension;
    config->pool_units = shape->pool_units;
    config->unit_bytes = shape->unit_bytes;
    config->offer_bytes = shape->offer_bytes;
    config->kept_bytes = shape->kept_bytes;
}

/* What must be the same everywhere; no padding, compared as bytes. */
struct agreed_endpoint {
    char channel[ENDPOINT_CHANNELS_MAX][16];
    uint32_t ring_bytes, fragment_bytes, eager_bytes, kept_bytes, queue_initial, queue_extension, pool_units, unit_bytes,
        rings_most;
};

static struct agreed_endpoint agreed_of(const struct endpoint_config *f)
{
    struct agreed_endpoint a = {.ring_bytes = f->ring_bytes, .fragment_bytes = f->fragment_bytes, .eager_bytes = f->eager_bytes,
                                .kept_bytes = f->kept_bytes, .queue_initial = f->queue_initial,
                                .queue_extension = f->queue_extension, .pool_units = f->pool_units, .unit_bytes = f->unit_bytes,
                                .rings_most = f->rings_most};
    for (uint32_t i = 0; i < ENDPOINT_CHANNELS_MAX && f->channel[i]; i++)
        snprintf(a.channel[i], sizeof a.channel[i], "%s", f->channel[i]->kind->name);
    return a;
}

/* NULL, or what is wrong. */
static const char *config_fault(const struct endpoint_config *f)
{
    if (!f->channel[0])
        return "an endpoint needs a channel";
    if (f->ring_bytes < RING_LEAST_BYTES || f->ring_bytes > INT32_MAX || (f->ring_bytes & (f->ring_bytes - 1)))
        return "ring: a power of two, 4096 bytes at least";
    if (f->fragment_bytes < 64 || f->fragment_bytes > f->ring_bytes / 4)
        return "fragment: 64 bytes at least, a quarter of the ring at most";
    if (f->eager_bytes > EAGER_MOST_BYTES || f->kept_bytes < KEPT_LEAST_BYTES || f->kept_bytes > INT32_MAX)
        return "eager or kept bytes out of range";
    if (f->queue_initial < 1 || f->queue_initial > QUEUE_MOST || f->queue_extension > QUEUE_MOST)
        return "queue: a packet for each sender at least";
    if (f->pool_units < 1 || f->pool_units > UNITS_MOST || f->unit_bytes < 256 || f->unit_bytes > INT32_MAX / UNITS_MOST)
        return "pool: a unit of 256 bytes at least";
    return NULL;
}

/* Collective: 0 if everybody's configuration is right and the same. Without it comm_create would lay out different things. */
static int config_agree(const struct endpoint_config *f, const struct comm_bootstrap *bootstrap, char *reason)
{
    struct hello {
        struct agreed_endpoint agreed;
        char fault[96];
    } mine = {.agreed = agreed_of(f)}, *all = calloc(f->procs, sizeof *all);
    const char *fault = config_fault(f);
    if (!all)
        return -ENOMEM;
    snprintf(mine.fault, sizeof mine.fault, "%s", fault ? fault : "");
    int error = bootstrap->allgather(bootstrap->context, &mine, all, sizeof mine);
    for (uint32_t r = 0; r < f->procs && !error; r++) {
        int differs = memcmp(&all[r].agreed, &all[0].agreed, sizeof mine.agreed) != 0;
        error = differs || all[r].fault[0] ? -EINVAL : 0;
        if (error && reason)
            snprintf(reason, COMM_REASON_BYTES, "rank %u: %.90s", r,
                     differs ? "configuration differs from that of rank 0" : all[r].fault);
    }
    free(all);
    return error;
}

static void layout_make(struct endpoint *e)
{
    struct endpoint_layout *l = &e->layout;
    uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE);
    const struct endpoint_config *f = &e->config;
    int has_queue = (e->needs & 1u << CARRIER_QUEUE) != 0, has_pool = (e->needs & 1u << CARRIER_POOL) != 0;
    e->queue.slots = has_queue ? credit_slots(e->procs, f->queue_initial, f->queue_extension) : 0;
    e->pool.units = has_pool ? f->pool_units : 0;
    l->pairs_offset = BELL_BYTES;
    l->tail_offset = l->pairs_offset + (uint64_t)e->procs * PAIR_BYTES;
    l->queue_offset = l->tail_offset + TAIL_BYTES;
    l->uses_offset = l->queue_offset + (uint64_t)e->queue.slots * QUEUE_PACKET_BYTES;
    l->pool_offset = l->uses_offset + e->pool.units * sizeof(struct pool_use);
    l->rings_offset = l->pool_offset + (uint64_t)e->pool.units * f->unit_bytes;
    if (e->needs & NEEDS_SOME_RINGS) /* each on pages of its own */
        l->rings_offset = (l->rings_offset + page - 1) / page * page;
    l->bytes = l->rings_offset;
    uint32_t some = e->needs & NEEDS_SOME_RINGS ? f->rings_most < e->procs ? f->rings_most : e->procs : 0;
    e->rings.slots = e->needs & 1u << CARRIER_RING ? e->procs : some;
    l->bytes += (uint64_t)e->rings.slots * f->ring_bytes;
}

static char *area_of(const struct endpoint *e, uint32_t rank)
{
    return e->comm->base + segment_range_area(&e->comm->plan, rank).offset;
}

static struct pair_words *words_of(const struct endpoint *e, uint32_t owner, uint32_t peer)
{
    return (struct pair_words *)(void *)(area_of(e, owner) + e->layout.pairs_offset) + peer;
}

char *rings_slot_of(const struct endpoint *e, uint32_t owner, uint32_t slot)
{
    return area_of(e, owner) + e->layout.rings_offset + (uint64_t)slot * e->config.ring_bytes;
}

/* This rank's own queue, pool and rings. */
static int carriers_start(struct endpoint *e)
{
    char *area = area_of(e, e->rank);
    int error = 0;
    if (e->queue.slots) {
        word_store_relaxed((atomic_word *)(void *)(area + e->layout.tail_offset), e->config.op_start);
        error = mp_queue_init(e, area + e->layout.queue_offset);
    }
    if (!error && e->pool.units) {
        e->pool.done = (struct pool_use *)(void *)(area + e->layout.uses_offset);
        e->pool.unit = area + e->layout.pool_offset;
        error = sr_pool_init(e);
    }
    return error ? error : rings_init(e, area + e->layout.rings_offset);
}

static void peer_carriers_start(struct endpoint *e, struct peer *p)
{
    char *area = area_of(e, p->rank);
    if (e->queue.slots) {
        p->queue_tail = (atomic_word *)(void *)(area + e->layout.tail_offset);
        p->queue_slot = (struct queue_packet *)(void *)(area + e->layout.queue_offset);
        mp_peer_init(e, p);
    }
    if (e->pool.units) {
        p->pool_done = (struct pool_use *)(void *)(area + e->layout.uses_offset);
        p->pool_unit = area + e->layout.pool_offset;
    }
    p->out = er_sender_start(e->config.ring_bytes / 64, e->config.op_start);
    p->in = er_receiver_start(e->config.ring_bytes / 64, e->config.op_start);
    if (e->needs & 1u << CARRIER_RING) {
        e->rings.from[e->rings.count++] = p->rank;
        er_ring_open(e, p, p->rank);
        er_ring_use(p, rings_slot_of(e, p->rank, e->rank));
    }
}

static void peer_start(struct endpoint *e, uint32_t rank)
{
    struct peer *p = &e->peer[rank];
    const struct pair_words *theirs = words_of(e, rank, e->rank);
    uint32_t start = e->config.op_start;
    *p = (struct peer){.rank = rank, .channel = e->config.channel[0], .out_told = &theirs->told, .out_freed = &theirs->freed,
                       .out_limit = &theirs->limit, .forbidden = e->comm->peers.pid[rank] < 0,
                       .bell = (atomic_word *)(void *)area_of(e, rank), .words = words_of(e, e->rank, rank), .number_out = start,
                       .number_in = start, .spent_units = start, .freed_units = start, .free_units = start,
                       .free_told_units = start};
    transfer_queue_start(&p->queue);
    transfer_queue_start(&p->streams);
    transfer_queue_start(&p->control);
    transfer_queue_start(&p->fetches);
    transfer_queue_start(&p->posted);
    p->kept_tail = &p->kept;
    word_store_relaxed(&p->words->freed, start);
    peer_carriers_start(e, p);
}

static int comm_of_endpoint(struct endpoint *e, const struct comm_bootstrap *bootstrap, char *reason)
{
    const struct endpoint_config *f = &e->config;
    struct comm_lane none = {.protocol = &protocol_eager, .fragment_bytes = 64, .slots = 1, .sets = 1,
                             .tree = {.kind = TREE_FLAT}, .size_max_bytes = EAGER_FIRST_LINE_BYTES};
    struct comm_config config = comm_config_of(f->procs, f->rank, &none);
    config.area_bytes = e->layout.bytes;
    config.domain_os = f->domain_os;
    config.dead_rank = f->dead_rank;
    config.dead_rank_context = f->dead_rank_context;
    config.wait_limit_s = f->wait_limit_s;
    config.op_start = f->op_start;
    config.delay_max_ns = f->delay_max_ns;
    config.seed = f->seed;
    return comm_create(&config, bootstrap, &e->comm, reason);
}

static void waiter_start(struct endpoint *e)
{
    e->waiter = e->comm->waiter;
    e->spins = e->waiter.spins;
    e->waiter.spins = 0;
    e->waiter.progress = endpoint_rest_progress;
    e->waiter.progress_context = e;
    e->waiter.alive = endpoint_rest_alive;
    e->waiter.alive_context = e;
    e->waiter.stall_ns = e->config.stall ? (uint64_t)(e->config.stall_report_s * 1e9) : 0;
    e->waiter.stalled = endpoint_rest_stalled;
    e->waiter.stalled_context = e;
    e->bell = (atomic_word *)(void *)area_of(e, e->rank);
}

static int create(struct endpoint *e, const struct comm_bootstrap *bootstrap, char *reason)
{
    const struct endpoint_config *f = &e->config;
    int32_t ready = 0, *all = calloc(f->procs, sizeof *all);
    e->peer = aligned_alloc(64, (f->procs * sizeof *e->peer + 63) / 64 * 64);
    if (e->peer)
        memset(e->peer, 0, f->procs * sizeof *e->peer);
    e->pending = calloc(f->procs, sizeof *e->pending);
    e->payload_most[CARRIER_RING] = f->fragment_bytes;
    e->payload_most[CARRIER_QUEUE] = QUEUE_PAYLOAD_BYTES;
    e->payload_most[CARRIER_POOL] = f->unit_bytes;
    e->kept_units = f->kept_bytes / 64;
    e->eager_units = e->kept_units / 4 * 3;
    for (uint32_t i = 0; i < ENDPOINT_CHANNELS_MAX && f->channel[i]; i++)
        e->needs |= f->channel[i]->needs;
    layout_make(e);
    int error = comm_of_endpoint(e, bootstrap, reason);
    if (!error) {
        ready = e->peer && e->pending && all ? carriers_start(e) : -ENOMEM;
        for (uint32_t r = 0; r < f->procs && !ready; r++)
            peer_start(e, r);
        waiter_start(e);
        e->memory.segment_bytes = e->memory.used_bytes = e->layout.bytes;
        /* Nobody sends before all rings are ready. */
        error = all ? bootstrap->allgather(bootstrap->context, &ready, all, sizeof ready) : -ENOMEM;
    }
    for (uint32_t r = 0; r < f->procs && !error; r++)
        error = all[r];
    if (!error && e->rings.slots && !(e->needs & 1u << CARRIER_RING))
        rings_release(e);
    free(all);
    return error;
}

int endpoint_create(const struct endpoint_config *config, const struct comm_bootstrap *bootstrap, struct endpoint **out,
                    char reason[COMM_REASON_BYTES])
{
    if (reason)
        snprintf(reason, COMM_REASON_BYTES, "procs, rank or memory");
    if (config->procs == 0 || config->procs > COMM_PROCS_MAX || config->rank >= config->procs)
        return -EINVAL;
    struct endpoint *e = calloc(1, sizeof *e);
    if (!e)
        return -ENOMEM;
    e->config = *config;
    e->procs = config->procs;
    e->rank = config->rank;
    int error = config_agree(config, bootstrap, reason);
    if (!error)
        error = create(e, bootstrap, reason);
    if (error)
        endpoint_destroy(e);
    else
        *out = e;
    return error;
}

void endpoint_destroy(struct endpoint *e)
{
    if (!e)
        return;
    for (uint32_t r = 0; e->comm && e->peer && r < e->procs; r++)
        kept_destroy_all(e, &e->peer[r]);
    comm_destroy(e->comm);
    sr_pool_destroy(e);
    free(e->queue.account);
    rings_destroy(e);
    free(e->table.slot);
    free(e->table.free);
    free(e->peer);
    free(e->pending);
    free(e);
}

int endpoint_channel_set(struct endpoint *e, uint32_t peer, const struct channel *channel)
{
    uint32_t have = e->needs & 1u << CARRIER_RING ? e->needs | NEEDS_SOME_RINGS : e->needs;
    if (e->error)
        return e->error;
    if (peer >= e->procs || (channel->needs & ~have))
        return -EINVAL;
    e->peer[peer].channel = channel;
    return 0;
}
