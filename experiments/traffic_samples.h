/* Traffic of applications made up at random, to try mappings on: what is typical of programs, not measured of any. */
#ifndef SHMCOLL_EXPERIMENTS_TRAFFIC_SAMPLES_H
#define SHMCOLL_EXPERIMENTS_TRAFFIC_SAMPLES_H

#include "model/traffic.h"

struct traffic_draft; /* pairs of ranks so far */

struct traffic_sample {
    const char *name, *summary;
    int (*draw)(struct traffic_draft *draft, uint32_t ranks, uint64_t *random);
};

/* Ends with a NULL name. */
extern const struct traffic_sample traffic_sample_table[];

/* As many bytes both ways; shuffled: rank numbers say nothing of who is near whom. Deterministic for a seed. 0, -EINVAL below 2
 * ranks, or -ENOMEM. */
int traffic_sample_create(struct traffic *out, const struct traffic_sample *sample, uint32_t ranks, int shuffled, uint64_t seed);

#endif
