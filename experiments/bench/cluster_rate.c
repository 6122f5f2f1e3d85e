/* How fast schedules of very many ranks are simulated: cluster_rate [--quick] [ALGORITHM PROCS ORDER SKEW_US].
 *
 * Every case runs in a process of its own, so that its memory can be told; the best of three calls counts. Messages are those
 * matched at both ends, pops those of the queue (by rounds there is none: steps of ranks). Contention-free LogGP with LogGOPSim's
 * defaults, 8 bytes a rank. Each time is checked against the closed form. */
#include "model/network.h"
#include "sim/sim_cluster.h"
#include "sim/sim_time.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

struct trial {
    const struct schedule_algorithm *algorithm;
    uint32_t procs;
    enum sim_order order;
    uint64_t skew_ps;
};

static double clock_s(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static double peak_mib(void)
{
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    return (double)usage.ru_maxrss / 1024;
}

static int fail(const struct trial *t, const char *what)
{
    fprintf(stderr, "cluster_rate: %s, %u ranks, %s: %s\n", t->algorithm->name, t->procs, sim_order_name(t->order), what);
    return 1;
}

static void print(const struct trial *t, const struct sim_cluster_answer *answer, double wall_s)
{
    printf("%-20s %9u %7.0f %-8s %10llu %8.3f %9.2f %9.2f %9.1f %14.3f\n", t->algorithm->name, t->procs,
           sim_s_from_ps(t->skew_ps) * 1e6, sim_order_name(t->order), (unsigned long long)answer->messages, wall_s,
           (double)answer->messages / wall_s / 1e6, (double)answer->pops / wall_s / 1e6, peak_mib(),
           sim_s_from_ps(answer->time_ps) * 1e6);
    fflush(stdout);
}

static int run(const struct trial *t)
{
    struct network network;
    struct schedule schedule;
    struct sim_cluster_answer answer;
    char reason[200];
    double best_s = 0;
    uint64_t want_ps;
    if (network_parse("loggp", &network, reason, sizeof reason) || schedule_init(&schedule, t->algorithm, t->procs, 0))
        return fail(t, "no such case");
    struct loggp loggp = network_loggp(&network);
    struct sim_cluster_question question = {
        .loggp = &loggp, .schedule = &schedule, .size_bytes = 8, .skew_ps = t->skew_ps, .seed = 1, .order = t->order};
    for (int i = 0; i < 3; i++) {
        double start_s = clock_s();
        if (sim_cluster_run(&question, &answer, reason, sizeof reason))
            return fail(t, reason);
        double wall_s = clock_s() - start_s;
        best_s = i && best_s < wall_s ? best_s : wall_s;
    }
    if (!t->skew_ps && loggp_schedule_ps(&loggp, &schedule, 8, &want_ps) == 0 && answer.time_ps != want_ps)
        return fail(t, "not the closed form");
    print(t, &answer, best_s);
    return 0;
}

/* In a child: 0, or 1 if it failed. */
static int run_apart(const struct trial *t)
{
    int status;
    pid_t child = fork();
    if (child == 0)
        _exit(run(t));
    return child < 0 || waitpid(child, &status, 0) != child || status != 0;
}

/* All ranks at once are the kindest to a queue; as late as a few rounds take, all times differ. */
static int run_orders(const struct schedule_algorithm *algorithm, uint32_t procs)
{
    int failed = 0;
    for (uint64_t skew_ps = 0; skew_ps <= 100000000; skew_ps += 100000000)
        for (enum sim_order order = 0; order < SIM_ORDER_COUNT; order++)
            failed |= run_apart(&(struct trial){algorithm, procs, order, skew_ps});
    return failed;
}

static int run_named(char **argv)
{
    struct trial t = {.procs = (uint32_t)strtoul(argv[1], NULL, 10), .skew_ps = strtoul(argv[3], NULL, 10) * 1000000};
    for (size_t i = 0; schedule_table[i]; i++)
        if (strcmp(schedule_table[i]->name, argv[0]) == 0 && !t.algorithm)
            t.algorithm = schedule_table[i];
    while (t.order < SIM_ORDER_COUNT && strcmp(sim_order_name(t.order), argv[2]))
        t.order++;
    if (!t.algorithm || t.order == SIM_ORDER_COUNT) {
        fprintf(stderr, "usage: cluster_rate [--quick] [ALGORITHM PROCS rounds|arrival|heap|radix SKEW_US]\n");
        return 2;
    }
    return run_apart(&t);
}

static void print_header(void)
{
    printf("contention-free LogGP (L=2500ns o=1500ns g=1000ns G=6ns/B), 8 bytes a rank, one core; best of 3 calls\n");
    printf("%-20s %9s %7s %-8s %10s %8s %9s %9s %9s %14s\n", "algorithm", "ranks", "skew us", "order", "messages", "wall s",
           "Mmsg/s", "Mpop/s", "peak MiB", "simulated us");
    fflush(stdout);
}

int main(int argc, char **argv)
{
    static const struct schedule_algorithm *const algorithms[] = {&schedule_bruck, &schedule_recursive_doubling,
                                                                  &schedule_binomial};
    static const uint32_t procs[] = {1024, 65536, 1 << 20};
    int quick = argc > 1 && strcmp(argv[1], "--quick") == 0, failed = 0;
    print_header();
    if (argc == 5)
        return run_named(argv + 1);
    for (size_t a = 0; a < (quick ? 1 : sizeof algorithms / sizeof *algorithms); a++)
        for (size_t p = 0; p < (quick ? 2 : sizeof procs / sizeof *procs); p++)
            failed |= run_orders(algorithms[a], procs[p]);
    return failed | run_orders(&schedule_ring, 2048);
}
