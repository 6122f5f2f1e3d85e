/* What a schedule does, by moving data: an executable definition that shares nothing with how steps are computed.
 *
 * Ranks have buffers of places, each empty or with the name of a block. They take their steps in order; a send and a receive
 * meet when both are the current steps of their ranks, and a step ends when both its halves have met. */
#ifndef SHMCOLL_TESTS_MODEL_DATA_MOVEMENT_H
#define SHMCOLL_TESTS_MODEL_DATA_MOVEMENT_H

#include "model/schedule.h"

#include <stddef.h>

/* What was moved, to be held against the textbook. */
struct data_movement {
    uint32_t rounds;           /* the last round used, and one */
    uint32_t steps_least, steps_most;
    uint64_t messages, blocks; /* sent by all */
    uint64_t root_messages, root_blocks, sent_most; /* by the root; blocks sent by one rank at most */
    uint64_t rotations, permutations;
    uint64_t messages_between, blocks_between, between_most; /* virtual ranks of different regions; messages of one sender at
                                                                most */
};

/* Runs all ranks, numbered. NULL, or what is wrong: a step that makes no sense or is idle; a block sent that was not there when
 * the step began, or received where one was; ends that disagree about round or blocks; ranks that wait for ever; a rank that does
 * not end with what its kind of algorithm promises, in place. The text is good until the next call. */
const char *data_movement_run(const struct schedule *schedule, const struct numbering *numbering, struct data_movement *out);

#endif
