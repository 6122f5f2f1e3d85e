#include "experiments/scenario_build.h"

#include "experiments/queue_search.h"
#include "experiments/scenario_cluster.h"
#include "experiments/scenario_mapping.h"

#include "model/allgather_model.h"
#include "model/channel.h"
#include "model/formats/network_load.h"
#include "model/formats/node_load.h"
#include "model/protocol/eager.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct bcast_costs scenario_costs(const struct node *node)
{
    return (struct bcast_costs){node->paper.t_s_per_byte.value, node->paper.t_w_s.value, node->paper.t_wo_s.value,
                                node->paper.t_a_s.value};
}

int settings_give_queue(const struct settings *settings)
{
    return settings->fragment.count || settings->slots.count || settings->buffer.count;
}

static size_t at_least_one(size_t count)
{
    return count ? count : 1;
}

static size_t grid_count(const struct settings *s)
{
    return s->size.count * s->procs.count * s->tree.count * at_least_one(s->sets.count) * at_least_one(s->fragment.count) *
           at_least_one(s->slots.count) * at_least_one(s->buffer.count) * at_least_one(s->algorithm.count) *
           at_least_one(s->channel.count);
}

/* The collective's own protocols. */
static int tell_protocol(const struct settings *s, const struct protocol *const *table)
{
    char names[200] = "auto";
    for (size_t n = 4; *table && n < sizeof names; table++)
        n += (size_t)snprintf(names + n, sizeof names - n, "%s%s", table[1] ? ", " : " or ", (*table)->name);
    return talk_fail(EXIT_USAGE, "--protocol: %s is none of %s: use %s", s->protocol, s->positional[0], names);
}

static int check_words(const struct settings *s)
{
    if (s->positional_count == 0)
        return talk_fail(EXIT_USAGE, "%s needs a collective: shmcoll %s bcast", s->command, s->command);
    if (strcmp(s->positional[0], "bcast") && strcmp(s->positional[0], "allgather") && strcmp(s->positional[0], "p2p"))
        return talk_fail(EXIT_USAGE, "unknown collective '%s': there are bcast, allgather and p2p", s->positional[0]);
    if (s->positional_count > 1)
        return talk_fail(EXIT_USAGE, "unexpected word '%s': options begin with --", s->positional[1]);
    enum job_kind kind = settings_collective(s);
    int code = scenario_mapping_check(s);
    if (code)
        return code;
    if (s->network || s->ppn != 1 || s->levels != 1)
        return scenario_cluster_check(s);
    if (kind != JOB_ALLGATHER && s->algorithm.count)
        return talk_fail(EXIT_USAGE, "--algorithm is of allgather, not of %s: leave it out", s->positional[0]);
    if (kind == JOB_BCAST && s->channel.count)
        return talk_fail(EXIT_USAGE, "--channel is of p2p and allgather, bcast goes by its --protocol: leave it out");
    if (kind == JOB_BCAST)
        return protocol_find(s->protocol) || !protocol_allgather_find(s->protocol) ? 0 : tell_protocol(s, protocol_table);
    int by_messages = 0;
    for (size_t i = 0; i < at_least_one(s->algorithm.count); i++)
        by_messages |= settings_by_messages(s, s->algorithm.name[i]);
    if (by_messages && strcmp(s->protocol, "auto"))
        return talk_fail(EXIT_USAGE, "--protocol is not of messages, which go over a --channel: leave it out");
    if (!by_messages && s->channel.count)
        return talk_fail(EXIT_USAGE, "--channel is of messages: give an --algorithm that exchanges them, such as best or ring");
    for (size_t i = 0; i < s->algorithm.count; i++)
        if (schedule_find(SCHEDULE_BCAST, s->algorithm.name[i]))
            return talk_fail(EXIT_USAGE, "--algorithm: %s is none of allgather: use all, best, direct or a schedule",
                             s->algorithm.name[i]);
    return kind == JOB_P2P || settings_protocol(s) ? 0 : tell_protocol(s, protocol_allgather_table);
}

/* Trees of the most ranks there may be take tens of bytes a rank. */
enum { PROCS_MAX = 1 << 20 };

