#include "model/formats/text_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Appends what the descriptor has left. Grows by doubling, since a pipe does not tell its length. */
static int descriptor_read(int fd, size_t most_bytes, char **text, size_t *bytes)
{
    size_t room = 64 << 10, have = 0;
    char *buffer = malloc(room + 1);
    if (!buffer)
        return -ENOMEM;
    for (;;) {
        ssize_t got = read(fd, buffer + have, room - have);
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0) {
            int err = -errno;
            free(buffer);
            return err;
        }
        have += (size_t)got;
        if (got == 0)
            break;
        if (have < room)
            continue;
        char *larger = room >= most_bytes ? NULL : realloc(buffer, 2 * room + 1);
        if (!larger) {
            int err = room >= most_bytes ? -EFBIG : -ENOMEM;
            free(buffer);
            return err;
        }
        buffer = larger;
        room *= 2;
    }
    buffer[have] = 0;
    *text = buffer;
    *bytes = have;
    return 0;
}

int text_file_refuse(int err, const char *path, char *reason, size_t reason_bytes)
{
    if (err == -EISDIR)
        snprintf(reason, reason_bytes, "%s: is a directory; give a file", path);
    else
        snprintf(reason, reason_bytes, "%s: cannot read: %s; check the path", path, strerror(-err));
    return err;
}

static int read_failed(int err, size_t most_bytes, const char *path, char *reason, size_t reason_bytes)
{
    if (err != -EFBIG)
        return text_file_refuse(err, path, reason, reason_bytes);
    snprintf(reason, reason_bytes, "%s: larger than %zu MiB, which no file of its kind is; is it the right file?", path,
             most_bytes >> 20);
    return err;
}

int text_file_read_most(const char *path, size_t most_bytes, char **text, size_t *bytes, char *reason, size_t reason_bytes)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return read_failed(-errno, most_bytes, path, reason, reason_bytes);
    int err = descriptor_read(fd, most_bytes, text, bytes);
    close(fd);
    return err ? read_failed(err, most_bytes, path, reason, reason_bytes) : 0;
}

int text_file_read(const char *path, char **text, size_t *bytes, char *reason, size_t reason_bytes)
{
    return text_file_read_most(path, TEXT_FILE_MAX_BYTES, text, bytes, reason, reason_bytes);
}

static int descriptor_write(int fd, const char *text, size_t bytes)
{
    while (bytes) {
        ssize_t put = write(fd, text, bytes);
        if (put < 0 && errno == EINTR)
            continue;
        if (put < 0)
            return -errno;
        text += put;
        bytes -= (size_t)put;
    }
    return 0;
}

/* fsync before the caller's rename: a rename may reach the disk before the data. */
static int file_fill(const char *path, int flags, const char *text, size_t bytes, int sync)
{
    int fd = open(path, O_WRONLY | O_CLOEXEC | flags, 0666);
    if (fd < 0)
        return -errno;
    int err = descriptor_write(fd, text, bytes);
    if (!err && sync && fsync(fd))
        err = -errno;
    if (close(fd) && !err)
        err = -errno;
    return err;
}

static int file_replace(const char *path, const char *text, size_t bytes)
{
    char *temporary = NULL;
    if (asprintf(&temporary, "%s.%ld.tmp", path, (long)getpid()) < 0)
        return -ENOMEM;
    int err = file_fill(temporary, O_CREAT | O_TRUNC | O_NOFOLLOW, text, bytes, 1);
    if (!err && rename(temporary, path))
        err = -errno;
    if (err)
        unlink(temporary);
    free(temporary);
    return err;
}

int text_file_write(const char *path, const char *text, size_t bytes, char *reason, size_t reason_bytes)
{
    struct stat there;
    int in_place = !stat(path, &there) && !S_ISREG(there.st_mode);
    int err = in_place ? file_fill(path, 0, text, bytes, 0) : file_replace(path, text, bytes);
    if (err)
        snprintf(reason, reason_bytes, "%s: cannot write: %s; choose another path", path, strerror(-err));
    return err;
}
