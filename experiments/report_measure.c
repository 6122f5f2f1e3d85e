#include "experiments/report_measure.h"
#include "experiments/statistics.h"

#include <math.h>

static const struct report_range nothing = {NAN, NAN};

static int selected(const struct csv_table *t, size_t row, const struct report_selection *s)
{
    double size = csv_table_number(t, row, "size_bytes");
    return size >= (double)s->size_least_bytes && size <= (double)s->size_most_bytes && csv_table_matches(t, row, s->where);
}

static void widen(struct report_range *range, double value)
{
    range->low = fmin(range->low, value);
    range->high = fmax(range->high, value);
}

/* The row of the least time; t->rows if there is none. */
static size_t least_row(const struct csv_table *t, const struct report_selection *s)
{
    size_t best = t->rows;
    for (size_t row = 0; row < t->rows; row++)
        if (selected(t, row, s) &&
            (best == t->rows || csv_table_number(t, row, "time_s") < csv_table_number(t, best, "time_s")))
            best = row;
    return best;
}

struct report_range report_best_fragment(const struct csv_table *t, const struct report_selection *s)
{
    size_t best = least_row(t, s);
    double value = best < t->rows ? csv_table_number(t, best, "fragment_bytes") : NAN;
    return (struct report_range){value, value};
}

struct report_range report_least_time(const struct csv_table *t, const struct report_selection *s)
{
    size_t best = least_row(t, s);
    double value = best < t->rows ? csv_table_number(t, best, "time_s") * 1e6 : NAN;
    return (struct report_range){value, value};
}

struct report_range report_relative(const struct csv_table *t, const struct report_selection *s)
{
    struct report_range range = nothing;
    for (size_t row = 0; row < t->rows; row++)
        if (selected(t, row, s))
            widen(&range, csv_table_number(t, row, "relative"));
    return range;
}

struct report_range report_least_relative(const struct csv_table *t, const struct report_selection *s)
{
    struct report_range range = report_relative(t, s);
    return (struct report_range){range.low, range.low};
}

struct report_range report_to_least(const struct csv_table *t, const struct report_selection *s)
{
    struct report_range range = nothing;
    for (size_t row = 0; row < t->rows; row++) {
        if (!selected(t, row, s))
            continue;
        uint64_t size_bytes = (uint64_t)csv_table_number(t, row, "size_bytes");
        struct report_selection others = {s->among, size_bytes, size_bytes, NULL};
        size_t best = least_row(t, &others);
        if (best < t->rows)
            widen(&range, csv_table_number(t, row, "time_s") / csv_table_number(t, best, "time_s"));
    }
    return range;
}

struct report_range report_slots_enough(const struct csv_table *t, const struct report_selection *s)
{
    struct report_range range = nothing;
    for (size_t row = 0; row < t->rows; row++) {
        uint64_t size_bytes = (uint64_t)csv_table_number(t, row, "size_bytes");
        struct report_selection same = {s->where, size_bytes, size_bytes, NULL};
        size_t best = least_row(t, &same);
        double fewest = NAN;
        if (!selected(t, row, s) || best == t->rows)
            continue;
        for (size_t i = 0; i < t->rows; i++)
            if (selected(t, i, &same) && csv_table_number(t, i, "time_s") <= 1.05 * csv_table_number(t, best, "time_s"))
                fewest = fmin(fewest, csv_table_number(t, i, "slots"));
        widen(&range, fewest);
    }
    return range;
}

enum { SIZES_MOST = 64 };

struct report_range report_gain_grows(const struct csv_table *t, const struct report_selection *s)
{
    double size[SIZES_MOST], gain[SIZES_MOST];
    size_t count = 0;
    for (size_t row = 0; row < t->rows && count < SIZES_MOST; row++)
        if (selected(t, row, s)) {
            size[count] = csv_table_number(t, row, "size_bytes");
            gain[count++] = 1 - csv_table_number(t, row, "relative");
        }
    double tau = count > 1 ? statistics_kendall_tau(size, gain, count) : NAN;
    return (struct report_range){tau, tau};
}
