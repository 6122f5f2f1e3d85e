/* Creation of a communicator: a handful of collective steps, each of which ends in agreement. */
#include "kernels/allgather_lanes.h"
#include "kernels/comm_internal.h"
#include "kernels/environment.h"
#include "kernels/placement.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#ifndef MADV_POPULATE_READ
#define MADV_POPULATE_READ 22 /* Linux 5.14; before, the first use of a page maps it */
#endif

struct hello {
    struct agreed agreed;
    struct liveness_identity identity;
    struct peer_trial trial;
    uint64_t llc_bytes;
    uint64_t allowed[PLACEMENT_MASK_WORDS];
    int32_t domain_os;
};

struct verdict {
    int32_t status;
    char reason[SEGMENT_REASON_BYTES];
};

/* One rank's state during creation. */
struct creation {
    struct comm *comm;
    const struct comm_bootstrap *bootstrap;
    struct hello *hello; /* [procs] */
    uint64_t shown; /* what the others read and write back to try whether they can */
    int fd;
    struct verdict mine;
    char *reason; /* of the caller, or NULL */
};

static int no(struct creation *c, int error, const char *why)
{
    c->mine.status = error;
    snprintf(c->mine.reason, sizeof c->mine.reason, "%s", why);
    return error;
}

/* Collective: every rank learns the first failure, if there is one. */
static int agree(struct creation *c)
{
    uint32_t procs = c->comm->config.procs;
    struct verdict *all = calloc(procs, sizeof *all);
    if (!all)
        return -ENOMEM;
    int error = c->bootstrap->allgather(c->bootstrap->context, &c->mine, all, sizeof *all);
    if (error && c->reason)
        snprintf(c->reason, COMM_REASON_BYTES, "bootstrap failed: %s", strerror(-error));
    for (uint32_t r = 0; r < procs && !error; r++) {
        if (all[r].status == 0)
            continue;
        error = all[r].status;
        if (c->reason)
            snprintf(c->reason, COMM_REASON_BYTES, "rank %u: %.*s", r, SEGMENT_REASON_BYTES - 1, all[r].reason);
    }
    free(all);
    return error;
}

static void check_config(struct creation *c)
{
    const char *fault = lanes_fault(&c->comm->config);
    if (fault)
        no(c, -EINVAL, fault);
}

static int step_hello(struct creation *c)
{
    struct comm *comm = c->comm;
    struct hello mine = {.agreed = lanes_agreed(&comm->config), .identity = liveness_identity_self(),
                         .domain_os = comm->config.domain_os, .llc_bytes = comm->config.llc_bytes};
    if (!mine.llc_bytes)
        mine.llc_bytes = environment_cache_bytes();
    c->shown = clock_monotonic_ns() << 16 ^ comm->config.rank;
    mine.trial = (struct peer_trial){(uint64_t)(uintptr_t)&c->shown, c->shown};
    placement_allowed(mine.allowed); /* unknown stays empty: then the ranks count as crowded, which is safe */
    check_config(c);
    int error = c->bootstrap->allgather(c->bootstrap->context, &mine, c->hello, sizeof mine);
    if (error)
        return error;
    if (!c->mine.status && memcmp(&mine.agreed, &c->hello[0].agreed, sizeof mine.agreed) != 0)
        no(c, -EINVAL, "configuration differs from that of rank 0");
    return agree(c);
}

static int needs_peers(const struct comm_config *f)
{
    int needs = 0;
    for (uint32_t i = 0; i < f->lanes; i++)
        needs |= (f->lane[i].protocol->uses & PROTOCOL_PEERS) != 0;
    return needs;
}

/* The same on all ranks: all look at what all have met, and at rank 0's cache. */
static void adapt(struct creation *c, const struct environment *all)
{
    struct comm *comm = c->comm;
    if (environment_adapt(all, c->hello[0].llc_bytes, &comm->config, comm->note) == 0)
        return;
    comm->ask_lane = comm->config.lanes - 2;
    comm->queue_lane = comm->config.lanes - 1;
}

/* What the host forbids some rank takes another way, on all ranks. */
static int step_environment(struct creation *c)
{
    struct comm *comm = c->comm;
    const struct comm_config *f = &comm->config;
    struct liveness_identity *identity = calloc(f->procs, sizeof *identity);
    struct environment mine, *all = calloc(f->procs, sizeof *all);
    for (uint32_t r = 0; r < f->procs && identity; r++)
        identity[r] = c->hello[r].identity;
    int error = identity && all ? peers_create(&comm->peers, identity, f->procs, f->rank) : -ENOMEM;
    comm->peers.secret = c->hello[0].trial.value;
    if (!error) {
        mine = environment_try(needs_peers(f) ? &comm->peers : NULL, &c->hello[0].trial, sizeof *c->hello);
        error = c->bootstrap->allgather(c->bootstrap->context, &mine, all, sizeof mine);
    }
    if (!error)
        adapt(c, all);
    free(identity);
    free(all);
    return error;
}

