/* Queues of transfers, linked through the transfers themselves, and their names. */
#include "kernels/channels/endpoint_internal.h"

#include <errno.h>
#include <stdlib.h>

enum { TABLE_FIRST = 64 };

void transfer_queue_start(struct transfer_queue *q)
{
    q->head = NULL;
    q->tail = &q->head;
}

void transfer_queue_push(struct transfer_queue *q, struct transfer *t)
{
    t->next = NULL;
    *q->tail = t;
    q->tail = &t->next;
}

struct transfer *transfer_queue_pop(struct transfer_queue *q)
{
    struct transfer *t = q->head;
    q->head = t->next;
    if (!q->head)
        q->tail = &q->head;
    return t;
}

static int table_grow(struct transfer_table *table)
{
    uint32_t slots = table->slots ? 2 * table->slots : TABLE_FIRST;
    struct transfer **slot = realloc(table->slot, slots * sizeof(struct transfer *));
    if (!slot)
        return -ENOMEM;
    table->slot = slot;
    uint32_t *free_ids = realloc(table->free, slots * sizeof *free_ids);
    if (!free_ids)
        return -ENOMEM;
    table->free = free_ids;
    for (uint32_t i = slots; i > table->slots; i--) { /* the lowest on top */
        slot[i - 1] = NULL;
        free_ids[table->free_count++] = i;
    }
    table->slots = slots;
    return 0;
}

int transfer_id_take(struct transfer_table *table, struct transfer *t)
{
    if (table->free_count == 0 && table_grow(table))
        return -ENOMEM;
    t->own_id = table->free[--table->free_count];
    table->slot[t->own_id - 1] = t;
    return 0;
}

void transfer_id_give(struct transfer_table *table, struct transfer *t)
{
    table->slot[t->own_id - 1] = NULL;
    table->free[table->free_count++] = t->own_id;
    t->own_id = 0;
}

struct transfer *transfer_of_id(const struct transfer_table *table, uint32_t id, uint32_t peer)
{
    struct transfer *t = id > 0 && id <= table->slots ? table->slot[id - 1] : NULL;
    return t && t->peer == peer ? t : NULL;
}
