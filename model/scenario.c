#include "model/scenario.h"
#include "model/channel.h"
#include "model/protocol/eager.h"
#include "model/schedule.h"

#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void outcome_init(struct outcome *out)
{
    *out = (struct outcome){.verified = -1};
    double *const absent[] = {
        &out->time_s,        &out->time_min_s,   &out->time_p99_s, &out->ci_low_s,           &out->ci_high_s,
        &out->copy_s,        &out->wait_s,       &out->notify_s,   &out->fragment_opt_bytes, &out->slots_opt,
        &out->memcpy_cold_s, &out->copy_bound_s, &out->handover_ns, &out->term_sets_s,        &out->term_fill_s,
        &out->term_notify_s, &out->term_copy_s,  &out->time_own_s,  &out->time_mean_s};
    for (size_t i = 0; i < sizeof absent / sizeof *absent; i++)
        *absent[i] = NAN;
}

void outcome_destroy(struct outcome *out)
{
    free(out->samples_s);
    out->samples_s = NULL;
    out->sample_count = 0;
}

const char *job_name(const struct job *job)
{
    return job->kind == JOB_P2P ? "p2p" : job->kind == JOB_ALLGATHER ? "allgather" : "bcast";
}

const char *p2p_pattern_name(enum p2p_pattern pattern)
{
    return pattern == P2P_STREAM ? "stream" : "pingpong";
}

uint64_t job_size_bytes(const struct job *job)
{
    return job->kind == JOB_P2P         ? job->p2p.size_bytes
           : job->kind == JOB_ALLGATHER ? job->allgather.block_bytes
                                        : job->bcast.size_bytes;
}

void job_size_set(struct job *job, uint64_t bytes)
{
    *(job->kind == JOB_ALLGATHER ? &job->allgather.block_bytes
      : job->kind == JOB_P2P     ? &job->p2p.size_bytes
                                 : &job->bcast.size_bytes) = bytes;
}

uint64_t job_message_bytes(const struct job *job)
{
    return job_size_bytes(job) * (job->kind == JOB_ALLGATHER ? job->procs : 1);
}

uint32_t job_root(const struct job *job)
{
    return job->kind == JOB_BCAST ? job->bcast.root : 0;
}

int scenario_by_messages(const struct scenario *scenario)
{
    return scenario->job.kind == JOB_P2P || scenario->algorithm != NULL;
}

const struct channel_kind *scenario_channel(const struct scenario *scenario)
{
    return scenario->channel ? scenario->channel : &channel_kind_er;
}

struct complaint {
    char *text;
    size_t bytes;
};

__attribute__((format(printf, 2, 3))) static int complain(const struct complaint *to, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    if (to->bytes)
        vsnprintf(to->text, to->bytes, format, args);
    va_end(args);
    return -EINVAL;
}

static int check_ranks(const struct scenario *s, const struct complaint *c)
{
    const struct node *node = s->machine.node;
    uint32_t procs = s->job.procs;
    if (!node || node->cores == 0)
        return complain(c, "no node given");
    if (s->job.kind != JOB_BCAST && s->job.kind != JOB_ALLGATHER && s->job.kind != JOB_P2P)
        return complain(c, "unknown collective %d", (int)s->job.kind);
    if (procs == 0)
        return complain(c, "0 processes: at least 1 is needed");
    if (job_root(&s->job) >= procs)
        return complain(c, "root %u out of range: ranks are 0..%u", s->job.bcast.root, procs - 1);
    if (job_size_bytes(&s->job) > UINT64_MAX / procs / procs) /* all ranks' messages */
        return complain(c, "%llu bytes for %u ranks are more than there can be", (unsigned long long)job_size_bytes(&s->job),
                        procs);
    if (!s->placement.core_of_rank)
        return complain(c, "ranks are not placed on cores");
    for (uint32_t r = 0; r < procs; r++)
        if (s->placement.core_of_rank[r] >= node->cores)
            return complain(c, "rank %u placed on core %u: the node has cores 0..%u", r, s->placement.core_of_rank[r],
                            node->cores - 1);
    return 0;
}

/* What the protocol's own refusal cannot say in words. */
static int check_params(const struct params *p, const struct complaint *c)
{
    if (!p->protocol)
        return complain(c, "no protocol given");
    if (p->fragment_bytes == 0)
        return complain(c, "fragment of 0 bytes: at least 1 is needed");
    if (p->slots == 0)
        return complain(c, "0 slots: at least 1 is needed");
    if (p->sets == 0)
        return complain(c, "0 sets: at least 1 is needed");
    if (p->slots % p->sets != 0)
        return complain(c, "%u sets do not divide %u slots", p->sets, p->slots);
    return 0;
}

int scenario_shares_cores(const struct scenario *s)
{
    for (uint32_t a = 0; a < s->job.procs; a++)
        for (uint32_t b = 0; b < a; b++)
            if (s->placement.core_of_rank[a] == s->placement.core_of_rank[b])
                return 1;
    return 0;
}

