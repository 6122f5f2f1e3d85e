/* What the programs of allgather have in common: the other ranks in the order in which one reads them, and where blocks lie. */
#ifndef SHMCOLL_MODEL_PROTOCOL_OTHERS_H
#define SHMCOLL_MODEL_PROTOCOL_OTHERS_H

#include "model/protocol.h"

/* The order in which a rank reads the others, into others[procs - 1]: from the next one on, so that not all read one rank's queue
 * at a time; those of the own domain first. */
void others_order(uint32_t procs, uint32_t rank, const uint32_t *domain_of_rank, uint32_t *others);

/* The i-th other rank, i < procs - 1: not all ranks read the same one at a time. */
static inline uint32_t others_rank(const struct bcast_call *call, uint32_t i)
{
    if (call->others)
        return call->others[i];
    uint32_t rank = call->rank + 1 + i;
    return rank >= call->procs ? rank - call->procs : rank;
}

static inline void others_word(struct step *out, uint32_t op, uint32_t name, uint32_t word, uint32_t owner, uint32_t index,
                               uint32_t value)
{
    out->op = op;
    out->name = name;
    out->word = word;
    out->owner = owner;
    out->index = index;
    out->value = value;
}

/* Of the bytes of a block from an offset on, what goes at once. */
static inline uint32_t others_piece(const struct bcast_call *call, uint64_t offset_bytes)
{
    uint64_t left = call->block_bytes - offset_bytes;
    return left < call->fragment_bytes ? (uint32_t)left : call->fragment_bytes;
}

/* A copy of bytes of rank `owner`'s block. */
static inline void others_copy(const struct bcast_call *call, struct step *out, uint32_t owner, uint64_t offset_bytes,
                               uint32_t bytes, struct step_place from, struct step_place to)
{
    out->op = STEP_COPY;
    out->name = STEP_NAME_C;
    out->bytes = bytes;
    out->offset_bytes = owner * call->block_bytes + offset_bytes;
    out->from = from;
    out->to = to;
}

static inline struct step_place others_place(uint32_t kind, uint32_t owner, uint32_t index)
{
    return (struct step_place){.kind = kind, .owner = owner, .index = index};
}

#endif
