#include "experiments/goal_nodes.h"
#include "experiments/command.h"
#include "experiments/scenario_build.h"
#include "model/allgather_model.h"
#include "model/formats/node_load.h"

#include <errno.h>
#include <stdlib.h>

static int place(struct goal_nodes *n, const struct settings *s, uint32_t ranks)
{
    uint32_t here = s->ppn < ranks ? s->ppn : ranks; /* of one node */
    n->core_of_rank = malloc(ranks * sizeof *n->core_of_rank);
    if (!n->core_of_rank)
        return talk_fail(EXIT_UNABLE, "out of memory for %u ranks", ranks);
    if (placement_fill(s->place, &n->node, here, n->core_of_rank))
        return talk_fail(EXIT_USAGE, "--place: '%s' does not fit node %s with %u cores: use compact, scatter or list:A,B,...",
                         s->place, n->node.name, n->node.cores);
    for (uint32_t r = s->ppn; r < ranks; r++)
        n->core_of_rank[r] = n->core_of_rank[r - s->ppn];
    return 0;
}

/* Messages are what the program says. */
static struct scenario scenario_of(const struct goal_nodes *n, const struct settings *s, const struct network *network,
                                   uint32_t ranks)
{
    return (struct scenario){
        .machine = {.node = &n->node, .nodes = (ranks - 1) / s->ppn + 1, .network = network, .ppn = s->ppn, .levels = 1},
        .placement = {.name = s->place, .core_of_rank = n->core_of_rank},
        .job = {.kind = JOB_ALLGATHER, .procs = ranks},
        .params = {.fragment_bytes = ALLGATHER_MODEL_FRAGMENT_BYTES, .slots = ALLGATHER_MODEL_SLOTS, .sets = 1},
        .conditions = scenario_conditions(s),
        .variant = "",
    };
}

/* Each rank of a node needs a core. */
static int check(const struct goal_nodes *n)
{
    struct scenario one = n->scenario;
    one.job.procs = one.job.procs < one.machine.ppn ? one.job.procs : one.machine.ppn;
    if (n->node.contention_free || !scenario_shares_cores(&one))
        return 0;
    return talk_fail(EXIT_UNABLE, "%u ranks share the %u cores of node %s; of messages each needs one for itself", one.job.procs,
                     n->node.cores, n->node.name);
}

int goal_nodes_create(struct goal_nodes *n, const struct settings *s, const struct network *network, uint32_t ranks)
{
    char reason[300] = "";
    *n = (struct goal_nodes){.core_of_rank = NULL};
    int err = node_load(s->node, &n->node, reason, sizeof reason);
    if (err)
        return talk_fail(exit_code_of(err), "%s", reason);
    int code = place(n, s, ranks);
    if (!code) {
        n->scenario = scenario_of(n, s, network, ranks);
        code = check(n);
    }
    err = code ? 0 : sim_network_costs_create(&n->costs, &n->scenario, reason, sizeof reason);
    if (err)
        code = talk_fail(exit_code_of(err), "%s", reason);
    if (code)
        goal_nodes_destroy(n);
    return code;
}

int goal_nodes_share_memory(struct goal_nodes *n, struct sim_fabric *fabric)
{
    n->costs.nodes.fabric = fabric;
    if (!sim_network_share_memory(&n->costs))
        return 0;
    return talk_fail(EXIT_UNABLE, "no memory for the memories of %u nodes: use fewer", n->scenario.machine.nodes);
}

void goal_nodes_destroy(struct goal_nodes *n)
{
    sim_network_destroy(&n->costs);
    free(n->core_of_rank);
    node_destroy(&n->node);
    n->core_of_rank = NULL;
}
