/* The regret of best: how much longer its lane takes than the best protocol and configuration that measuring finds.
 *
 * For each size every protocol is measured with a grid of fragments and queues, by turns; the fastest few and best's own choice
 * are measured again, afresh, and the ratio to the fastest of those is the regret. */
#ifndef SHMCOLL_EXPERIMENTS_BEST_REGRET_H
#define SHMCOLL_EXPERIMENTS_BEST_REGRET_H

#include "experiments/scenario_build.h"

#include <stdio.h>

/* Measures every scenario of the grid, prints a line each and a summary. 0, or an exit code after telling why. */
int best_regret_report(FILE *file, struct scenario_grid *grid);

#endif
