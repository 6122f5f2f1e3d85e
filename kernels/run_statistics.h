/* Order statistics of measured samples. Pure. */
#ifndef SHMCOLL_KERNELS_RUN_STATISTICS_H
#define SHMCOLL_KERNELS_RUN_STATISTICS_H

#include <stddef.h>

struct run_summary {
    double median, min, p99;
    double ci_low, ci_high; /* 95 % interval of the median, by order statistics: no distribution assumed */
};

/* sorted[n] ascending, n >= 1. */
struct run_summary run_summary_of(const double *sorted, size_t n);
void run_sort(double *value, size_t n);

#endif
