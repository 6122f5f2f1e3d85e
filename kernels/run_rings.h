/* What a measured run of an allgather by schedule goes over: an endpoint with exclusive rings. */
#ifndef SHMCOLL_KERNELS_RUN_RINGS_H
#define SHMCOLL_KERNELS_RUN_RINGS_H

#include "kernels/allgather_schedule.h"
#include "kernels/launcher.h"

struct run_rings {
    struct endpoint *endpoint;
    struct schedule schedule;
};

/* Whether there are rings of so many slots of such fragments. */
int run_rings_fit(const struct params *params);

/* Collective; the scenario has an algorithm. *comm is the endpoint's own, for what there is to ask it. 0, or as endpoint_create. */
int run_rings_create(struct run_rings *rings, struct launch_rank *self, const struct scenario *scenario, struct comm **comm);
void run_rings_destroy(struct run_rings *rings);
int run_rings_gather(struct run_rings *rings, const void *send, void *receive, uint64_t block_bytes);

#endif
