/* shmcoll map: who plays which rank of an algorithm or application, so that as little as possible crosses between nodes. */
#include "experiments/map.h"
#include "experiments/rows.h"
#include "kernels/clock.h"
#include "model/formats/launch_write.h"
#include "model/formats/traffic_read.h"
#include "partition/bound.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { ROUNDS_TOLD_MAX = 64 };

static int fail_reason(int error, const char *what, const char *reason)
{
    return talk_fail(exit_code_of(error), "%s: %s", what, *reason ? reason : strerror(-error));
}

/* Where distances are times bytes count, else what the graph counts. */
static double weight_unit(const struct settings *s, const struct map_work *work, const struct map_machine *m)
{
    return work->is_schedule && strcmp(m->distance, "time") == 0 ? (double)s->size.value[0] : 1;
}

static void row_fill(const struct settings *s, const struct map_work *work, const struct map_machine *m, struct row *row)
{
    row_init(row);
    snprintf(row->source, sizeof row->source, "map");
    snprintf(row->collective, sizeof row->collective, "%s", work->is_schedule ? "allgather" : "application");
    snprintf(row->algorithm, sizeof row->algorithm, "%s", work->is_schedule ? work->schedule.algorithm->name : "");
    snprintf(row->distance, sizeof row->distance, "%s", m->distance);
    if (s->node) {
        snprintf(row->node, sizeof row->node, "%s", m->node.name);
        snprintf(row->placement, sizeof row->placement, "%s", s->place);
    }
    if (s->network)
        network_format(&m->network, row->network, sizeof row->network);
    row->procs = work->procs;
    row->parts = m->parts;
    if (work->is_schedule && strcmp(m->distance, "time") == 0)
        row->size_bytes = (int64_t)s->size.value[0];
    row->seed = (int64_t)s->seed;
}

static void row_quality(struct row *row, const struct mapping_quality *quality, const struct map_machine *m, double unit)
{
    row->cut = (int64_t)quality->cut[m->node_level];
    row->busiest = (int64_t)quality->busiest[m->node_level];
    row->j = quality->j * unit;
}

static void row_bound(struct row *row, const struct partition_problem *problem)
{
    uint64_t bound = problem->schedule && problem->parts > 1 ? partition_bound(problem) : 0;
    if (!bound)
        return;
    row->bound = (int64_t)bound;
    row->gap = (double)row->cut / (double)bound - 1;
    row->optimal = (uint64_t)row->cut == bound ? 1 : row->optimal;
}

/* With -v: of every level what crosses, and of an algorithm in which round it crosses between nodes. */
static void tell_more(const struct settings *s, const struct map_work *work, const struct map_machine *m,
                      const struct mapping *mapping, const struct mapping_quality *quality)
{
    for (uint32_t l = 0; l < m->hierarchy.levels; l++)
        talk_note(s->verbosity, 1, "  %s: %llu cross between %u groups, of which %llu into and out of group %u",
                  m->hierarchy.level[l].name, (unsigned long long)quality->cut[l], m->hierarchy.level[l].groups,
                  (unsigned long long)quality->busiest[l], quality->busiest_group[l]);
    uint32_t rounds = work->is_schedule && m->hierarchy.levels ? schedule_rounds(&work->schedule) : 0;
    if (s->verbosity < 1 || !rounds || rounds > ROUNDS_TOLD_MAX)
        return;
    uint64_t cut[ROUNDS_TOLD_MAX];
    mapping_step_cuts(&work->schedule, mapping, &m->hierarchy, m->node_level, cut);
    for (uint32_t k = 0; k < rounds; k++)
        talk_note(s->verbosity, 1, "  round %u: %llu", k, (unsigned long long)cut[k]);
}

