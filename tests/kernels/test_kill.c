/* Whoever dies, nobody hangs and nothing stays behind. */
#include "kill_case.h"
#include "leftovers.h"
#include "watched_launch.h"

#include "kernels/clock.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

static void nothing_left(struct leftovers before)
{
    const char *left = leftovers_find(before);
    if (left)
        fail_msg("left behind: %s", left);
}

/* Any rank, at any moment of the first so many milliseconds. */
static uint64_t kill_one(struct kill_case c, uint64_t delay_most_ms)
{
    char reason[COMM_REASON_BYTES], text[KILL_CASE_TEXT_BYTES];
    uint64_t latest_ns;
    c.victim = (uint32_t)rand() % c.procs;
    c.delay_ns = (uint64_t)rand() % (delay_most_ms * 1000000);
    if (kill_case_run(&c, reason, &latest_ns))
        fail_msg("%s: %s", kill_case_format(&c, text, sizeof text), reason);
    return latest_ns;
}

static void survivors_know_within_a_second(void **state)
{
    (void)state;
    const char *given = getenv("SHMCOLL_TEST_SEED");
    unsigned seed = given ? (unsigned)strtoul(given, NULL, 0) : (unsigned)(clock_monotonic_ns() / 1000) & 0xffffff;
    uint64_t worst_ns = 0;
    static const uint64_t sizes[] = {8, 4096, 1 << 20};
    print_message("seed %u\n", seed);
    srand(seed);
    for (int i = 0; i < 12; i++) {
        uint64_t latest_ns = kill_one((struct kill_case){.procs = 2 + (uint32_t)rand() % 5, .size_bytes = sizes[i % 3]}, 100);
        worst_ns = latest_ns > worst_ns ? latest_ns : worst_ns;
    }
    print_message("12 kills, last survivor knew after at most %.1f ms\n", (double)worst_ns * 1e-6);
}

/* At any instant of copying a few MiB, in the kernel's hands too where buffers are read from the dying process. */
static void every_protocol_survives_a_kill(void **state)
{
    (void)state;
    for (const struct protocol *const *p = protocol_table; *p; p++) {
        int is_short = ((*p)->uses & PROTOCOL_LINES) && !((*p)->uses & PROTOCOL_SLOTS);
        kill_one((struct kill_case){.procs = 2 + (uint32_t)rand() % 3, .protocol = *p, .size_bytes = is_short ? 100 : 4 << 20},
                 30);
    }
}

static void allgather_survives_a_kill(void **state)
{
    (void)state;
    static const uint64_t blocks[] = {8, 4096, 1 << 20};
    static const struct protocol *const lanes[] = {NULL, &protocol_counted, &protocol_shared_source};
    for (int i = 0; i < 9; i++)
        kill_one((struct kill_case){.procs = 2 + (uint32_t)rand() % 4, .protocol = lanes[i / 3], .size_bytes = blocks[i % 3],
                                    .allgather = 1}, 30);
}

/* ---- the launcher itself is hit ---- */

static pid_t *rank_pid; /* shared with the launcher and its ranks */

static int sleeping_body(struct launch_rank *self, void *argument)
{
    (void)argument;
    rank_pid[self->rank] = getpid();
    int error = launcher_barrier(self);
    for (;;)
        pause();
    return error;
}

static int ranks_ready(uint32_t procs)
{
    int ready = 0;
    for (uint32_t r = 0; r < procs; r++)
        ready += rank_pid[r] != 0;
    return ready;
}

/* A launcher in a process of its own gets the signal; its exit status comes back. */
static int hit_launcher(int signal, uint32_t procs)
{
    for (uint32_t r = 0; r < procs; r++)
        rank_pid[r] = 0;
    pid_t launcher = fork();
    if (launcher == 0) {
        struct launch_options options = {.procs = procs, .timeout_s = HANGS_S};
        launcher_run(&options, sleeping_body, NULL, NULL, NULL, NULL);
        _exit(0); /* not reached if the signal takes its course */
    }
    int status;
    while (ranks_ready(procs) < (int)procs)
        usleep(1000);
    kill(launcher, signal);
    waitpid(launcher, &status, 0);
    return status;
}

