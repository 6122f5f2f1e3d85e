/* The counted broadcast: pipelined through the root's queue as S1 has it, but every word has one writer and only
 * grows. Fragments are numbered through all calls; fragment n lies in slot n mod s of its root's queue.
 *
 *   root    at the begin of a set, per reader: WK wait ack[reader] >= n - s + s/q; C user -> slot; N ready[self] = n + 1
 *   reader  W wait ready[parent] > n, unless it has seen more already; N ready[self] = what it saw; C slot -> user
 *   all     at the end of a set: K ack[self] = n + 1, root included, for the next root to read
 *
 * Against pipelined: no set to open, no atomic addition, nothing to reset, one notification for all children, and a reader that
 * is behind takes several fragments at once. A reader polls its parent's word; as a word has one writer, a slow rank cannot
 * set a counter back that a later call has moved on. Leaves store theirs too, or it would look like one of the future after
 * 2^31 fragments.
 *
 * Why no root overwrites what is still read: it has passed the begin of the latest set itself, or got fragments from who has, and
 * acknowledgements reach it the same way: fragment n - s has been read by all before n - s + s/q fragments later anyone writes.
 *
 * R1 N pairs with A1 W, from parent to child all down the tree: slots are filled up to that number. R2 K pairs with A2 WK: all
 * ranks have copied the acknowledged fragments, out of whose queue they ever were, before a root fills such a slot again; who
 * begins as root within a set has that by A1 from who began the set. */
#ifndef SHMCOLL_MODEL_PROTOCOL_COUNTED_H
#define SHMCOLL_MODEL_PROTOCOL_COUNTED_H

#include "model/protocol.h"

enum { COUNTED_READY, COUNTED_COUNTERS };

enum counted_state {
    COUNTED_ROOT_WK,
    COUNTED_ROOT_C,
    COUNTED_ROOT_N,
    COUNTED_READER_W,
    COUNTED_READER_SEEN,
    COUNTED_READER_C,
    COUNTED_K,
    COUNTED_DONE,
};

static inline uint32_t counted_set_slots(const struct cursor *c)
{
    return c->call->slots / c->call->sets;
}

static inline uint32_t counted_fragment(const struct cursor *c)
{
    uint64_t left = c->call->size_bytes - c->offset_bytes;
    return left < c->call->fragment_bytes ? (uint32_t)left : c->call->fragment_bytes;
}

/* The state in which the next fragment begins. Powers of two, so that numbers may wrap. */
static inline void counted_begin(struct cursor *c)
{
    c->child = 0;
    if (c->call->rank == c->call->root)
        c->state = (c->op & (counted_set_slots(c) - 1)) == 0 ? COUNTED_ROOT_WK : COUNTED_ROOT_C;
    else
        c->state = (int32_t)(c->known - c->op) > 0 ? COUNTED_READER_C : COUNTED_READER_W;
}

static inline void counted_start(struct cursor *c, const struct bcast_call *call, uint32_t op)
{
    *c = (struct cursor){.call = call, .op = op, .known = op};
    if (call->procs == 1 || call->size_bytes == 0) {
        c->state = COUNTED_DONE;
        return;
    }
    c->peer = tree_parent(call->tree, call->root, call->rank);
    counted_begin(c);
}

static inline void counted_word(struct step *out, uint32_t op, uint32_t name, uint32_t word, uint32_t owner, uint32_t value)
{
    out->op = op;
    out->name = name;
    out->word = word;
    out->owner = owner;
    out->index = 0; /* COUNTED_READY, or the only acknowledgement */
    out->value = value;
}

static inline void counted_copy(struct step *out, const struct cursor *c)
{
    struct step_place user = {.kind = PLACE_USER, .owner = c->call->rank};
    struct step_place slot = {.kind = PLACE_SLOT, .owner = c->call->root, .index = c->op & (c->call->slots - 1)};
    int in = c->call->rank == c->call->root;
    out->op = STEP_COPY;
    out->name = STEP_NAME_C;
    out->bytes = counted_fragment(c);
    out->offset_bytes = c->offset_bytes;
    out->from = in ? user : slot;
    out->to = in ? slot : user;
}

/* A fragment is over: on to the next, by way of K at the end of a set. */
static inline void counted_advance(struct cursor *c)
{
    c->offset_bytes += counted_fragment(c);
    c->op++;
    if ((c->op & (counted_set_slots(c) - 1)) == 0)
        c->state = COUNTED_K;
    else if (c->offset_bytes == c->call->size_bytes)
        c->state = COUNTED_DONE;
    else
        counted_begin(c);
}

static inline void counted_next(struct cursor *c, uint32_t seen, struct step *out)
{
    const struct bcast_call *call = c->call;
    switch (c->state) {
    case COUNTED_ROOT_WK: {
        uint32_t reader = c->child + (c->child >= call->rank);
        counted_word(out, STEP_WAIT_GE, STEP_NAME_WK, WORD_ACK, reader, c->op - call->slots + counted_set_slots(c)); /* A2 */
        if (++c->child == call->procs - 1)
            c->state = COUNTED_ROOT_C;
        return;
    }
    case COUNTED_ROOT_C:
        counted_copy(out, c);
        c->state = COUNTED_ROOT_N;
        return;
    case COUNTED_ROOT_N:
        counted_word(out, STEP_STORE, STEP_NAME_N, WORD_COUNTER, call->rank, c->op + 1); /* R1 */
        counted_advance(c);
        return;
    case COUNTED_READER_W:
        counted_word(out, STEP_WAIT_GE, STEP_NAME_W, WORD_COUNTER, c->peer, c->op + 1); /* A1 */
        c->state = COUNTED_READER_SEEN;
        return;
    case COUNTED_READER_SEEN: /* no root is more than its queue ahead */
        if (seen - c->op > call->slots) {
            out->op = STEP_FAULT;
            out->name = STEP_NAME_W;
            out->value = seen;
            return;
        }
        c->known = seen;
        c->state = COUNTED_READER_C;
        counted_word(out, STEP_STORE, STEP_NAME_N, WORD_COUNTER, call->rank, seen); /* R1 */
        return;
    case COUNTED_READER_C:
        counted_copy(out, c);
        counted_advance(c);
        return;
    case COUNTED_K:
        counted_word(out, STEP_STORE, STEP_NAME_K, WORD_ACK, call->rank, c->op); /* R2 */
        if (c->offset_bytes == call->size_bytes)
            c->state = COUNTED_DONE;
        else
            counted_begin(c);
        return;
    default:
        out->op = STEP_DONE;
        return;
    }
}

static inline uint32_t counted_word_initial(uint32_t word, uint32_t op)
{
    return word == WORD_COUNTER || word == WORD_ACK ? op : 0;
}

#endif
