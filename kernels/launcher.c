#include "kernels/launcher.h"

#include "kernels/launcher_internal.h"
#include "kernels/placement.h"

#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

enum {
    POLL_MS = 1000,        /* when the kernel reports every end by itself; each look disturbs the ranks */
    POLL_BLIND_MS = 20,    /* without process descriptors, or when a deadline is near */
};

#define GRACE_S 3.0 /* survivors find out by themselves in less */

struct child {
    pid_t pid; /* 0: not running */
    int pidfd; /* -1: none */
    int wait_status;
    pthread_t thread;
    struct launch_rank rank;
};

struct launch {
    const struct launch_options *options;
    launch_body body;
    void *argument;
    struct launch_shared *shared;
    struct child *child;      /* [procs] */
    int *to_rank, *from_root; /* [procs] ends of socket pairs, -1 */
    uint32_t running;
    uint64_t deadline_ns, grace_end_ns; /* 0: none */
    int error;                          /* the launcher's own finding */
    sigset_t mask_before;
    int signal_fd;
    struct launch_report *report;
};

static size_t round_up(size_t n, size_t unit)
{
    return (n + unit - 1) / unit * unit;
}

static struct launch_shared *shared_create(const struct launch_options *o)
{
    struct launch_shared head = {.common_offset = round_up(sizeof head, 4096)};
    head.results_offset = head.common_offset + round_up(o->common_bytes + 1, 4096);
    head.result_stride = round_up(o->result_bytes + 1, 128);
    head.ranks_offset = head.results_offset + round_up(head.result_stride * o->procs, 4096);
    head.bytes = head.ranks_offset + round_up(sizeof(struct launch_slot) * o->procs, 4096);
    struct launch_shared *shared = mmap(NULL, head.bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (shared == MAP_FAILED)
        return NULL;
    shared->common_offset = head.common_offset;
    shared->results_offset = head.results_offset;
    shared->result_stride = head.result_stride;
    shared->ranks_offset = head.ranks_offset;
    shared->bytes = head.bytes;
    return shared;
}

static int found(struct launch *l, int error, int64_t rank, const char *what)
{
    if (l->error)
        return l->error;
    l->error = error;
    l->report->failed_rank = rank;
    snprintf(l->report->reason, sizeof l->report->reason, "%s", what);
    return error;
}

static void grace_start(struct launch *l)
{
    double grace_s = l->options->grace_s > 0 ? l->options->grace_s : GRACE_S;
    if (!l->grace_end_ns)
        l->grace_end_ns = clock_monotonic_ns() + (uint64_t)(grace_s * 1e9);
}

/* ---- processes ---- */

static void sockets_close(struct launch *l, uint32_t rank, int all)
{
    for (uint32_t r = 0; r < l->options->procs; r++) {
        if (l->to_rank[r] >= 0 && (all || rank != 0))
            close(l->to_rank[r]);
        if (l->from_root[r] >= 0 && (all || rank != r))
            close(l->from_root[r]);
    }
}

static int sockets_open(struct launch *l)
{
    for (uint32_t r = 0; r < l->options->procs; r++)
        l->to_rank[r] = l->from_root[r] = -1;
    for (uint32_t r = 1; r < l->options->procs; r++) {
        int pair[2];
        if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair))
            return -errno;
        l->to_rank[r] = pair[0];
        l->from_root[r] = pair[1];
    }
    return 0;
}

static int rank_pin(const struct launch *l, struct launch_rank *self)
{
    if (!l->options->cpu_os)
        return 0;
    int error = placement_pin(l->options->cpu_os[self->rank]);
    if (error)
        snprintf(self->message, COMM_REASON_BYTES, "cannot pin to cpu %u: %s", l->options->cpu_os[self->rank], strerror(-error));
    return error;
}

static int pinned_body(struct launch_rank *self, void *argument)
{
    struct launch *l = argument;
    int error = rank_pin(l, self);
    return error ? error : l->body(self, l->argument);
}

static _Noreturn void child_main(struct launch *l, uint32_t rank, pid_t launcher)
{
    struct launch_rank *self = &l->child[rank].rank;
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    prctl(PR_SET_PTRACER, launcher); /* where Yama lets only ancestors reach in: the launcher's other children too */
    if (getppid() != launcher) /* it died before the line above */
        _exit(1);
    close(l->signal_fd);
    for (uint32_t r = 0; r < rank; r++)
        if (l->child[r].pidfd >= 0)
            close(l->child[r].pidfd);
    sockets_close(l, rank, 0);
    pthread_sigmask(SIG_SETMASK, &l->mask_before, NULL);
    self->socket_from_root = l->from_root[rank];
    self->socket_to_rank = l->to_rank;
    launch_rank_init(self, l->shared, rank, l->options->procs);
    _exit(launch_rank_run(self, pinned_body, l) ? 1 : 0);
}

