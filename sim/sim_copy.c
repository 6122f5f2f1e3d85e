#include "sim/sim_copy.h"

#include "model/shared_read.h"

#include "sim/sim_time.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static uint32_t most(const uint32_t *values, uint32_t n)
{
    uint32_t max = 0;
    for (uint32_t i = 0; i < n; i++)
        max = values[i] > max ? values[i] : max;
    return max;
}

/* Of all caches, how many ranks are at the one with the most. */
static uint64_t ranks_at_cache(const struct scenario *s)
{
    const struct node *node = s->machine.node;
    uint64_t most_ranks = 1;
    for (uint32_t i = 0; i < s->job.procs; i++) {
        uint64_t ranks = 0;
        for (uint32_t j = 0; j < s->job.procs; j++)
            ranks += node->core_cache[s->placement.core_of_rank[i]] == node->core_cache[s->placement.core_of_rank[j]];
        most_ranks = ranks > most_ranks ? ranks : most_ranks;
    }
    return most_ranks;
}

/* What every rank has of a collective besides its queue. */
static uint64_t user_bytes(const struct job *job)
{
    return job_message_bytes(job) + (job->kind == JOB_ALLGATHER ? job_size_bytes(job) : 0);
}

/* Warm user memory that its cache cannot hold, with those of the other ranks there, is not warm; nor are queues, of which a
 * broadcast uses the root's. */
static void find_memory(struct sim_copies *c)
{
    const struct scenario *s = c->scenario;
    uint64_t llc_bytes = s->machine.node->llc_bytes, ranks = ranks_at_cache(s);
    uint64_t queues = s->job.kind == JOB_ALLGATHER ? ranks : 1;
    c->queue_in_memory = llc_bytes > 0 && sim_copy_queue_bytes(s) > llc_bytes / queues;
    c->users_in_memory = s->conditions.buffers == BUFFERS_COLD || (llc_bytes > 0 && user_bytes(&s->job) > llc_bytes / ranks);
}

enum { PIECES_MOST = 65536 };

static int create_contents(struct sim_copies *c)
{
    const struct scenario *s = c->scenario;
    const struct params *params = &s->params;
    uint64_t size = job_size_bytes(&s->job);
    int peers = (params->protocol->uses & PROTOCOL_PEERS) != 0;
    c->piece_bytes = params->fragment_bytes > size / PIECES_MOST ? params->fragment_bytes : size / PIECES_MOST + 1;
    c->pieces = peers ? (uint32_t)(size / c->piece_bytes) + 1 : 0;
    uint32_t procs = s->job.procs;
    int rc = sim_content_create(&c->slots, procs * params->slots, c->caches, procs, 0);
    return rc ? rc : sim_content_create(&c->buffers, procs * c->pieces, c->caches, procs, s->machine.node->llc_bytes);
}

int sim_copies_create(struct sim_copies *c, const struct scenario *scenario, uint32_t base_target, char *reason,
                      size_t reason_bytes)
{
    const struct node *node = scenario->machine.node;
    uint32_t procs = scenario->job.procs;
    *c = (struct sim_copies){.scenario = scenario, .caches = most(node->core_cache, node->cores) + 1};
    find_memory(c);
    int rc = sim_copy_costs_create(&c->costs, scenario, c->users_in_memory, reason, reason_bytes);
    if (rc)
        return rc;
    rc = sim_memory_create(&c->memory, node, procs, base_target);
    rc = rc ? rc : create_contents(c);
    if (rc) {
        snprintf(reason, reason_bytes, "no memory for the copies of %u ranks", procs);
        sim_copies_destroy(c);
    }
    return rc;
}

void sim_copies_destroy(struct sim_copies *c)
{
    sim_memory_destroy(&c->memory);
    sim_content_destroy(&c->slots);
    sim_content_destroy(&c->buffers);
    *c = (struct sim_copies){0};
}

void sim_copies_start(struct sim_copies *c)
{
    if (c->pieces)
        sim_content_forget(&c->buffers);
}

/* A rank's buffer; its cache has the lines of a warm one. */
static struct sim_side buffer_side(const struct sim_copies *c, uint32_t owner, int write)
{
    int32_t domain = c->users_in_memory ? c->scenario->conditions.buffer_domain : -1;
    return sim_memory_side(&c->memory, c->scenario->placement.core_of_rank[owner], domain, write, c->users_in_memory);
}

