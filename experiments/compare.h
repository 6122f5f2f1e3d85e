/* Evaluators side by side at one scenario, and their errors over many. */
#ifndef SHMCOLL_EXPERIMENTS_COMPARE_H
#define SHMCOLL_EXPERIMENTS_COMPARE_H

#include "experiments/rows.h"

enum { COMPARE_CONTENDERS = 4 }; /* model paper, model extended, sim, run */

struct compare_point {
    struct row row[COMPARE_CONTENDERS];
    int has[COMPARE_CONTENDERS];
};

/* A table of the points, and with run among them a summary of the errors. 0, or an exit code after telling why. */
int compare_print(FILE *file, const struct compare_point *points, size_t count);
/* Whether a node given as --node can be this host. */
int compare_node_is_here(const char *node);

#endif