/* Nothing but nodes: a partition is all there is to find, and may stay a formula. */
static int map_flat(const struct partitioner *partitioner, const struct partition_problem *problem, const struct map_machine *m,
                    struct mapping *out, char *reason, size_t reason_bytes)
{
    struct partition partition;
    int error = partition_make(partitioner, problem, &partition, reason, reason_bytes);
    if (error)
        return error;
    error = mapping_of_partition(out, &partition, partition.form == PARTITION_TABLE ? m->part : NULL);
    if (!error) {
        out->by = partition.by;
        out->optimal = partition.optimal;
        error = mapping_settle(out, &m->hierarchy);
        if (error)
            mapping_destroy(out);
    }
    partition_destroy(&partition);
    return error;
}

static int map_by(const struct settings *s, const struct partitioner *partitioner, const struct map_work *work,
                  const struct map_machine *m, struct row *row, struct mapping *out)
{
    struct partition_problem problem = {.graph = &work->graph, .schedule = work->is_schedule ? &work->schedule : NULL,
                                        .parts = m->parts, .sizes = m->sizes, .seed = s->seed};
    struct mapping_quality quality;
    char reason[256] = "";
    int flat = m->hierarchy.levels <= 1 && m->hierarchy.levels == (m->parts > 1);
    double start = clock_monotonic_s();
    int error = flat ? map_flat(partitioner, &problem, m, out, reason, sizeof reason)
                     : mapping_make(out, partitioner, &problem, &m->hierarchy, reason, sizeof reason);
    double time_s = clock_monotonic_s() - start;
    if (error == -ENOTSUP)
        return s->partitioner.count > 1 ? EXIT_UNABLE : talk_fail(EXIT_USAGE, "%s: %s; use auto", partitioner->name, reason);
    if (error)
        return fail_reason(error, partitioner->name, reason);
    error = mapping_quality(&work->graph, out, &m->hierarchy, &quality);
    if (error) {
        mapping_destroy(out);
        return fail_reason(error, partitioner->name, "");
    }
    row_fill(s, work, m, row);
    snprintf(row->partitioner, sizeof row->partitioner, "%s", partitioner->name);
    row_quality(row, &quality, m, weight_unit(s, work, m));
    row->time_s = time_s;
    row->optimal = out->optimal && (flat || m->node_level == 0) ? 1 : ROW_ABSENT;
    row_bound(row, &problem);
    talk_note(s->verbosity, 1, "%s, %u ranks: by %s", partitioner->name, work->procs, out->by);
    tell_more(s, work, m, out, &quality);
    return 0;
}

/* One row a partitioner; what has nothing for the problem is left out of a list. */
static int map_all(const struct settings *s, const struct map_work *work, const struct map_machine *m, struct row_writer *writer)
{
    const struct name_list *names = &s->partitioner;
    int code = 0;
    for (size_t i = 0; i < names->count && !code; i++) {
        struct mapping mapping;
        struct row row;
        code = map_by(s, partitioner_find(names->name[i]), work, m, &row, &mapping);
        if (code == EXIT_UNABLE && names->count > 1) {
            talk_note(s->verbosity, 0, "%s has nothing for this graph and these parts: left out", names->name[i]);
            code = 0;
            continue;
        }
        if (code)
            return code;
        if (s->output || s->to)
            code = map_write(s, m, &mapping);
        if (!code && s->dot)
            code = map_write_dot(s->dot, &work->graph, m, &mapping);
        mapping_destroy(&mapping);
        if (!code && row_writer_add(writer, &row))
            code = talk_fail(EXIT_UNABLE, "no memory for the rows");
    }
    return code;
}

/* What counts levels counts blocks, however long they are. */
static int check_size(const struct settings *s, const struct map_machine *m)
{
    if (strcmp(m->distance, "time") == 0 || !settings_given(s, "size"))
        return 0;
    return talk_fail(EXIT_USAGE,
                     "--size: nothing says what a byte takes between these nodes, so J counts blocks: leave it out, or give %s",
                     m->parts > 1 && !s->network ? "--network" : "a --node with costs of copies");
}

