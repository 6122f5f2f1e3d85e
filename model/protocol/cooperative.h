/* The cooperative broadcast: both sides copy, straight between user buffers.
 *
 * Two ranks share one list of pieces of fragment_bytes; the root pushes those it takes into the reader, the reader pulls its own:
 *
 *   both    O offer; WP wait for the other's offer; T take a piece, C copy it, until none is left; E; WE wait for the other's E
 *
 * More ranks: the message has a part for every reader, who fetches it from the root and then serves it to the others:
 *
 *   root    O; per reader: WE wait until it has its own part; E
 *   reader  O; WP wait for the root's offer; per piece of the own part: C root -> own, N progress[self] = op + pieces; then, in
 *           rotation, each other part: W wait progress[its reader], C from there; E; per other reader: WE wait until it has ended
 *
 * Numbers run through all calls: `op` is what a call starts with, and it ends op + pieces + 2 (two ranks: every piece is taken
 * once, and each rank takes once in vain) or op + pieces of a part + 1. So the counter of pieces is never reset, progress has
 * one writer and only grows, and nobody leaves a call while his buffer is in use.
 *
 * Measured, two ranks on a two-cpu virtual machine, 16 MiB, cold, as a share of one core's copy and of both cores' together:
 * buffers in the segment 0.90 and 1.47 by pieces of 64 KiB, 0.58 and 1.05 by pieces of 512 KiB to 4 MiB (each piece costs an
 * atomic and streams that begin anew); copies past the caches 0.98 against 1.12 through them. Private buffers, by the kernel:
 * about 2.2 in 64 KiB, 1.9 in 1 MiB, 1.25 in huge pages, where the kernel finds its pages at less cost.
 *
 * Peer: Open MPI's and MPICH's single copies by CMA let the receiver alone copy; KNEM and XPMEM broadcasts serve parts on from
 * readers as here. Ours is the common counter, by which the faster of two sides takes more. The root of many ranks only serves.
 *
 * R1 O pairs with A1 WP: the buffer is ready, the root's with the message in it. R2 N pairs with A2 W: a part of a reader's
 * buffer is there up to that piece. R3 E pairs with A3 WE: what the other pushed has arrived, and nobody uses one's buffer any
 * more. T only deals out the pieces: that they can be copied both sides know by A1. */
#ifndef SHMCOLL_MODEL_PROTOCOL_COOPERATIVE_H
#define SHMCOLL_MODEL_PROTOCOL_COOPERATIVE_H

#include "model/protocol.h"

enum { COOPERATIVE_PROGRESS, COOPERATIVE_TAKEN, COOPERATIVE_COUNTERS }; /* TAKEN: rank 0's only */
enum { COOPERATIVE_PIECES_MOST = 1 << 20, COOPERATIVE_ALIGN_BYTES = 4096 };

enum cooperative_state {
    COOPERATIVE_O,
    COOPERATIVE_PAIR_WP,
    COOPERATIVE_PAIR_T,
    COOPERATIVE_PAIR_C,
    COOPERATIVE_PAIR_WE,
    COOPERATIVE_ROOT_WE,
    COOPERATIVE_ROOT_E,
    COOPERATIVE_OWN_WP,
    COOPERATIVE_OWN_C,
    COOPERATIVE_OWN_N,
    COOPERATIVE_OTHER_W,
    COOPERATIVE_OTHER_C,
    COOPERATIVE_READER_E,
    COOPERATIVE_READER_WE,
    COOPERATIVE_DONE,
};

static inline uint64_t cooperative_part_bytes(const struct bcast_call *call)
{
    uint64_t readers = call->procs - 1, bytes = (call->size_bytes + readers - 1) / readers;
    uint64_t unit = readers > 1 && bytes >= COOPERATIVE_ALIGN_BYTES ? COOPERATIVE_ALIGN_BYTES : 1;
    return (bytes + unit - 1) / unit * unit;
}

/* A piece: fragment_bytes, or more where a part would have too many. */
static inline uint64_t cooperative_piece_bytes(const struct bcast_call *call)
{
    uint64_t least = (cooperative_part_bytes(call) + COOPERATIVE_PIECES_MOST - 1) / COOPERATIVE_PIECES_MOST;
    return least > call->fragment_bytes ? least : call->fragment_bytes;
}

/* Of one reader's part, the last ones being shorter or empty. */
static inline uint32_t cooperative_pieces(const struct bcast_call *call, uint32_t part)
{
    uint64_t bytes = cooperative_part_bytes(call), begin = part * bytes, piece = cooperative_piece_bytes(call);
    if (begin >= call->size_bytes)
        return 0;
    uint64_t left = call->size_bytes - begin;
    return (uint32_t)(((left < bytes ? left : bytes) + piece - 1) / piece);
}

/* What all counters say of this call when it is over. */
static inline uint32_t cooperative_end(const struct cursor *c)
{
    return c->op + c->children + (c->call->procs == 2 ? 2 : 1);
}

