/* What a measured run goes over where ranks exchange messages: an endpoint with the scenario's channel. */
#ifndef SHMCOLL_KERNELS_RUN_MESSAGES_H
#define SHMCOLL_KERNELS_RUN_MESSAGES_H

#include "kernels/allgather_schedule.h"
#include "kernels/launcher.h"
#include "kernels/run_buffers.h"

struct run_messages {
    const struct scenario *scenario;
    struct endpoint *endpoint;
    struct schedule schedule;   /* of an allgather */
    struct numbering numbering; /* of it, if the scenario has one: of one that exchanges this rank keeps the neighbours only */
    struct numbering_neighbours neighbours;
    struct transfer *transfer;  /* of p2p: [window] */
};

/* Whether the channel has queues of so many slots of such fragments. */
int run_messages_fit(const struct scenario *scenario);

/* Collective; the scenario goes by messages. *comm is the endpoint's own, for what there is to ask it. 0, or as
 * endpoint_create. */
int run_messages_create(struct run_messages *m, struct launch_rank *self, const struct scenario *scenario, struct comm **comm);
void run_messages_destroy(struct run_messages *m);

/* One repetition, on all ranks. 0; -EPROTO where a message has another length than was sent; an error of the endpoint. */
int run_messages_repeat(struct run_messages *m, const struct run_places *places);

#endif
