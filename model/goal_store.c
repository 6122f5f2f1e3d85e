#include "model/goal_store.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

void goal_store_destroy(struct goal_store *store)
{
    free(store->bytes);
    free(store->slot);
    *store = (struct goal_store){0};
}

static size_t units_of(size_t bytes)
{
    return (bytes + GOAL_STORE_UNIT - 1) / GOAL_STORE_UNIT;
}

void *goal_store_reserve(struct goal_store *store, size_t bytes)
{
    size_t need = store->used_bytes + units_of(bytes) * GOAL_STORE_UNIT;
    if (need > store->room_bytes) {
        size_t more = need > store->room_bytes + store->room_bytes / 2 ? need : store->room_bytes + store->room_bytes / 2;
        unsigned char *larger = realloc(store->bytes, more);
        if (!larger)
            return NULL;
        store->bytes = larger;
        store->room_bytes = more;
    }
    memset(store->bytes + store->used_bytes, 0, need - store->used_bytes);
    return store->bytes + store->used_bytes;
}

/* Word by word, of which there are whole ones. */
static uint32_t hash_of(const unsigned char *bytes, size_t units)
{
    uint64_t hash = units;
    for (size_t i = 0; i < units; i++) {
        uint64_t word;
        memcpy(&word, bytes + i * GOAL_STORE_UNIT, sizeof word);
        hash = (hash ^ word) * 0x9e3779b97f4a7c15u;
        hash ^= hash >> 32;
    }
    return (uint32_t)hash;
}

/* Where the record is, or where it would go. */
static struct goal_kept *slot_of(const struct goal_store *store, const unsigned char *bytes, uint32_t units, uint32_t hash)
{
    for (uint32_t at = hash & (store->slots - 1);; at = (at + 1) & (store->slots - 1)) {
        struct goal_kept *kept = &store->slot[at];
        if (!kept->units)
            return kept;
        if (kept->hash == hash && kept->units == units &&
            memcmp(goal_store_at(store, kept->place), bytes, (size_t)units * GOAL_STORE_UNIT) == 0)
            return kept;
    }
}

static int grow(struct goal_store *store)
{
    uint32_t slots = store->slots ? 2 * store->slots : 64;
    struct goal_kept *larger = calloc(slots, sizeof *larger);
    if (!larger)
        return -ENOMEM;
    for (uint32_t i = 0; i < store->slots; i++) {
        uint32_t at = store->slot[i].hash & (slots - 1);
        if (!store->slot[i].units)
            continue;
        while (larger[at].units)
            at = (at + 1) & (slots - 1);
        larger[at] = store->slot[i];
    }
    free(store->slot);
    store->slot = larger;
    store->slots = slots;
    return 0;
}

int goal_store_keep(struct goal_store *store, size_t bytes, uint32_t *place)
{
    const unsigned char *record = store->bytes + store->used_bytes;
    size_t units = units_of(bytes), end = store->used_bytes / GOAL_STORE_UNIT + units;
    if (end > UINT32_MAX || (store->count >= store->slots / 2 && grow(store)))
        return -ENOMEM;
    uint32_t hash = hash_of(record, units);
    struct goal_kept *kept = slot_of(store, record, (uint32_t)units, hash);
    if (!kept->units) {
        *kept = (struct goal_kept){hash, (uint32_t)(store->used_bytes / GOAL_STORE_UNIT), (uint32_t)units};
        store->used_bytes += units * GOAL_STORE_UNIT;
        store->count++;
    }
    *place = kept->place;
    return 0;
}

void goal_store_seal(struct goal_store *store)
{
    free(store->slot);
    store->slot = NULL;
    store->slots = 0;
    unsigned char *exact = store->used_bytes ? realloc(store->bytes, store->used_bytes) : NULL;
    if (exact) {
        store->bytes = exact;
        store->room_bytes = store->used_bytes;
    }
}
