#include "sim/sim_queue.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>

int sim_queue_create(struct sim_queue *queue, size_t capacity)
{
    *queue = (struct sim_queue){.capacity = capacity ? capacity : 1};
    queue->heap = malloc(queue->capacity * sizeof *queue->heap);
    return queue->heap ? 0 : -ENOMEM;
}

void sim_queue_destroy(struct sim_queue *queue)
{
    free(queue->heap);
    *queue = (struct sim_queue){0};
}

static inline int before(const struct sim_event *a, const struct sim_event *b)
{
    return a->time_ps < b->time_ps || (a->time_ps == b->time_ps && a->order < b->order);
}

static int grow(struct sim_queue *queue)
{
    struct sim_event *heap = realloc(queue->heap, 2 * queue->capacity * sizeof *heap);
    if (!heap)
        return -ENOMEM;
    queue->heap = heap;
    queue->capacity *= 2;
    return 0;
}

int sim_queue_push(struct sim_queue *queue, uint64_t time_ps, uint32_t target, uint32_t generation)
{
    if (queue->count == queue->capacity && grow(queue) != 0)
        return -ENOMEM;
    struct sim_event event = {time_ps, queue->pushed++, target, generation};
    size_t hole = queue->count++;
    while (hole > 0 && before(&event, &queue->heap[(hole - 1) / 2])) {
        queue->heap[hole] = queue->heap[(hole - 1) / 2];
        hole = (hole - 1) / 2;
    }
    queue->heap[hole] = event;
    return 0;
}

struct sim_event sim_queue_pop(struct sim_queue *queue)
{
    assert(queue->count > 0);
    struct sim_event *heap = queue->heap, first = heap[0], last = heap[--queue->count];
    size_t hole = 0;
    for (size_t child = 1; child < queue->count; child = 2 * hole + 1) {
        if (child + 1 < queue->count && before(&heap[child + 1], &heap[child]))
            child++;
        if (!before(&heap[child], &last))
            break;
        heap[hole] = heap[child];
        hole = child;
    }
    heap[hole] = last;
    queue->popped++;
    return first;
}
