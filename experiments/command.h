/* The shmcoll command: what a subcommand is, how it ends, and how it talks. */
#ifndef SHMCOLL_EXPERIMENTS_COMMAND_H
#define SHMCOLL_EXPERIMENTS_COMMAND_H

#ifndef SHMCOLL_VERSION
#define SHMCOLL_VERSION "0"
#endif

enum exit_code {
    EXIT_DONE = 0,
    EXIT_FAILED = 1,
    EXIT_USAGE = 2,
    EXIT_WRONG_DATA = 3, /* verification found wrong bytes */
    EXIT_UNABLE = 4,     /* this environment cannot do it */
    EXIT_REGRESSION = 5
};

/* `function` gets its own name as argv[0] and returns an exit code. */
struct command {
    const char *name;
    int (*function)(int argc, char **argv);
    const char *arguments; /* positional, for the usage line; words to choose from have a | between */
    const char *summary;
};

/* All commands; ends with a NULL name. */
extern const struct command command_table[];
const struct command *command_find(const char *name);

int command_model(int argc, char **argv);
int command_sim(int argc, char **argv);
int command_run(int argc, char **argv);
int command_compare(int argc, char **argv);
int command_doctor(int argc, char **argv);
int command_export(int argc, char **argv);
int command_map(int argc, char **argv);
int command_figure(int argc, char **argv);
int command_report(int argc, char **argv);
int command_topo(int argc, char **argv);
int command_calibrate(int argc, char **argv);

/* Prints "shmcoll: ..." on standard error, one line: what failed, on what, what to try. Returns `code`. */
int talk_fail(int code, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* A line on standard error when verbosity (settings.verbosity) is at least `level`. */
void talk_note(int verbosity, int level, const char *format, ...) __attribute__((format(printf, 3, 4)));
/* What conditions.stall_report prints: called by a rank's process or thread. */
void talk_stall(const char *line);
/* The exit code that fits a negative errno of an evaluator. */
int exit_code_of(int error);
/* Of a file or an option that was given and could not be read. */
int exit_code_of_input(int error);

#endif
