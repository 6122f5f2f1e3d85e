/* The parameter space of the broadcast, and a covering array over it for each protocol: cases such that every
 * possible pair of values of any two parameters occurs in at least one. */
#ifndef SHMCOLL_TESTS_COVERING_H
#define SHMCOLL_TESTS_COVERING_H

#include "bcast_case.h"

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

/* One value, by index, of every factor. */
struct covering_row {
    uint8_t level[FACTOR_COUNT];
};

uint32_t covering_levels(uint32_t factor);
struct bcast_case covering_case(const struct protocol *protocol, const struct covering_row *row);
/* Message size of a level for a fragment: 0, 1, f-1, f, f+1, 3f+5, 1 MiB. */
uint64_t covering_size_bytes(uint32_t level, uint32_t fragment_bytes);

/* Greedy, by the seed. rows[rows_max]; returns how many are used, 0 if they do not suffice. *pairs: how many are covered. */
uint32_t covering_make(const struct protocol *protocol, uint64_t seed, struct covering_row *rows, uint32_t rows_max, uint32_t *pairs);

#endif
