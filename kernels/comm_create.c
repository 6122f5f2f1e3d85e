/* Creation of a communicator: a handful of collective steps, each of which ends in agreement. */
#include "kernels/comm_internal.h"
#include "kernels/placement.h"
#include "model/protocol/eager.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* What must be the same everywhere; no padding, compared as bytes. */
struct agreed_lane {
    char protocol[16];
    uint32_t fragment_bytes, slots, sets, readers_most, tree_kind, tree_degree;
    uint64_t size_max_bytes;
};

struct agreed {
    struct agreed_lane lane[COMM_LANES_MAX];
    uint64_t area_bytes;
    uint32_t procs, lanes, huge_pages, control_pages, op_start, zero;
};

struct hello {
    struct agreed agreed;
    struct liveness_identity identity;
    struct peer_trial trial;
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

static struct bcast_call call_template(const struct comm_config *f, uint32_t lane)
{
    const struct comm_lane *l = &f->lane[lane];
    return (struct bcast_call){.fragment_bytes = l->fragment_bytes, .slots = l->slots, .sets = l->sets, .procs = f->procs,
                               .rank = f->rank, .readers_most = l->readers_most,
                               .lines = l->protocol->uses & PROTOCOL_LINES ? EAGER_LINES : 0};
}

static const char *lane_fault(const struct comm_config *f, uint32_t lane)
{
    const struct comm_lane *l = &f->lane[lane];
    if (!l->protocol || !lane_execute_find(l->protocol, f))
        return "unknown protocol";
    if (lane > 0 && l->size_max_bytes < f->lane[lane - 1].size_max_bytes)
        return "lanes must come by rising size";
    if (f->control_pages && lane == 0 && l->protocol != &protocol_pipelined)
        return "control pages are for the pipelined protocol: the others need the packed layout";
    struct bcast_call call = call_template(f, lane);
    if (l->protocol->supports(&call))
        return "the protocol cannot work with these numbers of fragment bytes, slots and sets";
    return NULL;
}

static void check_config(struct creation *c)
{
    const struct comm_config *f = &c->comm->config;
    const char *fault = f->lanes == 0 || f->lanes > COMM_LANES_MAX ? "between 1 and 8 lanes are possible" : NULL;
    for (uint32_t i = 0; i < f->lanes && !fault; i++)
        fault = lane_fault(f, i);
    if (fault)
        no(c, -EINVAL, fault);
}

static struct agreed agreed_of(const struct comm_config *f)
{
    struct agreed a;
    memset(&a, 0, sizeof a);
    a.area_bytes = f->area_bytes;
    a.procs = f->procs;
    a.lanes = f->lanes;
    a.huge_pages = f->huge_pages != 0;
    a.control_pages = f->control_pages != 0;
    a.op_start = f->op_start;
    for (uint32_t i = 0; i < f->lanes && i < COMM_LANES_MAX; i++) {
        const struct comm_lane *l = &f->lane[i];
        a.lane[i] = (struct agreed_lane){.fragment_bytes = l->fragment_bytes, .slots = l->slots, .sets = l->sets,
                                         .readers_most = l->readers_most, .tree_kind = l->tree.kind,
                                         .tree_degree = l->tree.degree, .size_max_bytes = l->size_max_bytes};
        snprintf(a.lane[i].protocol, sizeof a.lane[i].protocol, "%s", l->protocol ? l->protocol->name : "");
    }
    return a;
}

static int step_hello(struct creation *c)
{
    struct comm *comm = c->comm;
    struct hello mine = {.agreed = agreed_of(&comm->config), .identity = liveness_identity_self(),
                         .domain_os = comm->config.domain_os};
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

/* What takes the place of peers' buffers: counters and a queue in the segment. */
static void lanes_without_peers(struct comm *comm, uint32_t rank, int error)
{
    int any = 0;
    for (uint32_t i = 0; i < comm->config.lanes; i++) {
        struct comm_lane *lane = &comm->config.lane[i];
        if (!(lane->protocol->uses & PROTOCOL_PEERS))
            continue;
        any = 1;
        lane->protocol = &protocol_counted;
        lane->fragment_bytes = 32768;
        lane->slots = 16;
        lane->sets = 4;
    }
    if (any)
        snprintf(comm->note, sizeof comm->note, "rank %u cannot reach into other processes' memory (%s): messages go through the "
                 "segment by the protocol counted", rank, strerror(-error));
}

/* Whether all ranks reach into the memory of all others; where not, lanes that need it go another way, on all ranks. */
static int step_peers(struct creation *c)
{
    struct comm *comm = c->comm;
    const struct comm_config *f = &comm->config;
    struct liveness_identity *identity = calloc(f->procs, sizeof *identity);
    int32_t mine = 0, *all = calloc(f->procs, sizeof *all);
    for (uint32_t r = 0; r < f->procs && identity; r++)
        identity[r] = c->hello[r].identity;
    int error = identity && all ? peers_create(&comm->peers, identity, f->procs, f->rank) : -ENOMEM;
    for (uint32_t r = 0; r < f->procs && !error && !mine; r++)
        mine = peers_try(&comm->peers, r, &c->hello[r].trial);
    comm->peers.secret = c->hello[0].trial.value;
    if (!error)
        error = c->bootstrap->allgather(c->bootstrap->context, &mine, all, sizeof mine);
    for (uint32_t r = 0; r < f->procs && !error; r++)
        if (all[r]) {
            lanes_without_peers(comm, r, all[r]);
            break;
        }
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

static struct segment_shape lane_shape(const struct comm_config *f, uint32_t lane)
{
    const struct comm_lane *l = &f->lane[lane];
    uint32_t uses = l->protocol->uses;
    struct segment_shape shape = {.procs = f->procs, .counters = l->protocol->counters};
    shape.slots = uses & PROTOCOL_SLOTS ? l->slots : 0;
    shape.fragment_bytes = uses & PROTOCOL_SLOTS ? l->fragment_bytes : 0;
    shape.sets = uses & PROTOCOL_SETS ? l->sets : 0;
    shape.lines = uses & PROTOCOL_LINES ? EAGER_LINES : 0;
    return shape;
}

/* Rank 0 decides and creates the file. */
static int step_plan(struct creation *c)
{
    struct comm *comm = c->comm;
    const struct comm_config *f = &comm->config;
    struct segment_options options = {.procs = f->procs, .lanes = f->lanes, .area_bytes = f->area_bytes,
                                      .control_pages = f->control_pages, .huge_pages = f->huge_pages};
    for (uint32_t i = 0; i < f->lanes; i++)
        options.shape[i] = lane_shape(f, i);
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

static void init_word(struct comm *comm, const struct lane *lane, uint32_t word, uint32_t owner, uint32_t index)
{
    word_store_relaxed(segment_word(lane->layout, lane->base, word, owner, index),
                       lane->protocol->word_initial(word, comm->config.op_start));
}

/* Values before the first call. The agreement that follows publishes them. */
static void init_words(struct comm *comm, const struct lane *lane)
{
    const struct segment_layout *l = lane->layout;
    uint32_t rank = comm->config.rank;
    for (uint32_t k = 0; k < l->sets && rank == 0; k++) {
        init_word(comm, lane, WORD_SET_OP, 0, k);
        init_word(comm, lane, WORD_SET_NREADERS, 0, k);
    }
    for (uint32_t i = 0; i < l->slots; i++)
        init_word(comm, lane, WORD_CONTROL, rank, i);
    if (comm->config.control_pages && lane == comm->lane)
        return; /* the paper's layout ends here */
    for (uint32_t i = 0; i < l->lines; i++)
        init_word(comm, lane, WORD_LINE, rank, i);
    for (uint32_t i = 0; i < l->counters; i++)
        init_word(comm, lane, WORD_COUNTER, rank, i);
    init_word(comm, lane, WORD_ACK, rank, 0);
    init_word(comm, lane, WORD_OFFER, rank, 0);
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

/* The lanes as the configuration and the plan have them, with their trees. */
static int make_lanes(struct comm *comm)
{
    const struct comm_config *f = &comm->config;
    for (uint32_t i = 0; i < f->lanes; i++) {
        struct lane *lane = &comm->lane[i];
        int error = tree_create(f->lane[i].tree, f->procs, &lane->tree);
        if (error)
            return error;
        comm->lanes = i + 1;
        lane->protocol = f->lane[i].protocol;
        lane->call = call_template(f, i);
        lane->call.tree = &lane->tree;
        lane->layout = &comm->plan.layout[i];
        lane->base = comm->base + comm->plan.lane_offset[i];
        lane->op = f->op_start;
        lane->size_max_bytes = f->lane[i].size_max_bytes;
        lane->execute = lane_execute_find(lane->protocol, f);
    }
    comm->peers.base = comm->base;
    comm->peers.areas_offset = comm->plan.areas_offset;
    comm->peers.area_bytes = comm->plan.area_bytes;
    return 0;
}

/* Lanes and process descriptors. */
static int private_parts(struct creation *c, char *reason)
{
    struct comm *comm = c->comm;
    uint32_t procs = comm->config.procs;
    struct liveness_identity *identity = calloc(procs, sizeof *identity);
    snprintf(reason, SEGMENT_REASON_BYTES, "cannot build the trees");
    int error = identity ? make_lanes(comm) : -ENOMEM;
    for (uint32_t r = 0; r < procs && identity; r++)
        identity[r] = c->hello[r].identity;
    if (!error) {
        snprintf(reason, SEGMENT_REASON_BYTES, "cannot watch the other ranks");
        error = liveness_create(&comm->liveness, identity, procs, comm->config.rank, segment_head(&comm->plan, comm->base));
    }
    free(identity);
    return error;
}

/* leaders[] of S1 Fig. 1, for whoever looks at the segment: the first rank of each rank's domain. */
static int fill_leaders(struct creation *c)
{
    uint32_t procs = c->comm->config.procs;
    uint32_t *domain = calloc(procs, sizeof *domain);
    if (!domain)
        return -ENOMEM;
    for (uint32_t r = 0; r < procs; r++)
        domain[r] = (uint32_t)c->hello[r].domain_os;
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
    for (uint32_t i = 0; i < comm->lanes && !error; i++)
        init_words(comm, &comm->lane[i]);
    error = agree(c);
    if (!error)
        madvise(comm->base, comm->plan.total_bytes, MADV_NORMAL);
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
        snprintf(comm->note + strlen(comm->note), sizeof comm->note - strlen(comm->note), "%s%s", comm->note[0] ? "; " : "", comm->plan.note);
    comm->random = (f->seed + 1) * 0x9e3779b97f4a7c15u + f->rank;
    long llc = sysconf(_SC_LEVEL3_CACHE_SIZE);
    comm->llc_bytes = f->llc_bytes ? f->llc_bytes : llc > 0 ? (uint64_t)llc : 32u << 20;
    find_crowded(c);
    wait_policy_set(&comm->waiter, comm->crowded);
    comm->waiter.sleepers = &segment_head(&comm->plan, comm->base)->sleepers;
    comm->waiter.progress = f->progress;
    comm->waiter.progress_context = f->progress_context;
    comm->liveness.dead_rank = f->dead_rank;
    comm->liveness.dead_rank_context = f->dead_rank_context;
    comm->waiter.alive = alive;
    comm->waiter.alive_context = &comm->liveness;
}

static int create(struct creation *c)
{
    int (*const steps[])(struct creation *) = {step_hello, step_peers, step_plan, step_map, step_fill};
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
        error = create(&c);
    }
    if (error)
        comm_destroy(c.comm);
    else
        *out = c.comm;
    free(c.hello);
    return error;
}
