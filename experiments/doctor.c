/* shmcoll doctor: every check in a row, each with its remedy. Changes nothing. */
#include "experiments/doctor_checks.h"
#include "experiments/options.h"
#include "experiments/rows.h"

#include <errno.h>
#include <stdarg.h>
#include <string.h>

const struct doctor_check doctor_checks[] = {
    {"cma", "process_vm_readv of one process by another, tried", doctor_look_cma},
    {"yama", "who may attach to whom", doctor_look_yama},
    {"seccomp", "system calls filtered", doctor_look_seccomp},
    {"memfd", "shared memory without a name, tried", doctor_look_memfd},
    {"pidfd", "noticing a dead process at once, tried", doctor_look_pidfd},
    {"mbind", "placing memory on a domain, tried", doctor_look_mbind},
    {"move_pages", "asking where a page is, tried", doctor_look_move_pages},
    {"pinning", "binding a rank to a cpu, tried", doctor_look_pinning},
    {"replacements", "what two ranks of a run do otherwise than asked, tried", doctor_look_replacements},
    {"dev_shm", "room in /dev/shm", doctor_look_dev_shm},
    {"memory", "memory this process may take", doctor_look_memory},
    {"thp", "transparent huge pages of private memory", doctor_look_thp},
    {"thp_shmem", "transparent huge pages of shared memory", doctor_look_thp_shmem},
    {"hugepages", "reserved huge pages", doctor_look_hugepages},
    {"numa_balancing", "the kernel moving pages by itself", doctor_look_numa_balancing},
    {"cpus", "cpus allowed against online", doctor_look_cpus},
    {"cpu_quota", "cgroup limit of cpu time", doctor_look_cpu_quota},
    {"smt", "threads sharing a core", doctor_look_smt},
    {"governor", "frequency governor", doctor_look_governor},
    {"turbo", "frequency beyond nominal", doctor_look_turbo},
    {"virtual", "virtual machine and stolen time", doctor_look_virtual},
    {"load", "other work on the host", doctor_look_load},
    {"clock", "clock source and the cost of reading it, measured", doctor_look_clock},
    {NULL, NULL, NULL},
};

void doctor_set(struct doctor_finding *out, enum doctor_state state, const char *remedy, const char *format, ...)
{
    va_list arguments;
    out->state = state;
    snprintf(out->remedy, sizeof out->remedy, "%s", remedy);
    va_start(arguments, format);
    vsnprintf(out->found, sizeof out->found, format, arguments);
    va_end(arguments);
}

int doctor_read_line(const char *path, char *line, int bytes)
{
    FILE *file = fopen(path, "re");
    if (!file)
        return -errno;
    int ok = fgets(line, bytes, file) != NULL;
    fclose(file);
    if (!ok)
        return -ENODATA;
    line[strcspn(line, "\n")] = 0;
    return 0;
}

void doctor_pick_bracketed(char *line)
{
    char *open = strchr(line, '['), *close = open ? strchr(open, ']') : NULL;
    if (!close)
        return;
    *close = 0;
    memmove(line, open + 1, strlen(open + 1) + 1);
}

static const char *state_name(enum doctor_state state)
{
    static const char *const names[] = {"ok", "note", "warn", "missing", "unknown"};
    return names[state];
}

static void print_finding(FILE *file, enum format format, const struct doctor_check *check, const struct doctor_finding *finding)
{
    if (format == FORMAT_TABLE) {
        fprintf(file, "%-8s %-15s %s\n", state_name(finding->state), check->name, finding->found);
        if (*finding->remedy)
            fprintf(file, "%-24s remedy: %s\n", "", finding->remedy);
        return;
    }
    int json = format == FORMAT_JSONL;
    const char *const names[] = {"check", "state", "found", "remedy"};
    const char *const texts[] = {check->name, state_name(finding->state), finding->found, finding->remedy};
    for (int i = 0; i < 4; i++) {
        if (json && !*texts[i])
            continue;
        fprintf(file, "%s", json ? (i ? "," : "{") : (i ? "," : ""));
        if (json) {
            json_print_text(file, names[i]);
            fputc(':', file);
        }
        json_print_text(file, texts[i]);
    }
    fputs(json ? "}\n" : "\n", file);
}

int command_doctor(int argc, char **argv)
{
    struct settings settings;
    int code = options_parse(argc, argv, &settings);
    if (code >= 0)
        return code;
    if (settings.positional_count)
        return talk_fail(EXIT_USAGE, "doctor takes no words: '%s'", settings.positional[0]);
    FILE *file = settings.output ? fopen(settings.output, "w") : stdout;
    if (!file)
        return talk_fail(EXIT_FAILED, "cannot write %s: %s; choose another path", settings.output, strerror(errno));
    if (settings.format == FORMAT_CSV)
        fputs("check,state,found,remedy\n", file);
    for (const struct doctor_check *check = doctor_checks; check->name; check++) {
        struct doctor_finding finding = {.state = DOCTOR_UNKNOWN};
        check->look(&finding);
        print_finding(file, settings.format, check, &finding);
    }
    int broken = ferror(file);
    if (file != stdout && fclose(file))
        broken = 1;
    return broken ? talk_fail(EXIT_FAILED, "cannot write the findings: is the disk full?") : EXIT_DONE;
}