/* Written, a slot is fetched by way of its home; read, it comes from its owner's cache while the queue is cached. */
static struct sim_side slot_side(const struct sim_copies *c, uint32_t owner, int write)
{
    int at_home = c->scenario->conditions.queues_together && (write || c->queue_in_memory);
    uint32_t core = c->scenario->placement.core_of_rank[at_home ? 0 : owner];
    return sim_memory_side(&c->memory, core, -1, write, c->queue_in_memory);
}

/* A copy being put together. */
struct draft {
    struct sim_class class;
    uint32_t rank, core, cache, bytes;
    enum sim_copy_kind kind;
    uint32_t far; /* share of it that goes at remote_ratio */
};

/* Reads what several may read: whoever finds it absent brings it, who finds it coming goes at the bringer's pace. */
static enum sim_presence read_shared(struct sim_copies *c, struct draft *d, struct sim_content *content, uint32_t item,
                                     const struct sim_side *side)
{
    enum sim_presence found = sim_content_find(content, item, d->cache);
    if (found == SIM_ABSENT) {
        sim_content_lead(content, item, d->cache, d->rank, d->bytes);
        d->far += sim_memory_use_side(&c->memory, &d->class, d->core, side);
    } else if (found == SIM_COMING && side->domain != c->scenario->machine.node->core_domain[d->core]) {
        d->far += SIM_LOAD_READ;
    }
    return found;
}

static uint32_t slot_item(const struct sim_copies *c, const struct step_place *slot)
{
    return slot->owner * c->scenario->params.slots + slot->index;
}

/* Of an allgather ranks offer their blocks alone, which have their place in the message. */
static uint32_t piece_item(const struct sim_copies *c, uint32_t owner, uint64_t offset_bytes)
{
    const struct job *job = &c->scenario->job;
    uint64_t begin = job->kind == JOB_ALLGATHER ? owner * job->allgather.block_bytes : 0;
    return owner * c->pieces + (uint32_t)((offset_bytes - begin) / c->piece_bytes);
}

static uint32_t cache_of_rank(const struct sim_copies *c, uint32_t rank)
{
    return c->scenario->machine.node->core_cache[c->scenario->placement.core_of_rank[rank]];
}

/* From another rank's buffer, which lies in memory, or in its owner's cache where that has just written it. */
static void read_peer(struct sim_copies *c, struct draft *d, uint32_t owner, uint64_t offset_bytes)
{
    uint32_t item = piece_item(c, owner, offset_bytes), home = cache_of_rank(c, owner);
    struct sim_side side = buffer_side(c, owner, 0);
    int at_home = !c->users_in_memory || sim_content_find(&c->buffers, item, home) == SIM_PRESENT;
    side.in_memory = !at_home;
    d->kind = SIM_COPY_PULL;
    if ((at_home && home == d->cache) || read_shared(c, d, &c->buffers, item, &side) == SIM_PRESENT || at_home)
        d->kind = SIM_COPY_PULL_CACHED;
}

/* What the rank contributes, to its own place in the message: it has just put it into its queue, or others may have read it. */
static void read_own(struct sim_copies *c, struct draft *d, const struct step *step)
{
    struct sim_side side = buffer_side(c, d->rank, 0);
    d->kind = SIM_COPY_MOVE_CACHED;
    if (!c->pieces || !side.in_memory)
        return;
    if (read_shared(c, d, &c->buffers, piece_item(c, d->rank, step->offset_bytes), &side) != SIM_PRESENT)
        d->kind = SIM_COPY_MOVE;
}

static void read_side(struct sim_copies *c, struct draft *d, const struct step *step)
{
    const struct step_place *from = &step->from;
    struct sim_side side = from->kind == PLACE_SLOT ? slot_side(c, from->owner, 0) : buffer_side(c, d->rank, 0);
    if (from->kind == PLACE_SLOT)
        read_shared(c, d, &c->slots, slot_item(c, from), &side);
    else if (from->kind == PLACE_PEER)
        read_peer(c, d, from->owner, step->offset_bytes);
    else if (from->kind == PLACE_SEND && step->to.kind == PLACE_USER)
        read_own(c, d, step);
    else if (side.in_memory)
        d->far += sim_memory_use_side(&c->memory, &d->class, d->core, &side);
}

/* What was written to a buffer others may read is in the writer's cache. */
static void write_side(struct sim_copies *c, struct draft *d, const struct step *step)
{
    const struct step_place *to = &step->to;
    if (to->kind == PLACE_SLOT) {
        struct sim_side side = slot_side(c, to->owner, 1);
        sim_content_drop(&c->slots, slot_item(c, to));
        d->far += sim_memory_use_side(&c->memory, &d->class, d->core, &side);
        return;
    }
    uint32_t owner = to->kind == PLACE_PEER ? to->owner : d->rank;
    struct sim_side side = buffer_side(c, owner, 1);
    if (c->pieces && c->scenario->job.kind == JOB_ALLGATHER)
        sim_content_fill(&c->buffers, d->cache, d->bytes); /* nobody reads what an allgather has brought */
    else if (c->pieces)
        sim_content_write(&c->buffers, piece_item(c, owner, step->offset_bytes), d->cache, d->rank, d->bytes);
    if (side.in_memory || to->kind == PLACE_PEER)
        d->far += sim_memory_use_side(&c->memory, &d->class, d->core, &side);
}