static void find_crowded(struct creation *c)
{
    uint32_t procs = c->comm->config.procs;
    uint64_t *mask = malloc(procs * sizeof c->hello[0].allowed);
    c->comm->crowded = 1;
    if (mask) {
        for (uint32_t r = 0; r < procs; r++)
            memcpy(mask + r * PLACEMENT_MASK_WORDS, c->hello[r].allowed, sizeof c->hello[r].allowed);
        c->comm->crowded = wait_crowded(mask, PLACEMENT_MASK_WORDS, procs);
    }
    free(mask);
}

_Static_assert((int)SEGMENT_LANES_MAX == (int)COMM_LANES_MAX + 1, "the segment has every lane, and that for short blocks");

/* Rank 0 decides and creates the file. */
static int step_plan(struct creation *c)
{
    struct comm *comm = c->comm;
    const struct comm_config *f = &comm->config;
    struct segment_options options = {.procs = f->procs, .lanes = f->lanes + 1, .area_bytes = f->area_bytes,
                                      .control_pages = f->control_pages, .huge_pages = f->huge_pages};
    for (uint32_t i = 0; i < f->lanes; i++)
        options.shape[i] = lanes_shape(f, i);
    options.shape[f->lanes] = companions_shape_brief(f);
    char reason[SEGMENT_REASON_BYTES] = "segment does not fit: its size overflows";
    struct segment_plan *all = calloc(f->procs, sizeof *all);
    int error = all ? 0 : no(c, -ENOMEM, "out of memory");
    if (!error && f->rank == 0) {
        error = segment_plan_make(&options, &comm->plan);
        if (!error)
            error = segment_file_create(&comm->plan, &c->fd, reason);
        if (error)
            no(c, error == -EOVERFLOW ? -ENOMEM : error, reason);
    }
    error = agree(c);
    if (!error)
        error = c->bootstrap->allgather(c->bootstrap->context, &comm->plan, all, sizeof *all);
    if (!error) {
        comm->plan = all[0];
        error = c->bootstrap->share_fd(c->bootstrap->context, &c->fd);
    }
    free(all);
    return error;
}

/* Lowest rank in the same process. */
static uint32_t process_leader(const struct creation *c, uint32_t *members)
{
    const struct liveness_identity *self = &c->hello[c->comm->config.rank].identity;
    uint32_t leader = UINT32_MAX;
    *members = 0;
    for (uint32_t r = 0; r < c->comm->config.procs; r++)
        if (c->hello[r].identity.pid == self->pid && c->hello[r].identity.pid_space == self->pid_space) {
            leader = leader == UINT32_MAX ? r : leader;
            ++*members;
        }
    return leader;
}

static struct comm_mapping *mapping_create(struct creation *c, uint32_t users)
{
    char reason[SEGMENT_REASON_BYTES] = "out of memory";
    struct comm_mapping *mapping = calloc(1, sizeof *mapping);
    int error = mapping ? segment_map(&c->comm->plan, c->fd, &mapping->base, reason) : -ENOMEM;
    if (error) {
        no(c, error, reason);
        free(mapping);
        return NULL;
    }
    word_store_relaxed(&mapping->users, users);
    return mapping;
}

static int step_map(struct creation *c)
{
    struct comm *comm = c->comm;
    uint32_t members, leader = process_leader(c, &members);
    struct comm_mapping *mine = leader == comm->config.rank ? mapping_create(c, members) : NULL;
    struct comm_mapping **all = calloc(comm->config.procs, sizeof(struct comm_mapping *));
    int error = all ? c->bootstrap->allgather(c->bootstrap->context, &mine, all, sizeof(struct comm_mapping *)) : -ENOMEM;
    if (!error)
        comm->mapping = all[leader];
    else
        comm->mapping = mine;
    free(all);
    if (comm->mapping)
        comm->base = comm->mapping->base;
    return error ? error : agree(c);
}

static int allocate_ranges(struct creation *c, char *reason)
{
    struct comm *comm = c->comm;
    const struct segment_plan *plan = &comm->plan;
    int32_t domain = comm->config.domain_os;
    uint32_t rank = comm->config.rank;
    int error = segment_range_allocate(plan, comm->base, c->fd, segment_range_area(plan, rank), domain, reason);
    for (uint32_t i = 0; i < plan->lanes && !error; i++) {
        error = segment_range_allocate(plan, comm->base, c->fd, segment_range_of_rank(plan, i, rank), domain, reason);
        if (!error && rank == 0)
            error = segment_range_allocate(plan, comm->base, c->fd, segment_range_leading(plan, i), domain, reason);
    }
    if (!error && rank == 0)
        error = segment_range_allocate(plan, comm->base, c->fd, segment_range_head(plan), domain, reason);
    return error;
}

/* [rank] its domain; NULL without memory. */
static uint32_t *domains_create(const struct creation *c)
{
    uint32_t procs = c->comm->config.procs, *domain = calloc(procs, sizeof *domain);
    for (uint32_t r = 0; r < procs && domain; r++)
        domain[r] = (uint32_t)c->hello[r].domain_os;
    return domain;
}