static inline uint32_t cooperative_reader(const struct bcast_call *call, uint32_t part)
{
    return tree_rank(call->tree, call->root, part + 1);
}

/* children: pieces of a part, the longest; set: the part at work; index: its next piece; child: ranks gone through. */
static inline void cooperative_start(struct cursor *c, const struct bcast_call *call, uint32_t op)
{
    *c = (struct cursor){.call = call, .op = op, .known = op, .state = COOPERATIVE_DONE};
    if (call->procs == 1 || call->size_bytes == 0)
        return;
    c->state = COOPERATIVE_O;
    c->children = cooperative_pieces(call, 0);
    if (call->rank != call->root)
        c->set = tree_virtual(call->tree, call->root, call->rank) - 1;
    c->peer = call->rank == call->root ? cooperative_reader(call, 0) : call->root;
}

static inline void cooperative_word(struct step *out, uint32_t op, uint32_t name, uint32_t word, uint32_t owner, uint32_t value)
{
    out->op = op;
    out->name = name;
    out->word = word;
    out->owner = owner;
    out->index = 0; /* COOPERATIVE_PROGRESS, or the only offer */
    out->value = value;
}

static inline void cooperative_fault(struct step *out, uint32_t name, uint32_t seen)
{
    out->op = STEP_FAULT;
    out->name = name;
    out->value = seen;
}

/* Piece `index` of part `set`: from the peer, or (push) to it. */
static inline void cooperative_copy(const struct cursor *c, struct step *out, int push)
{
    const struct bcast_call *call = c->call;
    uint64_t bytes = cooperative_part_bytes(call), piece = cooperative_piece_bytes(call);
    uint64_t begin = c->set * bytes + c->index * piece, end = c->set * bytes + bytes;
    uint64_t left = (end < call->size_bytes ? end : call->size_bytes) - begin;
    struct step_place own = {.kind = PLACE_USER, .owner = call->rank}, peer = {.kind = PLACE_PEER, .owner = c->peer};
    out->op = STEP_COPY;
    out->name = STEP_NAME_C;
    out->bytes = (uint32_t)(left < piece ? left : piece);
    out->offset_bytes = begin;
    out->from = push ? own : peer;
    out->to = push ? peer : own;
}

/* Two ranks. */
static inline void cooperative_next_pair(struct cursor *c, uint32_t seen, struct step *out)
{
    const struct bcast_call *call = c->call;
    switch (c->state) {
    case COOPERATIVE_PAIR_WP:
        c->state = COOPERATIVE_PAIR_T;
        cooperative_word(out, STEP_WAIT_EQ, STEP_NAME_WP, WORD_OFFER, c->peer, cooperative_end(c)); /* A1 */
        return;
    case COOPERATIVE_PAIR_T:
        c->state = COOPERATIVE_PAIR_C;
        cooperative_word(out, STEP_TAKE, STEP_NAME_T, WORD_COUNTER, 0, 1);
        out->index = COOPERATIVE_TAKEN;
        return;
    case COOPERATIVE_PAIR_C:
        c->index = seen - c->op;
        if (c->index > c->children + 1) {
            cooperative_fault(out, STEP_NAME_T, seen);
            return;
        }
        if (c->index < c->children) {
            c->state = COOPERATIVE_PAIR_T;
            cooperative_copy(c, out, call->rank == call->root);
            return;
        }
        c->state = COOPERATIVE_PAIR_WE;
        cooperative_word(out, STEP_STORE, STEP_NAME_E, WORD_COUNTER, call->rank, cooperative_end(c)); /* R3 */
        return;
    default: /* COOPERATIVE_PAIR_WE */
        cooperative_word(out, STEP_WAIT_GE, STEP_NAME_WE, WORD_COUNTER, c->peer, cooperative_end(c)); /* A3 */
        c->state = COOPERATIVE_DONE;
        c->op = cooperative_end(c);
        return;
    }
}

/* The root of more: readers whose part is empty do not come to it. */
static inline void cooperative_next_root(struct cursor *c, struct step *out)
{
    const struct bcast_call *call = c->call;
    if (c->state == COOPERATIVE_ROOT_WE) {
        uint32_t pieces = cooperative_pieces(call, c->child);
        /* A2: the last N of a reader's own part says that it has done with the root's buffer */
        cooperative_word(out, STEP_WAIT_GE, STEP_NAME_WE, WORD_COUNTER, cooperative_reader(call, c->child), c->op + pieces);
        if (++c->child == call->procs - 1 || cooperative_pieces(call, c->child) == 0)
            c->state = COOPERATIVE_ROOT_E;
        return;
    }
    c->op = cooperative_end(c);
    cooperative_word(out, STEP_STORE, STEP_NAME_E, WORD_COUNTER, call->rank, c->op); /* R3 */
    c->state = COOPERATIVE_DONE;
}

