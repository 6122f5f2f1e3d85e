#include "experiments/scenario_cluster.h"
#include "model/schedule.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

static enum schedule_kind kind_of(const struct settings *s)
{
    return settings_collective(s) == JOB_BCAST ? SCHEDULE_BCAST : SCHEDULE_ALLGATHER;
}

/* The schedules of the collective. */
static int tell_algorithm(const struct settings *s, const char *name)
{
    char names[200] = "all";
    size_t n = 3;
    for (const struct schedule_algorithm *const *a = schedule_table; *a && n < sizeof names; a++)
        if ((*a)->kind == kind_of(s))
            n += (size_t)snprintf(names + n, sizeof names - n, ", %s", (*a)->name);
    return talk_fail(EXIT_USAGE, "--algorithm: %s is no schedule of %s, as --network needs: use %s", name, s->positional[0],
                     names);
}

int scenario_cluster_check(const struct settings *s)
{
    if (!s->network)
        return talk_fail(EXIT_USAGE, "--ppn is of a network: give --network, or leave it out");
    if (settings_collective(s) == JOB_P2P)
        return talk_fail(EXIT_USAGE, "p2p is not there on a network yet: use bcast or allgather");
    if (s->ppn != 1)
        return talk_fail(EXIT_USAGE, "--ppn: nodes of %u ranks are not there yet: use 1", s->ppn);
    if (strcmp(s->protocol, "auto") || s->channel.count)
        return talk_fail(EXIT_USAGE, "--protocol and --channel are of shared memory, not of --network: leave them out");
    if (settings_give_queue(s) || s->sets.count || s->tree.shape[0].kind != TREE_FLAT)
        return talk_fail(EXIT_USAGE, "queues and trees are of shared memory, not of --network: leave them out");
    for (size_t i = 0; i < s->algorithm.count; i++)
        if (!schedule_find(kind_of(s), s->algorithm.name[i]))
            return tell_algorithm(s, s->algorithm.name[i]);
    return 0;
}

int scenario_cluster_get(struct scenario_grid *grid, const char *algorithm, uint32_t procs, uint64_t size_bytes,
                         struct scenario *out)
{
    const struct settings *s = grid->settings;
    const char *name = algorithm ? algorithm : kind_of(s) == SCHEDULE_BCAST ? "binomial" : "bruck";
    char reason[256];
    *out = (struct scenario){
        .machine = {.node = &grid->node, .nodes = (procs - 1) / s->ppn + 1, .network = &grid->network, .ppn = s->ppn},
        .placement = {.name = s->place, .core_of_rank = grid->cores},
        .job = scenario_job(s, procs, size_bytes),
        .params = {.fragment_bytes = 1, .slots = 1, .sets = 1},
        .algorithm = schedule_find(kind_of(s), name),
        .conditions = scenario_conditions(s),
        .variant = "",
    };
    if (placement_fill(s->place, &grid->node, s->ppn, grid->cores))
        return talk_fail(EXIT_USAGE, "--place: '%s' does not fit node %s with %u cores: use compact, scatter or list:A,B,...",
                         s->place, grid->node.name, grid->node.cores);
    for (uint32_t r = s->ppn; r < procs; r++)
        grid->cores[r] = grid->cores[r - s->ppn];
    int error = scenario_check(out, reason, sizeof reason);
    return error ? talk_fail(error == -EINVAL ? EXIT_USAGE : exit_code_of(error), "%s", reason) : 0;
}
