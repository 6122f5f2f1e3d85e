#include "model/formats/line_source.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { FIRST_BYTES = 256 << 10 };

int line_source_open(struct line_source *source, const char *path)
{
    *source = (struct line_source){.fd = open(path, O_RDONLY | O_CLOEXEC), .room_bytes = FIRST_BYTES};
    if (source->fd < 0)
        return -errno;
    source->buffer = malloc(FIRST_BYTES);
    if (source->buffer)
        return 0;
    line_source_close(source);
    return -ENOMEM;
}

void line_source_close(struct line_source *source)
{
    close(source->fd);
    free(source->buffer);
    *source = (struct line_source){.fd = -1};
}

/* Reads behind what the buffer has; how many bytes came, 0 at the end, or -errno. */
static ssize_t read_more(struct line_source *source, size_t have)
{
    if (have == source->room_bytes) {
        char *larger = realloc(source->buffer, 2 * source->room_bytes);
        if (!larger)
            return -ENOMEM;
        source->buffer = larger;
        source->room_bytes *= 2;
    }
    for (;;) {
        ssize_t got = read(source->fd, source->buffer + have, source->room_bytes - have);
        if (got >= 0 || errno != EINTR)
            return got < 0 ? -errno : got;
    }
}

int line_source_fill(struct line_source *source, const char **at, const char **end)
{
    size_t have = *at ? (size_t)(*end - *at) : 0;
    if (source->ended || (have && memchr(*at, '\n', have)))
        return 0;
    if (have)
        memmove(source->buffer, *at, have);
    ssize_t got;
    do {
        if (have >= LINE_SOURCE_MAX_BYTES)
            return -EMSGSIZE;
        got = read_more(source, have);
        if (got < 0)
            return (int)got;
        have += (size_t)got;
        source->ended = got == 0;
    } while (got > 0 && !memchr(source->buffer + have - got, '\n', (size_t)got));
    *at = source->buffer;
    *end = source->buffer + have;
    return 0;
}
