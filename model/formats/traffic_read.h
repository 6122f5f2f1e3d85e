/* Traffic of applications (model/traffic.h) from text: bytes between ranks, numbered from 0 unless it is said otherwise. What a
 * file is shows in its first line:
 *
 *   Matrix Market  "%%MatrixMarket matrix coordinate|array real|integer general|symmetric"; ranks from 1, comments begin with %
 *   dense CSV      row i has what rank i sends to each rank, commas between; as many rows as columns
 *   edge list      lines "FROM TO BYTES" with blanks between; lines of the same pair add up
 *
 * In the last two a line that begins with # is a comment; empty lines count nowhere, nor does a byte order mark of UTF-8. Every
 * line ends with a newline, the last too: so a file that was cut is not taken for a whole one. Numbers of bytes are finite, not
 * negative, and rounded to whole ones; what a rank sends to itself is left out. A matrix that is not symmetric is refused unless
 * `directed` is set, since it mostly is a mistake; of a symmetric file only one triangle is there. Edge lists say the direction
 * anyway. */
#ifndef SHMCOLL_MODEL_FORMATS_TRAFFIC_READ_H
#define SHMCOLL_MODEL_FORMATS_TRAFFIC_READ_H

#include "model/traffic.h"

struct traffic_wish {
    uint32_t ranks; /* 0: as many as the file has. An edge list may name fewer, a matrix must have so many */
    int directed;
};

/* `name` is what messages call the text; out is to be given to traffic_destroy().
 * 0; -EINVAL with one line "NAME:LINE: what, what to try" in reason, rows and columns from 1, as lines, ranks from 0; -ENOMEM
 * with one as well. */
int traffic_read(const char *name, const char *text, size_t bytes, const struct traffic_wish *wish, struct traffic *out,
                 char *reason, size_t reason_bytes);
/* Of a file of at most 1 GiB; beyond this -errno of the system. */
int traffic_read_file(const char *path, const struct traffic_wish *wish, struct traffic *out, char *reason, size_t reason_bytes);

#endif
