/* Regret: how much longer the configuration somebody chose takes than the best one, both measured afresh.
 *
 * Each evaluator chooses, from the points of sample A, what it holds to be the fastest; so do habit (f = 8K, s = 8) and chance.
 * Sample B runs each choice and the best of A by turns, so that a host that changes speed hurts both alike. */
#ifndef SHMCOLL_EXPERIMENTS_REGRET_H
#define SHMCOLL_EXPERIMENTS_REGRET_H

#include "experiments/compare.h"
#include "experiments/scenario_build.h"

/* Measures, prints a line a choice and a summary a chooser. points[i] is scenario i of the grid, with run among its rows.
 * 0, or an exit code after telling why. */
int regret_report(FILE *file, struct scenario_grid *grid, const struct compare_point *points);

#endif
