/* METIS alone against the strategy metis-rb around it: partition_time [--large] [--repetitions N] [RANKS PARTS]..., Bruck's
 * graph.
 *
 * Both by turns, each time in a process of its own: medians and spread of cpu seconds, of the ratio of neighbours in time, and
 * the most memory either had. Bare METIS gets what most programs would give it: arrays that are there already and weights as they
 * are, so with many ranks the cut that it reports has overflown. The strategy builds the arrays, scales weights, reads the
 * result, repairs sizes and counts the cut. --large adds a million ranks; without RANKS and PARTS those of doc/mapping.md. */
#include "partition/partitioner.h"

#include <metis.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

enum { REPETITIONS_MAX = 99 };

/* What one process found. */
struct outcome {
    double cpu_s, peak_mib;
    uint64_t cut, off; /* in 64 bits; ranks beyond their parts' sizes */
    int32_t said;      /* METIS */
};

struct instance {
    uint32_t ranks, parts;
    struct schedule schedule;
    struct graph graph;
};

struct bare {
    idx_t *row, *neighbour, *weight, *part;
};

static double cpu_s(void)
{
    struct rusage r;
    getrusage(RUSAGE_SELF, &r);
    return (double)(r.ru_utime.tv_sec + r.ru_stime.tv_sec) + (double)(r.ru_utime.tv_usec + r.ru_stime.tv_usec) * 1e-6;
}

static int bare_fill(const struct graph *graph, struct bare *b)
{
    uint64_t ends = 2 * graph_edges(graph), weight;
    b->row = malloc(((size_t)graph->vertices + 1) * sizeof *b->row);
    b->neighbour = malloc(ends * sizeof *b->neighbour);
    b->weight = malloc(ends * sizeof *b->weight);
    b->part = malloc(graph->vertices * sizeof *b->part);
    if (!b->row || !b->neighbour || !b->weight || !b->part)
        return -1;
    idx_t at = 0;
    for (uint32_t v = 0; v < graph->vertices; v++) {
        b->row[v] = at;
        for (uint32_t i = 0; i < graph_degree(graph, v); i++, at++) {
            b->neighbour[at] = (idx_t)graph_neighbour(graph, v, i, &weight);
            b->weight[at] = (idx_t)weight;
        }
    }
    b->row[graph->vertices] = at;
    return 0;
}

/* What is in the table is METIS's: parts may be empty, or none. */
static uint64_t off(const struct instance *in, const uint32_t *part)
{
    uint32_t *count = calloc(in->parts, sizeof *count), most = in->ranks / in->parts, larger = in->ranks % in->parts;
    uint64_t sum = count ? 0 : UINT64_MAX;
    for (uint32_t v = 0; count && v < in->ranks; v++)
        if (part[v] >= in->parts || ++count[part[v]] > most + (part[v] < larger))
            sum++;
    free(count);
    return sum;
}

/* In a process that ends with it: nothing is freed. */
static int bare_run(const struct instance *in, struct outcome *out)
{
    struct bare b;
    idx_t n = (idx_t)in->ranks, constraints = 1, h = (idx_t)in->parts, cut = 0;
    if (bare_fill(&in->graph, &b))
        return -1;
    double begin = cpu_s();
    if (METIS_PartGraphRecursive(&n, &constraints, b.row, b.neighbour, NULL, NULL, b.weight, &h, NULL, NULL, NULL, &cut,
                                 b.part) != METIS_OK)
        return -1;
    out->cpu_s = cpu_s() - begin;
    struct partition found = {.vertices = in->ranks, .parts = in->parts, .form = PARTITION_TABLE, .table = (uint32_t *)b.part};
    out->cut = partition_cut(&in->graph, &found);
    out->off = off(in, found.table);
    out->said = (int32_t)cut;
    return 0;
}

static int strategy_run(const struct instance *in, struct outcome *out)
{
    struct partition_problem problem = {.graph = &in->graph, .schedule = &in->schedule, .parts = in->parts, .seed = 1};
    struct partition made;
    char reason[200];
    double begin = cpu_s();
    if (partition_make(partitioner_find("metis-rb"), &problem, &made, reason, sizeof reason)) {
        fprintf(stderr, "partition_time: %s\n", reason);
        return -1;
    }
    out->cpu_s = cpu_s() - begin;
    out->cut = made.cut;
    out->off = off(in, made.table);
    return 0;
}

