/* The options of the command: one table, from which parsing, --help, the manual page and the completion follow. */
#ifndef SHMCOLL_EXPERIMENTS_OPTIONS_H
#define SHMCOLL_EXPERIMENTS_OPTIONS_H

#include "experiments/command.h"
#include "experiments/sizes.h"
#include "model/numbering.h"
#include "model/scenario.h"

#include <stdio.h>

enum { POSITIONAL_MAX = 64, TREE_LIST_MAX = 16, NAME_LIST_MAX = 12, OPTION_ROWS_MAX = 96 };

enum format { FORMAT_TABLE, FORMAT_CSV, FORMAT_JSONL };

struct tree_list {
    struct tree_shape shape[TREE_LIST_MAX];
    size_t count;
};

/* Names that a table has: not of argv. */
struct name_list {
    const char *name[NAME_LIST_MAX];
    size_t count;
};

/* What was asked for. Lists with count 0 and NULL texts were not given. Texts belong to argv. */
enum { REMAP_AUTO = NUMBERING_REORDER + 1 };

struct settings {
    const char *command;
    const char *positional[POSITIONAL_MAX];
    size_t positional_count;

    const char *node, *place, *protocol, *variant, *trace, *per_rank, *output, *rows, *network, *from, *collective;
    const char *schedule, *export_format, *goal, *mapping;
    int remap; /* enum numbering_remap, NUMBERING_PLACED: was not given; or REMAP_AUTO */
    const char *matrix, *to, *hosts, *dot;
    struct size_list procs, size, fragment, slots, sets, buffer, fit_procs, sizes;
    struct tree_list tree;
    struct name_list algorithm, channel, partitioner;
    enum p2p_pattern pattern;
    uint32_t window;
    uint32_t root, ppn, levels, parts, jobs; /* jobs 0: as many as there are cpus */
    enum buffers buffers;
    enum buffer_memory buffer_memory;
    int32_t buffer_domain;
    uint32_t readers_most;
    int root_shift;
    double skew_s, noise, late_s, slice_s;
    enum backend backend;
    enum copying copy_in, copy_out;
    uint64_t seed;
    uint32_t reps, warmup;
    double time_limit_s, stall_report_s;
    int huge_pages, control_pages, no_verify, list, regret, in_place, mean, no_fit, directed, large;
    enum format format;
    int verbosity; /* 0, -v 1, -vv 2, -q -1 */
    unsigned char given[OPTION_ROWS_MAX]; /* of option_table's rows */
};

struct option_row {
    const char *name;
    char letter;          /* 0: none */
    const char *argument; /* NULL: a flag */
    const char *help;
    const char *commands; /* names with a blank between; "*" all */
    const char *values;   /* words the completion offers, or NULL; "FILE" for file names */
    /* 0; -EINVAL with one line in `reason`. `text` is NULL for a flag. */
    int (*parse)(const char *text, void *field, char *reason, size_t reason_bytes);
    size_t offset; /* of the field in struct settings */
};

/* The collective that was asked for, JOB_BCAST if none. */
enum job_kind settings_collective(const struct settings *settings);
/* The protocol of that name among those of the collective; NULL for auto, best and those of another. */
const struct protocol *settings_protocol(const struct settings *settings);

/* Whether ranks exchange messages over channels, with that algorithm; NULL: none was asked for. */
int settings_by_messages(const struct settings *settings, const char *algorithm);
/* What a queue has where nothing is said of it: the channels', or the protocol's own, as far as it has any. */
struct protocol_preset settings_preset(const struct settings *settings, const char *algorithm);

/* Ends with a NULL name. */
extern const struct option_row option_table[];
int option_applies(const struct option_row *option, const char *command);
/* The first option given that is none of those names, with a blank between; NULL if there is none. */
const char *settings_given_beside(const struct settings *settings, const char *names);
int settings_given(const struct settings *settings, const char *name);

/* What is written may not be what is read line by line, nor be written twice; - is no file. -1, or EXIT_USAGE after telling. */
int settings_check_paths(const struct settings *settings);

/* Parses the command line of one subcommand, argv[0] being its name; options and positionals may mix.
 * Returns -1 to go on, or the exit code to end with: 0 after --help, EXIT_USAGE after an error was told. */
int options_parse(int argc, char **argv, struct settings *out);

/* --help of one command. */
void options_print_help(FILE *out, const struct command *command);
/* --help of all, the manual page (man) and the bash completion (bash). 0 or -EINVAL if `what` is none of them. */
int options_generate(FILE *out, const char *what);

#endif