static int map_procs(const struct settings *s, uint32_t procs, struct row_writer *writer)
{
    struct map_work work;
    struct map_machine machine;
    int code = map_work_create(s, procs, &work);
    if (code)
        return code;
    code = map_machine_create(s, work.procs, &machine);
    if (!code) {
        code = check_size(s, &machine);
        code = code ? code : map_work_place(s, &machine, &work);
        code = code ? code : map_all(s, &work, &machine, writer);
        map_machine_destroy(&machine);
    }
    map_work_destroy(&work);
    return code;
}

static int check_files(const struct settings *s)
{
    if ((s->output || s->to || s->dot) && (s->procs.count > 1 || s->partitioner.count > 1))
        return talk_fail(EXIT_USAGE, "a file has one mapping: give one --procs and one --partitioner with -o, --to and --dot");
    if (s->to && strcmp(s->to, "mapping") && !launch_format_find(s->to))
        return talk_fail(EXIT_USAGE, "--to: unknown format '%s': use mapping, rankfile, mpich, slurm or hostfile", s->to);
    if (s->hosts && (!s->to || strcmp(s->to, "mapping") == 0))
        return talk_fail(EXIT_USAGE, "--hosts is for what launchers read: give --to rankfile or hostfile as well");
    if (map_to_standard_output(s->dot) && (map_to_standard_output(s->output) || (s->to && !s->output)))
        return talk_fail(EXIT_USAGE, "the mapping and the graph cannot both go to standard output: give -o or --dot a file");
    return 0;
}

static int check(const struct settings *s)
{
    if (s->positional_count && !s->matrix && strcmp(s->positional[0], "allgather"))
        return talk_fail(EXIT_USAGE, "map needs what to map: shmcoll map allgather, or --matrix FILE, not '%s'",
                         s->positional[0]);
    if (s->positional_count > 1 || (s->positional_count == 1 && s->matrix))
        return talk_fail(EXIT_USAGE, "map takes an allgather or a --matrix: leave out '%s'",
                         s->positional[s->positional_count - 1]);
    if (!s->matrix && !s->positional_count)
        return talk_fail(EXIT_USAGE, "map needs what to map: shmcoll map allgather, or --matrix FILE");
    if (s->matrix && s->schedule)
        return talk_fail(EXIT_USAGE, "--algorithm is of allgather, not of a --matrix: leave it out");
    if (!s->matrix && s->directed)
        return talk_fail(EXIT_USAGE, "--directed is of a --matrix: leave it out");
    if (!s->matrix && !s->procs.count)
        return talk_fail(EXIT_USAGE, "say of how many ranks the allgather is: --procs N");
    if (s->procs.count > 1 && (s->matrix || s->sizes.count))
        return talk_fail(EXIT_USAGE, "--procs is a list, but a matrix and --sizes are for one number of ranks: give one");
    if (s->matrix && settings_given(s, "size"))
        return talk_fail(EXIT_USAGE, "--size is of allgather's blocks, and a --matrix has its bytes: leave it out");
    if (!s->node && settings_given(s, "place"))
        return talk_fail(EXIT_USAGE, "--place is of a node's cores: give a --node, or leave it out");
    if (s->size.count > 1)
        return talk_fail(EXIT_USAGE, "--size is a list, but a mapping does not depend on it: give one");
    return check_files(s);
}

int command_map(int argc, char **argv)
{
    struct settings settings, rows;
    struct row_writer writer;
    int code = options_parse(argc, argv, &settings);
    if (code >= 0)
        return code;
    code = check(&settings);
    if (code)
        return code;
    if (!settings.partitioner.count)
        settings.partitioner = (struct name_list){.name = {"auto"}, .count = 1};
    if (settings.to && !settings.output)
        settings.output = "-";
    rows = settings;
    /* it is taken */
    rows.output = map_to_standard_output(settings.output) || map_to_standard_output(settings.dot) ? "/dev/null" : NULL;
    code = row_writer_open(&writer, &rows);
    if (code)
        return code;
    for (size_t i = 0; i < (settings.procs.count ? settings.procs.count : 1) && !code; i++)
        code = map_procs(&settings, settings.procs.count ? (uint32_t)settings.procs.value[i] : 0, &writer);
    int close_code = row_writer_close(&writer);
    return code ? code : close_code;
}
