/* What a command costs on this host: measured FILE COMMAND [ARGUMENT...]. Writes into FILE the seconds it took, the seconds of
 * processor time and the most memory that any one process of it had, in MiB. Its exit code is the command's. */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static double clock_s(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static double seconds(struct timeval t)
{
    return (double)t.tv_sec + (double)t.tv_usec * 1e-6;
}

static int fail(const char *what)
{
    fprintf(stderr, "measured: %s: %s\n", what, strerror(errno));
    return 1;
}

static int write_costs(const char *path, double wall_s)
{
    struct rusage usage;
    getrusage(RUSAGE_CHILDREN, &usage);
    FILE *file = fopen(path, "w");
    if (!file)
        return fail(path);
    fprintf(file, "%.6f %.6f %.1f\n", wall_s, seconds(usage.ru_utime) + seconds(usage.ru_stime), (double)usage.ru_maxrss / 1024);
    return fclose(file) ? fail(path) : 0;
}

int main(int argc, char **argv)
{
    int status;
    if (argc < 3) {
        fprintf(stderr, "usage: measured FILE COMMAND [ARGUMENT...]\n");
        return 2;
    }
    double start_s = clock_s();
    pid_t child = fork();
    if (child == 0) {
        execvp(argv[2], argv + 2);
        fail(argv[2]);
        _exit(127);
    }
    if (child < 0 || waitpid(child, &status, 0) != child)
        return fail(argv[2]);
    if (write_costs(argv[1], clock_s() - start_s))
        return 1;
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}
