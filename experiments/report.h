/* Reports: what a source paper's figures say, quantity by quantity, beside what is simulated here.
 *
 * What the paper says is in a file beside the scripts of the figures (FIGURE_PUBLISHED); nothing that simulates sees it. What differs has a cause, and quantities simulated once more with one thing changed stand below it: they show
 * what the cause does. */
#ifndef SHMCOLL_EXPERIMENTS_REPORT_H
#define SHMCOLL_EXPERIMENTS_REPORT_H

#include "experiments/figure.h"
#include "experiments/report_measure.h"

enum report_verdict { REPORT_AGREES, REPORT_PARTLY, REPORT_DEVIATES };

struct report_row {
    const char *id; /* of the quantity in the file */
    int figure;
    report_measure *measure;
    struct report_selection selection;
    int cause;            /* number of the note, 0: none */
    const char *if_so;    /* NULL: as the paper did it; else what is changed, the rest of the line "if ..." */
    void (*change)(struct node *node); /* NULL: the selection is what is changed */
};
/* Ends with a NULL id. */
extern const struct report_row report_rows_s1[];
/* Notes by their number; report_note(0) is NULL. */
const char *report_note(int number);

struct report_result {
    const struct report_row *row;
    struct report_range published, simulated; /* an open end is NAN */
    const char *quantity, *unit, *place;
    enum report_verdict verdict;
    double deviation; /* of the nearer ends, relative; 0 unless they deviate */
};
struct report {
    struct csv_table published;
    struct report_result *result;
    size_t count;
};

/* Within the published range, beside it, or overlapping. */
enum report_verdict report_judge(const struct report_range *published, const struct report_range *simulated, double *deviation);
/* Simulates messages up to that size. 0, or an exit code after telling why. */
int report_s1(uint64_t size_most_bytes, struct report *out);
void report_destroy(struct report *report);
void report_print(FILE *file, const struct report *report, enum format format);

#endif
