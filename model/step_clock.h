/* The step clock: the time of a broadcast or an allgather from its step programs, for any protocol, without a queue of events.
 *
 * All ranks run their programs against words and copies that cost what step_costs.h says; always the rank whose time is
 * least goes on, so whatever it sees has happened. Beyond the simulator's rules, what a copy writes after a notification waits in
 * the store buffer until that has taken its line, and a short copy's lines come before the store after it is seen. Ranks that
 * share a core run one at a time, each until it waits. What repeats is not run again: a message (a block) of many sets, or of
 * sets with many slots, follows from shorter ones, since time grows linearly with the sets, with their slots and with the
 * fragments in the last one once the ranks have found their pace. O(procs) a step and a few hundred fragments whatever the
 * message.
 */
#ifndef SHMCOLL_MODEL_STEP_CLOCK_H
#define SHMCOLL_MODEL_STEP_CLOCK_H

#include "model/bcast_model.h"

enum { STEP_CLOCK_PROCS_MAX = 1024 };

/* The scenario must have passed scenario_check; an allgather has no tree. Sets time_s, copy_s and wait_s of `out`.
 * 0; -ENOTSUP with one line in `reason`; -ENOMEM; -EPROTO if the program stops for ever or finds a fault. */
int step_clock_time(const struct scenario *scenario, const struct tree *tree, struct bcast_prediction *out, char *reason,
                    size_t reason_bytes);

#endif
