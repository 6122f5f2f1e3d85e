/* The time of a message between two ranks, over the scenario's channel and in its pattern.
 *
 * A ping-pong's message is alone: message_time_s. In a stream the first is, the others follow at the pace of the busier core
 * (message_pace_s), and an empty answer ends it. Pure. */
#ifndef SHMCOLL_MODEL_MESSAGE_MODEL_H
#define SHMCOLL_MODEL_MESSAGE_MODEL_H

#include "model/scenario.h"

struct message_answer {
    double time_s; /* of one message, as struct job_p2p has it */
    double copy_s; /* the two cores' work for it */
};

/* How much is copied in a row, so that lines are fetched ahead: in a stream all its messages; in a ping-pong parts of single
 * lines at equal distances, which a prefetcher learns. 0: each message is alone, and was measured to take the whole way from
 * memory. */
uint64_t message_model_row_bytes(const struct scenario *scenario);

/* The scenario must have passed scenario_check. 0; -EINVAL, or -ENOTSUP if the node lacks a cost, with one line in `reason`. */
int message_model_time(const struct scenario *scenario, struct message_answer *out, char *reason, size_t reason_bytes);

#endif
