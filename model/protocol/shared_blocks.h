/* The allgather from shared sources: every rank offers its block, all others copy straight out of it.
 *
 *   O offer; per fragment: C send -> own block, unless it is in place
 *   per other rank, the nearest first: WP wait for its offer n + 1; per fragment: C its block -> own buffer
 *   E ended[self] = n + 1; per other rank: WE wait ended[other] >= n + 1
 *
 * n numbers the calls. Blocks in the segment (comm_area) are read by plain loads, those of threads too, and private ones through
 * the kernel, as in shared_source and single_copy. Nobody leaves while his block is being read.
 *
 * R1 O pairs with A1 WP: the block is there, and the offer says where. R2 E pairs with A2 WE: its readers have copied before the
 * caller may change it. */
#ifndef SHMCOLL_MODEL_PROTOCOL_SHARED_BLOCKS_H
#define SHMCOLL_MODEL_PROTOCOL_SHARED_BLOCKS_H

#include "model/protocol/others.h"

enum { SHARED_BLOCKS_ENDED, SHARED_BLOCKS_COUNTERS };

enum shared_blocks_state {
    SHARED_BLOCKS_O,
    SHARED_BLOCKS_OWN,
    SHARED_BLOCKS_WP,
    SHARED_BLOCKS_C,
    SHARED_BLOCKS_E,
    SHARED_BLOCKS_WE,
    SHARED_BLOCKS_DONE,
};

static inline void shared_blocks_start(struct cursor *c, const struct bcast_call *call, uint32_t op)
{
    *c = (struct cursor){.call = call, .op = op, .state = SHARED_BLOCKS_DONE};
    if (call->procs == 1 || call->block_bytes == 0)
        return;
    c->op = op + 1;
    c->state = SHARED_BLOCKS_O;
}

/* The block of the next other rank, or the end. */
static inline void shared_blocks_go_on(struct cursor *c)
{
    c->offset_bytes = 0;
    if (c->child < c->call->procs - 1) {
        c->peer = others_rank(c->call, c->child++);
        c->state = SHARED_BLOCKS_WP;
    } else {
        c->child = 0;
        c->state = SHARED_BLOCKS_E;
    }
}

static inline void shared_blocks_copy(struct cursor *c, struct step *out, uint32_t owner, uint32_t from)
{
    const struct bcast_call *call = c->call;
    others_copy(call, out, owner, c->offset_bytes, others_piece(call, c->offset_bytes), others_place(from, owner, 0),
                others_place(PLACE_USER, call->rank, 0));
    c->offset_bytes += out->bytes;
    if (c->offset_bytes == call->block_bytes)
        shared_blocks_go_on(c);
}

static inline void shared_blocks_next(struct cursor *c, uint32_t seen, struct step *out)
{
    (void)seen;
    const struct bcast_call *call = c->call;
    switch (c->state) {
    case SHARED_BLOCKS_O:
        others_word(out, STEP_OFFER, STEP_NAME_O, WORD_OFFER, call->rank, 0, c->op); /* R1 */
        if (call->in_place)
            shared_blocks_go_on(c);
        else
            c->state = SHARED_BLOCKS_OWN;
        return;
    case SHARED_BLOCKS_OWN:
        shared_blocks_copy(c, out, call->rank, PLACE_SEND);
        return;
    case SHARED_BLOCKS_WP:
        others_word(out, STEP_WAIT_EQ, STEP_NAME_WP, WORD_OFFER, c->peer, 0, c->op); /* A1 */
        c->state = SHARED_BLOCKS_C;
        return;
    case SHARED_BLOCKS_C:
        shared_blocks_copy(c, out, c->peer, PLACE_PEER);
        return;
    case SHARED_BLOCKS_E:
        others_word(out, STEP_STORE, STEP_NAME_E, WORD_COUNTER, call->rank, SHARED_BLOCKS_ENDED, c->op); /* R2 */
        c->state = SHARED_BLOCKS_WE;
        return;
    case SHARED_BLOCKS_WE:
        others_word(out, STEP_WAIT_GE, STEP_NAME_WE, WORD_COUNTER, others_rank(call, c->child), SHARED_BLOCKS_ENDED,
                    c->op); /* A2 */
        if (++c->child == call->procs - 1)
            c->state = SHARED_BLOCKS_DONE;
        return;
    default:
        out->op = STEP_DONE;
        return;
    }
}

static inline uint32_t shared_blocks_word_initial(uint32_t word, uint32_t op)
{
    (void)word;
    return op;
}

#endif
