/* GOAL programs as text (LogGOPSim's format; goal_read.h has its grammar). */
#ifndef SHMCOLL_MODEL_FORMATS_GOAL_WRITE_H
#define SHMCOLL_MODEL_FORMATS_GOAL_WRITE_H

#include "model/formats/schedule_lines.h"
#include "model/goal_program.h"

/* A schedule: step k of a rank is its tasks rK and sK, receive and send at once, which both require those of the step before.
 * Messages of round k have tag k. Rotations within a rank are left out: GOAL has no copies. Nothing is stored, so a schedule of
 * any size can be written. 0, -EOVERFLOW, or -EIO if the file does not take it. */
int goal_write_schedule(FILE *out, const struct schedule_job *job);
/* A finished program: goal_read() of what comes makes the same one, but for line numbers. 0 or -EIO. */
int goal_write_program(FILE *out, const struct goal_program *program);

#endif
