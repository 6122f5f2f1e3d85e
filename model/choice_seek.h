/* The search behind choice_table.h: the best parameters for one size. */
#ifndef SHMCOLL_MODEL_CHOICE_SEEK_H
#define SHMCOLL_MODEL_CHOICE_SEEK_H

#include "model/choice_table.h"

/* The best so far for the scenario's size. */
struct choice_seek {
    struct scenario scenario;
    int peers, lines;
    uint64_t lane_bytes; /* most that one queue may take */
    struct params best;
    double best_s;
    uint64_t best_bytes; /* of its queue */
    uint32_t candidates;
    int err;             /* -ENOMEM, or why nothing could be judged */
    char reason[200];
};

/* Judges all that makes sense at this size; best_s stays INFINITY if nothing does. */
void choice_seek_size(struct choice_seek *seek, uint64_t size_bytes);
/* Predicted time of given parameters at this size; INFINITY if they cannot carry it. */
double choice_seek_time_s(struct choice_seek *seek, const struct params *params, uint64_t size_bytes);

/* Bytes of the queue that parameters ask for, a rank. */
static inline uint64_t choice_queue_bytes(const struct params *p)
{
    return p->protocol->uses & PROTOCOL_SLOTS ? (uint64_t)p->fragment_bytes * p->slots : 0;
}

#endif