int scenario_grid_create(const struct settings *settings, struct scenario_grid *out)
{
    char reason[256];
    uint64_t procs = 1;
    int code = check_words(settings);
    if (code)
        return code;
    for (size_t i = 0; i < settings->procs.count; i++)
        procs = settings->procs.value[i] > procs ? settings->procs.value[i] : procs;
    if (procs > PROCS_MAX)
        return talk_fail(EXIT_USAGE, "--procs: %llu ranks are too many: at most %d", (unsigned long long)procs, PROCS_MAX);
    *out = (struct scenario_grid){.settings = settings, .count = grid_count(settings)};
    if (settings->network && network_load(settings->network, &out->network, reason, sizeof reason))
        return talk_fail(EXIT_USAGE, "--network: %s", reason);
    int error = node_load(settings->node, &out->node, reason, sizeof reason);
    if (error)
        return talk_fail(exit_code_of_input(error), "%s", reason);
    out->cores = calloc(procs, sizeof *out->cores);
    code = out->cores ? scenario_mapping_load(out)
                      : talk_fail(EXIT_UNABLE, "out of memory for %llu ranks: use fewer", (unsigned long long)procs);
    if (code)
        scenario_grid_destroy(out);
    return code;
}

void scenario_grid_destroy(struct scenario_grid *grid)
{
    free(grid->cores);
    numbering_file_destroy(&grid->mapping);
    node_destroy(&grid->node);
    *grid = (struct scenario_grid){.count = 0};
}

/* Takes one digit of a mixed-radix number. */
static size_t take(size_t *index, size_t radix)
{
    size_t digit = *index % at_least_one(radix);
    *index /= at_least_one(radix);
    return digit;
}

static uint64_t chosen(const struct size_list *list, size_t i)
{
    return list->count ? list->value[i] : 0;
}

static const char *chosen_name(const struct name_list *list, size_t i)
{
    return list->count ? list->name[i] : NULL;
}

/* What is given of the queue, and of the rest what it has of itself. */
static struct queue_request requested(const struct settings *s, const char *algorithm, uint64_t fragment, uint64_t slots,
                                      uint64_t buffer, uint64_t sets)
{
    struct protocol_preset preset = settings_preset(s, algorithm);
    if (!slots && !(fragment && buffer))
        slots = preset.slots;
    if (!fragment && !buffer)
        fragment = preset.fragment_bytes;
    if (!sets)
        sets = slots % preset.sets ? 1 : preset.sets;
    return (struct queue_request){fragment, slots, buffer, sets};
}

struct conditions scenario_conditions(const struct settings *s)
{
    return (struct conditions){
        .buffers = s->buffers,
        .backend = s->backend,
        .root_shift = s->root_shift,
        .buffer_memory = s->buffer_memory,
        .buffer_domain = s->buffer_domain,
        .skew_s = s->skew_s,
        .slice_s = s->slice_s,
        .noise = s->noise,
        .seed = s->seed,
        .reps = s->reps,
        .warmup = s->warmup,
        .time_limit_s = s->time_limit_s,
        .stall_report_s = s->stall_report_s,
        .stall_report = s->stall_report_s > 0 ? talk_stall : NULL,
        .huge_pages = s->huge_pages,
        .copy_in = s->copy_in,
        .copy_out = s->copy_out,
        .control_pages = s->control_pages,
        .no_verify = s->no_verify,
    };
}

/* auto where best knows nothing: what fits a line goes by the short path, unless a queue was asked for or the node is the
 * paper's idea of one. */
static const struct protocol *protocol_of(const struct scenario_grid *grid, uint64_t size_bytes)
{
    const struct settings *s = grid->settings;
    const struct protocol *named = settings_protocol(s);
    if (settings_collective(s) == JOB_ALLGATHER && strcmp(s->protocol, "auto") == 0 && size_bytes <= EAGER_PAYLOAD_BYTES)
        return &protocol_direct_line; /* as every communicator does */
    if (named)
        return named;
    int brief = size_bytes > 0 && size_bytes <= EAGER_FIRST_LINE_BYTES && !settings_give_queue(s) && !grid->node.contention_free;
    return brief ? &protocol_eager : &protocol_pipelined;
}

struct job scenario_job(const struct settings *s, uint32_t procs, uint64_t size_bytes)
{
    if (settings_collective(s) == JOB_P2P)
        return (struct job){.kind = JOB_P2P, .procs = procs, .p2p = {size_bytes, s->pattern, s->window}};
    if (settings_collective(s) == JOB_ALLGATHER)
        return (struct job){.kind = JOB_ALLGATHER, .procs = procs, .allgather = {size_bytes, s->in_place}};
    return (struct job){.kind = JOB_BCAST, .procs = procs, .bcast = {size_bytes, s->root}};
}

/* Checks the scenario, which takes the channel asked for and, if an Allgather, the schedule asked for, or the fastest. */
static int apply_messages(const char *algorithm, const char *channel, struct scenario *out, char *reason, size_t reason_bytes)
{
    int best = algorithm && strcmp(algorithm, "best") == 0;
    out->params.protocol = NULL;
    out->channel = channel_kind_find(channel ? channel : "er");
    if (algorithm)
        out->algorithm = best ? &schedule_ring /* for any number of ranks */ : schedule_find(SCHEDULE_ALLGATHER, algorithm);
    int err = scenario_check(out, reason, reason_bytes);
    return err || !best ? err : allgather_model_fastest(out, &out->algorithm, reason, reason_bytes);
}

