/* S3's figure of the time to partition: graphs of Bruck and recursive doubling, by number of vertices and of parts. */
#include "experiments/figure.h"
#include "experiments/statistics.h"
#include "kernels/clock.h"
#include "partition/bound.h"
#include "partition/mapping.h"

#include <string.h>

enum { VERTICES_LEAST = 1024, VERTICES_MOST = 65536, LARGE_VERTICES = 1 << 20, LARGE_PARTS = 1 << 17, REPS_MOST = 5 };
static const double point_limit_s = 0.3; /* no further repetition after that */

/* Graph, partition and mapping, as S3 counts them. -ENOTSUP if the partitioner has nothing for it. */
static int optimise(const struct schedule *schedule, const struct partitioner *partitioner, uint32_t parts, uint64_t seed,
                    struct figure_parted *out)
{
    struct graph graph;
    struct partition partition;
    struct mapping mapping;
    char reason[256] = "";
    double start_s = clock_monotonic_s();
    int error = graph_of_schedule(&graph, schedule);
    if (error)
        return error;
    const struct partition_problem problem = {.graph = &graph, .schedule = schedule, .parts = parts, .seed = seed};
    error = partition_make(partitioner, &problem, &partition, reason, sizeof reason);
    if (!error) {
        error = mapping_of_partition(&mapping, &partition, NULL);
        *out = (struct figure_parted){clock_monotonic_s() - start_s, partition.cut, partition_bound(&problem)};
        if (!error)
            mapping_destroy(&mapping);
        partition_destroy(&partition);
    }
    graph_destroy(&graph);
    return error;
}

static int write_point(FILE *csv, const struct settings *settings, const struct schedule_algorithm *algorithm, const char *name,
                       uint32_t vertices, uint32_t parts)
{
    const struct partitioner *partitioner = partitioner_find(name);
    struct schedule schedule;
    struct statistics taken;
    struct figure_parted parted = {.time_s = 0};
    double time_s[REPS_MOST], all_s = 0;
    size_t reps = 0;
    int error = schedule_init(&schedule, algorithm, vertices, 0);
    for (; reps < REPS_MOST && all_s < point_limit_s && !error; reps++) {
        error = optimise(&schedule, partitioner, parts, settings->seed, &parted);
        time_s[reps] = parted.time_s;
        all_s += parted.time_s;
    }
    error = error ? error : statistics_of(time_s, reps, &taken);
    if (error)
        return talk_fail(exit_code_of(error), "%s cannot cut %s of %u ranks into %u parts: %s", name, algorithm->name, vertices,
                         parts, strerror(-error));
    fprintf(csv, "%s,%s,%u,%u,%.6g,%.6g,%.6g,%zu,%llu,%llu\n", algorithm->name, name, vertices, parts, taken.median, taken.min,
            taken.max, reps, (unsigned long long)parted.cut, (unsigned long long)parted.bound);
    return 0;
}

static int write_partitioner(FILE *csv, const struct settings *settings, const char *name)
{
    static const struct schedule_algorithm *const algorithms[] = {&schedule_bruck, &schedule_recursive_doubling};
    int code = 0;
    for (int a = 0; a < 2; a++)
        for (uint32_t parts = 128; parts <= 512; parts *= 2)
            for (uint32_t n = VERTICES_LEAST; n <= VERTICES_MOST && !code; n *= 2)
                code = write_point(csv, settings, algorithms[a], name, n, parts);
    return code;
}

int figure_partition_once(const struct schedule_algorithm *algorithm, const char *partitioner, uint32_t vertices, uint32_t parts,
                          struct figure_parted *out)
{
    struct schedule schedule;
    int error = schedule_init(&schedule, algorithm, vertices, 0);
    error = error ? error : optimise(&schedule, partitioner_find(partitioner), parts, 1, out);
    if (error)
        return talk_fail(exit_code_of(error), "%s cannot cut %s of %u ranks into %u parts: %s", partitioner, algorithm->name,
                         vertices, parts, strerror(-error));
    return 0;
}

int figure_partition_time(FILE *csv, const struct settings *settings)
{
    static const char *const ways[] = {"metis-rb", "auto", "closed"};
    int code = 0;
    fputs("algorithm,partitioner,procs,parts,time_s,time_min_s,time_max_s,reps,cut,bound\n", csv);
    for (size_t i = 0; i < sizeof ways / sizeof *ways && !code; i++) {
        code = write_partitioner(csv, settings, ways[i]);
        if (!code && (i > 0 || settings->large)) /* METIS takes some ten seconds, a formula nothing */
            code = write_point(csv, settings, &schedule_bruck, ways[i], LARGE_VERTICES, LARGE_PARTS);
    }
    return code;
}
