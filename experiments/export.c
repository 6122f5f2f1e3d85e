/* shmcoll export: schedules for other simulators, as GOAL (LogGOPSim) or as time-independent traces (SimGrid). */
#include "experiments/options.h"
#include "experiments/scenario_mapping.h"
#include "model/formats/goal_write.h"
#include "model/formats/ti_write.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* A file that is there whole or not at all. What is no regular file, and standard output, is written in place. */
struct export_file {
    const char *path;
    char *temporary; /* NULL: in place */
    FILE *file;
};

static int export_failed(const char *path, int err)
{
    if (err == -EOVERFLOW)
        return talk_fail(EXIT_USAGE, "a message of so many bytes has no number: take a smaller --size");
    return talk_fail(EXIT_FAILED, "%s: cannot write: %s; choose another path", path, strerror(-err));
}

static int export_open(struct export_file *out, const char *path)
{
    struct stat there;
    if (!path || strcmp(path, "-") == 0) {
        *out = (struct export_file){.path = "standard output", .file = stdout};
        return 0;
    }
    *out = (struct export_file){.path = path};
    int in_place = !stat(path, &there) && !S_ISREG(there.st_mode);
    if (!in_place && asprintf(&out->temporary, "%s.%ld.tmp", path, (long)getpid()) < 0)
        return export_failed(path, -ENOMEM);
    out->file = in_place ? fopen(path, "w") : fopen(out->temporary, "wx");
    if (out->file)
        return 0;
    int err = -errno;
    free(out->temporary);
    return export_failed(path, err);
}

/* `err`: of writing what is in it; then the file is taken away. */
static int export_close(struct export_file *out, int err)
{
    if (out->file != stdout && fclose(out->file) && !err)
        err = -errno;
    if (out->temporary && !err && rename(out->temporary, out->path))
        err = -errno;
    if (out->temporary && err)
        unlink(out->temporary);
    free(out->temporary);
    return err ? export_failed(out->path, err) : EXIT_DONE;
}

static int export_rank(const struct schedule_job *job, uint32_t rank, const char *path)
{
    struct export_file out;
    int code = export_open(&out, path);
    return code ? code : export_close(&out, ti_write_rank(out.file, job, rank));
}

/* FILE.0, FILE.1 and so on, a trace each, and FILE with their names, as smpirun -replay wants it. */
static int export_traces(const struct schedule_job *job, const char *path)
{
    struct export_file list;
    int code = EXIT_DONE;
    for (uint32_t rank = 0; rank < job->schedule->procs && !code; rank++) {
        char name[PATH_MAX];
        int length = snprintf(name, sizeof name, "%s.%u", path, rank);
        code = length < (int)sizeof name ? export_rank(job, rank, name) : export_failed(path, -ENAMETOOLONG);
    }
    if (!code)
        code = export_open(&list, path);
    if (code)
        return code;
    for (uint32_t rank = 0; rank < job->schedule->procs; rank++)
        fprintf(list.file, "%s.%u\n", path, rank);
    return export_close(&list, ferror(list.file) ? -EIO : 0);
}

static int export_one(const struct schedule_job *job, const struct settings *settings)
{
    struct export_file out;
    const char *format = settings->export_format;
    if (strcmp(format, "ti-list") == 0)
        return export_traces(job, settings->output);
    int code = export_open(&out, settings->output);
    if (code)
        return code;
    return export_close(&out, strcmp(format, "ti") == 0 ? ti_write_schedule(out.file, job) : goal_write_schedule(out.file, job));
}

static int refuse_algorithm(enum schedule_kind kind, const char *name)
{
    char known[200] = "";
    for (const struct schedule_algorithm *const *a = schedule_table; *a; a++)
        if ((*a)->kind == kind) {
            size_t at = strlen(known);
            snprintf(known + at, sizeof known - at, "%s%s", at ? ", " : "", (*a)->name);
        }
    return talk_fail(EXIT_USAGE, "unknown algorithm '%s' of this collective: use one of %s", name, known);
}

/* What was asked for as a schedule, or an exit code after telling why not. */
static int export_schedule(const struct settings *s, struct schedule *out)
{
    static const struct {
        const char *collective, *algorithm; /* unless another is asked for */
        enum schedule_kind kind;
    } kinds[] = {{"allgather", "bruck", SCHEDULE_ALLGATHER},
                 {"bcast", "binomial", SCHEDULE_BCAST},
                 {"scatter", "binomial_scatter", SCHEDULE_SCATTER}};
    const char *collective = s->positional_count == 1 ? s->positional[0] : "";
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        if (strcmp(collective, kinds[i].collective))
            continue;
        const char *name = s->schedule ? s->schedule : kinds[i].algorithm;
        const struct schedule_algorithm *algorithm = schedule_find(kinds[i].kind, name);
        uint64_t procs = s->procs.value[0];
        if (!algorithm)
            return refuse_algorithm(kinds[i].kind, name);
        if (procs > SCHEDULE_PROCS_MAX)
            return talk_fail(EXIT_USAGE, "%llu ranks are too many: at most %d", (unsigned long long)procs, SCHEDULE_PROCS_MAX);
        if (!schedule_valid(algorithm, (uint32_t)procs))
            return talk_fail(EXIT_USAGE, "%s needs %s", name, algorithm->needs);
        if (schedule_init_regions(out, algorithm, (uint32_t)procs, s->root,
                                  schedule_region((uint32_t)procs, s->ppn ? s->ppn : 1)))
            return talk_fail(EXIT_USAGE, "--root %u is none of %llu ranks, or an allgather's, which has none", s->root,
                             (unsigned long long)procs);
        return 0;
    }
    return talk_fail(EXIT_USAGE, "export needs a collective: allgather, bcast or scatter");
}

static int export_mapped(const struct settings *s, const struct schedule *schedule)
{
    struct schedule_job job = {.schedule = schedule, .size_bytes = s->size.value[0]};
    struct numbering_file file = {.procs = 0};
    struct numbering numbering;
    if (!s->mapping)
        return export_one(&job, s);
    int code = scenario_mapping_read(s, &file, &numbering);
    job.numbering = &numbering;
    code = code ? code : export_one(&job, s);
    numbering_file_destroy(&file);
    return code;
}

int command_export(int argc, char **argv)
{
    struct settings settings;
    struct schedule schedule;
    int code = options_parse(argc, argv, &settings);
    if (code >= 0)
        return code;
    if (settings.procs.count > 1 || settings.size.count > 1)
        return talk_fail(EXIT_USAGE, "export writes one schedule: give one --procs and one --size");
    code = export_schedule(&settings, &schedule);
    if (code)
        return code;
    if (settings.mapping && schedule.algorithm->kind != SCHEDULE_ALLGATHER)
        return talk_fail(EXIT_USAGE, "--mapping is of allgather, not of %s: leave it out", settings.positional[0]);
    if (!settings.mapping && settings.remap != NUMBERING_PLACED)
        return talk_fail(EXIT_USAGE, "--remap is of a mapping: give --mapping FILE, or leave it out");
    if (settings.remap == REMAP_AUTO)
        return talk_fail(EXIT_USAGE, "--remap auto goes by a machine's costs, which export has not: give exch or reorder");
    if (strcmp(settings.export_format, "ti-list") == 0 && (!settings.output || strcmp(settings.output, "-") == 0))
        return talk_fail(EXIT_USAGE, "ti-list is many files: say by -o FILE how they are called");
    return export_mapped(&settings, &schedule);
}
