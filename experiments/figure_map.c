/* Mappings as figures: of applications made up at random, and S3's graph of an Allgather cut into parts. */
#include "experiments/figure.h"
#include "experiments/map_trial.h"

#include <math.h>
#include <string.h>

static const uint32_t trial_procs[] = {64, 120, 250};
enum { TRIAL_SEEDS = 3 };

static void trial_print(FILE *csv, const struct map_trial *trial, const struct map_machine *machine,
                        const struct map_trial_outcome *o)
{
    for (int way = 0; way < MAP_TRIAL_WAYS; way++)
        fprintf(csv, "%s,%s,%u,%u,%llu,%s,%llu,%.9g,%.6g,%.6g\n", trial->sample->name,
                trial->shuffled ? "shuffled" : "natural", trial->procs, machine->parts, (unsigned long long)trial->seed,
                map_trial_way[way], (unsigned long long)o->cut[way], o->j[way], o->j[way] / o->j[1], o->time_s[way]);
}

/* All samples on one machine. */
static int trials(FILE *csv, uint32_t procs, const struct map_machine *machine, struct map_trial_means *means)
{
    int code = 0;
    for (const struct traffic_sample *sample = traffic_sample_table; sample->name && !code; sample++)
        for (int shuffled = 0; shuffled < 2 && !code; shuffled++)
            for (uint64_t seed = 1; seed <= TRIAL_SEEDS && !code; seed++) {
                struct map_trial trial = {sample, procs, shuffled, seed};
                struct map_trial_outcome outcome;
                code = map_trial_run(&trial, machine, &outcome);
                if (code)
                    break;
                trial_print(csv, &trial, machine, &outcome);
                map_trial_count(means, &outcome);
            }
    return code;
}

int figure_applications(FILE *csv, const struct settings *settings)
{
    const struct settings where = {.command = "map", .node = "nehalem-2x4", .network = "infiniband-ddr", .place = "compact",
                                   .seed = 1};
    struct map_trial_means means = {.count = 0};
    int code = 0;
    fputs("sample,numbering,procs,parts,seed,partitioner,cut,j,j_to_block,time_s\n", csv);
    for (size_t i = 0; i < sizeof trial_procs / sizeof *trial_procs && !code; i++) {
        struct map_machine machine;
        code = map_machine_create(&where, trial_procs[i], &machine);
        if (code)
            return code;
        code = trials(csv, trial_procs[i], &machine, &means);
        map_machine_destroy(&machine);
    }
    for (int way = 1; way < MAP_TRIAL_WAYS && !code; way++)
        talk_note(settings->verbosity, 0, "J of %s to that of auto, geometric mean of %u: %.3f", map_trial_way[way], means.count,
                  map_trial_mean(&means, way));
    if (!code)
        talk_note(settings->verbosity, 0, "J of auto to the best of the others: at most %.3f", means.worst);
    return code;
}

enum { GRAPH_PROCS = 12, GRAPH_PARTS = 3 };

/* Ranks of a part stand together, parts on a circle. */
static void stand(uint32_t part, uint32_t i, double *x, double *y)
{
    double turn = 2 * M_PI * part / GRAPH_PARTS + M_PI / 2, own = 2 * M_PI * i / (GRAPH_PROCS / GRAPH_PARTS) + M_PI / 4;
    *x = 2.2 * cos(turn) + 0.8 * cos(own + turn);
    *y = 2.2 * sin(turn) + 0.8 * sin(own + turn);
}

static void graph_print(FILE *csv, const struct graph *graph, const struct partition *partition, double x[], double y[])
{
    uint32_t have[GRAPH_PARTS] = {0};
    for (uint32_t v = 0; v < graph->vertices; v++)
        stand(partition_part(partition, v), have[partition_part(partition, v)]++, &x[v], &y[v]);
    for (uint32_t v = 0; v < graph->vertices; v++)
        for (uint32_t i = 0; i < graph_degree(graph, v); i++) {
            uint64_t weight;
            uint32_t u = graph_neighbour(graph, v, i, &weight);
            if (u > v)
                fprintf(csv, "%s,edge,%u,%u,%llu,%d,%.4f,%.4f,%.4f,%.4f\n", partition->by, v, u, (unsigned long long)weight,
                        partition_part(partition, v) != partition_part(partition, u), x[v], y[v], x[u], y[u]);
        }
    for (uint32_t v = 0; v < graph->vertices; v++)
        fprintf(csv, "%s,rank,%u,%u,%llu,%u,%.4f,%.4f,0,0\n", partition->by, v, v, (unsigned long long)partition->cut,
                partition_part(partition, v), x[v], y[v]);
}

int figure_graph(FILE *csv, const struct settings *settings)
{
    static const char *const ways[] = {"block", "auto"};
    struct schedule schedule;
    struct graph graph;
    double x[GRAPH_PROCS], y[GRAPH_PROCS];
    int error = schedule_init(&schedule, &schedule_bruck, GRAPH_PROCS, 0);
    if (!error)
        error = graph_of_schedule(&graph, &schedule);
    if (error)
        return talk_fail(EXIT_UNABLE, "no memory for a graph of %d ranks", GRAPH_PROCS);
    const struct partition_problem problem = {.graph = &graph, .schedule = &schedule, .parts = GRAPH_PARTS,
                                              .seed = settings->seed};
    int code = 0;
    fputs("partitioner,what,a,b,weight,part,x,y,x_end,y_end\n", csv);
    for (size_t i = 0; i < 2 && !code; i++) {
        struct partition partition;
        char reason[256] = "";
        error = partition_make(partitioner_find(ways[i]), &problem, &partition, reason, sizeof reason);
        if (error) {
            code = talk_fail(exit_code_of(error), "%s: %s", ways[i], reason);
            break;
        }
        partition.by = ways[i];
        graph_print(csv, &graph, &partition, x, y);
        talk_note(settings->verbosity, 0, "bruck, %d ranks in %d parts by %s: %llu blocks cross", GRAPH_PROCS, GRAPH_PARTS,
                  ways[i], (unsigned long long)partition.cut);
        partition_destroy(&partition);
    }
    graph_destroy(&graph);
    return code;
}
