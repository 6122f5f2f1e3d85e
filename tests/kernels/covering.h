/* Covering arrays: cases such that every possible pair of values of any two parameters occurs in at least one. */
#ifndef SHMCOLL_TESTS_COVERING_H
#define SHMCOLL_TESTS_COVERING_H

#include <stdint.h>

enum { COVERING_FACTORS_MAX = 20, COVERING_LEVELS_MAX = 10 };

/* One value, by index, of every factor. */
struct covering_row {
    uint8_t level[COVERING_FACTORS_MAX];
};

struct covering_space {
    const void *context;
    uint32_t factors;
    const uint32_t *levels; /* of each factor */
    uint32_t deciding;      /* whether a row is possible depends on the first so many factors only */
    int (*possible)(const void *context, const struct covering_row *row);
};

/* Greedy, by the seed. rows[rows_max]; returns how many are used, 0 if they do not suffice. *pairs: how many are covered. */
uint32_t covering_make(const struct covering_space *space, uint64_t seed, struct covering_row *rows, uint32_t rows_max,
                       uint32_t *pairs);

#endif