/* The schedule that was chosen, or the best protocol if that takes less; where ranks share cores and so nobody knows, the
 * protocol. */
static void apply_fastest(struct scenario_grid *grid, struct scenario *out)
{
    struct scenario by_steps = *out;
    struct schedule_answer steps, schedule;
    char reason[200];
    by_steps.algorithm = NULL;
    by_steps.channel = NULL;
    if (best_choice_apply(&grid->best, grid->settings, &by_steps))
        return;
    if (scenario_shares_cores(out) || allgather_model_time(out, &schedule, reason, sizeof reason) ||
        (!allgather_model_time(&by_steps, &steps, reason, sizeof reason) && steps.time_s <= schedule.time_s))
        *out = by_steps;
}

static int point_get(struct scenario_grid *grid, size_t i, struct scenario *out)
{
    const struct settings *s = grid->settings;
    char reason[256];
    const char *channel = chosen_name(&s->channel, take(&i, s->channel.count));
    const char *algorithm = chosen_name(&s->algorithm, take(&i, s->algorithm.count));
    size_t slots = take(&i, s->slots.count), buffer = take(&i, s->buffer.count), sets = take(&i, s->sets.count);
    size_t fragment = take(&i, s->fragment.count), tree = take(&i, s->tree.count), procs = take(&i, s->procs.count);
    uint64_t size_bytes = s->size.value[take(&i, s->size.count)];
    if (s->network && settings_collective(s) != JOB_P2P)
        return scenario_cluster_get(grid, algorithm, channel, (uint32_t)s->procs.value[procs], size_bytes, out);
    struct queue_request request = requested(s, algorithm, chosen(&s->fragment, fragment), chosen(&s->slots, slots),
                                             chosen(&s->buffer, buffer), chosen(&s->sets, sets));
    struct bcast_costs costs = scenario_costs(&grid->node);
    struct bcast_queue queue;
    uint32_t page = grid->node.page_bytes ? grid->node.page_bytes : 4096;
    uint64_t budget_bytes = bcast_cost_budget_bytes(&grid->node);
    if (queue_choose(&request, &costs, size_bytes, budget_bytes, page, &queue, reason, sizeof reason))
        return talk_fail(EXIT_USAGE, "%s", reason);
    *out = (struct scenario){
        .machine = {.node = &grid->node,
                    .nodes = s->network ? 2 : 1,
                    .network = s->network ? &grid->network : NULL,
                    .ppn = s->ppn},
        .placement = {.name = s->place, .core_of_rank = grid->cores},
        .job = scenario_job(s, (uint32_t)s->procs.value[procs], size_bytes),
        .params = {protocol_of(grid, size_bytes), queue.fragment_bytes, queue.slots, queue.sets, s->tree.shape[tree],
                   s->readers_most},
        .conditions = scenario_conditions(s),
        .variant = "",
    };
    if (placement_fill(s->place, &grid->node, out->job.procs, grid->cores))
        return talk_fail(EXIT_USAGE, "--place: '%s' does not fit node %s with %u cores: use compact, scatter or list:A,B,...",
                         s->place, grid->node.name, grid->node.cores);
    scenario_mapping_apply(grid, out);
    int error = settings_by_messages(s, algorithm) ? apply_messages(algorithm, channel, out, reason, sizeof reason)
                                                   : scenario_check(out, reason, sizeof reason);
    if (error)
        return talk_fail(error == -EINVAL ? EXIT_USAGE : exit_code_of(error), "%s", reason);
    if (algorithm && strcmp(algorithm, "best") == 0 && !channel && !s->mapping)
        apply_fastest(grid, out);
    else if (!scenario_by_messages(out) && best_choice_wanted(s, &grid->node)) {
        error = best_choice_apply(&grid->best, s, out);
        if (error && strcmp(s->protocol, "best") == 0)
            return talk_fail(exit_code_of(error), "best: %s", grid->best.table.reason);
        if (!error)
            return 0;
    }
    /* The paper's own optimum is for the paper's own node; elsewhere the extended model searches, if the costs are known. */
    if (!request.fragment_bytes && !request.slots && !grid->node.contention_free && out->params.protocol == &protocol_pipelined)
        queue_search(out, request.buffer_bytes ? request.buffer_bytes : budget_bytes);
    return 0;
}

int scenario_grid_get(struct scenario_grid *grid, size_t i, struct scenario *out)
{
    int code = point_get(grid, i, out);
    return code ? code : scenario_mapping_choose(grid, out);
}
