/* What channels take of memory, counted: messages of a pattern are gone through round by round, and what each pair needs is made
 * at its first message, rings for who comes first. Of very many ranks, as nothing is moved. Against the forms of
 * channel_memory.h. */
#ifndef SHMCOLL_SIM_CHANNEL_COUNT_H
#define SHMCOLL_SIM_CHANNEL_COUNT_H

#include "model/channel/channel_shape.h"

#include <stdint.h>

struct sim_channel_traffic {
    uint32_t procs, rounds;
    /* Whom a rank sends a message in that round; itself: nobody. */
    uint32_t (*to)(const void *context, uint32_t rank, uint32_t round);
    const void *context;
};

struct sim_channel_counted {
    uint64_t bytes, bytes_most; /* of all ranks; of one */
    uint64_t pairs, rings;      /* that were made; a ring is at two ranks */
};

/* 0 or -ENOMEM. */
int sim_channel_count(const struct channel_kind *kind, const struct channel_shape *shape,
                      const struct sim_channel_traffic *traffic, struct sim_channel_counted *out);

#endif
