/* A file line after line, a piece of it in memory at a time: pipes, and files larger than memory. */
#ifndef SHMCOLL_MODEL_FORMATS_LINE_SOURCE_H
#define SHMCOLL_MODEL_FORMATS_LINE_SOURCE_H

#include <stddef.h>

enum { LINE_SOURCE_MAX_BYTES = 16 << 20 /* of a line */ };

struct line_source {
    int fd, ended;
    char *buffer;
    size_t room_bytes;
};

/* 0, -ENOMEM, or the system's -errno. */
int line_source_open(struct line_source *source, const char *path);
void line_source_close(struct line_source *source);
/* What is at hand is from *at to before *end, both NULL at first: reads on unless that has the end of a line, or the file has
 * ended. What was before *at is forgotten, and what is at hand may move. 0, -EMSGSIZE for a line beyond the limit, -ENOMEM, or
 * -errno of the system. */
int line_source_fill(struct line_source *source, const char **at, const char **end);

#endif
