/* What mpi_compare is asked for: its options, and the contenders they name. */
#ifndef SHMCOLL_EXPERIMENTS_COMPARE_OPTIONS_H
#define SHMCOLL_EXPERIMENTS_COMPARE_OPTIONS_H

#include "experiments/bench/contender.h"

enum { COMPARE_CONTENDERS_MAX = 32, COMPARE_SIZES_MAX = 32 };

struct compare_options {
    const char *name; /* of the MPI, in the rows */
    const char *node; /* what best goes by */
    const char *word[COMPARE_CONTENDERS_MAX];
    uint64_t size_bytes[COMPARE_SIZES_MAX]; /* of the message, or of a block */
    uint32_t words, sizes, root;
    double time_limit_s;
    int shared_memory; /* user buffers from the segment, or from MPI_Alloc_mem */
    int allgather;     /* else a broadcast */
    int in_place;      /* allgather: the own block is there already */
};

/* 0 and the contenders, or -EINVAL; a contender that makes no sense is told on standard error. */
int compare_options_parse(int argc, char **argv, uint32_t procs, struct compare_options *out, struct contender *contenders,
                          uint32_t *count);

extern const char compare_options_usage[];

#endif
