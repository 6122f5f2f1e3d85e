/* The direct allgather: every rank puts its block into its own queue, once, and reads all others' there.
 *
 * Fragments are numbered through all calls, the same on all ranks; fragment n of each rank lies in slot n mod s of its own queue.
 * A set is s/q of them. A rank writes up to one set beyond the one it reads, so that what it is about to read was announced
 * while it wrote, and a block may be longer than the queue:
 *
 *   write   with q < 4, at the begin of a set, per other rank: WK wait ack[other] >= begin - s + s/q
 *           C send -> slot; N ready[self] = n + 1; C send -> own block, unless it is in place
 *   read    per other rank, the nearest first, a set's fragments: W wait ready[other] > n, unless it has seen more already;
 *           C slot -> its block
 *   at the end of a set that has been read, with q < 4: K ack[self] = n + 1
 *   fence   B ack[self] = begin of the next set; per other rank: B wait ack[other] >= that
 *
 * Every word has one writer and only grows. Nobody waits for ever, the queue may be as short as one slot: all ranks write and
 * read sets in one order (with q > 1 set 0, then set k + 1 before reading set k; with q = 1 each before reading it), what a
 * step waits for comes earlier in that order, so whoever is furthest behind can go on.
 *
 * Four sets need no acknowledgement. Who writes in set k has read all of set k - 2, so all ranks have written there, so they have
 * read all of set k - 4, whose slots those of set k are.
 *
 * A fence makes the queue's slots free for another protocol, whose words are its own, or after it: nobody passes before all
 * have come, and all have left their earlier calls, of whichever protocol, behind. So a lane serves broadcasts too.
 *
 * Peers: none; Open MPI and MPICH send blocks from rank to rank, so that each is copied in and out at every step. Here it is
 * copied in once. R1 N pairs with A1 W: the slot is filled. R2 K pairs with A2 WK: its readers have copied a slot before its
 * owner fills it again. R3 B with A3 B, from each to all: everything before. */
#ifndef SHMCOLL_MODEL_PROTOCOL_DIRECT_H
#define SHMCOLL_MODEL_PROTOCOL_DIRECT_H

#include "model/protocol/others.h"

enum { DIRECT_READY, DIRECT_COUNTERS };

enum direct_state {
    DIRECT_WK,
    DIRECT_IN,
    DIRECT_N,
    DIRECT_OWN,
    DIRECT_W,
    DIRECT_SEEN,
    DIRECT_C,
    DIRECT_K,
    DIRECT_B,
    DIRECT_WB,
    DIRECT_DONE,
};

/* The cursor: op      own fragment that is written next
 *             offset  its place in the block, and a whole number of fragments even at the end
 *             known   what has been read of all others
 *             set     where the set that is being read ends, or the call
 *             index   fragment of the other rank `child` that is read next
 *             peer    up to which that rank's are known to be there
 *             children  where the call ends */

static inline uint32_t direct_set_slots(const struct bcast_call *call)
{
    return call->slots / call->sets;
}

static inline int direct_acknowledges(const struct bcast_call *call)
{
    return call->sets < 4;
}

/* Powers of two, so that numbers may wrap. */
static inline uint32_t direct_set_begin(const struct bcast_call *call, uint32_t n)
{
    return n & ~(direct_set_slots(call) - 1);
}

static inline uint32_t direct_set_end(const struct bcast_call *call, uint32_t n)
{
    return direct_set_begin(call, n) + direct_set_slots(call);
}

static inline uint32_t direct_earlier(uint32_t a, uint32_t b)
{
    return (int32_t)(a - b) < 0 ? a : b;
}

/* The next own fragment, if it may be written before the next set is read; else that set. */
static inline void direct_go_on(struct cursor *c)
{
    const struct bcast_call *call = c->call;
    uint32_t read_end = direct_set_end(call, c->known), lead = call->sets > 1 ? direct_set_slots(call) : 0;
    c->child = 0;
    if (c->op != c->children && (int32_t)(c->op - (read_end + lead)) < 0) {
        c->state = direct_acknowledges(call) && c->op == direct_set_begin(call, c->op) ? DIRECT_WK : DIRECT_IN;
        return;
    }
    c->set = direct_earlier(read_end, c->children);
    c->index = c->known;
    c->state = DIRECT_W;
}

static inline void direct_start(struct cursor *c, const struct bcast_call *call, uint32_t op)
{
    *c = (struct cursor){.call = call, .op = op, .known = op, .state = DIRECT_DONE};
    if (call->procs == 1)
        return;
    if (call->fence) {
        c->op = direct_set_end(call, op);
        c->state = DIRECT_B;
    } else if (call->block_bytes > 0) {
        c->children = op + 1;
        if (call->block_bytes > call->fragment_bytes)
            c->children = op + (uint32_t)((call->block_bytes - 1) / call->fragment_bytes + 1);
        direct_go_on(c);
    }
}

