#include "experiments/figure_cut.h"
#include "experiments/statistics.h"

#include <stdlib.h>
#include <string.h>

static uint32_t node_of(uint32_t rank)
{
    return rank / CLUSTER_PPN;
}

/* Of every node, in the round being counted, and all together. */
struct counted {
    uint64_t in[CLUSTER_NODES], out[CLUSTER_NODES], all[CLUSTER_NODES], copies[CLUSTER_NODES], bus[CLUSTER_NODES];
};

static void round_end(struct counted *c, struct cut_point *point, int of_algorithm)
{
    uint64_t most = 0;
    for (uint32_t n = 0; n < CLUSTER_NODES; n++) {
        most = c->in[n] > most ? c->in[n] : most;
        most = c->out[n] > most ? c->out[n] : most;
        point->between += c->out[n];
        point->cut += of_algorithm ? c->out[n] : 0;
        c->all[n] += of_algorithm ? c->in[n] + c->out[n] : 0;
        c->in[n] = c->out[n] = 0;
    }
    point->rounds += most;
}

/* Within a node a message is copied into a ring, which stays in the cache, and out of it: to the memory that is one copy, and the
 * ring's cache may be another's. What the NIC moves, cores do not. Who reorders keeps blocks at their numbers, as in the
 * simulator, and rotates none. */
static void count_step(const struct cluster *cluster, const struct schedule_step *step, const struct numbering *numbering,
                       uint32_t rank, struct counted *c)
{
    const uint32_t *core = cluster->core_of_rank;
    uint32_t here = node_of(rank);
    if (step->op == SCHEDULE_ROTATE)
        c->copies[here] += step->shift ? CLUSTER_PROCS : 0;
    else if (step->op == SCHEDULE_PERMUTE)
        c->copies[here] += numbering_moves(numbering, CLUSTER_PROCS, 0);
    if (step->send_to != SCHEDULE_NONE && node_of(step->send_to) == here) {
        c->copies[here] += step->send.count;
        c->bus[here] += node_caches_by_bus(&cluster->node, core[rank], core[step->send_to]) ? step->send.count : 0;
    } else if (step->send_to != SCHEDULE_NONE) {
        c->out[here] += step->send.count;
        c->in[node_of(step->send_to)] += step->send.count;
    }
}

static void count(const struct cluster *cluster, const struct schedule *schedule, const struct numbering *numbering,
                  struct cut_point *point)
{
    struct counted c = {{0}, {0}, {0}, {0}, {0}};
    for (uint32_t round = 0; round < schedule_rounds_numbered(schedule, numbering); round++) {
        for (uint32_t r = 0; r < CLUSTER_PROCS; r++)
            for (uint32_t k = 0; k < schedule_steps_numbered(schedule, numbering, r); k++) {
                struct schedule_step step;
                schedule_step_numbered(schedule, numbering, r, k, &step);
                if (step.round == round)
                    count_step(cluster, &step, numbering, r, &c);
            }
        round_end(&c, point, round || !numbering || numbering->remap != NUMBERING_EXCH);
    }
    for (uint32_t n = 0; n < CLUSTER_NODES; n++) {
        point->busiest = c.all[n] > point->busiest ? c.all[n] : point->busiest;
        point->copies = c.copies[n] > point->copies ? c.copies[n] : point->copies;
        point->bus = c.bus[n] > point->bus ? c.bus[n] : point->bus;
    }
}

static double estimate_s(const struct cluster *cluster, const struct cut_point *point, uint64_t block_bytes)
{
    struct loggp costs = network_loggp(&cluster->network);
    double link_s = 1e-12 * (double)loggp_stream_ps(&costs, block_bytes);
    double copy_s = (double)block_bytes / node_bandwidth_bytes_per_s(&cluster->node, CLUSTER_PPN);
    return (double)point->rounds * link_s + ((double)point->copies + (double)point->bus / 3) * copy_s; /* read, not written */
}

