/* Partitioners against each other, on traffic made up at random and a described machine. */
#ifndef SHMCOLL_EXPERIMENTS_MAP_TRIAL_H
#define SHMCOLL_EXPERIMENTS_MAP_TRIAL_H

#include "experiments/map.h"
#include "experiments/traffic_samples.h"

enum { MAP_TRIAL_WAYS = 5 };
/* auto first, then those it must not be worse than; NULL beyond. */
extern const char *const map_trial_way[MAP_TRIAL_WAYS + 1];

struct map_trial {
    const struct traffic_sample *sample;
    uint32_t procs;
    int shuffled;
    uint64_t seed;
};

struct map_trial_outcome {
    double j[MAP_TRIAL_WAYS], time_s[MAP_TRIAL_WAYS];
    uint64_t cut[MAP_TRIAL_WAYS]; /* bytes between nodes */
};

/* 0, or an exit code after telling why. `machine` is for so many ranks. */
int map_trial_run(const struct map_trial *trial, const struct map_machine *machine, struct map_trial_outcome *out);

/* Geometric mean of J to that of auto, over trials. */
struct map_trial_means {
    double log_sum[MAP_TRIAL_WAYS], worst; /* worst: of auto to the best of the others, the highest */
    uint32_t count;
};
void map_trial_count(struct map_trial_means *means, const struct map_trial_outcome *outcome);
double map_trial_mean(const struct map_trial_means *means, int way);

#endif
