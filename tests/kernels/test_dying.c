/* A rank that dies slowly: its memory has gone, its process has not ended. So it is for a while whenever one with much memory is
 * killed, or one on a busy host. Who reaches for that memory says who died, not that the segment is corrupted. */
#include "watched_launch.h"

#include "kernels/launcher.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <sys/uio.h>
#include <unistd.h>

enum { PROCS = 2, DYING = 1, BYTES = 100000, LAST_STEPS_US = 500000 };

struct common {
    _Atomic pid_t dying_pid;
};

struct result {
    int error;
    int64_t error_rank;
};

static char message[BYTES];

static void *last_steps(void *none)
{
    usleep(LAST_STEPS_US);
    kill(getpid(), SIGKILL);
    return none;
}

/* Amid a wait: a process whose first thread has ended has no memory for others any more. */
static void die_slowly(void *context)
{
    struct common *common = context;
    pthread_t thread;
    if (pthread_create(&thread, NULL, last_steps, NULL))
        kill(getpid(), SIGKILL);
    common->dying_pid = getpid();
    pthread_exit(NULL);
}

/* Or may not be reached for: then the message comes another way, and its end is awaited. */
static void memory_gone(const struct common *common)
{
    char byte;
    struct iovec own = {&byte, 1}, other = {message, 1}; /* there as here, after fork */
    while (common->dying_pid == 0 || process_vm_readv(common->dying_pid, &own, 1, &other, 1, 0) == 1)
        usleep(1000);
}

static int body(struct launch_rank *self, void *argument)
{
    struct comm_lane lane = {.protocol = argument, .fragment_bytes = 4096, .slots = 4, .sets = 1, .tree = {TREE_FLAT, 0},
                             .size_max_bytes = UINT64_MAX};
    struct comm_config config = comm_config_of(self->procs, self->rank, &lane);
    struct result *mine = self->result;
    struct comm *comm;
    config.progress = self->rank == DYING ? die_slowly : NULL;
    config.progress_context = self->common;
    int error = comm_create(&config, &self->bootstrap, &comm, self->message);
    if (error)
        return error;
    if (self->rank != DYING)
        memory_gone(self->common);
    mine->error = comm_bcast(comm, message, BYTES, DYING);
    mine->error_rank = comm_error_rank(comm);
    comm_destroy(comm);
    return mine->error;
}

static void the_dead_one_is_named(void **state)
{
    static const struct protocol *const protocols[] = {&protocol_single_copy, &protocol_cooperative, &protocol_shared_source};
    (void)state;
    for (size_t i = 0; i < sizeof protocols / sizeof *protocols; i++) {
        struct launch_options options = {.procs = PROCS, .timeout_s = HANGS_S, .grace_s = HANGS_S,
                                         .result_bytes = sizeof(struct result), .common_bytes = sizeof(struct common)};
        struct result result[PROCS];
        struct launch_report report;
        assert_int_equal(launcher_run(&options, body, (void *)(uintptr_t)protocols[i], result, NULL, &report), -EOWNERDEAD);
        assert_int_equal(report.failed_rank, DYING);
        assert_int_equal(result[0].error, -EOWNERDEAD);
        assert_int_equal(result[0].error_rank, DYING);
    }
}

/* ---- the launcher lets survivors end by themselves ---- */

enum { SURVIVOR_US = 3500000 };

static int slow_survivor(struct launch_rank *self, void *argument)
{
    (void)argument;
    if (self->rank == DYING)
        _exit(3);
    while (launcher_barrier(self) == 0)
        ;
    usleep(SURVIVOR_US);
    ((struct result *)self->result)->error = -EOWNERDEAD;
    return -EOWNERDEAD;
}

static void grace_is_what_was_asked_for(void **state)
{
    (void)state;
    struct launch_options options = {.procs = PROCS, .timeout_s = HANGS_S, .grace_s = HANGS_S,
                                     .result_bytes = sizeof(struct result)};
    struct result result[PROCS];
    assert_int_equal(launcher_run(&options, slow_survivor, NULL, result, NULL, NULL), -EOWNERDEAD);
    assert_int_equal(result[0].error, -EOWNERDEAD);
}

int main(void)
{
    if (!backend_runs(BACKEND_PROCS))
        return 77; /* all of this is about processes */
    const struct CMUnitTest tests[] = {cmocka_unit_test(the_dead_one_is_named), cmocka_unit_test(grace_is_what_was_asked_for)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
