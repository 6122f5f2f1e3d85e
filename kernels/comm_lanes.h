/* Lanes of a communicator: checked, agreed on, laid out, replaced where the environment forbids what they need. */
#ifndef SHMCOLL_KERNELS_COMM_LANES_H
#define SHMCOLL_KERNELS_COMM_LANES_H

#include "kernels/comm_internal.h"

/* What must be the same everywhere; no padding, compared as bytes. */
struct agreed_lane {
    char protocol[16];
    uint32_t fragment_bytes, slots, sets, readers_most, tree_kind, tree_degree;
    uint64_t size_max_bytes, block_max_bytes;
};

struct agreed {
    struct agreed_lane lane[COMM_LANES_MAX + 1]; /* after the last, what takes their place */
    uint64_t area_bytes;
    uint32_t procs, lanes, huge_pages, control_pages, op_start, zero;
};

struct agreed lanes_agreed(const struct comm_config *config);

/* NULL, or what is wrong with the configuration. */
const char *lanes_fault(const struct comm_config *config);

/* What a lane needs of the segment. */
struct segment_shape lanes_shape(const struct comm_config *config, uint32_t lane);

/* The lanes as the configuration and the plan have them, with their trees over ranks on these domains. 0 or -errno of
 * tree_create_placed. */
int lanes_create(struct comm *comm, const uint32_t *domain_of_rank);

/* This rank's words of a lane before the first call, and the common ones if it is rank 0. */
void lane_words_init(struct comm *comm, const struct lane *lane);

#endif
