/* Many readers of one message that its writer has in its own caches.
 *
 * While all are on the writer's socket, what lies in its first-level cache comes at fresh_s_per_byte, the rest at the rate of a
 * copy-out from warm memory, as long as the slices of its last-level cache can serve all of them, a byte in slice_s_per_byte.
 * Once somebody reads on another socket, lines that go there leave the writer's socket, and its readers have to get them back
 * from there: all go at contested_s_per_byte. A single reader there pays for every line, by lone_slowdown; several bring lines
 * for one another.
 * Measured on Skylake and Cascade Lake by Katevenis et al., ICPP 2023. Pure. */
#ifndef SHMCOLL_MODEL_SHARED_READ_H
#define SHMCOLL_MODEL_SHARED_READ_H

#include "model/scenario.h"

/* Whether all readers of this scenario copy at the same time from the buffer that its root has just written, and the node knows
 * what that costs. O(procs), as the other. */
int shared_read_applies(const struct scenario *scenario);
/* Seconds in which a reader copies so many bytes of the message, that would be alone_s for a single one near the root. */
double shared_read_s(const struct scenario *scenario, uint64_t bytes, double alone_s);

#endif
