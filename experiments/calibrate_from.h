/* `calibrate --from FILE`: a node's costs from times that somebody else measured. */
#ifndef SHMCOLL_EXPERIMENTS_CALIBRATE_FROM_H
#define SHMCOLL_EXPERIMENTS_CALIBRATE_FROM_H

#include "experiments/options.h"

/* An exit code, after telling why. */
int calibrate_from(const struct settings *settings);

#endif
