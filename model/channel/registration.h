/* Memory registered with a network interface, remembered (S2 4.4): what has been registered stays so until room is needed for
 * another. Pure arithmetic over the caller's entries. */
#ifndef SHMCOLL_MODEL_CHANNEL_REGISTRATION_H
#define SHMCOLL_MODEL_CHANNEL_REGISTRATION_H

#include <stdint.h>

struct registration {
    uint64_t address, bytes, used; /* used: when last; 0: never, the entry is free */
};

struct registration_cache {
    struct registration *entry; /* [entries], all zero at first */
    uint32_t entries;
    uint64_t now, hits, misses, evicted;
};

/* 1 if the range lies within one that is registered. Else 0, and from now on it is, in place of the one not used for longest. */
int registration_use(struct registration_cache *cache, uint64_t address, uint64_t bytes);

#endif
