/* GOAL programs from text, as LogGOPSim's converter takes them:
 *
 *   file   = "num_ranks" N { "rank" R "{" { item } "}" }
 *   item   = [ label ":" ] task end  |  label ( "requires" | "irequires" ) label end
 *   task   = "calc" NS [ "cpu" C ]
 *          | "send" BYTES "b" "to" R [ "tag" T ] [ "cpu" C ] [ "nic" I ]
 *          | "recv" BYTES "b" "from" ( R | "-1" ) [ "tag" ( T | "-1" ) ] [ "cpu" C ] [ "nic" I ]
 *   label  = letter { letter | digit | "_" }, known within its rank once its task was read
 *   end    = end of line, or "}"
 *
 * NS are nanoseconds; tag, cpu and nic are 0 where they are not said; C and I are at most 255. Blanks and tabs separate, comments
 * are from // to the end of the line, and between items from a slash and star to a star and slash. A rank may be missing: it does
 * nothing; none may come twice. */
#ifndef SHMCOLL_MODEL_FORMATS_GOAL_READ_H
#define SHMCOLL_MODEL_FORMATS_GOAL_READ_H

#include "model/goal_program.h"

/* `name` is what messages call the text; out is to be given to goal_program_destroy().
 * 0; -EINVAL with one line "NAME:LINE: what, what to try" in reason (of the checks of goal_program_finish() too); -ENOMEM. */
int goal_read(const char *name, const char *text, size_t bytes, struct goal_program *out, char *reason, size_t reason_bytes);
/* Of a file, of which but a piece is in memory at a time; beyond this -errno of the system. */
int goal_read_file(const char *path, struct goal_program *out, char *reason, size_t reason_bytes);

#endif
