/* Configurations measured by turns in one launch: the same ranks on the same cores hold a communicator for each, and every
 * round goes through all of them, so that a host that changes changes all alike. Ratios within a round are what counts. */
#ifndef SHMCOLL_EXPERIMENTS_TURNS_H
#define SHMCOLL_EXPERIMENTS_TURNS_H

#include "model/scenario.h"

enum { TURNS_CONFIGS_MAX = 64, TURNS_REASON_BYTES = 256 };

struct turns {
    const struct scenario *scenario; /* node, placement, ranks, size and conditions; its params are ignored */
    const struct params *configs;
    uint32_t count, rounds;
    double limit_s; /* of a round, about: repetitions are as many as fit, at least one */
};

/* Fills time_s[round*count + config], the median of the repetitions in that round: last end minus the agreed start.
 * 0; -errno with one line in `reason`. */
int turns_measure(const struct turns *turns, double *time_s, char reason[TURNS_REASON_BYTES]);

#endif
