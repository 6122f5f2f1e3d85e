/* The smallest queue of a protocol, for tests that want many steps of few bytes. */
#ifndef SHMCOLL_TESTS_SMALL_LANE_H
#define SHMCOLL_TESTS_SMALL_LANE_H

#include "kernels/comm.h"

/* A lane of few slots, and a size of more fragments than those; or one that fits into a line, for a protocol that has only lines.
 * 0, or -EINVAL if the protocol takes none of the shapes tried. */
int small_lane_make(const struct protocol *protocol, struct comm_lane *lane, uint64_t *size_bytes);

#endif
