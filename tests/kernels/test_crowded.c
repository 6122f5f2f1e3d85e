/* Many ranks on few cpus never stall: 8 and 16 of them, held up at random, and stopped and continued from outside in
 * the middle of their work, alone, several at once, and all. A rank that is stopped is not dead: nobody may say so.
 *
 * SHMCOLL_CROWDED_CALLS: broadcasts a case (default 12). */
#include "bcast_case.h"
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
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

enum { RANKS_MOST = 16, CALLS = 12, SHORT_TIMES = 10, STOP_LEAST_US = 500, STOP_MOST_US = 15000, ALL_STOPPED_US = 150000 };

/* Shared by the test, the ranks and who disturbs them. */
struct stage {
    atomic_word pid[RANKS_MOST]; /* written by each rank, once a case */
    atomic_word watched; /* whether the one who disturbs holds on to all ranks */
    atomic_word over;    /* whether the case has ended */
    atomic_word stops;   /* how often a rank was stopped once all had begun */
    uint32_t procs;
};

static struct stage *stage;
static unsigned seed;

/* ---- the ranks ---- */

/* No rank goes before its process is held by a descriptor: a number may be given to another process. */
static int show_pid(struct launch_rank *self, void *context)
{
    struct stage *s = context;
    uint64_t end_ns = clock_monotonic_ns() + HANGS_S * (uint64_t)1000000000;
    word_store_release(&s->pid[self->rank], (uint32_t)getpid());
    while (!word_load_acquire(&s->watched)) {
        if (clock_monotonic_ns() > end_ns)
            return -ETIMEDOUT;
        usleep(200);
    }
    return 0;
}

/* ---- who disturbs them ---- */

static void send_to(const int *pidfd, uint32_t set, int signal)
{
    for (uint32_t r = 0; r < stage->procs; r++)
        if (set >> r & 1)
            syscall(SYS_pidfd_send_signal, pidfd[r], signal, NULL, 0);
}

static int hold_all(int *pidfd)
{
    for (uint32_t r = 0; r < stage->procs; r++) {
        uint32_t pid;
        while ((pid = word_load_acquire(&stage->pid[r])) == 0) {
            if (word_load_acquire(&stage->over))
                return -ECANCELED;
            usleep(200);
        }
        pidfd[r] = (int)syscall(SYS_pidfd_open, (pid_t)pid, 0);
        if (pidfd[r] < 0)
            return -errno;
    }
    return 0;
}

static _Noreturn void disturb(void)
{
    int pidfd[RANKS_MOST];
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (hold_all(pidfd))
        _exit(77);
    uint32_t first = 1u << (uint32_t)rand() % stage->procs; /* which the others wait for, however soon all would be over */
    send_to(pidfd, first, SIGSTOP);
    word_store_release(&stage->watched, 1);
    usleep(STOP_MOST_US);
    send_to(pidfd, first, SIGCONT);
    for (uint32_t round = 0; !word_load_acquire(&stage->over); round++) {
        uint32_t all = (1u << stage->procs) - 1, set = round % 16 == 7 ? all : (uint32_t)rand() & (uint32_t)rand() & all;
        set = set ? set : 1u << (uint32_t)rand() % stage->procs;
        uint32_t rest_us = set == all ? ALL_STOPPED_US : STOP_LEAST_US + (uint32_t)rand() % STOP_MOST_US;
        send_to(pidfd, set, SIGSTOP);
        word_add_acq_rel(&stage->stops, (uint32_t)__builtin_popcount(set));
        usleep(rest_us);
        send_to(pidfd, set, SIGCONT);
        usleep(100 + (uint32_t)rand() % 3000);
    }
    _exit(0);
}

/* ---- cases ---- */

