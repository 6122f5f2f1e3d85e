/* What mpi_p2p is asked for: its options, and how much one repetition moves. */
#ifndef SHMCOLL_EXPERIMENTS_P2P_PLAN_H
#define SHMCOLL_EXPERIMENTS_P2P_PLAN_H

#include "model/scenario.h"

#include <stdint.h>

enum { P2P_SIZES_MAX = 32, P2P_WAYS_MAX = 12, P2P_WINDOW_MAX = 64, P2P_PATTERNS = P2P_STREAM + 1 };

struct p2p_plan {
    const char *name; /* of the MPI, in the rows */
    const char *word[P2P_WAYS_MAX];
    uint64_t size_bytes[P2P_SIZES_MAX];
    uint32_t words, sizes;
    double time_limit_s; /* for a pattern and size */
};

/* 0, or -EINVAL. */
int p2p_plan_parse(int argc, char **argv, struct p2p_plan *out);
/* Messages of a repetition, one way: for a ping-pong the round trips. */
uint32_t p2p_messages(enum p2p_pattern pattern, uint64_t size_bytes);
/* What a repetition sends from distinct places, at most, over all sizes. */
uint64_t p2p_area_bytes(const struct p2p_plan *plan);

#endif
