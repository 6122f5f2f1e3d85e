#include "experiments/statistics.h"

#include <gsl/gsl_cdf.h>
#include <gsl/gsl_sort.h>
#include <gsl/gsl_statistics_double.h>

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Largest k with P(Binomial(n, 1/2) < k) <= 2.5 %: the k-th smallest and k-th largest sample
 * enclose the median with at least 95 %. 0 if there are too few samples. */
static size_t median_rank(size_t count)
{
    size_t k = 0;
    while (k < count / 2 && gsl_cdf_binomial_P((unsigned)k, 0.5, (unsigned)count) <= 0.025)
        k++;
    return k;
}

int statistics_of(const double *samples, size_t count, struct statistics *out)
{
    if (count == 0)
        return -EINVAL;
    double *sorted = malloc(count * sizeof *sorted);
    if (!sorted)
        return -ENOMEM;
    memcpy(sorted, samples, count * sizeof *sorted);
    gsl_sort(sorted, 1, count);
    size_t k = median_rank(count);
    *out = (struct statistics){
        .count = count,
        .min = sorted[0],
        .median = gsl_stats_median_from_sorted_data(sorted, 1, count),
        .p90 = gsl_stats_quantile_from_sorted_data(sorted, 1, count, 0.90),
        .p99 = gsl_stats_quantile_from_sorted_data(sorted, 1, count, 0.99),
        .max = sorted[count - 1],
        .ci_low = sorted[k ? k - 1 : 0],
        .ci_high = sorted[k ? count - k : count - 1],
    };
    free(sorted);
    return 0;
}

double statistics_kendall_tau(const double *a, const double *b, size_t count)
{
    double concordant = 0, tied_a = 0, tied_b = 0, pairs = 0;
    for (size_t i = 0; i < count; i++)
        for (size_t j = 0; j < i; j++) {
            int sa = (a[i] > a[j]) - (a[i] < a[j]), sb = (b[i] > b[j]) - (b[i] < b[j]);
            concordant += sa * sb;
            tied_a += sa == 0;
            tied_b += sb == 0;
            pairs++;
        }
    double scale = sqrt((pairs - tied_a) * (pairs - tied_b));
    return scale > 0 ? concordant / scale : NAN;
}
