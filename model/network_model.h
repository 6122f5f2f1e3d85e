/* The closed form of a collective on a network. */
#ifndef SHMCOLL_MODEL_NETWORK_MODEL_H
#define SHMCOLL_MODEL_NETWORK_MODEL_H

#include "model/scenario.h"

/* Of a scenario that scenario_check() has found sound. *out_s is set only on success. 0, or -ENOTSUP or -EINVAL with one line in
 * `reason`. */
int network_model_time(const struct scenario *scenario, double *out_s, char *reason, size_t reason_bytes);

#endif
