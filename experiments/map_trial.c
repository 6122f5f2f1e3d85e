#include "experiments/map_trial.h"
#include "kernels/clock.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

const char *const map_trial_way[MAP_TRIAL_WAYS + 1] = {"auto", "block", "cyclic", "metis-kway", "scotch", NULL};

static int run_way(const struct graph *graph, const struct map_trial *trial, const struct map_machine *machine, int way,
                   struct map_trial_outcome *out)
{
    const struct partition_problem problem = {.graph = graph, .parts = machine->parts, .sizes = machine->sizes,
                                              .seed = trial->seed};
    struct mapping mapping;
    struct mapping_quality quality;
    char reason[256] = "";
    double start = clock_monotonic_s();
    int error = mapping_make(&mapping, partitioner_find(map_trial_way[way]), &problem, &machine->hierarchy, reason,
                             sizeof reason);
    out->time_s[way] = clock_monotonic_s() - start;
    if (!error) {
        error = mapping_quality(graph, &mapping, &machine->hierarchy, &quality);
        mapping_destroy(&mapping);
    }
    if (error)
        return talk_fail(exit_code_of(error), "%s of %s: %s", map_trial_way[way], trial->sample->name,
                         *reason ? reason : strerror(-error));
    out->j[way] = quality.j;
    out->cut[way] = quality.cut[machine->node_level];
    return 0;
}

int map_trial_run(const struct map_trial *trial, const struct map_machine *machine, struct map_trial_outcome *out)
{
    struct traffic traffic;
    struct graph graph;
    if (traffic_sample_create(&traffic, trial->sample, trial->procs, trial->shuffled, trial->seed))
        return talk_fail(EXIT_UNABLE, "no memory for %s of %u ranks", trial->sample->name, trial->procs);
    int code = map_graph_of_traffic(trial->sample->name, &traffic, &graph);
    traffic_destroy(&traffic);
    if (code)
        return code;
    for (int way = 0; way < MAP_TRIAL_WAYS && !code; way++)
        code = run_way(&graph, trial, machine, way, out);
    graph_destroy(&graph);
    return code;
}

void map_trial_count(struct map_trial_means *means, const struct map_trial_outcome *outcome)
{
    double best = INFINITY;
    for (int way = 1; way < MAP_TRIAL_WAYS; way++) {
        means->log_sum[way] += log(outcome->j[way] / outcome->j[0]);
        best = fmin(best, outcome->j[way]);
    }
    means->worst = fmax(means->worst, outcome->j[0] / best);
    means->count++;
}

double map_trial_mean(const struct map_trial_means *means, int way)
{
    return exp(means->log_sum[way] / means->count);
}
