/* TopoMPI's speed-ups (S3): Allgather of 64 ranks on 8 nodes in default numbering, and with the ranks renumbered so that as little as possible
 * goes between nodes. */
#include "experiments/figure.h"
#include "model/allgather_model.h"
#include "model/formats/network_load.h"
#include "sim/sim_network.h"
#include "sim/sim_time.h"

#include <math.h>

enum { NODES = 8, PPN = 8, PROCS = NODES * PPN };

/* The part of virtual rank v is v mod NODES, which for a power of two meets the least there can be for Bruck and recursive
 * doubling: virtual_of_rank[r] has r's node as its remainder. NODES being PPN it is its own inverse. */
static uint32_t renumbered(uint32_t r)
{
    return r % PPN * NODES + r / PPN;
}

/* Before "exch.": everyone's block to who begins with it. */
static uint32_t one_round(const struct schedule *s)
{
    (void)s;
    return 1;
}

static uint32_t one_step(const struct schedule *s, uint32_t rank)
{
    (void)s;
    return renumbered(rank) != rank;
}

static void exchange_step(const struct schedule *s, uint32_t rank, uint32_t k, struct schedule_step *out)
{
    (void)s, (void)k;
    out->send_to = out->receive_from = renumbered(rank);
    out->send = (struct schedule_blocks){rank, 1, 1};
    out->receive = (struct schedule_blocks){renumbered(rank), 1, 1};
}

static const struct schedule_algorithm exchange = {
    .name = "exchange", .kind = SCHEDULE_ALLGATHER, .rounds = one_round, .steps = one_step, .step = exchange_step};

struct cluster {
    struct node node;
    struct network network;
    uint32_t core_of_rank[PROCS], map[PROCS];
};

static int cluster_create(struct cluster *c, const char *network)
{
    char reason[256];
    int code = figure_node("nehalem-2x4", &c->node);
    if (code)
        return code;
    if (network_load(network, &c->network, reason, sizeof reason))
        code = talk_fail(EXIT_FAILED, "%s", reason);
    for (uint32_t r = 0; r < PROCS; r++) {
        c->core_of_rank[r] = r % PPN;
        c->map[r] = renumbered(r);
    }
    if (code)
        node_destroy(&c->node);
    return code;
}

struct answer {
    double time_s;
    uint64_t bytes_between;
};

static int simulate(const struct cluster *c, const struct schedule_algorithm *algorithm, int numbered, uint64_t block_bytes,
                    struct answer *out)
{
    struct scenario scenario = {
        .machine = {.node = &c->node, .nodes = NODES, .network = &c->network, .ppn = PPN, .levels = 1},
        .placement = {"compact", c->core_of_rank},
        .job = {.kind = JOB_ALLGATHER, .procs = PROCS, .allgather = {block_bytes, 0}},
        .params = {.fragment_bytes = ALLGATHER_MODEL_FRAGMENT_BYTES, .slots = ALLGATHER_MODEL_SLOTS, .sets = 1},
        .algorithm = algorithm,
        .conditions = {.buffer_domain = -1, .reps = 1},
    };
    struct numbering numbering = {c->map, c->map};
    struct sim_network network;
    char reason[256] = "";
    uint64_t time_ps;
    int err = sim_network_create(&network, &scenario, reason, sizeof reason);
    if (err)
        return talk_fail(exit_code_of(err), "%s", reason);
    network.nodes.numbering = numbered ? &numbering : NULL;
    err = sim_network_call(&network, 1, &time_ps, reason, sizeof reason);
    if (!err)
        *out = (struct answer){sim_s_from_ps(time_ps), network.answer.bytes_between};
    sim_network_destroy(&network);
    return err ? talk_fail(exit_code_of(err), "%s", reason) : 0;
}

/* What S3 draws. The short ones over Gigabit rise to 200, which no traffic explains: their 0.6 s at 16 KB is TCP's collapse. */
struct panel {
    const char *network, *range;
    uint64_t first_bytes, step_bytes;
    uint32_t steps;
    double low, high;
};

static const struct panel panels[] = {
    {"gigabit", "short", 1024, 1024, 16, 7.8, 200},
    {"gigabit", "long", 131072, 131072, 8, 2, 4.5},
    {"infiniband-ddr", "short", 1024, 1024, 16, 1, 2},
    {"infiniband-ddr", "long", 131072, 131072, 8, 1, 2},
};

struct span {
    double low, high;
};

static void row(FILE *csv, const struct panel *p, const char *algorithm, const char *way, uint64_t bytes, struct answer a,
                double default_s, struct span *span)
{
    double speedup = default_s / a.time_s;
    fprintf(csv, "%s,%s,%s,%s,%llu,%.9g,%llu,%.6g,%g,%g\n", p->network, p->range, algorithm, way, (unsigned long long)bytes,
            a.time_s, (unsigned long long)a.bytes_between, speedup, p->low, p->high);
    span->low = fmin(span->low, speedup);
    span->high = fmax(span->high, speedup);
}

/* One algorithm at one size, its own numbering first. "exch." exchanges blocks, then begins; "reorder" moves blocks within ranks
 * instead, which is free here as rotations are. */
static int write_size(FILE *csv, const struct cluster *c, const struct panel *p, const struct schedule_algorithm *algorithm,
                      uint64_t bytes, struct span *span)
{
    struct span unused = {INFINITY, 0};
    struct answer plain, before, numbered, exchanged;
    int code = simulate(c, algorithm, 0, bytes, &plain);
    if (!code)
        row(csv, p, algorithm->name, "default", bytes, plain, plain.time_s, &unused);
    if (code || algorithm == &schedule_ring) /* neighbours are on one node as it is */
        return code;
    code = simulate(c, &exchange, 0, bytes, &before);
    code = code ? code : simulate(c, algorithm, 1, bytes, &numbered);
    if (code)
        return code;
    exchanged = (struct answer){before.time_s + numbered.time_s, before.bytes_between + numbered.bytes_between};
    row(csv, p, algorithm->name, "exch.", bytes, exchanged, plain.time_s, span);
    row(csv, p, algorithm->name, "reorder", bytes, numbered, plain.time_s, span);
    return 0;
}

static int write_panel(FILE *csv, const struct settings *settings, const struct panel *p)
{
    static const struct schedule_algorithm *const algorithms[] = {&schedule_bruck, &schedule_recursive_doubling, &schedule_ring};
    struct span span = {INFINITY, 0};
    struct cluster c;
    int code = cluster_create(&c, p->network);
    if (code)
        return code;
    for (int a = 0; a < 3 && !code; a++)
        for (uint32_t i = 0; i < p->steps && !code; i++)
            code = write_size(csv, &c, p, algorithms[a], p->first_bytes + i * p->step_bytes, &span);
    node_destroy(&c.node);
    if (!code)
        talk_note(settings->verbosity, 0, "%s, %s: speed-up %.2f to %.2f; measured: %g to %g", p->network, p->range, span.low, span.high,
                  p->low, p->high);
    return code;
}

int figure_speedup(FILE *csv, const struct settings *settings)
{
    int code = 0;
    fputs("network,range,algorithm,numbering,size_bytes,time_s,bytes_between,speedup,reported_low,reported_high\n", csv);
    for (size_t i = 0; i < sizeof panels / sizeof *panels && !code; i++)
        code = write_panel(csv, settings, &panels[i]);
    return code;
}
