#include "experiments/scenario_mapping.h"
#include "model/allgather_model.h"
#include "model/network_model.h"

#include <string.h>

/* Whether blocks go from rank to rank, so that there is something to renumber. */
static int by_schedule(const struct settings *s)
{
    for (size_t i = 0; i < s->algorithm.count; i++)
        if (strcmp(s->algorithm.name[i], "direct") == 0)
            return 0;
    return s->network || s->algorithm.count > 0;
}

int scenario_mapping_check(const struct settings *s)
{
    if (!s->mapping && s->remap != NUMBERING_PLACED)
        return talk_fail(EXIT_USAGE, "--remap is of a mapping: give --mapping FILE, or leave it out");
    if (!s->mapping)
        return 0;
    if (settings_collective(s) != JOB_ALLGATHER)
        return talk_fail(EXIT_USAGE, "--mapping is of allgather, not of %s: leave it out", s->positional[0]);
    if (s->levels == 2)
        return talk_fail(EXIT_USAGE, "--mapping is of all ranks, not of one of every node: leave out --levels");
    if (!by_schedule(s))
        return talk_fail(EXIT_USAGE, "--mapping is of schedules: give an --algorithm that exchanges messages, such as bruck");
    return 0;
}

int scenario_mapping_read(const struct settings *s, struct numbering_file *file, struct numbering *out)
{
    char reason[256];
    int error = numbering_read_file(s->mapping, file, reason, sizeof reason);
    if (error)
        return talk_fail(EXIT_USAGE, "--mapping: %s", reason);
    for (size_t i = 0; i < s->procs.count; i++)
        if (s->procs.value[i] != file->procs)
            return talk_fail(EXIT_USAGE, "--mapping: %s is of %u ranks, not of %llu: give --procs %u", s->mapping, file->procs,
                             (unsigned long long)s->procs.value[i], file->procs);
    *out = numbering_of_file(file);
    out->remap = s->remap == NUMBERING_EXCH ? NUMBERING_EXCH : NUMBERING_REORDER;
    return 0;
}

int scenario_mapping_load(struct scenario_grid *grid)
{
    int code = grid->settings->mapping ? scenario_mapping_read(grid->settings, &grid->mapping, &grid->numbering) : 0;
    grid->exchanged = grid->numbering;
    grid->exchanged.remap = NUMBERING_EXCH;
    return code;
}

void scenario_mapping_apply(const struct scenario_grid *grid, struct scenario *out)
{
    if (!grid->settings->mapping)
        return;
    out->numbering = &grid->numbering;
    out->mapping = grid->settings->mapping;
}

static int model_time(const struct scenario *scenario, const struct numbering *numbering, double *time_s, char *reason,
                      size_t reason_bytes)
{
    struct scenario s = *scenario;
    struct schedule_answer on_node;
    struct outcome on_network = {.time_s = 0};
    s.numbering = numbering;
    s.variant = "extended";
    if (!s.machine.network) {
        int error = allgather_model_time(&s, &on_node, reason, reason_bytes);
        *time_s = error ? 0 : on_node.time_s;
        return error;
    }
    int error = network_model_time(&s, &on_network);
    *time_s = on_network.time_s;
    snprintf(reason, reason_bytes, "%s", on_network.reason);
    return error;
}

int scenario_mapping_choose(const struct scenario_grid *grid, struct scenario *scenario)
{
    char reason[256] = "";
    double reorder_s, exch_s;
    if (grid->settings->remap != REMAP_AUTO || !scenario->numbering)
        return 0;
    int error = model_time(scenario, &grid->numbering, &reorder_s, reason, sizeof reason);
    error = error ? error : model_time(scenario, &grid->exchanged, &exch_s, reason, sizeof reason);
    if (error)
        return talk_fail(exit_code_of(error), "--remap auto: %s; or give exch or reorder", reason);
    scenario->numbering = exch_s < reorder_s ? &grid->exchanged : &grid->numbering;
    return 0;
}