/* The next part that is not empty and not the own, or the end. */
static inline void cooperative_rotate(struct cursor *c)
{
    const struct bcast_call *call = c->call;
    uint32_t readers = call->procs - 1, own = tree_virtual(call->tree, call->root, call->rank) - 1;
    c->index = 0;
    c->known = c->op;
    do
        c->set = c->set + 1 == readers ? 0 : c->set + 1;
    while (c->set != own && cooperative_pieces(call, c->set) == 0);
    c->peer = cooperative_reader(call, c->set);
    c->state = c->set == own ? COOPERATIVE_READER_E : COOPERATIVE_OTHER_W;
}

static inline void cooperative_next_own(struct cursor *c, struct step *out)
{
    const struct bcast_call *call = c->call;
    switch (c->state) {
    case COOPERATIVE_OWN_WP:
        cooperative_word(out, STEP_WAIT_EQ, STEP_NAME_WP, WORD_OFFER, call->root, cooperative_end(c)); /* A1 */
        c->state = COOPERATIVE_OWN_C;
        return;
    case COOPERATIVE_OWN_C:
        cooperative_copy(c, out, 0);
        c->state = COOPERATIVE_OWN_N;
        return;
    default: /* COOPERATIVE_OWN_N */
        c->index++;
        cooperative_word(out, STEP_STORE, STEP_NAME_N, WORD_COUNTER, call->rank, c->op + c->index); /* R2 */
        c->state = COOPERATIVE_OWN_C;
        if (c->index == cooperative_pieces(call, c->set))
            cooperative_rotate(c);
        return;
    }
}

static inline void cooperative_next_other(struct cursor *c, uint32_t seen, struct step *out)
{
    const struct bcast_call *call = c->call;
    if (c->state == COOPERATIVE_OTHER_W) {
        cooperative_word(out, STEP_WAIT_GE, STEP_NAME_W, WORD_COUNTER, c->peer, c->op + c->index + 1); /* A2 */
        c->state = COOPERATIVE_OTHER_C;
        return;
    }
    if ((int32_t)(c->known - c->op - c->index) <= 0) { /* this copy has waited */
        c->known = seen;
        if (seen - c->op > c->children + 1) {
            cooperative_fault(out, STEP_NAME_W, seen);
            return;
        }
    }
    cooperative_copy(c, out, 0);
    if (++c->index == cooperative_pieces(call, c->set))
        cooperative_rotate(c);
    else if ((int32_t)(c->known - c->op - c->index) <= 0)
        c->state = COOPERATIVE_OTHER_W;
}

static inline void cooperative_next_end(struct cursor *c, struct step *out)
{
    const struct bcast_call *call = c->call;
    if (c->state == COOPERATIVE_READER_E) {
        cooperative_word(out, STEP_STORE, STEP_NAME_E, WORD_COUNTER, call->rank, cooperative_end(c)); /* R3 */
        c->child = 0;
        c->state = COOPERATIVE_READER_WE;
        return;
    }
    uint32_t part = c->child + (c->child >= c->set); /* the rotation has come back to the own part */
    cooperative_word(out, STEP_WAIT_GE, STEP_NAME_WE, WORD_COUNTER, cooperative_reader(call, part), cooperative_end(c)); /* A3 */
    if (++c->child == call->procs - 2) {
        c->op = cooperative_end(c);
        c->state = COOPERATIVE_DONE;
    }
}

static inline uint32_t cooperative_after_offer(struct cursor *c)
{
    const struct bcast_call *call = c->call;
    if (call->procs == 2)
        return COOPERATIVE_PAIR_WP;
    if (call->rank == call->root)
        return COOPERATIVE_ROOT_WE;
    if (cooperative_pieces(call, c->set) > 0)
        return COOPERATIVE_OWN_WP;
    cooperative_rotate(c);
    return c->state;
}

static inline void cooperative_next(struct cursor *c, uint32_t seen, struct step *out)
{
    if (c->state == COOPERATIVE_DONE) {
        out->op = STEP_DONE;
    } else if (c->state == COOPERATIVE_O) {
        cooperative_word(out, STEP_OFFER, STEP_NAME_O, WORD_OFFER, c->call->rank, cooperative_end(c)); /* R1 */
        c->state = cooperative_after_offer(c);
    } else if (c->state <= COOPERATIVE_PAIR_WE) {
        cooperative_next_pair(c, seen, out);
    } else if (c->state <= COOPERATIVE_ROOT_E) {
        cooperative_next_root(c, out);
    } else if (c->state <= COOPERATIVE_OWN_N) {
        cooperative_next_own(c, out);
    } else if (c->state <= COOPERATIVE_OTHER_C) {
        cooperative_next_other(c, seen, out);
    } else {
        cooperative_next_end(c, out);
    }
}

static inline uint32_t cooperative_word_initial(uint32_t word, uint32_t op)
{
    (void)word;
    return op;
}

#endif