static enum sim_copy_kind kind_of(const struct step *step)
{
    if (step->to.kind == PLACE_PEER)
        return SIM_COPY_PUSH;
    if (step->from.kind == PLACE_PEER)
        return SIM_COPY_PULL;
    if (step->to.kind == PLACE_SLOT)
        return step->from.kind == PLACE_SLOT ? SIM_COPY_RELAY : SIM_COPY_IN;
    return SIM_COPY_OUT;
}

/* Whom it shares bandwidth with beyond the controllers it uses. */
static void join_groups(const struct sim_copies *c, struct draft *d, const struct sim_copy_cost *cost)
{
    static const struct {
        int kind;
        uint32_t sides; /* in the user's memory */
    } as[] = {[SIM_COPY_IN] = {SIM_KIND_IN, 1},           [SIM_COPY_OUT] = {SIM_KIND_OUT, 1},
              [SIM_COPY_RELAY] = {SIM_KIND_PLAIN, 0},     [SIM_COPY_PULL] = {SIM_KIND_PLAIN, 2},
              [SIM_COPY_PULL_CACHED] = {SIM_KIND_PLAIN, 1}, [SIM_COPY_PUSH] = {SIM_KIND_PLAIN, 2},
              [SIM_COPY_MOVE] = {SIM_KIND_PLAIN, 2},      [SIM_COPY_MOVE_CACHED] = {SIM_KIND_PLAIN, 1}};
    uint32_t sides = c->users_in_memory ? as[d->kind].sides : 0;
    sim_memory_use_kind(&c->memory, &d->class, d->core, as[d->kind].kind, sides, cost->beside);
}

int sim_copies_prepare(struct sim_copies *c, uint32_t rank, const struct step *step, struct sim_copy *out)
{
    const struct node *node = c->scenario->machine.node;
    uint32_t core = c->scenario->placement.core_of_rank[rank];
    struct draft d = {.rank = rank, .core = core, .cache = node->core_cache[core], .bytes = step->bytes, .kind = kind_of(step)};
    read_side(c, &d, step);
    write_side(c, &d, step);
    const struct sim_copy_cost *cost = sim_copy_costs_of(&c->costs, d.kind, step->bytes);
    join_groups(c, &d, cost);
    *out = (struct sim_copy){.start_ps = cost->start_ps, .alone_ps = cost->alone_ps, .tail_ps = cost->tail_ps};
    double slower = 1 / quantity_or(&node->remote_ratio, 1) - 1;
    out->alone_ps += (uint64_t)((double)out->alone_ps * slower * d.far / SIM_LOAD_UNIT);
    if (d.kind == SIM_COPY_PULL_CACHED && shared_read_applies(c->scenario))
        out->alone_ps = sim_ps_from_s(shared_read_s(c->scenario, step->bytes, sim_s_from_ps(cost->alone_ps)));
    d.class.bytes_per_s = out->alone_ps ? (double)step->bytes * SIM_PS_PER_S / (double)out->alone_ps : SIM_PS_PER_S;
    uint32_t ahead = step->bytes < SIM_STORE_BUFFER_BYTES ? step->bytes : SIM_STORE_BUFFER_BYTES;
    out->ahead_ps = step->bytes ? cost->alone_ps * ahead / step->bytes : 0;
    return sim_bandwidth_class(&c->memory.bandwidth, &d.class, &out->class_id);
}

void sim_copies_finish(struct sim_copies *c, uint32_t rank)
{
    sim_content_settle(&c->slots, rank);
    sim_content_settle(&c->buffers, rank);
}

uint64_t sim_copies_line_ps(struct sim_copies *c, const struct step *step)
{
    if (step->from.kind == PLACE_LINE && step->to.kind == PLACE_LINE)
        return 0;
    int in = step->to.kind == PLACE_LINE;
    const struct sim_copy_cost *cost = sim_copy_costs_of(&c->costs, in ? SIM_COPY_IN : SIM_COPY_OUT, step->bytes);
    return in ? cost->start_ps + cost->alone_ps : cost->alone_ps;
}
