/* What somebody measured of Open MPI's messages and broadcasts on a node of two 12-core Xeons, and what the first tell of the
 * second. Reads the files of the folder SHMCOLL_DATA, ../shared/data if that is not set; one that is not as expected fails the
 * test. */
#ifndef SHMCOLL_TESTS_BCAST_BED_H
#define SHMCOLL_TESTS_BCAST_BED_H

#include "model/schedule.h"

#include <stdio.h>

enum { CORES = 24, HALF = 12, SIZES = 21, ALGORITHMS = 4, PAGE_BYTES = 4096 };
enum { NEAR, FAR };
enum { LINEAR, CHAIN, BINARY, BINOMIAL, THREE = CHAIN /* the algorithms that the file has */ };

/* By their names in the file. */
struct bcast_algorithm {
    const char *name;
    const struct schedule_algorithm *schedule;
};
extern const struct bcast_algorithm bcast_algorithms[ALGORITHMS];
extern const char *const bcast_mappings[2];

struct bcast_bed {
    double pair_s[2][SIZES]; /* [near, far][log2 size], median */
    double bcast_s[ALGORITHMS][2][CORES + 1][SIZES]; /* [algorithm][mapping][procs][log2 size]; 0: not measured */
    double predicted_s[ALGORITHMS][2][CORES + 1][SIZES];
    double measured_s[ALGORITHMS][2][CORES + 1][SIZES]; /* binomial: mean of both measurements */
};

/* A file after its first line; NULL if there is none. */
FILE *bcast_data_open(const char *name);

/* Measured and predicted; free() it. */
struct bcast_bed *bcast_bed_make(void);

/* The same message under four names. */
double bcast_two_ranks_s(const struct bcast_bed *b, unsigned far, unsigned i);

/* A pair's smallest message: in thirds the sender's, the way, the receiver's. Assumed; then the way is 65 ns near and 147 ns far,
 * and kin of this node hand a line over in 48 and 141. */
double bcast_third_s(const struct bcast_bed *b, unsigned far);

/* Mean over ranks. */
double bcast_predict_s(const struct bcast_bed *b, unsigned algorithm, unsigned mapping, unsigned procs, unsigned i);

#endif
