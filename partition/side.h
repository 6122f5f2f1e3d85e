/* Within partition/: a priority queue of vertices by gain, in which a vertex's gain may change. */
#ifndef SHMCOLL_PARTITION_SIDE_H
#define SHMCOLL_PARTITION_SIDE_H

#include <stdint.h>

struct side {
    const int64_t *gain; /* [vertex] */
    uint32_t *place;     /* [vertex] where in `vertex` it is; shared by all queues */
    uint32_t *vertex;    /* a heap, the best first */
    uint32_t count;
};

void side_push(struct side *side, uint32_t v);
/* The gain of a vertex in the queue has changed. */
void side_update(struct side *side, uint32_t v);
/* Takes out the vertex of most gain, of those with as much the first. */
uint32_t side_pop(struct side *side);

#endif
