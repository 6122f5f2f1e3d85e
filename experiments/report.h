/* Reports: what a source paper's figures say, quantity by quantity, beside what is simulated here.
 *
 * What the paper says is in a file beside the scripts of the figures; nothing that simulates sees it. What differs has a cause,
 * and quantities simulated once more with one thing changed stand below it: they show what the cause does. */
#ifndef SHMCOLL_EXPERIMENTS_REPORT_H
#define SHMCOLL_EXPERIMENTS_REPORT_H

#include "experiments/figure.h"
#include "experiments/report_measure.h"

enum report_verdict { REPORT_AGREES, REPORT_PARTLY, REPORT_DEVIATES, REPORT_GIVEN /* went in, and comes out */, REPORT_VERDICTS };

struct nic;
struct report_row {
    const char *id; /* of the quantity in the file */
    int figure;     /* 0: none, it is in the text */
    report_measure *measure; /* NULL: `ask` says it */
    struct report_selection selection;
    int cause;            /* number of the note, 0: none */
    const char *if_so;    /* NULL: as the paper did it; else what is changed, the rest of the line "if ..." */
    void (*change)(struct node *node); /* NULL: the selection, or the interface, is what is changed */
    int (*ask)(const struct report_row *row, struct report_range *out); /* 0, or an exit code after telling why */
    const char *subject;  /* for `ask`: a layer, a channel, a network, a partitioner ... */
    uint64_t bytes;       /* likewise: a size, or a number of ranks, vertices or calls */
    void (*change_nic)(struct nic *nic);
    int given; /* it has been calibrated to this */
};

/* A paper. */
struct report_source {
    const char *name, *published; /* the file beside the scripts of the figures */
    const struct report_row *rows; /* ends with a NULL id */
    const char *const *notes;      /* by their numbers from 1 on, ends with NULL */
};
extern const struct report_source report_source_s1, report_source_s2, report_source_s3;
/* NULL: there is no such number. */
const char *report_note(const struct report_source *source, int number);

struct report_result {
    const struct report_row *row;
    struct report_range published, simulated; /* an open end is NAN */
    const char *quantity, *unit, *place;
    enum report_verdict verdict;
    double deviation; /* of the nearer ends, relative; 0 unless they deviate */
};
struct report {
    const struct report_source *source;
    struct csv_table published;
    struct report_result *result;
    size_t count;
};

/* Within the published range, beside it, or overlapping. */
enum report_verdict report_judge(const struct report_range *published, const struct report_range *simulated, double *deviation);
/* Simulates messages up to that size, where the paper's go on and on. 0, or an exit code after telling why. */
int report_make(const struct report_source *source, uint64_t size_most_bytes, struct report *out);
void report_destroy(struct report *report);
void report_print(FILE *file, const struct report *report, enum format format);

#endif
