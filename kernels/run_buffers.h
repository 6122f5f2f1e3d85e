/* The user buffers of one rank in a measured run: where they lie in a slot of its pool, what they hold before a repetition, and
 * what they must hold after it. Pure; the slot is the caller's. */
#ifndef SHMCOLL_KERNELS_RUN_BUFFERS_H
#define SHMCOLL_KERNELS_RUN_BUFFERS_H

#include "model/scenario.h"

#include <stddef.h>
#include <stdint.h>

/* What a repetition sends and receives; of a broadcast the same place. Of p2p there are `count` places each, `stride` bytes
 * apart. */
struct run_places {
    unsigned char *send, *receive;
    uint64_t stride;
    uint32_t count;
};

/* Messages of a repetition, one after another: a ping-pong's are so many that its begin and end weigh little. */
uint32_t run_messages_of(const struct scenario *scenario);
/* What a repetition takes, with guards around it. */
size_t run_slot_bytes(const struct scenario *scenario);
struct run_places run_places_of(const struct scenario *scenario, uint32_t rank, unsigned char *slot);

/* Payloads depend on the repetition and the rank they come from; what is to be received is poisoned. */
void run_places_fill(const struct scenario *scenario, uint32_t rank, const struct run_places *places, uint32_t repetition);
/* The first wrong byte of what was received, its length where a guard was written to; -1 if all is right. */
int64_t run_places_wrong(const struct scenario *scenario, uint32_t rank, const struct run_places *places, uint32_t repetition);
/* The root of a broadcast's repetition; else 0. */
uint32_t run_root_of(const struct scenario *scenario, uint32_t repetition);

#endif