static int add(const struct cluster *cluster, const struct schedule *schedule, const struct numbering *numbering,
               const char *mapping, uint64_t block_bytes, struct cut_points *out)
{
    struct cut_point *point = &out->point[out->count];
    struct cluster_answer answer;
    *point = (struct cut_point){.cut = 0};
    snprintf(point->mapping, sizeof point->mapping, "%s", mapping);
    snprintf(point->remap, sizeof point->remap, "%s", numbering ? numbering_remap_name(numbering->remap) : "none");
    count(cluster, schedule, numbering, point);
    point->estimate_s = estimate_s(cluster, point, block_bytes);
    int code = cluster_simulate(cluster, schedule->algorithm, numbering, block_bytes, &answer);
    code = code ? code : cluster_model(cluster, schedule->algorithm, numbering, block_bytes, &point->model_s);
    point->time_s = answer.time_s;
    point->sent_bytes = answer.bytes_between;
    out->count += !code;
    return code;
}

static int add_both(const struct cluster *cluster, const struct schedule *schedule, struct mapping *m, const char *name,
                    uint64_t block_bytes, struct cut_points *out)
{
    struct numbering numbering = mapping_numbering(m);
    numbering.remap = NUMBERING_EXCH;
    int code = add(cluster, schedule, &numbering, name, block_bytes, out);
    numbering.remap = NUMBERING_REORDER;
    code = code ? code : add(cluster, schedule, &numbering, name, block_bytes, out);
    mapping_destroy(m);
    return code;
}

static uint32_t draw(uint64_t *state, uint32_t below)
{
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)((*state >> 33) % below);
}

/* Exchanges so many pairs, drawn at random. */
static void shuffle(uint64_t seed, uint32_t swaps, struct mapping *m)
{
    uint64_t state = seed;
    uint32_t *v = m->virtual_of_rank;
    for (uint32_t i = 0; i < swaps; i++) {
        uint32_t a = draw(&state, CLUSTER_PROCS), b = draw(&state, CLUSTER_PROCS), kept = v[a];
        v[a] = v[b];
        v[b] = kept;
    }
    for (uint32_t r = 0; r < CLUSTER_PROCS; r++)
        m->rank_of_virtual[v[r]] = r;
}

enum { SHUFFLED_MAPPINGS = 12 };

int cut_points_make(const struct cluster *cluster, const struct schedule_algorithm *algorithm, uint64_t block_bytes,
                    uint64_t seed, struct cut_points *out)
{
    static const char *const ways[] = {"block", "cyclic", "metis-kway", "metis-rb", "scotch", "strided", "auto"};
    struct schedule schedule;
    struct mapping m;
    char name[24];
    out->count = 0;
    if (schedule_init(&schedule, algorithm, CLUSTER_PROCS, 0))
        return talk_fail(EXIT_FAILED, "no %s of %d ranks", algorithm->name, CLUSTER_PROCS);
    int code = add(cluster, &schedule, NULL, "default", block_bytes, out);
    for (size_t i = 0; i < sizeof ways / sizeof *ways && !code; i++) {
        code = cluster_optimise(algorithm, ways[i], seed, &m, NULL);
        code = code ? code : add_both(cluster, &schedule, &m, ways[i], block_bytes, out);
    }
    for (uint32_t i = 0; i < SHUFFLED_MAPPINGS && !code; i++) {
        uint32_t swaps = i < SHUFFLED_MAPPINGS / 2 ? 2u << i : 8 * CLUSTER_PROCS; /* of the best one a few; all */
        int few = swaps <= CLUSTER_PROCS;
        snprintf(name, sizeof name, few ? "auto %u swaps" : "random %u", few ? swaps : i + 1 - SHUFFLED_MAPPINGS / 2);
        code = cluster_optimise(algorithm, "auto", seed, &m, NULL);
        if (!code)
            shuffle(seed + i, swaps, &m);
        code = code ? code : add_both(cluster, &schedule, &m, name, block_bytes, out);
    }
    return code;
}

const struct cut_point *cut_point_find(const struct cut_points *points, const char *mapping, const char *remap)
{
    for (size_t i = 0; i < points->count; i++)
        if (!strcmp(points->point[i].mapping, mapping) && !strcmp(points->point[i].remap, remap))
            return &points->point[i];
    return NULL;
}

static double of_cut(const struct cut_point *p)
{
    return (double)p->cut;
}

static double of_between(const struct cut_point *p)
{
    return (double)p->between;
}

