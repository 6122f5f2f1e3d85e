#include "experiments/figure_cluster.h"
#include "experiments/statistics.h"
#include "kernels/clock.h"
#include "model/allgather_model.h"
#include "model/formats/network_load.h"
#include "model/network_rounds.h"
#include "sim/sim_network.h"
#include "sim/sim_time.h"

#include <string.h>

int cluster_create(struct cluster *c, const char *network)
{
    char reason[256];
    int code = figure_node("harpertown-2x4", &c->node);
    if (code)
        return code;
    if (network_load(network, &c->network, reason, sizeof reason))
        code = talk_fail(EXIT_FAILED, "%s", reason);
    for (uint32_t r = 0; r < CLUSTER_PROCS; r++)
        c->core_of_rank[r] = r % CLUSTER_PPN;
    if (code)
        node_destroy(&c->node);
    return code;
}

void cluster_destroy(struct cluster *c)
{
    node_destroy(&c->node);
}

static struct scenario scenario_of(const struct cluster *c, const struct schedule_algorithm *algorithm,
                                   const struct numbering *numbering, uint64_t block_bytes)
{
    return (struct scenario){
        .machine = {.node = &c->node, .nodes = CLUSTER_NODES, .network = &c->network, .ppn = CLUSTER_PPN, .levels = 1},
        .placement = {"compact", c->core_of_rank},
        .job = {.kind = JOB_ALLGATHER, .procs = CLUSTER_PROCS, .allgather = {block_bytes, 0}},
        .params = {.fragment_bytes = ALLGATHER_MODEL_FRAGMENT_BYTES, .slots = ALLGATHER_MODEL_SLOTS, .sets = 1},
        .algorithm = algorithm,
        .numbering = numbering,
        .conditions = {.buffer_domain = -1, .reps = 1},
    };
}

static int simulate(const struct scenario *scenario, struct cluster_answer *out)
{
    struct sim_network network;
    char reason[256] = "";
    uint64_t time_ps;
    int err = sim_network_create(&network, scenario, reason, sizeof reason);
    if (err)
        return talk_fail(exit_code_of(err), "%s", reason);
    err = sim_network_call(&network, 1, NULL, &time_ps, reason, sizeof reason);
    if (!err)
        *out = (struct cluster_answer){sim_s_from_ps(time_ps), network.answer.bytes_between};
    sim_network_destroy(&network);
    return err ? talk_fail(exit_code_of(err), "%s", reason) : 0;
}

int cluster_simulate(const struct cluster *c, const struct schedule_algorithm *algorithm, const struct numbering *numbering,
                     uint64_t block_bytes, struct cluster_answer *out)
{
    struct scenario scenario = scenario_of(c, algorithm, numbering, block_bytes);
    return simulate(&scenario, out);
}

int cluster_message(const struct cluster *c, int between, uint64_t bytes, double *time_s)
{
    struct scenario scenario = scenario_of(c, &schedule_binomial, NULL, 0);
    struct cluster_answer answer;
    scenario.machine.nodes = between ? 2 : 1;
    scenario.machine.ppn = between ? 1 : 2;
    scenario.job = (struct job){.kind = JOB_BCAST, .procs = 2, .bcast = {bytes, 0}};
    int code = simulate(&scenario, &answer);
    *time_s = code ? 0 : answer.time_s;
    return code;
}

int cluster_model(const struct cluster *c, const struct schedule_algorithm *algorithm, const struct numbering *numbering,
                  uint64_t block_bytes, double *time_s)
{
    struct scenario scenario = scenario_of(c, algorithm, numbering, block_bytes);
    struct network_rounds sum;
    char reason[256] = "";
    int err = network_rounds_sum(&scenario, &sum, reason, sizeof reason);
    if (err)
        return talk_fail(exit_code_of(err), "%s", reason);
    *time_s = sim_s_from_ps(sum.time_ps);
    return 0;
}

static int optimise_once(const struct schedule_algorithm *algorithm, const struct partitioner *partitioner, uint64_t seed,
                         struct mapping *out, char *reason, size_t reason_bytes)
{
    struct schedule schedule;
    struct graph graph;
    struct hierarchy nodes;
    int error = schedule_init(&schedule, algorithm, CLUSTER_PROCS, 0);
    error = error ? error : graph_of_schedule(&graph, &schedule);
    if (error)
        return error;
    error = hierarchy_of_nodes(&nodes, CLUSTER_PROCS, CLUSTER_PPN, NULL, NULL);
    if (!error) {
        const struct partition_problem problem = {.graph = &graph, .schedule = &schedule, .seed = seed};
        error = mapping_make(out, partitioner, &problem, &nodes, reason, reason_bytes);
        error = error ? error : mapping_expand(out);
        hierarchy_destroy(&nodes);
    }
    graph_destroy(&graph);
    return error;
}

enum { OPTIMISE_REPS = 15 };

int cluster_optimise(const struct schedule_algorithm *algorithm, const char *partitioner, uint64_t seed, struct mapping *out,
                     double *time_s)
{
    double taken_s[OPTIMISE_REPS];
    char reason[256] = "";
    for (int rep = 0; rep < (time_s ? OPTIMISE_REPS : 1); rep++) {
        if (rep)
            mapping_destroy(out);
        double start_s = clock_monotonic_s();
        int error = optimise_once(algorithm, partitioner_find(partitioner), seed, out, reason, sizeof reason);
        taken_s[rep] = clock_monotonic_s() - start_s;
        if (error)
            return talk_fail(exit_code_of(error), "%s: %s", partitioner, *reason ? reason : strerror(-error));
    }
    struct statistics taken;
    if (time_s && statistics_of(taken_s, OPTIMISE_REPS, &taken))
        return mapping_destroy(out), talk_fail(EXIT_UNABLE, "out of memory for times");
    if (time_s)
        *time_s = taken.median;
    return 0;
}

const struct cluster_panel cluster_panels[] = {
    {"gigabit", "short", 1024, 1024, 16, 7.8, 200},
    {"gigabit", "long", 131072, 131072, 8, 2, 4.5},
    {"infiniband-ddr", "short", 1024, 1024, 16, 1, 2},
    {"infiniband-ddr", "long", 131072, 131072, 8, 1, 2},
    {NULL, NULL, 0, 0, 0, 0, 0},
};

double cluster_reported_optimisation_s(const struct schedule_algorithm *algorithm)
{
    return algorithm == &schedule_bruck ? 480e-6 : algorithm == &schedule_recursive_doubling ? 300e-6 : 0;
}
