/* A schedule as messages, for those who write it down: every exchange of every rank with its bytes. */
#ifndef SHMCOLL_MODEL_FORMATS_SCHEDULE_LINES_H
#define SHMCOLL_MODEL_FORMATS_SCHEDULE_LINES_H

#include "model/schedule.h"

#include <stdio.h>

/* What is written; everything pointed to is borrowed. */
struct schedule_job {
    const struct schedule *schedule;
    const struct numbering *numbering; /* or NULL */
    uint64_t size_bytes; /* of an Allgather or a scatter a rank's block; of a broadcast the message, in parts equal to a byte */
};

/* One step of a rank. SCHEDULE_NONE and no bytes where there is no partner; rotations are no messages and are left out. */
struct schedule_line {
    uint32_t round, send_to, receive_from;
    uint64_t send_bytes, receive_bytes;
};

/* Step k < schedule_steps() of a rank (not virtual). 1, 0 for a step without messages, -EOVERFLOW if the bytes are too many. */
int schedule_line_get(const struct schedule_job *job, uint32_t rank, uint32_t k, struct schedule_line *out);
/* How many steps a rank (not virtual) has. */
uint32_t schedule_line_count(const struct schedule_job *job, uint32_t rank);

#endif