static int fork_all(struct launch *l)
{
    pid_t launcher = getpid();
    for (uint32_t r = 0; r < l->options->procs; r++) {
        l->child[r].pidfd = -1;
        pid_t pid = fork();
        if (pid < 0)
            return found(l, -errno, r, "cannot fork");
        if (pid == 0)
            child_main(l, r, launcher);
        l->child[r].pid = pid;
        l->child[r].pidfd = (int)syscall(SYS_pidfd_open, pid, 0);
        l->running++;
    }
    return 0;
}

static void kill_all(struct launch *l)
{
    for (uint32_t r = 0; r < l->options->procs; r++)
        if (l->child[r].pid)
            kill(l->child[r].pid, SIGKILL);
}

static void child_ended(struct launch *l, uint32_t rank, int status)
{
    struct child *child = &l->child[rank];
    child->pid = 0;
    l->running--;
    if (child->pidfd >= 0)
        close(child->pidfd);
    child->pidfd = -1;
    if (WIFEXITED(status) && launch_slot(l->shared, rank)->ended) {
        if (launch_slot(l->shared, rank)->status)
            grace_start(l);
        return;
    }
    word_replace_acq_rel(&l->shared->dead, 0, rank + 1); /* R6: pairs with launcher_dead_rank */
    grace_start(l);
    char what[COMM_REASON_BYTES];
    if (WIFSIGNALED(status))
        snprintf(what, sizeof what, "rank %u was killed by signal %d (%s)", rank, WTERMSIG(status), strsignal(WTERMSIG(status)));
    else
        snprintf(what, sizeof what, "rank %u exited with %d in the middle of its work", rank, WEXITSTATUS(status));
    if (!l->error)
        l->report->signal = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
    found(l, -EOWNERDEAD, rank, what);
}

static void reap(struct launch *l)
{
    for (uint32_t r = 0; r < l->options->procs; r++) {
        int status;
        if (l->child[r].pid && waitpid(l->child[r].pid, &status, WNOHANG) == l->child[r].pid)
            child_ended(l, r, status);
    }
}

static void look_at_clock(struct launch *l)
{
    uint64_t now = clock_monotonic_ns();
    if (l->deadline_ns && now >= l->deadline_ns)
        found(l, -ETIMEDOUT, -1, "timed out");
    if ((l->deadline_ns && now >= l->deadline_ns) || (l->grace_end_ns && now >= l->grace_end_ns))
        kill_all(l);
}

static int poll_ms(const struct launch *l)
{
    uint64_t now = clock_monotonic_ns(), soon = now + (uint64_t)POLL_MS * 1000000;
    int blind = l->grace_end_ns || (l->deadline_ns && l->deadline_ns < soon);
    for (uint32_t r = 0; r < l->options->procs; r++)
        blind |= l->child[r].pid && l->child[r].pidfd < 0;
    return blind ? POLL_BLIND_MS : POLL_MS;
}

static void supervise(struct launch *l, struct pollfd *polled)
{
    uint32_t procs = l->options->procs;
    while (l->running) {
        for (uint32_t r = 0; r < procs; r++)
            polled[r] = (struct pollfd){.fd = l->child[r].pidfd, .events = POLLIN};
        polled[procs] = (struct pollfd){.fd = l->signal_fd, .events = POLLIN};
        poll(polled, procs + 1, poll_ms(l));
        if (polled[procs].revents & POLLIN) {
            found(l, -EINTR, -1, "interrupted");
            kill_all(l);
            close(l->signal_fd); /* the signal stays pending: look no more */
            l->signal_fd = -1;
        }
        reap(l);
        look_at_clock(l);
    }
}

/* The signals stay blocked until all is cleaned up; unblocked, a pending one then takes its course. */
static int signals_hold(struct launch *l)
{
    sigset_t held;
    sigemptyset(&held);
    sigaddset(&held, SIGINT);
    sigaddset(&held, SIGTERM);
    sigaddset(&held, SIGHUP);
    pthread_sigmask(SIG_BLOCK, &held, &l->mask_before);
    l->signal_fd = signalfd(-1, &held, SFD_CLOEXEC | SFD_NONBLOCK);
    return l->signal_fd < 0 ? -errno : 0;
}

