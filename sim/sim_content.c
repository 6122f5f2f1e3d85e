#include "sim/sim_content.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

int sim_content_create(struct sim_content *c, uint32_t items, uint32_t caches, uint32_t procs, uint64_t cache_bytes)
{
    *c = (struct sim_content){.items = items, .caches = caches, .procs = procs,
                              .room_pages = (uint32_t)(cache_bytes / SIM_CONTENT_PAGE_BYTES)};
    c->place = malloc(((size_t)items * caches + 1) * sizeof *c->place);
    c->leading = malloc(procs * sizeof *c->leading);
    c->come_bytes = calloc(caches, sizeof *c->come_bytes);
    if (!c->place || !c->leading || !c->come_bytes) {
        sim_content_destroy(c);
        return -ENOMEM;
    }
    sim_content_forget(c);
    return 0;
}

void sim_content_destroy(struct sim_content *c)
{
    free(c->place);
    free(c->leading);
    free(c->come_bytes);
    *c = (struct sim_content){0};
}

void sim_content_forget(struct sim_content *c)
{
    memset(c->place, 0xff, (size_t)c->items * c->caches * sizeof *c->place);
    memset(c->leading, 0xff, c->procs * sizeof *c->leading);
}

static uint32_t pages_come(const struct sim_content *c, uint32_t cache)
{
    return (uint32_t)(c->come_bytes[cache] / SIM_CONTENT_PAGE_BYTES);
}

enum sim_presence sim_content_find(const struct sim_content *c, uint32_t item, uint32_t cache)
{
    const struct sim_place *place = &c->place[(size_t)item * c->caches + cache];
    if (place->rank == SIM_NO_ITEM)
        return SIM_ABSENT;
    if (c->leading[place->rank] == item)
        return SIM_COMING;
    return c->room_pages && pages_come(c, cache) - place->before > c->room_pages ? SIM_ABSENT : SIM_PRESENT;
}

static void arrive(struct sim_content *c, uint32_t item, uint32_t cache, uint32_t rank, uint32_t bytes)
{
    c->place[(size_t)item * c->caches + cache] = (struct sim_place){rank, pages_come(c, cache)};
    c->come_bytes[cache] += bytes;
}

void sim_content_lead(struct sim_content *c, uint32_t item, uint32_t cache, uint32_t rank, uint32_t bytes)
{
    arrive(c, item, cache, rank, bytes);
    c->leading[rank] = item;
}

void sim_content_fill(struct sim_content *c, uint32_t cache, uint32_t bytes)
{
    c->come_bytes[cache] += bytes;
}

void sim_content_drop(struct sim_content *c, uint32_t item)
{
    memset(c->place + (size_t)item * c->caches, 0xff, c->caches * sizeof *c->place);
}

void sim_content_write(struct sim_content *c, uint32_t item, uint32_t cache, uint32_t rank, uint32_t bytes)
{
    sim_content_drop(c, item);
    arrive(c, item, cache, rank, bytes);
}