static double of_busiest(const struct cut_point *p)
{
    return (double)p->busiest;
}

static double of_rounds(const struct cut_point *p)
{
    return (double)p->rounds;
}

static double of_copies(const struct cut_point *p)
{
    return (double)p->copies;
}

static double of_bus(const struct cut_point *p)
{
    return (double)p->bus;
}

static double of_model(const struct cut_point *p)
{
    return p->model_s;
}

static double of_estimate(const struct cut_point *p)
{
    return p->estimate_s;
}

const struct cut_measure cut_measures[] = {{"cut", of_cut},       {"between", of_between}, {"busiest", of_busiest},
                                           {"rounds", of_rounds}, {"copies", of_copies},   {"bus", of_bus},
                                           {"estimate_s", of_estimate}, {"model_s", of_model}, {NULL, NULL}};

static const struct cut_measure *measure_find(const char *name)
{
    const struct cut_measure *m = cut_measures;
    while (strcmp(m->name, name) != 0)
        m++;
    return m;
}

double cut_points_tau(const struct cut_points *points, const char *measure)
{
    double x[CUT_POINTS_MOST], y[CUT_POINTS_MOST];
    const struct cut_measure *m = measure_find(measure);
    for (size_t i = 0; i < points->count; i++) {
        x[i] = m->of(&points->point[i]);
        y[i] = points->point[i].time_s;
    }
    return statistics_kendall_tau(x, y, points->count);
}

double cut_points_inverted(const struct cut_points *points, const char *measure)
{
    const struct cut_measure *m = measure_find(measure);
    size_t inverted = 0, pairs = 0;
    for (size_t i = 0; i < points->count; i++)
        for (size_t j = 0; j < points->count; j++) {
            const struct cut_point *a = &points->point[i], *b = &points->point[j];
            if (m->of(a) >= m->of(b) || a->time_s == b->time_s)
                continue;
            pairs++;
            inverted += a->time_s > b->time_s;
        }
    return pairs ? (double)inverted / (double)pairs : 0;
}

static void print(FILE *csv, const char *network, const char *algorithm, const struct cut_points *points)
{
    for (size_t i = 0; i < points->count; i++) {
        const struct cut_point *p = &points->point[i];
        fprintf(csv, "%s,%s,%s,%s,%d", network, algorithm, p->mapping, p->remap, CUT_BLOCK_BYTES);
        for (const struct cut_measure *m = cut_measures; m->name; m++)
            fprintf(csv, ",%.9g", m->of(p));
        fprintf(csv, ",%.9g\n", p->time_s);
    }
}

static int write_network(FILE *csv, const struct settings *settings, const char *network)
{
    static const struct schedule_algorithm *const algorithms[] = {&schedule_bruck, &schedule_recursive_doubling};
    struct cluster cluster;
    struct cut_points points;
    int code = cluster_create(&cluster, network);
    if (code)
        return code;
    for (int a = 0; a < 2 && !code; a++) {
        code = cut_points_make(&cluster, algorithms[a], CUT_BLOCK_BYTES, settings->seed, &points);
        if (code)
            break;
        print(csv, network, algorithms[a]->name, &points);
        talk_note(settings->verbosity, 0, "%s, %s: a smaller cut takes longer in %.0f %% of pairs; tau with time: cut %.2f, "
                  "busiest node %.2f, busiest node of each round %.2f, copies %.2f, estimate %.2f, model %.2f", network,
                  algorithms[a]->name, 100 * cut_points_inverted(&points, "cut"), cut_points_tau(&points, "cut"),
                  cut_points_tau(&points, "busiest"), cut_points_tau(&points, "rounds"), cut_points_tau(&points, "copies"),
                  cut_points_tau(&points, "estimate_s"), cut_points_tau(&points, "model_s"));
    }
    cluster_destroy(&cluster);
    return code;
}

int figure_cut(FILE *csv, const struct settings *settings)
{
    fputs("network,algorithm,mapping,remap,size_bytes", csv);
    for (const struct cut_measure *m = cut_measures; m->name; m++)
        fprintf(csv, ",%s", m->name);
    fputs(",time_s\n", csv);
    int code = write_network(csv, settings, "gigabit");
    return code ? code : write_network(csv, settings, "infiniband-ddr");
}
