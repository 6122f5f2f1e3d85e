/* Schedules as time-independent traces, which SimGrid's smpirun -replay plays.
 *
 * One line an action: the rank, what it does, with whom, the tag, the bytes. "init" stands plain, so that sizes are bytes (an
 * argument to it would make them doubles). A step is irecv, isend and waitall; its tag is its round. Rotations within a
 * rank are left out. A trace is one file, or one a rank; then the file to replay lists their names, a line each, in
 * order of ranks. */
#ifndef SHMCOLL_MODEL_FORMATS_TI_WRITE_H
#define SHMCOLL_MODEL_FORMATS_TI_WRITE_H

#include "model/formats/schedule_lines.h"

/* One rank's trace. 0, -EOVERFLOW, or -EIO if the file does not take it. */
int ti_write_rank(FILE *out, const struct schedule_job *job, uint32_t rank);
/* All of them, rank after rank. Same errors. */
int ti_write_schedule(FILE *out, const struct schedule_job *job);

#endif