static struct bcast_case case_of(const struct protocol *protocol, uint32_t procs, enum backend backend)
{
    static const struct tree_shape trees[] = {{TREE_KARY, 2}, {TREE_CHAIN, 0}, {TREE_FLAT, 0}, {TREE_KNOMIAL, 2}};
    const char *given = getenv("SHMCOLL_CROWDED_CALLS");
    struct bcast_case c = bcast_case_default();
    c.protocol = protocol;
    c.procs = procs;
    c.backend = backend;
    c.tree = trees[(unsigned)rand() % 4];
    c.slots = 4;
    c.fragment_bytes = 2048;
    c.size_bytes = protocol->uses & PROTOCOL_LINES ? 100 : 60000;
    c.calls = CASE_CALLS_MIXED;
    c.call_count = given ? (uint32_t)strtoul(given, NULL, 0) : CALLS;
    if (protocol->uses & PROTOCOL_LINES)
        c.call_count *= SHORT_TIMES;
    c.delay_max_ns = 20000;
    c.op_start = UINT32_MAX - 30;
    c.readers_most = (unsigned)rand() % 3;
    c.seed = (unsigned)rand();
    return c;
}

static void check(const struct bcast_case *c)
{
    char reason[COMM_REASON_BYTES], text[BCAST_CASE_TEXT_BYTES];
    int error = bcast_case_run(c, reason);
    if (error)
        fail_msg("%s: error %d: %s", bcast_case_format(c, text, sizeof text), error, reason);
}

static void held_up(void **state)
{
    (void)state;
    for (const struct protocol *const *p = protocol_table; *p; p++)
        for (uint32_t procs = 8; procs <= RANKS_MOST; procs += 8) {
            struct bcast_case c = case_of(*p, procs, BACKEND_THREADS);
            check(&c);
        }
}

static uint32_t disturbed(struct bcast_case *c)
{
    int status;
    *stage = (struct stage){.procs = c->procs};
    c->begin = show_pid;
    c->context = stage;
    pid_t who = fork();
    if (who == 0)
        disturb();
    assert_true(who > 0);
    char reason[COMM_REASON_BYTES] = "", text[BCAST_CASE_TEXT_BYTES];
    int error = bcast_case_run(c, reason);
    word_store_release(&stage->over, 1);
    waitpid(who, &status, 0);
    if (WIFEXITED(status) && WEXITSTATUS(status) == 77)
        skip();
    if (error)
        fail_msg("%s: error %d: %s", bcast_case_format(c, text, sizeof text), error, reason);
    assert_int_equal(status, 0);
    return word_load_acquire(&stage->stops);
}

static void stopped_and_continued(void **state)
{
    (void)state;
    if (!backend_runs(BACKEND_PROCS)) /* a thread cannot be stopped alone */
        skip();
    for (const struct protocol *const *p = protocol_table; *p; p++)
        for (uint32_t procs = 8; procs <= RANKS_MOST; procs += 8) {
            struct bcast_case c = case_of(*p, procs, BACKEND_PROCS);
            uint64_t begin_ns = clock_monotonic_ns();
            uint32_t stops = disturbed(&c);
            for (int again = 0; again < 4 && stops == 0; again++) { /* over before the first stop */
                c.call_count *= 4;
                stops = disturbed(&c);
            }
            print_message("%s, %u ranks: %u calls with %u stops in %.2f s\n", (*p)->name, procs, c.call_count, 1 + stops,
                          (double)(clock_monotonic_ns() - begin_ns) * 1e-9);
        }
}

int main(void)
{
    const char *given = getenv("SHMCOLL_TEST_SEED");
    stage = mmap(NULL, sizeof *stage, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (stage == MAP_FAILED)
        return 1;
    seed = given ? (unsigned)strtoul(given, NULL, 0) : (unsigned)(clock_monotonic_ns() % 1000000);
    setvbuf(stdout, NULL, _IOLBF, BUFSIZ); /* ranks are forked */
    printf("seed %u\n", seed);
    srand(seed);
    const struct CMUnitTest tests[] = {cmocka_unit_test(held_up), cmocka_unit_test(stopped_and_continued)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
