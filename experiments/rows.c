#include "experiments/rows.h"
#include "model/channel.h"
#include "model/network.h"
#include "model/schedule.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define AT(field) offsetof(struct row, field)

const struct row_field row_fields[] = {
    {"source", "", "source", ROW_TEXT, AT(source), ROW_ALWAYS | ROW_HEAD},
    {"variant", "", "variant", ROW_TEXT, AT(variant), ROW_ALWAYS | ROW_HEAD},
    {"collective", "", "collective", ROW_TEXT, AT(collective), ROW_ALWAYS | ROW_HEAD},
    {"algorithm", "", "algorithm", ROW_TEXT, AT(algorithm), ROW_ALWAYS | ROW_HEAD},
    {"protocol", "", "protocol", ROW_TEXT, AT(protocol), ROW_ALWAYS | ROW_HEAD},
    {"node", "", "node", ROW_TEXT, AT(node), ROW_ALWAYS | ROW_HEAD},
    {"procs", "", "procs", ROW_INTEGER, AT(procs), ROW_ALWAYS | ROW_HEAD},
    {"placement", "", "placement", ROW_TEXT, AT(placement), ROW_ALWAYS | ROW_HEAD},
    {"root", "", "root", ROW_INTEGER, AT(root), ROW_ALWAYS | ROW_HEAD},
    {"buffers", "", "buffers", ROW_TEXT, AT(buffers), ROW_ALWAYS | ROW_HEAD},
    {"backend", "", "backend", ROW_TEXT, AT(backend), ROW_ALWAYS | ROW_HEAD},
    {"tree", "", "tree", ROW_TEXT, AT(tree), ROW_HEAD},
    {"size_bytes", "B", "size", ROW_INTEGER, AT(size_bytes), ROW_ALWAYS},
    {"fragment_bytes", "B", "f", ROW_INTEGER, AT(fragment_bytes), 0},
    {"slots", "", "s", ROW_INTEGER, AT(slots), 0},
    {"sets", "", "q", ROW_INTEGER, AT(sets), 0},
    {"time_s", "s", "time [us]", ROW_REAL, AT(time_s), ROW_ALWAYS},
    {"time_mean_s", "s", "mean of ranks [us]", ROW_REAL, AT(time_mean_s), ROW_DETAIL},
    {"partitioner", "", "partitioner", ROW_TEXT, AT(partitioner), 0},
    {"parts", "", "parts", ROW_INTEGER, AT(parts), ROW_HEAD},
    {"cut", "", "cut", ROW_INTEGER, AT(cut), 0},
    {"bound", "", "bound", ROW_INTEGER, AT(bound), 0},
    {"gap", "1", "gap", ROW_REAL, AT(gap), 0},
    {"optimal", "", "optimal", ROW_TRUTH, AT(optimal), 0},
    {"j", "any", "J", ROW_REAL, AT(j), 0},
    {"busiest", "", "busiest", ROW_INTEGER, AT(busiest), 0},
    {"fragment_opt_bytes", "B", "f* [B]", ROW_REAL, AT(fragment_opt_bytes), 0},
    {"slots_opt", "", "s*", ROW_REAL, AT(slots_opt), 0},
    {"error", "1", "error", ROW_REAL, AT(error), 0},
    {"error_above_copy", "1", "of time-mt", ROW_REAL, AT(error_above_copy), 0},
    {"time_min_s", "s", "min [us]", ROW_REAL, AT(time_min_s), 0},
    {"time_p99_s", "s", "p99 [us]", ROW_REAL, AT(time_p99_s), 0},
    {"ci_low_s", "s", "ci low [us]", ROW_REAL, AT(ci_low_s), 0},
    {"ci_high_s", "s", "ci high [us]", ROW_REAL, AT(ci_high_s), 0},
    {"reps", "", "reps", ROW_INTEGER, AT(reps), 0},
    {"verified", "", "verified", ROW_TRUTH, AT(verified), 0},
    {"memcpy_cold_s", "s", "memcpy [us]", ROW_REAL, AT(memcpy_cold_s), 0},
    {"copy_bound_s", "s", "bound [us]", ROW_REAL, AT(copy_bound_s), 0},
    {"handover_ns", "ns", "handover [ns]", ROW_REAL, AT(handover_ns), 0},
    {"events", "", "events", ROW_INTEGER, AT(events), 0},
    {"messages", "", "messages", ROW_INTEGER, AT(messages), 0},
    {"channel_bytes", "B", "channels of a rank", ROW_INTEGER, AT(channel_bytes), ROW_DETAIL},
    {"wall_s", "s", "wall [us]", ROW_REAL, AT(wall_s), 0},
    {"read_s", "s", "reading [us]", ROW_REAL, AT(read_s), 0},
    {"copy_s", "s", "copy [us]", ROW_REAL, AT(copy_s), ROW_DETAIL},
    {"wait_s", "s", "wait [us]", ROW_REAL, AT(wait_s), ROW_DETAIL},
    {"notify_s", "s", "notify [us]", ROW_REAL, AT(notify_s), ROW_DETAIL},
    {"term_sets_s", "s", "sets term [us]", ROW_REAL, AT(term_sets_s), ROW_DETAIL},
    {"term_fill_s", "s", "fill term [us]", ROW_REAL, AT(term_fill_s), ROW_DETAIL},
    {"term_notify_s", "s", "notify term [us]", ROW_REAL, AT(term_notify_s), ROW_DETAIL},
    {"term_copy_s", "s", "copy term [us]", ROW_REAL, AT(term_copy_s), ROW_DETAIL},
    {"audit_pages", "", "pages", ROW_INTEGER, AT(audit_pages), ROW_DETAIL},
    {"audit_pages_misplaced", "", "misplaced", ROW_INTEGER, AT(audit_pages_misplaced), ROW_DETAIL},
    {"buffer_memory", "", "buffer memory", ROW_TEXT, AT(buffer_memory), ROW_HEAD},
    {"readers_most", "", "readers at once", ROW_INTEGER, AT(readers_most), ROW_HEAD},
    {"pattern", "", "pattern", ROW_TEXT, AT(pattern), ROW_HEAD},
    {"window", "", "window", ROW_INTEGER, AT(window), ROW_HEAD},
    {"in_place", "", "in place", ROW_TRUTH, AT(in_place), ROW_HEAD},
    {"network", "", "network", ROW_TEXT, AT(network), ROW_HEAD},
    {"ppn", "", "ranks a node", ROW_INTEGER, AT(ppn), ROW_HEAD},
    {"levels", "", "levels", ROW_INTEGER, AT(levels), ROW_HEAD},
    {"distance", "", "distance", ROW_TEXT, AT(distance), ROW_HEAD},
    {"channel", "", "channel", ROW_TEXT, AT(channel), ROW_HEAD},
    {"mapping", "", "mapping", ROW_TEXT, AT(mapping), ROW_HEAD},
    {"remap", "", "remap", ROW_TEXT, AT(remap), ROW_HEAD},
    {"messages_inside", "", "messages in nodes", ROW_INTEGER, AT(messages_inside), ROW_DETAIL},
    {"messages_between", "", "messages between", ROW_INTEGER, AT(messages_between), ROW_DETAIL},
    {"bytes_inside", "B", "bytes in nodes", ROW_INTEGER, AT(bytes_inside), ROW_DETAIL},
    {"bytes_between", "B", "bytes between", ROW_INTEGER, AT(bytes_between), ROW_DETAIL},
    {"skew_s", "s", "skew [us]", ROW_REAL, AT(skew_s), ROW_HEAD | ROW_DETAIL},
    {"slice_s", "s", "slice [us]", ROW_REAL, AT(slice_s), ROW_HEAD | ROW_DETAIL},
    {"noise", "1", "noise", ROW_REAL, AT(noise), ROW_HEAD | ROW_DETAIL},
    {"root_shift", "", "root shift", ROW_TRUTH, AT(root_shift), ROW_HEAD | ROW_DETAIL},
    {"seed", "", "seed", ROW_INTEGER, AT(seed), ROW_HEAD | ROW_DETAIL},
    {NULL, NULL, NULL, ROW_TEXT, 0, 0},
};

