/* The launcher as tests call it: which backends they may use, and no run hangs without a name. */
#ifndef SHMCOLL_TESTS_WATCHED_LAUNCH_H
#define SHMCOLL_TESTS_WATCHED_LAUNCH_H

#include "kernels/launcher.h"

/* What takes so long hangs: beside dozens of busy programs a launch may take minutes. Less than tests/run_tests.sh grants. */
enum { HANGS_S = 900 };

/* Whether ranks may be of that kind: SHMCOLL_TEST_BACKENDS=threads forbids processes, across which a thread checker sees
 * nothing. */
int backend_runs(enum backend backend);
/* The one wanted, or else threads. */
enum backend backend_possible(enum backend wanted);

/* Of what takes long with every sanitizer again, a share will do, another each time: SHMCOLL_TEST_BRIEF. */
int tests_brief(void);

/* launcher_run; options->timeout_s > 0. On an error with its one line in reason[COMM_REASON_BYTES]. Where the launcher cannot end
 * ranks, which are threads, and they take longer, the program ends by printing `what`. */
int watched_launch(const struct launch_options *options, launch_body body, void *argument, void *results, const char *what,
                   char *reason);

#endif
