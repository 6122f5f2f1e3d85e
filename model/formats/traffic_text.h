/* Lines and numbers of the texts that traffic_read.h describes, for its readers. */
#ifndef SHMCOLL_MODEL_FORMATS_TRAFFIC_TEXT_H
#define SHMCOLL_MODEL_FORMATS_TRAFFIC_TEXT_H

#include "model/formats/traffic_read.h"

struct traffic_text {
    const char *name, *next, *end; /* next: the line after this one */
    const char *at, *line_end;     /* what is left of this line */
    uint64_t line;
    char comment;
    const struct traffic_wish *wish;
    struct traffic_entry *entry;
    size_t entries, room;
    uint32_t ranks;
    const char *shape; /* "; what a line is", for messages, or NULL */
    int is_matrix;  /* of rows and columns, which messages count from 1, as lines; ranks are from 0 */
    unsigned rules; /* enum traffic_rule */
    char *reason;
    size_t reason_bytes;
};

/* Tells "NAME:LINE: ...", or "NAME: ..." where there is no line; returns err. */
int traffic_text_refuse(const struct traffic_text *text, int err, const char *format, ...) __attribute__((format(printf, 3, 4)));
/* The next line that is neither empty nor a comment. 1; 0 at the end of the file; -EINVAL if the last line has no end. */
int traffic_text_line(struct traffic_text *text);
/* The next word of this line, up to a blank or comma: at most `bytes` - 1 of it, NUL-terminated. 0, or -EINVAL at the line's end
 * or of a longer one; `what` was expected. */
int traffic_text_word(struct traffic_text *text, const char *what, char *word, size_t bytes);
/* 0, or -EINVAL if that is no whole number of at most `most`. */
int traffic_text_number(struct traffic_text *text, const char *what, uint64_t most, uint64_t *out);
/* 0, or -EINVAL if that is no number of bytes; whole: of a matrix of integers. */
int traffic_text_bytes(struct traffic_text *text, int whole, uint64_t *out);
/* Whether something is left of the line. */
int traffic_text_more(struct traffic_text *text);
/* 0, or -EINVAL if there is. */
int traffic_text_line_end(struct traffic_text *text);
/* Takes a comma. */
int traffic_text_comma(struct traffic_text *text);
/* 0 or -ENOMEM. */
int traffic_text_add(struct traffic_text *text, uint64_t from, uint64_t to, uint64_t bytes);

/* The three readers, the first line being read. */
int traffic_market_read(struct traffic_text *text);
int traffic_dense_read(struct traffic_text *text);
int traffic_edges_read(struct traffic_text *text);
/* Whether the file may have that many ranks. 0 or -EINVAL. */
int traffic_ranks_check(const struct traffic_text *text, uint64_t ranks);

#endif