void row_init(struct row *row)
{
    memset(row, 0, sizeof *row);
    for (const struct row_field *f = row_fields; f->name; f++) {
        if (f->kind == ROW_REAL)
            *(double *)((char *)row + f->offset) = NAN;
        else if (f->kind != ROW_TEXT)
            *(int64_t *)((char *)row + f->offset) = ROW_ABSENT;
    }
}

int row_has(const struct row *row, const struct row_field *field)
{
    const char *at = (const char *)row + field->offset;
    switch (field->kind) {
    case ROW_TEXT:
        return *at != 0;
    case ROW_REAL:
        return !isnan(*(const double *)at);
    default:
        return *(const int64_t *)at != ROW_ABSENT;
    }
}

/* Of messages from rank to rank: how their bytes move is the channel. */
static void set_messages(struct row *row, const struct scenario *scenario)
{
    snprintf(row->protocol, sizeof row->protocol, "%s", scenario_channel(scenario)->name);
    row->fragment_bytes = scenario->params.fragment_bytes;
    row->slots = scenario->params.slots;
    if (scenario->job.kind != JOB_P2P)
        return;
    snprintf(row->pattern, sizeof row->pattern, "%s", p2p_pattern_name(scenario->job.p2p.pattern));
    row->window = scenario->job.p2p.pattern == P2P_STREAM ? (int64_t)scenario->job.p2p.window : ROW_ABSENT;
}