int scenario_tree_create(const struct scenario *s, struct tree *out)
{
    const struct node *node = s->machine.node;
    uint32_t procs = s->job.procs, *domain = NULL;
    if (s->params.tree.kind == TREE_JOINED) {
        domain = malloc(procs * sizeof *domain);
        if (!domain)
            return -ENOMEM;
        for (uint32_t r = 0; r < procs; r++)
            domain[r] = node->core_domain[s->placement.core_of_rank[r]];
    }
    int err = tree_create_placed(s->params.tree, procs, domain, job_root(&s->job), out);
    free(domain);
    return err;
}

static int check_protocol(const struct scenario *s, const struct complaint *c)
{
    const struct params *p = &s->params;
    struct tree tree;
    if (((p->protocol->uses & PROTOCOL_ALLGATHER) != 0) != (s->job.kind == JOB_ALLGATHER))
        return complain(c, "protocol %s is none of %s", p->protocol->name, job_name(&s->job));
    int err = scenario_tree_create(s, &tree);
    if (err)
        return complain(c, err == -ENOMEM ? "out of memory for the tree of %u ranks" : "no such tree for %u ranks", s->job.procs);
    struct bcast_call call = {.size_bytes = job_message_bytes(&s->job),
                              .block_bytes = job_size_bytes(&s->job),
                              .fragment_bytes = p->fragment_bytes,
                              .slots = p->slots,
                              .sets = p->sets,
                              .lines = EAGER_LINES,
                              .readers_most = p->readers_most,
                              .procs = s->job.procs,
                              .rank = job_root(&s->job),
                              .root = job_root(&s->job),
                              .tree = &tree};
    err = p->protocol->supports(&call);
    tree_destroy(&tree);
    if (err && p->protocol == &protocol_eager)
        return complain(c, "protocol eager carries at most %d bytes, the message has %llu", EAGER_PAYLOAD_BYTES,
                        (unsigned long long)call.size_bytes);
    if (err && p->protocol->needs)
        return complain(c, "protocol %s needs %s", p->protocol->name, p->protocol->needs);
    return err ? complain(c, "protocol %s does not support these parameters", p->protocol->name) : 0;
}

static int check_conditions(const struct scenario *s, const struct complaint *c)
{
    const struct conditions *k = &s->conditions;
    if (k->buffer_domain < -1 || (k->buffer_domain >= 0 && (uint32_t)k->buffer_domain >= s->machine.node->domains))
        return complain(c, "buffers on domain %d: the node has domains 0..%u", k->buffer_domain, s->machine.node->domains - 1);
    if (!(k->skew_s >= 0))
        return complain(c, "skew must not be negative");
    if (!(k->noise >= 0))
        return complain(c, "noise must not be negative");
    return 0;
}

static int check_schedule(const struct scenario *s, const struct complaint *c)
{
    const struct schedule_algorithm *a = s->algorithm;
    if (s->job.kind != JOB_ALLGATHER || a->kind != SCHEDULE_ALLGATHER)
        return complain(c, "schedule %s is none of %s", a->name, job_name(&s->job));
    if (!schedule_valid(a, s->job.procs))
        return complain(c, "schedule %s needs %s", a->name, a->needs ? a->needs : "fewer ranks");
    return 0;
}

/* The schedule is of one rank a node, with blocks of a node's ranks. */
static int check_levels(const struct scenario *s, const struct complaint *c)
{
    uint32_t procs = s->job.procs, ppn = s->machine.ppn;
    if (!schedule_valid(s->algorithm, (procs - 1) / ppn + 1))
        return complain(c, "schedule %s in two levels needs %s, here of nodes", s->algorithm->name,
                        s->algorithm->needs ? s->algorithm->needs : "fewer ranks");
    if (s->job.kind == JOB_ALLGATHER && procs % ppn && procs > ppn)
        return complain(c, "allgather in two levels needs as many ranks on every node: %u are no multiple of %u", procs, ppn);
    return 0;
}

/* Without a protocol: what moves the messages has fragments and slots of its own. */
static int check_messages(const struct scenario *s, const struct complaint *c)
{
    int err = s->algorithm ? check_schedule(s, c) : 0;
    if (err)
        return err;
    if (s->job.kind == JOB_P2P && s->job.procs != 2)
        return complain(c, "p2p is between 2 ranks, not %u", s->job.procs);
    if (s->job.kind == JOB_P2P && s->job.p2p.pattern == P2P_STREAM && s->job.p2p.window == 0)
        return complain(c, "a stream of 0 messages: at least 1 is needed");
    if (s->params.fragment_bytes == 0 || s->params.slots == 0)
        return complain(c, "fragments of %u bytes in %u slots: at least 1 is needed", s->params.fragment_bytes, s->params.slots);
    return 0;
}

