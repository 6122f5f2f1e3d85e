#include "experiments/scenario_cluster.h"
#include "experiments/scenario_mapping.h"
#include "model/allgather_model.h"
#include "model/channel.h"
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

/* Between two nodes, over channels. */
static int check_p2p(const struct settings *s)
{
    if (s->ppn != 1 || s->levels != 1)
        return talk_fail(EXIT_USAGE, "p2p over a network is between two nodes: leave out --ppn and --levels");
    if (s->algorithm.count)
        return talk_fail(EXIT_USAGE, "--algorithm is of allgather and bcast, not of p2p: leave it out");
    return 0;
}

int scenario_cluster_check(const struct settings *s)
{
    if (!s->network)
        return talk_fail(EXIT_USAGE, "--ppn and --levels are of a network: give --network, or leave them out");
    if (settings_collective(s) == JOB_P2P)
        return check_p2p(s);
    if (s->levels > 2)
        return talk_fail(EXIT_USAGE, "--levels: %u are too many: use 1, or 2 for leaders of nodes", s->levels);
    if (s->levels == 2 && strcmp(s->command, "model") == 0)
        return talk_fail(EXIT_USAGE, "--levels 2 is simulated only: use shmcoll sim");
    if (s->levels == 1 && strcmp(s->protocol, "auto"))
        return talk_fail(EXIT_USAGE, "--protocol is of shared memory, which --network uses with --levels 2 only: leave it out");
    if (s->levels == 1 && ((settings_give_queue(s) && !s->channel.count) || s->sets.count || s->tree.shape[0].kind != TREE_FLAT))
        return talk_fail(EXIT_USAGE,
                         "queues and trees are of shared memory, which --network uses with --levels 2 only: leave them out");
    if (s->fragment.count > 1 || s->slots.count > 1 || s->buffer.count > 1 || s->sets.count > 1 || s->tree.count > 1)
        return talk_fail(EXIT_USAGE, "lists of queues and trees are not for --network: give one of each");
    for (size_t i = 0; i < s->algorithm.count; i++)
        if (!schedule_find(kind_of(s), s->algorithm.name[i]))
            return tell_algorithm(s, s->algorithm.name[i]);
    return 0;
}

/* What a collective within a node of that many ranks would take of itself, or of what was given. 0, or an exit code. */
static int params_inside(struct scenario_grid *grid, enum job_kind kind, uint32_t procs, uint64_t bytes, struct params *out)
{
    struct settings inner = *grid->settings;
    struct scenario_grid node = *grid;
    struct scenario scenario;
    int allgather = kind == JOB_ALLGATHER;
    inner.network = NULL;
    inner.ppn = inner.levels = 1;
    inner.root = 0;
    inner.positional[0] = allgather ? "allgather" : "bcast";
    inner.procs = (struct size_list){.value = {procs}, .count = 1};
    inner.size = (struct size_list){.value = {bytes ? bytes : 1}, .count = 1};
    inner.algorithm.count = inner.channel.count = 0;
    if (allgather ? !protocol_allgather_find(inner.protocol) : !protocol_find(inner.protocol))
        inner.protocol = strcmp(inner.protocol, "best") == 0 ? "best" : "auto";
    if (inner.tree.shape[0].kind == TREE_FLAT)
        inner.tree.shape[0] = settings_preset(&inner, NULL).tree;
    node.settings = &inner;
    node.best = grid->best_inside[allgather];
    int code = scenario_grid_get(&node, 0, &scenario);
    grid->best_inside[allgather] = node.best;
    if (!code)
        *out = scenario.params;
    return code;
}

/* Within nodes, in two levels. */
static int levels_get(struct scenario_grid *grid, struct scenario *out)
{
    uint32_t procs = out->job.procs, ppn = out->machine.ppn < procs ? out->machine.ppn : procs;
    uint64_t bytes = job_size_bytes(&out->job);
    int code = 0;
    if (out->job.kind == JOB_ALLGATHER)
        code = params_inside(grid, JOB_ALLGATHER, ppn, bytes, &out->params_gather);
    if (out->job.kind == JOB_ALLGATHER && __builtin_mul_overflow(bytes, procs - ppn, &bytes))
        return talk_fail(EXIT_USAGE, "%u ranks have more bytes than there can be: use less", procs);
    return code ? code : params_inside(grid, JOB_BCAST, ppn, bytes, &out->params);
}

/* What rings between nodes have. */
static struct params params_between(const struct settings *s)
{
    uint64_t fragment = s->fragment.count ? s->fragment.value[0] : ALLGATHER_MODEL_FRAGMENT_BYTES;
    uint64_t slots = s->slots.count ? s->slots.value[0] : s->buffer.count ? s->buffer.value[0] / fragment : ALLGATHER_MODEL_SLOTS;
    return (struct params){.fragment_bytes = (uint32_t)(fragment < UINT32_MAX ? fragment : UINT32_MAX),
                           .slots = (uint32_t)(slots < UINT32_MAX ? slots : UINT32_MAX), .sets = 1};
}

int scenario_cluster_get(struct scenario_grid *grid, const char *algorithm, const char *channel, uint32_t procs,
                         uint64_t size_bytes, struct scenario *out)
{
    const struct settings *s = grid->settings;
    const char *name = algorithm ? algorithm : kind_of(s) == SCHEDULE_BCAST ? "binomial" : "bruck";
    char reason[256];
    *out = (struct scenario){
        .machine = {.node = &grid->node, .nodes = (procs - 1) / s->ppn + 1, .network = &grid->network, .ppn = s->ppn,
                    .levels = s->levels},
        .placement = {.name = s->place, .core_of_rank = grid->cores},
        .job = scenario_job(s, procs, size_bytes),
        .params = params_between(s),
        .algorithm = schedule_find(kind_of(s), name),
        .channel = channel ? channel_kind_find(channel) : NULL,
        .conditions = scenario_conditions(s),
        .variant = "",
    };
    int code = s->levels == 2 ? levels_get(grid, out) : 0;
    if (code)
        return code;
    if (placement_fill(s->place, &grid->node, s->ppn < procs ? s->ppn : procs, grid->cores))
        return talk_fail(EXIT_USAGE, "--place: '%s' does not fit node %s with %u cores: use compact, scatter or list:A,B,...",
                         s->place, grid->node.name, grid->node.cores);
    scenario_mapping_apply(grid, out);
    for (uint32_t r = s->ppn; r < procs; r++)
        grid->cores[r] = grid->cores[r - s->ppn];
    int error = scenario_check(out, reason, sizeof reason);
    return error ? talk_fail(error == -EINVAL ? EXIT_USAGE : exit_code_of(error), "%s", reason) : 0;
}
