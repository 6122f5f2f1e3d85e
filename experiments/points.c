#include "experiments/points.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

uint32_t points_jobs_default(void)
{
    cpu_set_t allowed;
    int cpus = sched_getaffinity(0, sizeof allowed, &allowed) ? 1 : CPU_COUNT(&allowed);
    return cpus < 1 ? 1 : cpus > POINTS_JOBS_MAX ? POINTS_JOBS_MAX : (uint32_t)cpus;
}

/* 0 or -errno, which is -EPIPE at the end of what there is. */
static int move_all(ssize_t (*move)(int fd, void *bytes, size_t count), int fd, void *bytes, size_t count)
{
    for (char *at = bytes; count;) {
        ssize_t moved = move(fd, at, count);
        if (moved < 0 && errno == EINTR)
            continue;
        if (moved <= 0)
            return moved ? -errno : -EPIPE;
        at += moved;
        count -= (size_t)moved;
    }
    return 0;
}

static ssize_t write_some(int fd, void *bytes, size_t count)
{
    return write(fd, bytes, count);
}

/* In the child. What it would tell the caller tells again, and what the caller has not written yet is not the child's. */
static void work(size_t first, size_t step, size_t count, int to, points_evaluate *evaluate, void *context)
{
    struct row row;
    int nowhere = open("/dev/null", O_WRONLY | O_CLOEXEC);
    if (nowhere < 0 || dup2(nowhere, STDERR_FILENO) < 0 || dup2(nowhere, STDOUT_FILENO) < 0)
        return;
    for (size_t i = first; i < count; i += step)
        if (evaluate(context, i, &row) || move_all(write_some, to, &row, sizeof row))
            return;
}

/* 0 or -errno. */
static int start_one(struct points *points, uint32_t jobs, size_t count, points_evaluate *evaluate, void *context)
{
    int ends[2];
    pid_t parent = getpid();
    if (pipe2(ends, O_CLOEXEC))
        return -errno;
    pid_t child = fork();
    if (child == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        signal(SIGPIPE, SIG_IGN);
        close(ends[0]);
        if (getppid() == parent)
            work(points->jobs, jobs, count, ends[1], evaluate, context);
        _exit(0);
    }
    close(ends[1]);
    if (child < 0) {
        int err = -errno;
        close(ends[0]);
        return err;
    }
    points->pid[points->jobs] = child;
    points->from[points->jobs] = ends[0];
    points->jobs++;
    return 0;
}

void points_begin(struct points *points, uint32_t jobs, size_t count, points_evaluate *evaluate, void *context)
{
    points->jobs = 0;
    jobs = jobs > POINTS_JOBS_MAX ? POINTS_JOBS_MAX : jobs;
    jobs = jobs > count ? (uint32_t)count : jobs;
    if (jobs < 2)
        return;
    for (uint32_t k = 0; k < jobs; k++)
        if (start_one(points, jobs, count, evaluate, context)) {
            points_end(points);
            return;
        }
}

int points_next(struct points *points, size_t point, struct row *row)
{
    if (points->jobs == 0)
        return -ENODATA;
    return move_all(read, points->from[point % points->jobs], row, sizeof *row) ? -ENODATA : 0;
}

void points_end(struct points *points)
{
    for (uint32_t k = 0; k < points->jobs; k++) {
        close(points->from[k]);
        kill(points->pid[k], SIGKILL);
        while (waitpid(points->pid[k], NULL, 0) < 0 && errno == EINTR)
            ;
    }
    points->jobs = 0;
}
