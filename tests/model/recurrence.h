/* The broadcast step by step, fragment by fragment: the slow and obvious reference for the closed forms. Nothing is shared
 * but the words. Readers of a set are served one at a time, in the order in which they come. */
#ifndef SHMCOLL_TESTS_MODEL_RECURRENCE_H
#define SHMCOLL_TESTS_MODEL_RECURRENCE_H

#include "model/scenario.h"

/* Seconds of the pipelined protocol on a node without distances: every hand-over costs handover_ns[HANDOVER_SAME_CACHE]. */
double recurrence_s(const struct scenario *scenario);

#endif
