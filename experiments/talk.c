#include "experiments/command.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>

int talk_fail(int code, const char *format, ...)
{
    char line[512];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(line, sizeof line, format, arguments);
    va_end(arguments);
    for (char *c = line; *c; c++) /* whatever a message quotes, it stays one line */
        if (*c == '\n' || *c == '\r')
            *c = ' ';
    fflush(stdout);
    fprintf(stderr, "shmcoll: %s\n", line);
    return code;
}

void talk_note(int verbosity, int level, const char *format, ...)
{
    if (verbosity < level)
        return;
    va_list arguments;
    va_start(arguments, format);
    vfprintf(stderr, format, arguments);
    va_end(arguments);
    fputc('\n', stderr);
}

void talk_stall(const char *line)
{
    fprintf(stderr, "shmcoll: %s\n", line);
}

int exit_code_of(int error)
{
    switch (error) {
    case 0:
        return EXIT_DONE;
    case -EINVAL:
        return EXIT_USAGE;
    case -ENOTSUP:
    case -ENOSYS:
    case -EPERM:
    case -EACCES:
    case -ENOMEM:
    case -ENOSPC:
    case -EAGAIN: /* the host was busy, or not in the state it was calibrated in */
        return EXIT_UNABLE;
    case -EBADMSG:
        return EXIT_WRONG_DATA;
    default:
        return EXIT_FAILED;
    }
}

int exit_code_of_input(int error)
{
    return !error ? EXIT_DONE : error == -ENOMEM ? EXIT_UNABLE : EXIT_USAGE;
}
