/* One scenario by one evaluator, as a row. */
#ifndef SHMCOLL_EXPERIMENTS_EVALUATE_H
#define SHMCOLL_EXPERIMENTS_EVALUATE_H

#include "experiments/evaluators.h"
#include "experiments/rows.h"

/* Fills the row; the outcome, to be given to outcome_destroy, is kept in *outcome unless NULL.
 * 0, or an exit code after telling why: EXIT_WRONG_DATA when verification found wrong bytes (the row is filled),
 * EXIT_UNABLE when the evaluator does not support the scenario. */
int evaluate_row(const struct evaluator *evaluator, const struct scenario *scenario, struct trace_sink *sink, struct row *row,
                 struct outcome *outcome);

/* The variant to use where none was asked for: paper on a contention-free node, else extended; of a network, which may be NULL,
 * none. */
const char *evaluate_variant(const struct settings *settings, const struct network *network, const struct node *node);

#endif
