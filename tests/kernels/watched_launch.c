#include "watched_launch.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { WHAT_BYTES = 400, GRACE_S = 10 };

static char stuck_text[WHAT_BYTES];

int backend_runs(enum backend backend)
{
    const char *only = getenv("SHMCOLL_TEST_BACKENDS");
    return backend == BACKEND_THREADS || !only || strcmp(only, "threads") != 0;
}

enum backend backend_possible(enum backend wanted)
{
    return backend_runs(wanted) ? wanted : BACKEND_THREADS;
}

int tests_brief(void)
{
    return getenv("SHMCOLL_TEST_BRIEF") != NULL;
}

static void stuck(int signal)
{
    (void)signal;
    if (write(STDOUT_FILENO, stuck_text, strlen(stuck_text)) >= 0)
        _exit(1);
}

int watched_launch(const struct launch_options *options, launch_body body, void *argument, void *results, const char *what,
                   char *reason)
{
    struct launch_report report;
    snprintf(stuck_text, sizeof stuck_text, "stuck: %s\n", what);
    signal(SIGALRM, stuck);
    alarm((unsigned)options->timeout_s + GRACE_S);
    int error = launcher_run(options, body, argument, results, NULL, &report);
    alarm(0);
    if (error)
        snprintf(reason, COMM_REASON_BYTES, "%s", report.reason);
    return error;
}