static int run_processes(struct launch *l)
{
    uint32_t procs = l->options->procs;
    struct pollfd *polled = calloc(procs + 1, sizeof *polled);
    l->to_rank = calloc(procs, sizeof *l->to_rank);
    l->from_root = calloc(procs, sizeof *l->from_root);
    int error = polled && l->to_rank && l->from_root ? sockets_open(l) : found(l, -ENOMEM, -1, "out of memory");
    if (!error) {
        error = signals_hold(l);
        if (!error)
            error = fork_all(l);
    }
    if (l->to_rank && l->from_root)
        sockets_close(l, 0, 1);
    if (error) {
        found(l, error, -1, strerror(-error));
        kill_all(l);
    }
    if (polled)
        supervise(l, polled);
    if (l->signal_fd >= 0)
        close(l->signal_fd);
    pthread_sigmask(SIG_SETMASK, &l->mask_before, NULL);
    free(polled);
    free(l->to_rank);
    free(l->from_root);
    return l->error;
}

/* ---- threads ---- */

static void *thread_main(void *argument)
{
    struct child *child = argument;
    struct launch *l = (struct launch *)child->rank.common;
    launch_rank_init(&child->rank, l->shared, child->rank.rank, l->options->procs);
    launch_rank_run(&child->rank, pinned_body, l);
    return NULL;
}

static int run_threads(struct launch *l)
{
    uint32_t started = 0;
    for (; started < l->options->procs; started++) {
        struct child *child = &l->child[started];
        child->rank.rank = started;
        child->rank.common = l; /* until launch_rank_init */
        int error = pthread_create(&child->thread, NULL, thread_main, child);
        if (error) {
            found(l, -error, started, "cannot start a thread");
            word_store_release(&l->shared->failed, started + 1);
            break;
        }
    }
    for (uint32_t r = 0; r < started; r++)
        pthread_join(l->child[r].thread, NULL);
    return l->error;
}

/* ---- both ---- */

/* Errors that only say that somebody else failed come last. */
static int is_consequence(int error)
{
    return error == -EOWNERDEAD || error == -EPIPE;
}

static int bodies_error(struct launch *l)
{
    int64_t chosen = -1;
    for (uint32_t r = 0; r < l->options->procs; r++) {
        int status = launch_slot(l->shared, r)->status;
        if (status &&
            (chosen < 0 || (is_consequence(launch_slot(l->shared, (uint32_t)chosen)->status) && !is_consequence(status))))
            chosen = r;
    }
    if (chosen < 0)
        return 0;
    struct launch_slot *slot = launch_slot(l->shared, (uint32_t)chosen);
    return found(l, slot->status, chosen, slot->message[0] ? slot->message : strerror(-slot->status));
}

static void results_copy(const struct launch *l, char *results, void *common)
{
    const struct launch_options *o = l->options;
    for (uint32_t r = 0; r < o->procs && results; r++)
        memcpy(results + r * o->result_bytes, (char *)l->shared + l->shared->results_offset + r * l->shared->result_stride,
               o->result_bytes);
    if (common)
        memcpy(common, (char *)l->shared + l->shared->common_offset, o->common_bytes);
}

int launcher_run(const struct launch_options *options, launch_body body, void *argument, void *results, void *common,
                 struct launch_report *report)
{
    struct launch_report unread;
    struct launch_options own = *options;
    struct launch l = {.options = &own, .body = body, .argument = argument, .signal_fd = -1,
                       .report = report ? report : &unread};
    *l.report = (struct launch_report){.failed_rank = -1};
    if (own.cpu_os && placement_pin_try()) {
        own.cpu_os = NULL;
        snprintf(l.report->note, sizeof l.report->note, "ranks cannot be pinned (sched_setaffinity: %s): the kernel moves them",
                 strerror(errno));
    }
    if (options->procs == 0)
        return found(&l, -EINVAL, -1, "no ranks");
    l.shared = shared_create(&own);
    l.child = aligned_alloc(128, round_up(options->procs * sizeof *l.child, 128));
    if (!l.shared || !l.child) {
        found(&l, -ENOMEM, -1, "out of memory");
        goto end;
    }
    memset(l.child, 0, options->procs * sizeof *l.child);
    l.shared->crowded = launch_crowded(&own);
    l.deadline_ns = options->timeout_s > 0 ? clock_monotonic_ns() + (uint64_t)(options->timeout_s * 1e9) : 0;
    if (options->backend == BACKEND_THREADS)
        run_threads(&l);
    else
        run_processes(&l);
    if (!l.error)
        bodies_error(&l);
    results_copy(&l, results, common);
end:
    free(l.child);
    if (l.shared)
        munmap(l.shared, l.shared->bytes);
    return l.error;
}
