#include "kernels/run_statistics.h"

#include <math.h>
#include <stdlib.h>

static int by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

void run_sort(double *value, size_t n)
{
    qsort(value, n, sizeof *value, by_value);
}

/* The number of samples below the median is binomial(n, 1/2): about n/2 +- 1.96 sqrt(n)/2. */
struct run_summary run_summary_of(const double *sorted, size_t n)
{
    double half_width = 1.96 * sqrt((double)n) / 2;
    double low = floor((double)n / 2 - half_width), high = ceil((double)n / 2 + half_width);
    size_t low_index = low < 1 ? 0 : (size_t)low - 1, high_index = high >= (double)n ? n - 1 : (size_t)high;
    size_t p99_rank = (size_t)ceil(0.99 * (double)n);
    return (struct run_summary){
        .median = n % 2 ? sorted[n / 2] : (sorted[n / 2 - 1] + sorted[n / 2]) / 2,
        .min = sorted[0],
        .p99 = sorted[p99_rank - 1],
        .ci_low = sorted[low_index],
        .ci_high = sorted[high_index],
    };
}
