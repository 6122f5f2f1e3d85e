/* The single-copy broadcast: the root offers its buffer, every reader copies straight out of it.
 *
 *   root    O offer; per reader: WE wait ended[reader] = n + 1; E ended[self] = n + 1, so that it never lies far behind
 *   reader  WP wait for the root's offer n + 1, and until the reader `readers_most` places before has ended; per fragment:
 *           C root's buffer -> own; E ended[self] = n + 1
 *
 * n numbers the calls. Nothing goes through the segment but these words, so the queue's parameters do not matter;
 * fragment_bytes is the piece that is copied at once.
 *
 * R1 O pairs with A1 WP: the root's buffer holds the message, and the offer says where it is. R2 E pairs with A2 WE: all have
 * copied before the root's caller may change the buffer. The turn, E to WP, orders no data. */
#ifndef SHMCOLL_MODEL_PROTOCOL_SINGLE_COPY_H
#define SHMCOLL_MODEL_PROTOCOL_SINGLE_COPY_H

#include "model/protocol.h"

enum { SINGLE_COPY_ENDED, SINGLE_COPY_COUNTERS };

enum single_copy_state {
    SINGLE_COPY_ROOT_O,
    SINGLE_COPY_ROOT_WE,
    SINGLE_COPY_READER_WP,
    SINGLE_COPY_READER_TURN,
    SINGLE_COPY_READER_C,
    SINGLE_COPY_E,
    SINGLE_COPY_DONE,
};

static inline void single_copy_start(struct cursor *c, const struct bcast_call *call, uint32_t op)
{
    *c = (struct cursor){.call = call, .op = op + 1};
    if (call->procs == 1 || call->size_bytes == 0)
        *c = (struct cursor){.call = call, .op = op, .state = SINGLE_COPY_DONE};
    else
        c->state = call->rank == call->root ? SINGLE_COPY_ROOT_O : SINGLE_COPY_READER_WP;
}

static inline void single_copy_word(const struct cursor *c, struct step *out, uint32_t op, uint32_t name, uint32_t word,
                                    uint32_t owner)
{
    out->op = op;
    out->name = name;
    out->word = word;
    out->owner = owner;
    out->index = 0; /* SINGLE_COPY_ENDED, or the only offer */
    out->value = c->op;
}

static inline void single_copy_copy(struct cursor *c, struct step *out)
{
    const struct bcast_call *call = c->call;
    uint64_t left = call->size_bytes - c->offset_bytes;
    out->op = STEP_COPY;
    out->name = STEP_NAME_C;
    out->bytes = left < call->fragment_bytes ? (uint32_t)left : call->fragment_bytes;
    out->offset_bytes = c->offset_bytes;
    out->from = (struct step_place){.kind = PLACE_PEER, .owner = call->root};
    out->to = (struct step_place){.kind = PLACE_USER, .owner = call->rank};
    c->offset_bytes += out->bytes;
}

/* The reader whose end is this one's turn; false if it need not wait. */
static inline int single_copy_before(const struct bcast_call *call, uint32_t readers_most, uint32_t *reader)
{
    uint32_t v = tree_virtual(call->tree, call->root, call->rank);
    if (readers_most == 0 || v <= readers_most)
        return 0;
    *reader = tree_rank(call->tree, call->root, v - readers_most);
    return 1;
}

static inline void single_copy_step(struct cursor *c, uint32_t seen, struct step *out, uint32_t readers_most)
{
    const struct bcast_call *call = c->call;
    (void)seen;
    switch (c->state) {
    case SINGLE_COPY_ROOT_O:
        single_copy_word(c, out, STEP_OFFER, STEP_NAME_O, WORD_OFFER, call->rank); /* R1 */
        c->state = SINGLE_COPY_ROOT_WE;
        return;
    case SINGLE_COPY_ROOT_WE:
        single_copy_word(c, out, STEP_WAIT_GE, STEP_NAME_WE, WORD_COUNTER, c->child + (c->child >= call->rank)); /* A2 */
        if (++c->child == call->procs - 1)
            c->state = SINGLE_COPY_E;
        return;
    case SINGLE_COPY_READER_WP:
        single_copy_word(c, out, STEP_WAIT_EQ, STEP_NAME_WP, WORD_OFFER, call->root); /* A1 */
        c->state = single_copy_before(call, readers_most, &c->peer) ? SINGLE_COPY_READER_TURN : SINGLE_COPY_READER_C;
        return;
    case SINGLE_COPY_READER_TURN:
        single_copy_word(c, out, STEP_WAIT_GE, STEP_NAME_WP, WORD_COUNTER, c->peer);
        c->state = SINGLE_COPY_READER_C;
        return;
    case SINGLE_COPY_READER_C:
        single_copy_copy(c, out);
        if (c->offset_bytes == call->size_bytes)
            c->state = SINGLE_COPY_E;
        return;
    case SINGLE_COPY_E:
        single_copy_word(c, out, STEP_STORE, STEP_NAME_E, WORD_COUNTER, call->rank); /* R2 */
        c->state = SINGLE_COPY_DONE;
        return;
    default:
        out->op = STEP_DONE;
        return;
    }
}

static inline void single_copy_next(struct cursor *c, uint32_t seen, struct step *out)
{
    single_copy_step(c, seen, out, c->call->readers_most);
}

static inline uint32_t single_copy_word_initial(uint32_t word, uint32_t op)
{
    (void)word;
    return op;
}

#endif
