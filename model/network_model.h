/* A collective on a network: its closed form; where there is none, of an Allgather with the variant "extended", the sum of its
 * rounds. */
#ifndef SHMCOLL_MODEL_NETWORK_MODEL_H
#define SHMCOLL_MODEL_NETWORK_MODEL_H

#include "model/scenario.h"

/* Of a scenario that scenario_check() has found sound: its time, and of rounds what went within nodes and between them. 0, or
 * -errno with one line in out->reason. */
int network_model_time(const struct scenario *scenario, struct outcome *out);

#endif
