/* Strategies side by side on Bruck's graph where the parts are no power of two: cut in blocks, and cpu seconds. Fails where
 * `auto` is not the best. partition_table [--all | RANKS PARTS...]: --all are all 3*2^k, 5*2^k and the first primes from 2^k on,
 * up to 65,536. */
#include "partition/bound.h"
#include "partition/partitioner.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { RANKS_MOST = 65536, WAYS_MAX = 16 };
static const uint32_t parts_tried[] = {3, 5, 6, 12, 100};

struct totals {
    unsigned rows, worse;
    double cpu_s[WAYS_MAX], slowest_s, others_s; /* by strategy; of each row the slowest but auto, and all of them */
};

static double cpu_s(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

/* `auto` is the last. */
static void row_count(struct totals *totals, const uint64_t *cut, const double *s, size_t ways)
{
    double slowest = 0;
    int worse = 0;
    for (size_t i = 0; i < ways; i++) {
        totals->cpu_s[i] += s[i];
        if (i + 1 == ways)
            break;
        slowest = s[i] > slowest ? s[i] : slowest;
        totals->others_s += s[i];
        worse |= cut[i] < cut[ways - 1];
    }
    totals->slowest_s += slowest;
    totals->rows++;
    totals->worse += (unsigned)worse;
}

static int row(uint32_t n, uint32_t parts, struct totals *totals)
{
    struct schedule schedule;
    struct graph graph;
    uint64_t cut[WAYS_MAX];
    double s[WAYS_MAX];
    size_t way = 0;
    if (schedule_init(&schedule, &schedule_bruck, n, 0) || graph_of_schedule(&graph, &schedule))
        return 1;
    struct partition_problem problem = {.graph = &graph, .schedule = &schedule, .parts = parts, .seed = 1};
    printf("%7u %5u %11llu", n, parts, (unsigned long long)partition_bound(&problem));
    for (const struct partitioner *const *p = partitioner_table; *p; p++, way++) {
        struct partition made;
        char reason[200];
        double begin = cpu_s();
        int error = partition_make(*p, &problem, &made, reason, sizeof reason);
        s[way] = error ? 0 : cpu_s() - begin;
        cut[way] = error ? UINT64_MAX : made.cut;
        if (error)
            printf("  %11s %6s", "-", "");
        else
            printf("  %11llu %6.3f", (unsigned long long)made.cut, s[way]);
        if (!error)
            partition_destroy(&made);
    }
    putchar('\n');
    fflush(stdout);
    graph_destroy(&graph);
    row_count(totals, cut, s, way);
    return 0;
}

static int rows(uint32_t n, struct totals *totals)
{
    int failed = 0;
    for (size_t k = 0; k < sizeof parts_tried / sizeof *parts_tried && !failed; k++)
        if (parts_tried[k] < n)
            failed = row(n, parts_tried[k], totals);
    return failed;
}

static uint32_t prime_from(uint32_t n)
{
    for (;; n++) {
        uint32_t d = 2;
        while (d * d <= n && n % d)
            d++;
        if (d * d > n)
            return n;
    }
}

static int rows_all(struct totals *totals)
{
    int failed = 0;
    for (uint32_t two = 2; two < RANKS_MOST && !failed; two *= 2) {
        failed = rows(prime_from(two + 1), totals);
        if (!failed && 3 * two <= RANKS_MOST)
            failed = rows(3 * two, totals);
        if (!failed && 5 * two <= RANKS_MOST)
            failed = rows(5 * two, totals);
    }
    return failed || rows(65521, totals);
}

static void totals_print(const struct totals *t)
{
    size_t way = 0;
    printf("cpu seconds in all:");
    for (const struct partitioner *const *p = partitioner_table; *p; p++, way++)
        printf("  %s %.2f", (*p)->name, t->cpu_s[way]);
    printf("; auto takes %.2f times the slowest other, %.2f times all others together\n", t->cpu_s[way - 1] / t->slowest_s,
           t->cpu_s[way - 1] / t->others_s);
    printf("auto cuts more than another in %u of %u cases\n", t->worse, t->rows);
}

int main(int argc, char **argv)
{
    static const uint32_t ranks[] = {192, 160, 257, 3072, 5120, 4099, 49152, 40960, 65521};
    struct totals totals = {0};
    int failed = 0;
    printf("%7s %5s %11s", "ranks", "parts", "bound");
    for (const struct partitioner *const *p = partitioner_table; *p; p++)
        printf("  %11s %6s", (*p)->name, "s");
    putchar('\n');
    if (argc == 2 && strcmp(argv[1], "--all") == 0)
        failed = rows_all(&totals);
    else
        for (int i = 1; i + 1 < argc && !failed; i += 2)
            failed = row((uint32_t)atoi(argv[i]), (uint32_t)atoi(argv[i + 1]), &totals);
    for (size_t i = 0; argc == 1 && i < sizeof ranks / sizeof *ranks && !failed; i++)
        failed = rows(ranks[i], &totals);
    totals_print(&totals);
    return failed || totals.worse ? 1 : 0;
}