/* Ranks that the launcher leaves come to this process, whoever else would care for them. */
static void orphans_end(void)
{
    int status;
    alarm(HANGS_S);
    while (waitpid(-1, &status, 0) > 0)
        if (!WIFSIGNALED(status) || WTERMSIG(status) != SIGKILL)
            fail_msg("a rank ended with status %#x", status);
    alarm(0);
}

static void launcher_killed(void **state)
{
    (void)state;
    assert_int_equal(prctl(PR_SET_CHILD_SUBREAPER, 1), 0);
    static const int signals[] = {SIGKILL, SIGINT, SIGTERM};
    for (size_t i = 0; i < sizeof signals / sizeof *signals; i++) {
        struct leftovers before = leftovers_count();
        int status = hit_launcher(signals[i], 3);
        assert_true(WIFSIGNALED(status));
        assert_int_equal(WTERMSIG(status), signals[i]);
        orphans_end();
        nothing_left(before);
    }
}

static void timeout_ends_all(void **state)
{
    (void)state;
    struct leftovers before = leftovers_count();
    struct launch_options options = {.procs = 3, .timeout_s = 0.2};
    assert_int_equal(launcher_run(&options, sleeping_body, NULL, NULL, NULL, NULL), -ETIMEDOUT);
    nothing_left(before);
}

/* ---- a rank goes without being killed ---- */

static struct comm *abandoned;

static int leaving_body(struct launch_rank *self, void *argument)
{
    const int *how = argument;
    struct comm_config config = comm_config_default(self->procs, self->rank);
    struct comm *comm;
    char byte = 0;
    config.dead_rank = launcher_dead_rank;
    config.dead_rank_context = self;
    int error = comm_create(&config, &self->bootstrap, &comm, self->message);
    for (int call = 0; call < 10 && !error; call++) {
        if (self->rank == 1 && call == 5 && *how == 0)
            _exit(3);
        if (self->rank == 1 && call == 5 && *how == 2) {
            abandoned = comm; /* not left: what the crash of a thread would look like to the others */
            return -ECANCELED;
        }
        if (self->rank == 1 && call == 5)
            break;
        error = comm_bcast(comm, &byte, 1, 1);
    }
    if (*how == 1 && self->rank == 0 && error != -EPIPE)
        error = -EBADMSG;
    else if (*how == 1)
        error = 0;
    comm_destroy(comm);
    return error;
}

static void exit_in_the_middle(void **state)
{
    (void)state;
    struct leftovers before = leftovers_count();
    struct launch_options options = {.procs = 2, .timeout_s = HANGS_S};
    struct launch_report report;
    int how = 0;
    assert_int_equal(launcher_run(&options, leaving_body, &how, NULL, NULL, &report), -EOWNERDEAD);
    assert_int_equal(report.failed_rank, 1);
    nothing_left(before);
}

static void leaving_early_is_an_error(void **state)
{
    (void)state;
    struct launch_options options = {.procs = 2, .timeout_s = HANGS_S};
    int how = 1;
    for (int backend = BACKEND_PROCS; backend <= BACKEND_THREADS; backend++) {
        options.backend = backend;
        assert_int_equal(launcher_run(&options, leaving_body, &how, NULL, NULL, NULL), 0);
    }
}

static void embedder_knows_of_a_dead_thread(void **state)
{
    (void)state;
    struct launch_options options = {.procs = 3, .backend = BACKEND_THREADS, .timeout_s = HANGS_S};
    struct launch_report report;
    int how = 2;
    assert_int_equal(launcher_run(&options, leaving_body, &how, NULL, NULL, &report), -ECANCELED);
    assert_int_equal(report.failed_rank, 1);
    comm_destroy(abandoned);
}

int main(void)
{
    setvbuf(stdout, NULL, _IOLBF, BUFSIZ); /* ranks are forked */
    rank_pid = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(survivors_know_within_a_second), cmocka_unit_test(every_protocol_survives_a_kill),
        cmocka_unit_test(allgather_survives_a_kill),
        cmocka_unit_test(launcher_killed), cmocka_unit_test(timeout_ends_all),
        cmocka_unit_test(exit_in_the_middle), cmocka_unit_test(leaving_early_is_an_error),
        cmocka_unit_test(embedder_knows_of_a_dead_thread),
    };
    return rank_pid == MAP_FAILED ? 1 : cmocka_run_group_tests(tests, NULL, NULL);
}
