/* Which last-level cache has what: slots of the queue, pieces of users' buffers.
 *
 * A content reaches a cache once: the first reader there leads and brings it; who comes while it does follows at its pace, and
 * for later ones it is there, until as many bytes as the cache holds have come after it. */
#ifndef SHMCOLL_SIM_CONTENT_H
#define SHMCOLL_SIM_CONTENT_H

#include <stddef.h>
#include <stdint.h>

enum sim_presence { SIM_ABSENT, SIM_COMING, SIM_PRESENT };

struct sim_place {
    uint32_t rank;   /* who brought it, SIM_NO_ITEM: nobody */
    uint32_t before; /* pages that had come into the cache before it; may wrap */
};

enum { SIM_NO_ITEM = UINT32_MAX, SIM_CONTENT_PAGE_BYTES = 4096 };

struct sim_content {
    uint32_t items, caches, procs;
    uint32_t room_pages;     /* of one cache; 0: nothing is ever driven out */
    struct sim_place *place; /* [item*caches + cache] */
    uint32_t *leading;       /* [rank] what it is bringing right now, or SIM_NO_ITEM */
    uint64_t *come_bytes;    /* [cache] in all */
};

/* Nothing is anywhere. cache_bytes 0: nothing is driven out. 0 or -ENOMEM. */
int sim_content_create(struct sim_content *content, uint32_t items, uint32_t caches, uint32_t procs, uint64_t cache_bytes);
void sim_content_destroy(struct sim_content *content);
/* Nothing is anywhere again. */
void sim_content_forget(struct sim_content *content);

/* What a reader finds there. */
enum sim_presence sim_content_find(const struct sim_content *content, uint32_t item, uint32_t cache);
/* `rank` begins to bring bytes of it there. */
void sim_content_lead(struct sim_content *content, uint32_t item, uint32_t cache, uint32_t rank, uint32_t bytes);
/* Overwritten by a rank of that cache: it is there and nowhere else. */
void sim_content_write(struct sim_content *content, uint32_t item, uint32_t cache, uint32_t rank, uint32_t bytes);
/* Bytes come there that nobody will look for. */
void sim_content_fill(struct sim_content *content, uint32_t cache, uint32_t bytes);
/* Overwritten: it is nowhere. */
void sim_content_drop(struct sim_content *content, uint32_t item);

/* The rank's copy is over. */
static inline void sim_content_settle(struct sim_content *content, uint32_t rank)
{
    content->leading[rank] = SIM_NO_ITEM;
}

#endif