/* Lanes and process descriptors. */
static int private_parts(struct creation *c, char *reason)
{
    struct comm *comm = c->comm;
    uint32_t procs = comm->config.procs;
    struct liveness_identity *identity = calloc(procs, sizeof *identity);
    snprintf(reason, SEGMENT_REASON_BYTES, "cannot build the trees");
    uint32_t *domain = domains_create(c);
    int error = identity && domain ? lanes_create(comm, domain) : -ENOMEM;
    for (uint32_t r = 0; r < procs && identity; r++)
        identity[r] = c->hello[r].identity;
    if (!error) {
        snprintf(reason, SEGMENT_REASON_BYTES, "cannot watch the other ranks");
        error = liveness_create(&comm->liveness, identity, procs, comm->config.rank, segment_head(&comm->plan, comm->base));
    }
    free(identity);
    free(domain);
    return error;
}

/* leaders[] of S1 Fig. 1, for whoever looks at the segment: the first rank of each rank's domain. */
static int fill_leaders(struct creation *c)
{
    uint32_t procs = c->comm->config.procs, *domain = domains_create(c);
    if (!domain)
        return -ENOMEM;
    for (uint32_t i = 0; i < c->comm->lanes; i++)
        segment_leaders_fill(procs, domain, (uint32_t *)(void *)c->comm->lane[i].base);
    free(domain);
    return 0;
}

static int step_fill(struct creation *c)
{
    struct comm *comm = c->comm;
    char reason[SEGMENT_REASON_BYTES] = "";
    int error = allocate_ranges(c, reason);
    if (!error)
        error = private_parts(c, reason);
    if (!error && comm->config.rank == 0)
        error = fill_leaders(c);
    if (error)
        no(c, error, reason);
    for (uint32_t i = 0; i < LANES_ALL && !error; i++)
        if (comm->lane[i].protocol)
            lane_words_init(comm, &comm->lane[i]);
    error = agree(c);
    if (!error)
        madvise(comm->base, comm->plan.total_bytes, MADV_NORMAL);
    if (!error && comm->plan.area_bytes) /* all have touched theirs: map them now, not in the first messages */
        madvise(comm->base + comm->plan.areas_offset, comm->plan.procs * comm->plan.area_bytes, MADV_POPULATE_READ);
    return error;
}

static int alive(void *context)
{
    return liveness_check(context);
}

static void finish(struct creation *c)
{
    struct comm *comm = c->comm;
    const struct comm_config *f = &comm->config;
    if (comm->plan.note[0])
        environment_note_add(comm->note, "%s", comm->plan.note);
    comm->random = (f->seed + 1) * 0x9e3779b97f4a7c15u + f->rank;
    comm->llc_bytes = c->hello[f->rank].llc_bytes;
    find_crowded(c);
    wait_policy_set(&comm->waiter, comm->crowded);
    comm->waiter.sleepers = &segment_head(&comm->plan, comm->base)->sleepers;
    comm->waiter.progress = f->progress;
    comm->waiter.progress_context = f->progress_context;
    comm->liveness.dead_rank = f->dead_rank;
    comm->liveness.dead_rank_context = f->dead_rank_context;
    comm->waiter.alive = alive;
    comm->waiter.alive_context = &comm->liveness;
    comm->waiter.stall_ns = f->stall ? (uint64_t)(f->stall_report_s * 1e9) : 0;
    comm->waiter.stalled = comm_stalled;
    comm->waiter.stalled_context = comm;
    comm->waiter.limit_ns = (uint64_t)(f->wait_limit_s * 1e9);
}

static int create(struct creation *c)
{
    int (*const steps[])(struct creation *) = {step_hello, step_environment, step_plan, step_map, step_fill};
    int error = 0;
    for (size_t i = 0; i < sizeof steps / sizeof *steps && !error; i++)
        error = steps[i](c);
    if (!error)
        finish(c);
    if (c->fd >= 0)
        close(c->fd);
    return error;
}

int comm_create(const struct comm_config *config, const struct comm_bootstrap *bootstrap, struct comm **out,
                char reason[COMM_REASON_BYTES])
{
    if (reason)
        snprintf(reason, COMM_REASON_BYTES, "procs, rank or memory");
    if (config->procs == 0 || config->procs > COMM_PROCS_MAX || config->rank >= config->procs)
        return -EINVAL;
    struct creation c = {.bootstrap = bootstrap, .fd = -1, .reason = reason};
    c.hello = calloc(config->procs, sizeof *c.hello);
    c.comm = calloc(1, sizeof *c.comm);
    int error = -ENOMEM;
    if (c.hello && c.comm) {
        c.comm->config = *config;
        c.comm->error_rank = -1;
        if (config->domain_os < 0)
            c.comm->config.domain_os = placement_domain_here();
        c.comm->config.domain_os = placement_domain_with_memory(c.comm->config.domain_os);
        error = create(&c);
    }
    if (error)
        comm_destroy(c.comm);
    else
        *out = c.comm;
    if (!error && reason)
        reason[0] = 0;
    free(c.hello);
    return error;
}