/* On a network ranks exchange messages, whatever the collective. */
static int check_cluster(const struct scenario *s, const struct complaint *c)
{
    const struct schedule_algorithm *a = s->algorithm;
    if (s->machine.ppn == 0)
        return complain(c, "0 ranks a node: at least 1 is needed");
    if (s->job.kind == JOB_P2P)
        return check_messages(s, c);
    if (!a)
        return complain(c, "no schedule given for %s on a network", job_name(&s->job));
    if (a->kind != (s->job.kind == JOB_BCAST ? SCHEDULE_BCAST : SCHEDULE_ALLGATHER))
        return complain(c, "schedule %s is none of %s", a->name, job_name(&s->job));
    if (s->machine.levels == 2)
        return check_levels(s, c);
    if (!schedule_valid(a, s->job.procs))
        return complain(c, "schedule %s needs %s", a->name, a->needs ? a->needs : "fewer ranks");
    return 0;
}

/* Blocks are renumbered among ranks that exchange them. */
static int check_numbering(const struct scenario *s, const struct complaint *c)
{
    if (!s->numbering)
        return 0;
    if (s->job.kind != JOB_ALLGATHER || !s->algorithm || s->machine.levels == 2)
        return complain(c, "a mapping is of an allgather by a schedule, in one level");
    return numbering_check(s->numbering, s->job.procs) ? complain(c, "the mapping is no permutation of %u ranks", s->job.procs)
                                                       : 0;
}

int scenario_check(const struct scenario *scenario, char *reason, size_t reason_bytes)
{
    struct complaint c = {reason, reason_bytes};
    int err = check_ranks(scenario, &c);
    if (!err && scenario->machine.network)
        err = check_cluster(scenario, &c);
    else if (!err && scenario_by_messages(scenario))
        err = check_messages(scenario, &c);
    else if (!err && (err = check_params(&scenario->params, &c)) == 0)
        err = check_protocol(scenario, &c);
    err = err ? err : check_numbering(scenario, &c);
    return err ? err : check_conditions(scenario, &c);
}

int scenario_peers_by_kernel(const struct scenario *scenario)
{
    return scenario->conditions.backend == BACKEND_PROCS && scenario->conditions.buffer_memory == BUFFER_MEMORY_PRIVATE;
}

/* Whether each `region` ranks are in one domain. */
static int in_domains(const struct scenario *s, uint32_t region)
{
    const uint32_t *domain = s->machine.node->core_domain, *core = s->placement.core_of_rank;
    for (uint32_t rank = 0; rank < s->job.procs; rank++)
        if (domain[core[rank]] != domain[core[rank / region * region]])
            return 0;
    return 1;
}

uint32_t scenario_region(const struct scenario *scenario)
{
    if (scenario->machine.network)
        return schedule_region(scenario->job.procs, scenario->machine.ppn);
    uint32_t region = schedule_region(scenario->job.procs, scenario->job.procs);
    while (region > 1 && !in_domains(scenario, region))
        region /= 2;
    return region;
}

/* The n-th core of a domain; node->cores if it has fewer. */
static uint32_t domain_core(const struct node *node, uint32_t domain, uint32_t n)
{
    for (uint32_t core = 0; core < node->cores; core++)
        if (node->core_domain[core] == domain && n-- == 0)
            return core;
    return node->cores;
}

/* Ranks beyond `filled` use the same cores again, in the same order. */
static void fill_wrap(uint32_t filled, uint32_t procs, uint32_t *core_of_rank)
{
    for (uint32_t rank = filled; rank < procs; rank++)
        core_of_rank[rank] = core_of_rank[rank - filled];
}

static void fill_by_domain(const struct node *node, int scatter, uint32_t procs, uint32_t *core_of_rank)
{
    uint32_t rank = 0;
    for (uint64_t i = 0; i < (uint64_t)node->cores * node->domains && rank < procs; i++) {
        uint32_t domain = (uint32_t)(scatter ? i % node->domains : i / node->cores);
        uint32_t core = domain_core(node, domain, (uint32_t)(scatter ? i / node->domains : i % node->cores));
        if (core < node->cores)
            core_of_rank[rank++] = core;
    }
    fill_wrap(rank, procs, core_of_rank);
}

/* A,B,...: the whole list must make sense, also entries that no rank needs. */
static int fill_listed(const char *text, const struct node *node, uint32_t procs, uint32_t *core_of_rank)
{
    uint32_t entries = 0;
    for (const char *at = text;; at++) {
        char *end;
        unsigned long core = *at >= '0' && *at <= '9' ? strtoul(at, &end, 10) : node->cores;
        if (core >= node->cores || (*end != ',' && *end != '\0'))
            return -EINVAL;
        if (entries < procs)
            core_of_rank[entries++] = (uint32_t)core;
        at = end;
        if (*at == '\0')
            break;
    }
    fill_wrap(entries, procs, core_of_rank);
    return 0;
}

int placement_fill(const char *name, const struct node *node, uint32_t procs, uint32_t *core_of_rank)
{
    if (strcmp(name, "compact") == 0 || strcmp(name, "scatter") == 0) {
        fill_by_domain(node, name[0] == 's', procs, core_of_rank);
        return 0;
    }
    return strncmp(name, "list:", 5) == 0 ? fill_listed(name + 5, node, procs, core_of_rank) : -EINVAL;
}
