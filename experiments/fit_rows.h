/* Measured times that somebody else has written down: our rows as CSV, what OSU's benchmarks print, what IMB prints.
 *
 *   CSV   a head that names at least procs, size_bytes and time_s, in any order; other columns are left alone
 *   OSU   "# OSU ... Latency" and lines of size and microseconds: the mean over ranks. The number of ranks is not in it
 *   IMB   "# #processes = N" and lines of bytes, repetitions, t_min, t_max and t_avg: the slowest rank's t_max counts
 */
#ifndef SHMCOLL_EXPERIMENTS_FIT_ROWS_H
#define SHMCOLL_EXPERIMENTS_FIT_ROWS_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

enum { FIT_ROWS_MAX = 1 << 20 };

struct fit_row {
    uint32_t procs;
    uint64_t size_bytes;
    double time_s;
};

struct fit_rows {
    struct fit_row *row;
    size_t count, capacity;
    int mean; /* times are means over ranks by the file's own kind */
};

/* procs: of rows that do not say, 0 unknown. `out` is set on success only, to be given to fit_rows_destroy.
 * 0; -EINVAL, -EFBIG with "NAME:LINE: what, what to try" in reason; -ENOMEM. */
int fit_rows_read(FILE *file, const char *name, uint32_t procs, struct fit_rows *out, char *reason, size_t reason_bytes);
void fit_rows_destroy(struct fit_rows *rows);

#endif