static inline void direct_copy_own(const struct cursor *c, struct step *out, uint32_t to)
{
    const struct bcast_call *call = c->call;
    others_copy(call, out, call->rank, c->offset_bytes, others_piece(call, c->offset_bytes),
                others_place(PLACE_SEND, call->rank, 0), others_place(to, call->rank, c->op & (call->slots - 1)));
}

static inline void direct_copy_others(const struct cursor *c, struct step *out, uint32_t owner)
{
    const struct bcast_call *call = c->call;
    uint64_t offset = c->offset_bytes - (uint64_t)(c->op - c->index) * call->fragment_bytes;
    others_copy(call, out, owner, offset, others_piece(call, offset),
                others_place(PLACE_SLOT, owner, c->index & (call->slots - 1)), others_place(PLACE_USER, call->rank, 0));
}

/* An own fragment is over. */
static inline void direct_advance(struct cursor *c)
{
    c->offset_bytes += c->call->fragment_bytes;
    c->op++;
    direct_go_on(c);
}

static inline void direct_set_over(struct cursor *c)
{
    if (c->known == c->children)
        c->state = DIRECT_DONE;
    else
        direct_go_on(c);
}

/* One of another rank's fragments has been read. */
static inline void direct_have_read(struct cursor *c)
{
    const struct bcast_call *call = c->call;
    if (++c->index != c->set) {
        c->state = c->index == c->peer ? DIRECT_W : DIRECT_C;
    } else if (++c->child < call->procs - 1) {
        c->index = c->known;
        c->state = DIRECT_W;
    } else {
        c->known = c->set;
        if (direct_acknowledges(call) && c->known == direct_set_begin(call, c->known))
            c->state = DIRECT_K;
        else
            direct_set_over(c);
    }
}

static inline void direct_next(struct cursor *c, uint32_t seen, struct step *out)
{
    const struct bcast_call *call = c->call;
    switch (c->state) {
    case DIRECT_WK:
        others_word(out, STEP_WAIT_GE, STEP_NAME_WK, WORD_ACK, others_rank(call, c->child), 0,
                    direct_set_end(call, c->op) - call->slots); /* A2 */
        if (++c->child == call->procs - 1)
            c->state = DIRECT_IN;
        return;
    case DIRECT_IN:
        direct_copy_own(c, out, PLACE_SLOT);
        c->state = DIRECT_N;
        return;
    case DIRECT_N:
        others_word(out, STEP_STORE, STEP_NAME_N, WORD_COUNTER, call->rank, DIRECT_READY, c->op + 1); /* R1 */
        if (call->in_place)
            direct_advance(c);
        else
            c->state = DIRECT_OWN;
        return;
    case DIRECT_OWN:
        direct_copy_own(c, out, PLACE_USER);
        direct_advance(c);
        return;
    case DIRECT_W:
        others_word(out, STEP_WAIT_GE, STEP_NAME_W, WORD_COUNTER, others_rank(call, c->child), DIRECT_READY,
                    c->index + 1); /* A1 */
        c->state = DIRECT_SEEN;
        return;
    case DIRECT_SEEN: /* nobody is more than the queue ahead of the set being read */
        if (seen - direct_set_begin(call, c->known) > call->slots) {
            out->op = STEP_FAULT;
            out->name = STEP_NAME_W;
            out->value = seen;
            return;
        }
        c->peer = direct_earlier(seen, c->set);
        /* fall through */
    case DIRECT_C:
        direct_copy_others(c, out, others_rank(call, c->child));
        direct_have_read(c);
        return;
    case DIRECT_K:
        others_word(out, STEP_STORE, STEP_NAME_K, WORD_ACK, call->rank, 0, c->known); /* R2 */
        direct_set_over(c);
        return;
    case DIRECT_B:
        others_word(out, STEP_STORE, STEP_NAME_B, WORD_ACK, call->rank, 0, c->op); /* R3 */
        c->state = DIRECT_WB;
        return;
    case DIRECT_WB:
        others_word(out, STEP_WAIT_GE, STEP_NAME_B, WORD_ACK, others_rank(call, c->child), 0, c->op); /* A3 */
        if (++c->child == call->procs - 1)
            c->state = DIRECT_DONE;
        return;
    default:
        out->op = STEP_DONE;
        return;
    }
}

static inline uint32_t direct_word_initial(uint32_t word, uint32_t op)
{
    return word == WORD_COUNTER || word == WORD_ACK ? op : 0;
}

#endif
