/* The evaluators there are: the only place that lists them. */
#ifndef SHMCOLL_EXPERIMENTS_EVALUATORS_H
#define SHMCOLL_EXPERIMENTS_EVALUATORS_H

#include "model/scenario.h"

/* Ends with NULL. */
extern const struct evaluator *const evaluator_table[];
/* NULL if there is none of that name. */
const struct evaluator *evaluator_find(const char *name);

#endif
