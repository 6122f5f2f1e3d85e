/* The direct allgather of short blocks: the payload rides in the line of the counter that announces it.
 *
 * Every rank owns `lines` lines, two at least, which it alone writes, in turn; all others read them there. One line crosses to
 * each reader.
 *
 *   C send -> own line; N line counter = op; C send -> own block, unless it is in place
 *   per other rank, the nearest first: W wait its line counter == op; C line -> its block
 *
 * Nothing is acknowledged: who has seen every other rank's line of one call knows that all have read those of the call before,
 * whose lines are free.
 *
 * R1 N pairs with A1 W: the payload is in the line, and the lines of the call before have been read. */
#ifndef SHMCOLL_MODEL_PROTOCOL_DIRECT_LINE_H
#define SHMCOLL_MODEL_PROTOCOL_DIRECT_LINE_H

#include "model/protocol/others.h"

enum { DIRECT_LINES = 2 };

enum direct_line_state {
    DIRECT_LINE_IN,
    DIRECT_LINE_N,
    DIRECT_LINE_OWN,
    DIRECT_LINE_W,
    DIRECT_LINE_C,
    DIRECT_LINE_DONE,
};

static inline void direct_line_start(struct cursor *c, const struct bcast_call *call, uint32_t op)
{
    *c = (struct cursor){.call = call, .op = op};
    c->index = op & (call->lines - 1);
    c->state = call->procs == 1 || call->block_bytes == 0 ? DIRECT_LINE_DONE : DIRECT_LINE_IN;
}

static inline void direct_line_copy(const struct cursor *c, struct step *out, uint32_t owner, uint32_t from, uint32_t to)
{
    const struct bcast_call *call = c->call;
    others_copy(call, out, owner, 0, (uint32_t)call->block_bytes, others_place(from, owner, c->index),
                others_place(to, call->rank, c->index));
}

/* The next other rank, or the end. */
static inline void direct_line_go_on(struct cursor *c)
{
    if (c->child < c->call->procs - 1) {
        c->peer = others_rank(c->call, c->child++);
        c->state = DIRECT_LINE_W;
    } else {
        c->op++;
        c->state = DIRECT_LINE_DONE;
    }
}

static inline void direct_line_next(struct cursor *c, uint32_t seen, struct step *out)
{
    (void)seen;
    const struct bcast_call *call = c->call;
    uint32_t self = call->rank;
    switch (c->state) {
    case DIRECT_LINE_IN:
        direct_line_copy(c, out, self, PLACE_SEND, PLACE_LINE);
        c->state = DIRECT_LINE_N;
        return;
    case DIRECT_LINE_N:
        others_word(out, STEP_STORE, STEP_NAME_N, WORD_LINE, self, c->index, c->op); /* R1 */
        if (call->in_place)
            direct_line_go_on(c);
        else
            c->state = DIRECT_LINE_OWN;
        return;
    case DIRECT_LINE_OWN:
        direct_line_copy(c, out, self, PLACE_SEND, PLACE_USER);
        direct_line_go_on(c);
        return;
    case DIRECT_LINE_W:
        others_word(out, STEP_WAIT_EQ, STEP_NAME_W, WORD_LINE, c->peer, c->index, c->op); /* A1 */
        c->state = DIRECT_LINE_C;
        return;
    case DIRECT_LINE_C:
        direct_line_copy(c, out, c->peer, PLACE_LINE, PLACE_USER);
        direct_line_go_on(c);
        return;
    default:
        out->op = STEP_DONE;
        return;
    }
}

static inline uint32_t direct_line_word_initial(uint32_t word, uint32_t op)
{
    return word == WORD_LINE ? op - 1 : 0;
}

#endif
