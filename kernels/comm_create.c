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

/* What must be the same everywhere. */
struct agreed {
    uint32_t procs, fragment_bytes, slots, sets, tree_kind, tree_degree;
    uint32_t short_protocol, huge_pages, control_pages, op_start;
    char protocol[16];
};

struct hello {
    struct agreed agreed;
    struct liveness_identity identity;
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

static struct bcast_call call_template(const struct comm *comm)
{
    const struct comm_config *f = &comm->config;
    return (struct bcast_call){.fragment_bytes = f->fragment_bytes, .slots = f->slots, .sets = f->sets, .procs = f->procs,
                               .rank = f->rank, .tree = &comm->tree, .lines = f->control_pages ? 0 : EAGER_LINES};
}

static void check_config(struct creation *c)
{
    const struct comm_config *f = &c->comm->config;
    struct bcast_call call = call_template(c->comm);
    if (!f->protocol || (f->protocol != &protocol_pipelined && f->protocol != &protocol_eager))
        no(c, -EINVAL, "unknown protocol");
    else if (protocol_pipelined.supports(&call))
        no(c, -EINVAL, "fragment, slots and sets must be positive and sets must divide slots");
    else if (f->protocol == &protocol_eager && f->control_pages)
        no(c, -EINVAL, "the eager protocol needs the packed layout");
}

static struct agreed agreed_of(const struct comm_config *f)
{
    struct agreed a = {.procs = f->procs, .fragment_bytes = f->fragment_bytes, .slots = f->slots, .sets = f->sets,
                       .tree_kind = f->tree.kind, .tree_degree = f->tree.degree, .short_protocol = f->short_protocol != 0,
                       .huge_pages = f->huge_pages != 0, .control_pages = f->control_pages != 0, .op_start = f->op_start};
    snprintf(a.protocol, sizeof a.protocol, "%s", f->protocol ? f->protocol->name : "");
    return a;
}

static int step_hello(struct creation *c)
{
    struct comm *comm = c->comm;
    struct hello mine = {.agreed = agreed_of(&comm->config), .identity = liveness_identity_self(),
                         .domain_os = comm->config.domain_os};
    placement_allowed(mine.allowed); /* unknown stays empty: then the ranks count as crowded, which is safe */
    check_config(c);
    int error = c->bootstrap->allgather(c->bootstrap->context, &mine, c->hello, sizeof mine);
    if (error)
        return error;
    if (!c->mine.status && memcmp(&mine.agreed, &c->hello[0].agreed, sizeof mine.agreed) != 0)
        no(c, -EINVAL, "configuration differs from that of rank 0");
    return agree(c);
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

/* Rank 0 decides and creates the file. */
static int step_plan(struct creation *c)
{
    struct comm *comm = c->comm;
    const struct comm_config *f = &comm->config;
    struct segment_options options = {f->procs, f->slots, f->sets, f->fragment_bytes, f->control_pages, f->huge_pages};
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

static void init_word(struct comm *comm, const struct protocol *protocol, uint32_t word, uint32_t owner, uint32_t index)
{
    word_store_relaxed(segment_word(&comm->plan.layout, comm->base, word, owner, index),
                       protocol->word_initial(word, comm->config.op_start));
}

/* Values before the first call. The agreement that follows publishes them. */
static void init_words(struct comm *comm)
{
    const struct segment_layout *l = &comm->plan.layout;
    uint32_t rank = comm->config.rank;
    for (uint32_t k = 0; k < l->sets && rank == 0; k++) {
        init_word(comm, &protocol_pipelined, WORD_SET_OP, 0, k);
        init_word(comm, &protocol_pipelined, WORD_SET_NREADERS, 0, k);
    }
    for (uint32_t i = 0; i < l->slots; i++)
        init_word(comm, &protocol_pipelined, WORD_CONTROL, rank, i);
    for (uint32_t i = 0; i < l->lines; i++)
        init_word(comm, &protocol_eager, WORD_LINE, rank, i);
    if (l->lines)
        init_word(comm, &protocol_eager, WORD_ACK, rank, 0);
}

static int allocate_ranges(struct creation *c, char *reason)
{
    struct comm *comm = c->comm;
    const struct segment_plan *plan = &comm->plan;
    int32_t domain = comm->config.domain_os;
    struct segment_range own = segment_range_of_rank(plan, comm->config.rank);
    int error = segment_range_allocate(plan, comm->base, c->fd, own, domain, reason);
    if (!error && comm->config.rank == 0)
        error = segment_range_allocate(plan, comm->base, c->fd, segment_range_leading(plan), domain, reason);
    if (!error && comm->config.rank == 0)
        error = segment_range_allocate(plan, comm->base, c->fd, segment_range_head(plan), domain, reason);
    return error;
}

/* The tree and the process descriptors, which need no segment but its head. */
static int private_parts(struct creation *c, char *reason)
{
    struct comm *comm = c->comm;
    uint32_t procs = comm->config.procs;
    struct liveness_identity *identity = calloc(procs, sizeof *identity);
    snprintf(reason, SEGMENT_REASON_BYTES, "cannot build the tree");
    int error = identity ? tree_create(comm->config.tree, procs, &comm->tree) : -ENOMEM;
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
    segment_leaders_fill(procs, domain, (uint32_t *)(void *)c->comm->base);
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
    else
        init_words(comm);
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
    comm->pipelined_call = comm->eager_call = call_template(comm);
    comm->pipelined_op = comm->eager_op = f->op_start;
    comm->eager_allowed = comm->plan.layout.lines > 0 && (f->short_protocol || f->protocol == &protocol_eager);
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
    int (*const steps[])(struct creation *) = {step_hello, step_plan, step_map, step_fill};
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
