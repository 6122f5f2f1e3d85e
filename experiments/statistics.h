/* Statistics of samples. Nothing here keeps or changes its input. */
#ifndef SHMCOLL_EXPERIMENTS_STATISTICS_H
#define SHMCOLL_EXPERIMENTS_STATISTICS_H

#include <stddef.h>

struct statistics {
    size_t count;
    double min, median, p90, p99, max;
    double ci_low, ci_high; /* of the median, at least 95 %, distribution-free; min and max below six samples */
};

/* 0; -EINVAL without samples; -ENOMEM. */
int statistics_of(const double *samples, size_t count, struct statistics *out);
/* Kendall's tau-b of two rankings, NAN where undefined. O(n^2). */
double statistics_kendall_tau(const double *a, const double *b, size_t count);

#endif
