/* Records kept once each: what many ranks of a program have in common takes the memory of one.
 *
 * Records are written at the end of one growing block and dropped again if the same bytes are there already. They are named by
 * their place, in units of 8 bytes; pointers last until the next reserve. */
#ifndef SHMCOLL_MODEL_GOAL_STORE_H
#define SHMCOLL_MODEL_GOAL_STORE_H

#include <stddef.h>
#include <stdint.h>

enum { GOAL_STORE_UNIT = 8 };

struct goal_kept {
    uint32_t hash, place, units; /* empty if units is 0 */
};

/* All zero is an empty one. */
struct goal_store {
    unsigned char *bytes;
    size_t used_bytes, room_bytes;
    struct goal_kept *slot; /* [slots], a power of two; none once sealed */
    uint32_t slots, count;
};

void goal_store_destroy(struct goal_store *store);
/* Zeroed room at the end for a record; NULL if there is no memory. */
void *goal_store_reserve(struct goal_store *store, size_t bytes);
/* Keeps what was written to the room reserved last, of as many bytes (at least 1). 0 with its place, or -ENOMEM. */
int goal_store_keep(struct goal_store *store, size_t bytes, uint32_t *place);
/* Nothing more will come: gives back what is not needed to read. */
void goal_store_seal(struct goal_store *store);

static inline const void *goal_store_at(const struct goal_store *store, uint32_t place)
{
    return store->bytes + (size_t)place * GOAL_STORE_UNIT;
}

#endif