static int in_process(int (*run)(const struct instance *, struct outcome *), const struct instance *in, struct outcome *out)
{
    int ends[2], status;
    struct rusage used;
    if (pipe(ends))
        return -1;
    pid_t child = fork();
    if (child == 0) {
        struct outcome o = {0};
        int failed = run(in, &o) || write(ends[1], &o, sizeof o) != sizeof o;
        _exit(failed);
    }
    close(ends[1]);
    int failed = child < 0 || read(ends[0], out, sizeof *out) != sizeof *out;
    close(ends[0]);
    if (child < 0 || wait4(child, &status, 0, &used) != child || status)
        return -1;
    out->peak_mib = (double)used.ru_maxrss / 1024;
    return failed ? -1 : 0;
}

static int by_size(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Median, least and most. */
static void spread_print(double *values, uint32_t count)
{
    qsort(values, count, sizeof *values, by_size);
    printf("  %8.3f (%7.3f..%7.3f)", (values[(count - 1) / 2] + values[count / 2]) / 2, values[0], values[count - 1]);
}

static int row(uint32_t ranks, uint32_t parts, uint32_t repetitions)
{
    struct instance in = {.ranks = ranks, .parts = parts};
    struct outcome bare, ours;
    double bare_s[REPETITIONS_MAX], ours_s[REPETITIONS_MAX], ratio[REPETITIONS_MAX];
    if (schedule_init(&in.schedule, &schedule_bruck, ranks, 0) || graph_of_schedule(&in.graph, &in.schedule))
        return -1;
    for (uint32_t i = 0; i < repetitions; i++) {
        int error = i % 2 ? in_process(strategy_run, &in, &ours) || in_process(bare_run, &in, &bare)
                          : in_process(bare_run, &in, &bare) || in_process(strategy_run, &in, &ours);
        if (error) {
            fprintf(stderr, "partition_time: METIS does not partition %u ranks in %u parts\n", ranks, parts);
            return -1;
        }
        bare_s[i] = bare.cpu_s;
        ours_s[i] = ours.cpu_s;
        ratio[i] = ours.cpu_s / bare.cpu_s;
    }
    printf("%7u %7u %4u", ranks, parts, repetitions);
    spread_print(bare_s, repetitions);
    spread_print(ours_s, repetitions);
    spread_print(ratio, repetitions);
    printf("  %5.0f %5.0f  %13d %13llu %6llu  %13llu %6llu\n", bare.peak_mib, ours.peak_mib, bare.said,
           (unsigned long long)bare.cut, (unsigned long long)bare.off, (unsigned long long)ours.cut,
           (unsigned long long)ours.off);
    fflush(stdout);
    return ours.off != 0;
}

static void head_print(void)
{
    puts("METIS by itself and the strategy metis-rb by turns: cpu seconds, median (least..most); MiB; blocks; ranks in a part "
         "that is full");
    printf("%7s %7s %4s  %26s  %26s  %26s  %5s %5s  %13s %13s %6s  %13s %6s\n", "ranks", "parts", "reps", "METIS s", "metis-rb s",
           "metis-rb / METIS", "METIS", "rb", "METIS says", "it is", "off", "metis-rb cut", "off");
}

int main(int argc, char **argv)
{
    static const uint32_t usual[][2] = {{65536, 512}, {65536, 8192}, {65521, 100}, {262144, 32768}, {1048576, 131072}};
    uint32_t repetitions = 9, large = 0;
    int at = 1, failed = 0;
    for (; at < argc && strncmp(argv[at], "--", 2) == 0; at++)
        if (strcmp(argv[at], "--large") == 0)
            large = 1;
        else if (strcmp(argv[at], "--repetitions") == 0 && at + 1 < argc)
            repetitions = (uint32_t)atoi(argv[++at]);
        else
            at = argc;
    if (at > argc || (argc - at) % 2 || repetitions < 1 || repetitions > REPETITIONS_MAX) {
        fprintf(stderr, "usage: partition_time [--large] [--repetitions 1..%d] [RANKS PARTS]...\n", REPETITIONS_MAX);
        return 2;
    }
    head_print();
    for (int i = at; i + 1 < argc; i += 2)
        failed |= row((uint32_t)atoi(argv[i]), (uint32_t)atoi(argv[i + 1]), repetitions);
    for (size_t i = 0; at == argc && i < sizeof usual / sizeof *usual - !large; i++)
        failed |= row(usual[i][0], usual[i][1], repetitions < 5 || usual[i][0] < 1000000 ? repetitions : 5);
    return failed ? 1 : 0;
}
