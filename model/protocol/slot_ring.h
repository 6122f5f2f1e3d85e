/* The slot ring of MVAPICH2's shared-memory broadcast (2.3; S1 5.5), as a step program.
 *
 * Every rank owns a ring of slots, each with the number of the operation it holds, its psn. The root copies a fragment into
 * the next slot of its own ring and stores the psn; all readers poll that word. There is no tree, and no reader tells anyone
 * that it has read: when a ring is full all ranks meet in a barrier, whose psn lies in the last slot, which carries no data.
 *
 *   root    per fragment: C user -> slot; N psn[self][slot] = n
 *   reader  W wait psn[root][slot] == n; C slot -> user
 *   all     when n comes to the last slot: B rank 0 waits psn[r][last] == n for every r, then stores its own;
 *           the others store psn[self][last] = n and wait for psn[0][last] == n
 *
 * Faithful: the numbers (128 slots of 8 KiB; fragments and barriers share one count), the barrier and its place, who polls what.
 * Not: there the node's leader is always the root and gets the message from another root first; here, as S1 describes it, the
 * root fills its own ring. The psn has 32 bits there too: a slot that its rank has not written for 2^32 operations, of
 * which none came to it, would look filled.
 *
 * R1 N pairs with A1 W: a reader copies what the root has put there. R2 B (a rank's store) pairs with A2 B (rank 0's wait), R3
 * B (rank 0's store) with A3 B (the others' wait): what lay in it before the barrier has been read when a slot is filled. */
#ifndef SHMCOLL_MODEL_PROTOCOL_SLOT_RING_H
#define SHMCOLL_MODEL_PROTOCOL_SLOT_RING_H

#include "model/protocol.h"

enum slot_ring_state {
    SLOT_RING_ROOT_C,
    SLOT_RING_ROOT_N,
    SLOT_RING_READER_W,
    SLOT_RING_READER_C,
    SLOT_RING_B_ARRIVE,
    SLOT_RING_B_GATHER,
    SLOT_RING_B_LEAVE,
    SLOT_RING_DONE,
};

/* Powers of two, so that numbers may wrap. */
static inline uint32_t slot_ring_slot(const struct cursor *c)
{
    return c->op & (c->call->slots - 1);
}

static inline uint32_t slot_ring_fragment(const struct cursor *c)
{
    uint64_t left = c->call->size_bytes - c->offset_bytes;
    return left < c->call->fragment_bytes ? (uint32_t)left : c->call->fragment_bytes;
}

/* The state in which the next operation begins. */
static inline void slot_ring_begin(struct cursor *c)
{
    c->child = 1;
    if (slot_ring_slot(c) == c->call->slots - 1)
        c->state = c->call->rank == 0 ? SLOT_RING_B_GATHER : SLOT_RING_B_ARRIVE;
    else if (c->offset_bytes == c->call->size_bytes)
        c->state = SLOT_RING_DONE;
    else
        c->state = c->call->rank == c->call->root ? SLOT_RING_ROOT_C : SLOT_RING_READER_W;
}

static inline void slot_ring_start(struct cursor *c, const struct bcast_call *call, uint32_t op)
{
    *c = (struct cursor){.call = call, .op = op, .state = SLOT_RING_DONE};
    if (call->procs > 1 && call->size_bytes > 0)
        slot_ring_begin(c);
}

static inline void slot_ring_word(const struct cursor *c, struct step *out, uint32_t op, uint32_t name, uint32_t owner)
{
    out->op = op;
    out->name = name;
    out->word = WORD_CONTROL;
    out->owner = owner;
    out->index = slot_ring_slot(c);
    out->value = c->op;
}

static inline void slot_ring_copy(const struct cursor *c, struct step *out)
{
    struct step_place user = {.kind = PLACE_USER, .owner = c->call->rank};
    struct step_place slot = {.kind = PLACE_SLOT, .owner = c->call->root, .index = slot_ring_slot(c)};
    int in = c->call->rank == c->call->root;
    out->op = STEP_COPY;
    out->name = STEP_NAME_C;
    out->bytes = slot_ring_fragment(c);
    out->offset_bytes = c->offset_bytes;
    out->from = in ? user : slot;
    out->to = in ? slot : user;
}

static inline void slot_ring_advance(struct cursor *c, uint32_t bytes)
{
    c->offset_bytes += bytes;
    c->op++;
    slot_ring_begin(c);
}

static inline void slot_ring_next(struct cursor *c, uint32_t seen, struct step *out)
{
    const struct bcast_call *call = c->call;
    (void)seen;
    switch (c->state) {
    case SLOT_RING_ROOT_C:
        slot_ring_copy(c, out);
        c->state = SLOT_RING_ROOT_N;
        return;
    case SLOT_RING_ROOT_N:
        slot_ring_word(c, out, STEP_STORE, STEP_NAME_N, call->rank); /* R1 */
        slot_ring_advance(c, slot_ring_fragment(c));
        return;
    case SLOT_RING_READER_W:
        slot_ring_word(c, out, STEP_WAIT_EQ, STEP_NAME_W, call->root); /* A1 */
        c->state = SLOT_RING_READER_C;
        return;
    case SLOT_RING_READER_C:
        slot_ring_copy(c, out);
        slot_ring_advance(c, out->bytes);
        return;
    case SLOT_RING_B_GATHER:
        slot_ring_word(c, out, STEP_WAIT_EQ, STEP_NAME_B, c->child); /* A2 */
        if (++c->child == call->procs)
            c->state = SLOT_RING_B_LEAVE;
        return;
    case SLOT_RING_B_ARRIVE:
        slot_ring_word(c, out, STEP_STORE, STEP_NAME_B, call->rank); /* R2 */
        c->state = SLOT_RING_B_LEAVE;
        return;
    case SLOT_RING_B_LEAVE:
        slot_ring_word(c, out, call->rank == 0 ? STEP_STORE : STEP_WAIT_EQ, STEP_NAME_B, 0); /* R3, A3 */
        slot_ring_advance(c, 0);
        return;
    default:
        out->op = STEP_DONE;
        return;
    }
}

static inline uint32_t slot_ring_word_initial(uint32_t word, uint32_t op)
{
    return word == WORD_CONTROL ? op - 1 : 0;
}

#endif
