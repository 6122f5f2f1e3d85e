/* From data and script to pdf, svg and png. */
#include "experiments/figure.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static int holds_style(const char *directory)
{
    char path[PATH_MAX];
    return snprintf(path, sizeof path, "%s/style.gp", directory) < (int)sizeof path && access(path, R_OK) == 0;
}

/* 0 or -ENOENT. */
static int find_plots(char *out, size_t bytes)
{
    static const char *const places[] = {"/../share/shmcoll/plots", "/../../plots"};
    const char *given = getenv("SHMCOLL_PLOTS");
    char exe[PATH_MAX];
    if (given && *given)
        return snprintf(out, bytes, "%s", given) < (int)bytes && holds_style(out) ? 0 : -ENOENT;
    ssize_t length = readlink("/proc/self/exe", exe, sizeof exe - 1);
    if (length <= 0)
        return -ENOENT;
    exe[length] = 0;
    *strrchr(exe, '/') = 0;
    for (size_t i = 0; i < sizeof places / sizeof *places; i++)
        if (snprintf(out, bytes, "%s%s", exe, places[i]) < (int)bytes && holds_style(out))
            return 0;
    return -ENOENT;
}

int figure_plots_directory(char *out, size_t bytes)
{
    if (find_plots(out, bytes) == 0)
        return 0;
    return talk_fail(EXIT_FAILED, "the gnuplot scripts are not where they should be: set SHMCOLL_PLOTS to their directory");
}

static int copy_file(const char *from, const char *to)
{
    char block[65536];
    ssize_t n = 0;
    int in = open(from, O_RDONLY | O_CLOEXEC), out = open(to, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    int error = in < 0 || out < 0 ? -errno : 0;
    while (!error && (n = read(in, block, sizeof block)) > 0)
        if (write(out, block, (size_t)n) != n)
            error = -EIO;
    if (n < 0)
        error = -EIO;
    if (in >= 0)
        close(in);
    if (out >= 0 && close(out) && !error)
        error = -EIO;
    return error;
}

static int place_file(const char *plots, const char *name, const char *directory)
{
    char from[PATH_MAX], to[PATH_MAX];
    snprintf(from, sizeof from, "%s/%s", plots, name);
    snprintf(to, sizeof to, "%s/%s", directory, name);
    char *same_from = realpath(from, NULL), *same_to = realpath(to, NULL);
    int same = same_from && same_to && strcmp(same_from, same_to) == 0;
    free(same_from);
    free(same_to);
    int error = same ? 0 : copy_file(from, to);
    return error ? talk_fail(EXIT_FAILED, "cannot copy %s to %s: %s", from, to, strerror(-error)) : 0;
}

/* The first line of what a program says, the rest read and dropped so that it never blocks. */
static void read_first_line(int fd, char *line, size_t bytes)
{
    size_t used = 0;
    char block[512];
    for (ssize_t n; (n = read(fd, block, sizeof block)) > 0;)
        for (ssize_t i = 0; i < n; i++)
            if (used + 1 < bytes && !(used && line[used - 1] == '\n') && (used || block[i] != '\n'))
                line[used++] = block[i];
    line[used] = 0;
}

/* gnuplot in the directory of the data; returns its exit code, 127 if there is none. Its warnings are of no interest
 * where it succeeds: they go to `line`. */
static int gnuplot(const char *stem, const char *format, const char *directory, char *line, size_t bytes)
{
    char assignment[64], script[NAME_MAX];
    int ends[2], status;
    snprintf(assignment, sizeof assignment, "FORMAT='%s'", format);
    snprintf(script, sizeof script, "%s.gp", stem);
    pid_t child = pipe2(ends, O_CLOEXEC) ? -1 : fork();
    if (child < 0)
        return -1;
    if (child == 0) {
        if (dup2(ends[1], STDERR_FILENO) >= 0 && chdir(directory) == 0)
            execlp("gnuplot", "gnuplot", "-e", assignment, script, (char *)NULL);
        _exit(127);
    }
    close(ends[1]);
    read_first_line(ends[0], line, bytes);
    close(ends[0]);
    while (waitpid(child, &status, 0) < 0)
        if (errno != EINTR)
            return -1;
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

/* What a script loads or reads beside its data. */
static const struct {
    const char *stem, *file; /* for stems that begin so */
} beside[] = {{"", "style.gp"},
              {"figure3", "timeline.gp"},
              {"figure12", "peers.gp"},
              {"figure13", "peers.gp"},
              {"figure5", FIGURE_PUBLISHED},
              {"figure7", FIGURE_PUBLISHED},
              {"figure12", FIGURE_PUBLISHED},
              {"figure13", FIGURE_PUBLISHED},
              {"partition_time", "published_s3.csv"}};

static int place_files(const char *plots, const char *stem, const char *directory)
{
    char script[NAME_MAX];
    int code = 0;
    for (size_t i = 0; i < sizeof beside / sizeof *beside && !code; i++)
        if (strncmp(stem, beside[i].stem, strlen(beside[i].stem)) == 0)
            code = place_file(plots, beside[i].file, directory);
    snprintf(script, sizeof script, "%s.gp", stem);
    return code ? code : place_file(plots, script, directory);
}

int figure_render(const char *stem, const char *directory)
{
    static const char *const formats[] = {"pdf", "svg", "png"};
    char plots[PATH_MAX], line[200] = "";
    int code = figure_plots_directory(plots, sizeof plots);
    code = code ? code : place_files(plots, stem, directory);
    for (size_t i = 0; i < sizeof formats / sizeof *formats && !code; i++) {
        int result = gnuplot(stem, formats[i], directory, line, sizeof line);
        if (result == 127)
            code = talk_fail(EXIT_UNABLE, "gnuplot is not installed: the data is in %s/%s.csv; apt-get install gnuplot-nox",
                             directory, stem);
        else if (result)
            code = talk_fail(EXIT_FAILED, "gnuplot failed on %s/%s.gp: %s", directory, stem, line);
    }
    return code;
}
