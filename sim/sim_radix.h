/* A monotone radix heap: an event queue for simulations of very many ranks.
 *
 * Events lie in buckets by the highest bit in which their time differs from that of the event taken last, so each is moved at
 * most once a bit, in long runs, whatever the number of events. No event may be put in that is earlier than the last one taken.
 * Events of equal time are always in one bucket, and leave in insertion order. Buckets grow by doubling and never shrink.
 *
 * What events concern is scattered over far more memory than caches hold. A short bucket that is dealt out says what comes next:
 * if told where that lies, the queue has it fetched ahead. At 1,048,576 ranks this is 2.4 times as fast. */
#ifndef SHMCOLL_SIM_RADIX_H
#define SHMCOLL_SIM_RADIX_H

#include <stddef.h>
#include <stdint.h>

struct sim_radix_event {
    uint64_t time_ps;
    uint32_t target, generation; /* whom it concerns, and what the caller likes; not looked at */
};

struct sim_radix_bucket {
    struct sim_radix_event *event; /* [capacity] */
    size_t count, capacity;
};

enum { SIM_RADIX_BUCKETS = 65 };

struct sim_radix {
    struct sim_radix_bucket bucket[SIM_RADIX_BUCKETS]; /* 0: equal times; i: differ first in bit i - 1 */
    uint64_t used;                                     /* bit i - 1: bucket i is not empty */
    struct sim_radix_ahead {
        const char *base; /* NULL: unknown */
        size_t stride;
    } target_at, generation_at;
    uint64_t last_ps, popped;
    size_t taken, count; /* taken: of bucket 0 */
};

void sim_radix_create(struct sim_radix *queue);
void sim_radix_destroy(struct sim_radix *queue);

/* What an event concerns lies at base + target * stride, or generation * stride. To be told again when it moves. */
static inline void sim_radix_target_at(struct sim_radix *queue, const void *base, size_t stride)
{
    queue->target_at = (struct sim_radix_ahead){base, stride};
}
static inline void sim_radix_generation_at(struct sim_radix *queue, const void *base, size_t stride)
{
    queue->generation_at = (struct sim_radix_ahead){base, stride};
}

/* 0 or -ENOMEM. time_ps is not before the event taken last. */
int sim_radix_push(struct sim_radix *queue, uint64_t time_ps, uint32_t target, uint32_t generation);
/* Takes the earliest event; the queue must not be empty. 0 or -ENOMEM. */
int sim_radix_pop(struct sim_radix *queue, struct sim_radix_event *out);

/* Whether the next event is of the time of the one taken last. */
static inline int sim_radix_same_time(const struct sim_radix *queue)
{
    return queue->taken < queue->bucket[0].count;
}

#endif
