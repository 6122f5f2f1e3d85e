/* The parameter space of the broadcast. */
#ifndef SHMCOLL_TESTS_BCAST_FACTORS_H
#define SHMCOLL_TESTS_BCAST_FACTORS_H

#include "bcast_case.h"
#include "covering.h"

enum {
    /* On these it depends whether a case is possible. */
    FACTOR_SETS,
    FACTOR_SLOTS,
    FACTOR_FRAGMENT,
    FACTOR_SIZE,
    FACTOR_PROCS,
    FACTOR_TREE,
    FACTOR_READERS,
    FACTOR_DECIDING, /* how many these are */
    FACTOR_ROOT = FACTOR_DECIDING,
    FACTOR_BACKEND,
    FACTOR_LANES,
    FACTOR_CALLS,
    FACTOR_BUFFERS,
    FACTOR_PACKED,
    FACTOR_START, /* of the counters */
    FACTOR_DELAY,
    FACTOR_COPY_OUT,
    FACTOR_EXECUTOR,
    FACTOR_COUNT
};

extern const uint32_t bcast_factor_levels[FACTOR_COUNT];

struct bcast_case bcast_factors_case(const struct protocol *protocol, const struct covering_row *row);
/* Message size of a level for a fragment: 0, 1, f-1, f, f+1, 3f+5, 1 MiB. */
uint64_t bcast_factor_size_bytes(uint32_t level, uint32_t fragment_bytes);
/* What of it the protocol can do. */
struct covering_space bcast_factors_space(const struct protocol *protocol);

#endif
