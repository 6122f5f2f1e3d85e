#include "model/channel/registration.h"

static int holds(const struct registration *r, uint64_t address, uint64_t bytes)
{
    return r->used && address >= r->address && address - r->address <= r->bytes && bytes <= r->bytes - (address - r->address);
}

int registration_use(struct registration_cache *cache, uint64_t address, uint64_t bytes)
{
    struct registration *oldest = cache->entry;
    cache->now++;
    for (struct registration *r = cache->entry; r < cache->entry + cache->entries; r++) {
        if (holds(r, address, bytes)) {
            r->used = cache->now;
            cache->hits++;
            return 1;
        }
        oldest = r->used < oldest->used ? r : oldest;
    }
    cache->misses++;
    if (cache->entries) {
        cache->evicted += oldest->used != 0;
        *oldest = (struct registration){address, bytes, cache->now};
    }
    return 0;
}
