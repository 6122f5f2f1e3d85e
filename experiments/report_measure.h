/* What a report reads off the data of a figure: a number, or the range of one over sizes. */
#ifndef SHMCOLL_EXPERIMENTS_REPORT_MEASURE_H
#define SHMCOLL_EXPERIMENTS_REPORT_MEASURE_H

#include "experiments/csv_table.h"

#include <stdint.h>

struct report_range {
    double low, high; /* NAN: there were no data */
};

/* Rows of a figure's data. */
struct report_selection {
    const char *where; /* as csv_table_matches wants it */
    uint64_t size_least_bytes, size_most_bytes;
    const char *among; /* measures that compare a row with others of its size: those; NULL */
};

typedef struct report_range report_measure(const struct csv_table *table, const struct report_selection *selection);

report_measure report_best_fragment; /* of the least time, bytes */
report_measure report_least_time;    /* us */
report_measure report_relative;      /* range of the column */
report_measure report_least_relative;
report_measure report_to_least;      /* time to the least among the others, range */
report_measure report_slots_enough;  /* the fewest slots within 5 % of the best, range over sizes */
report_measure report_gain_grows;    /* Kendall's tau of the size and 1 - relative */

#endif
