/* What lanes need beside their own to serve allgathers. */
#ifndef SHMCOLL_KERNELS_ALLGATHER_LANES_H
#define SHMCOLL_KERNELS_ALLGATHER_LANES_H

#include "kernels/comm_lanes.h"

/* Counters of a lane's companion; 0: it has none. */
uint32_t companion_counters(const struct comm_config *config, uint32_t lane);

/* The protocol of broadcasts whose lane serves an allgather's protocol with the lane's own numbers. */
const struct protocol *companion_carrier(const struct protocol *allgather);

/* The part of the segment for short blocks, after all lanes'. */
struct segment_shape companions_shape_brief(const struct comm_config *config);

/* How an allgather of such blocks goes; NULL: not at all. */
const struct protocol *companion_of(const struct comm *comm, uint64_t block_bytes);

/* All companions, once the lanes stand. 0 or -ENOMEM. */
int companions_create(struct comm *comm, const uint32_t *domain_of_rank);

#endif
