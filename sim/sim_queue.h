/* The event queue: a binary heap of small plain events, earliest first.
 *
 * Events of equal time leave in the order in which they were put in, so a simulation
 * is reproducible to the bit. The caller owns the struct; the heap grows by doubling and
 * never shrinks, so pushing allocates nothing once the queue has reached its size. */
#ifndef SHMCOLL_SIM_QUEUE_H
#define SHMCOLL_SIM_QUEUE_H

#include <stddef.h>
#include <stdint.h>

struct sim_event {
    uint64_t time_ps;
    uint64_t order;      /* given by the queue: ties leave in insertion order */
    uint32_t target;     /* whom it concerns; the queue does not look at it */
    uint32_t generation; /* lets the receiver recognise an event it has meanwhile replaced */
};

struct sim_queue {
    struct sim_event *heap; /* [capacity] */
    size_t count, capacity;
    uint64_t pushed, popped;
};

/* 0 or -ENOMEM. */
int sim_queue_create(struct sim_queue *queue, size_t capacity);
void sim_queue_destroy(struct sim_queue *queue);

/* 0 or -ENOMEM. O(log n). */
int sim_queue_push(struct sim_queue *queue, uint64_t time_ps, uint32_t target, uint32_t generation);
/* Takes the earliest event; the queue must not be empty. O(log n). */
struct sim_event sim_queue_pop(struct sim_queue *queue);

/* Time of the earliest event, UINT64_MAX when empty. */
static inline uint64_t sim_queue_head_ps(const struct sim_queue *queue)
{
    return queue->count ? queue->heap[0].time_ps : UINT64_MAX;
}

#endif