/* The file's own name, wherever it is. */
static void set_mapping(struct row *row, const struct scenario *scenario)
{
    const char *slash = scenario->mapping ? strrchr(scenario->mapping, '/') : NULL;
    snprintf(row->mapping, sizeof row->mapping, "%s", slash ? slash + 1 : scenario->mapping ? scenario->mapping : "given");
    snprintf(row->remap, sizeof row->remap, "%s", numbering_remap_name(scenario->numbering->remap));
}

static void set_params(struct row *row, const struct params *params)
{
    int queue = (params->protocol->uses & (PROTOCOL_SLOTS | PROTOCOL_PEERS)) != 0;
    snprintf(row->protocol, sizeof row->protocol, "%s", params->protocol->name);
    if (!(params->protocol->uses & PROTOCOL_ALLGATHER))
        tree_shape_format(params->tree, row->tree, sizeof row->tree);
    row->fragment_bytes = queue ? params->fragment_bytes : ROW_ABSENT;
    row->slots = queue ? params->slots : ROW_ABSENT;
    row->sets = queue ? params->sets : ROW_ABSENT;
    row->readers_most = params->readers_most ? params->readers_most : ROW_ABSENT;
}

/* On a network, which says how bytes move; in shared memory only in two levels. */
static void set_machine(struct row *row, const struct scenario *scenario)
{
    const struct machine *machine = &scenario->machine;
    network_format(machine->network, row->network, sizeof row->network);
    row->ppn = machine->ppn;
    row->levels = machine->ppn > 1 ? (int64_t)machine->levels : ROW_ABSENT;
    if (machine->ppn > 1 && machine->levels == 2)
        set_params(row, &scenario->params);
    if (machine->levels == 2 && scenario->channel) /* else it is the protocol */
        snprintf(row->channel, sizeof row->channel, "%s", scenario->channel->name);
}

void row_set_scenario(struct row *row, const char *source, const struct scenario *scenario)
{
    const struct params *params = &scenario->params;
    const struct conditions *conditions = &scenario->conditions;
    snprintf(row->source, sizeof row->source, "%s", source);
    snprintf(row->variant, sizeof row->variant, "%s", scenario->variant ? scenario->variant : "");
    int has_root = scenario->job.kind == JOB_BCAST;
    snprintf(row->collective, sizeof row->collective, "%s", job_name(&scenario->job));
    snprintf(row->algorithm, sizeof row->algorithm, "%s",
             scenario->algorithm ? scenario->algorithm->name : has_root ? "tree" : "direct");
    row->in_place = scenario->job.kind == JOB_ALLGATHER && scenario->job.allgather.in_place ? 1 : ROW_ABSENT;
    snprintf(row->buffers, sizeof row->buffers, "%s", conditions->buffers == BUFFERS_COLD ? "cold" : "warm");
    snprintf(row->backend, sizeof row->backend, "%s", conditions->backend == BACKEND_PROCS ? "procs" : "threads");
    snprintf(row->buffer_memory, sizeof row->buffer_memory, "%s",
             conditions->buffer_memory == BUFFER_MEMORY_PRIVATE ? "private" : "shared");
    snprintf(row->node, sizeof row->node, "%s", scenario->machine.node->name);
    snprintf(row->placement, sizeof row->placement, "%s", scenario->placement.name);
    row->procs = scenario->job.procs;
    row->root = has_root ? (int64_t)scenario->job.bcast.root : ROW_ABSENT;
    row->size_bytes = (int64_t)job_size_bytes(&scenario->job);
    if (scenario->machine.network)
        set_machine(row, scenario);
    if (scenario_by_messages(scenario) &&
        (!scenario->machine.network || scenario->job.kind == JOB_P2P || (scenario->channel && scenario->machine.levels != 2)))
        set_messages(row, scenario);
    else if (!scenario->machine.network)
        set_params(row, params);
    if (scenario->numbering)
        set_mapping(row, scenario);
    row->seed = (int64_t)conditions->seed;
    row->root_shift = conditions->root_shift ? 1 : ROW_ABSENT;
    row->skew_s = conditions->skew_s > 0 ? conditions->skew_s : NAN;
    row->slice_s = conditions->slice_s > 0 ? conditions->slice_s : NAN;
    row->noise = conditions->noise > 0 ? conditions->noise : NAN;
}

