/* --mapping and --remap: who plays whom. */
#ifndef SHMCOLL_EXPERIMENTS_SCENARIO_MAPPING_H
#define SHMCOLL_EXPERIMENTS_SCENARIO_MAPPING_H

#include "experiments/scenario_build.h"

/* Whether what was asked for has a meaning. 0, or an exit code after telling why. */
int scenario_mapping_check(const struct settings *settings);
/* Reads --mapping, of that many ranks; the numbering, remapped as the settings say, borrows the file's arrays. 0, or an exit
 * code. */
int scenario_mapping_read(const struct settings *settings, struct numbering_file *file, struct numbering *out);
/* Reads the file that the settings name, if they do, which must be of as many ranks. 0, or an exit code after telling why. */
int scenario_mapping_load(struct scenario_grid *grid);
void scenario_mapping_apply(const struct scenario_grid *grid, struct scenario *out);
/* --remap auto: of a scenario that is whole, the way that takes less by the extended model. 0, or an exit code after telling
 * why. */
int scenario_mapping_choose(const struct scenario_grid *grid, struct scenario *scenario);

#endif