void row_set_outcome(struct row *row, const struct outcome *outcome)
{
    if (outcome->ran.protocol)
        set_params(row, &outcome->ran);
    row->time_s = outcome->time_s;
    row->time_mean_s = outcome->time_mean_s;
    row->fragment_opt_bytes = outcome->fragment_opt_bytes;
    row->slots_opt = outcome->slots_opt;
    if (strcmp(row->source, "sim") == 0) {
        row->events = (int64_t)outcome->events;
        row->messages = (int64_t)outcome->messages;
        row->channel_bytes = outcome->channel_bytes ? (int64_t)outcome->channel_bytes : ROW_ABSENT;
        row->wall_s = outcome->wall_s;
    }
    if (outcome->levels_counted) {
        row->messages_inside = (int64_t)outcome->messages_inside;
        row->messages_between = (int64_t)outcome->messages_between;
        row->bytes_inside = (int64_t)outcome->bytes_inside;
        row->bytes_between = (int64_t)outcome->bytes_between;
    }
    row->copy_s = outcome->copy_s;
    row->wait_s = outcome->wait_s;
    row->notify_s = outcome->notify_s;
    row->term_sets_s = outcome->term_sets_s;
    row->term_fill_s = outcome->term_fill_s;
    row->term_notify_s = outcome->term_notify_s;
    row->term_copy_s = outcome->term_copy_s;
    row->time_min_s = outcome->time_min_s;
    row->time_p99_s = outcome->time_p99_s;
    row->ci_low_s = outcome->ci_low_s;
    row->ci_high_s = outcome->ci_high_s;
    if (strcmp(row->source, "run") == 0) {
        row->reps = (int64_t)outcome->sample_count;
        row->verified = outcome->verified < 0 ? ROW_ABSENT : outcome->verified;
    }
    row->memcpy_cold_s = outcome->memcpy_cold_s;
    row->copy_bound_s = outcome->copy_bound_s;
    row->handover_ns = outcome->handover_ns;
    if (outcome->audited) {
        row->audit_pages = (int64_t)outcome->audit_pages;
        row->audit_pages_misplaced = (int64_t)outcome->audit_pages_misplaced;
    }
}

static int open_file(const char *path, FILE **out)
{
    *out = fopen(path, "w");
    return *out ? 0 : talk_fail(EXIT_FAILED, "cannot write %s: %s; choose another path", path, strerror(errno));
}

static int ends_with(const char *text, const char *end)
{
    size_t length = strlen(text), tail = strlen(end);
    return length >= tail && strcmp(text + length - tail, end) == 0;
}

int row_writer_open(struct row_writer *writer, const struct settings *settings)
{
    *writer = (struct row_writer){.file = stdout, .format = settings->format, .verbosity = settings->verbosity};
    if (settings->output && strcmp(settings->output, "-") && open_file(settings->output, &writer->file))
        return EXIT_FAILED;
    if (settings->rows && open_file(settings->rows, &writer->beside)) {
        if (writer->file != stdout)
            fclose(writer->file);
        return EXIT_FAILED;
    }
    writer->beside_format = settings->rows && ends_with(settings->rows, ".jsonl") ? FORMAT_JSONL : FORMAT_CSV;
    if (writer->format == FORMAT_CSV)
        row_print_csv_header(writer->file);
    if (writer->beside && writer->beside_format == FORMAT_CSV)
        row_print_csv_header(writer->beside);
    return 0;
}

static void stream_row(FILE *file, enum format format, const struct row *row)
{
    if (format == FORMAT_CSV)
        row_print_csv(file, row);
    else
        row_print_json(file, row);
    fflush(file); /* a long run is watched, or broken off */
}

void row_writer_stream(struct row_writer *writer, const struct row *row)
{
    if (writer->beside)
        stream_row(writer->beside, writer->beside_format, row);
    if (writer->format != FORMAT_TABLE)
        stream_row(writer->file, writer->format, row);
}

int row_writer_add(struct row_writer *writer, const struct row *row)
{
    row_writer_stream(writer, row);
    if (writer->format != FORMAT_TABLE)
        return 0;
    if (writer->count == writer->capacity) {
        size_t capacity = writer->capacity ? 2 * writer->capacity : 64;
        struct row *rows = reallocarray(writer->rows, capacity, sizeof *rows);
        if (!rows)
            return -ENOMEM;
        writer->rows = rows;
        writer->capacity = capacity;
    }
    writer->rows[writer->count++] = *row;
    return 0;
}

/* Whether all of it could be written. */
static int close_file(FILE *file)
{
    int broken = fflush(file) || ferror(file);
    return (file != stdout && fclose(file)) || broken;
}

int row_writer_close(struct row_writer *writer)
{
    if (writer->format == FORMAT_TABLE && writer->count)
        row_print_table(writer->file, writer->rows, writer->count, writer->verbosity);
    free(writer->rows);
    int broken = close_file(writer->file);
    if (writer->beside)
        broken |= close_file(writer->beside);
    *writer = (struct row_writer){.file = NULL};
    return broken ? talk_fail(EXIT_FAILED, "cannot write the rows: is the disk full or the reader gone?") : 0;
}
