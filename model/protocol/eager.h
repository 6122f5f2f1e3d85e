/* Short broadcast: the payload rides in the notification's own cache line.
 *
 * Every rank owns `lines` lines, used in turn. A parent copies the payload into the
 * child's line behind the line's counter and then stores the counter; the child waits
 * for it, passes the payload on, and copies it out. One line crosses per edge.
 *
 *   root    per child: WK wait ack[child] > op - lines; C user -> line; N line counter = op
 *   reader  W wait line counter == op; per child: WK, C line -> line, N; C line -> user;
 *           K ack[self] = op + 1, every lines/2 calls
 *
 * Flow control costs no line in the common case: ack changes only every lines/2 calls,
 * so the word a parent tests stays in its cache. A parent waits for a child only when that
 * child is at least lines/2 calls behind; a child that has kept up is never waited for.
 *
 * R1 N pairs with A1 W: the payload is in the line. R2 K pairs with A2 WK: whatever the child did with the line, passing on
 * and copying out, is over before its parent, of whichever root, writes that line again. */
#ifndef SHMCOLL_MODEL_PROTOCOL_EAGER_H
#define SHMCOLL_MODEL_PROTOCOL_EAGER_H

#include "model/protocol.h"

enum {
    EAGER_LINES = 32,           /* default; a power of two, so that the counter may wrap */
    EAGER_LINE_BYTES = 128,     /* two cache lines, which the adjacent-line prefetcher pairs */
    EAGER_PAYLOAD_OFFSET = 8,   /* behind the counter, aligned for 8-byte payloads */
    EAGER_PAYLOAD_BYTES = EAGER_LINE_BYTES - EAGER_PAYLOAD_OFFSET,
    /* What the counter's own cache line holds. The other one a polling reader's prefetcher takes from the writer before it is
       written: with ranks far apart (230 ns) 57 bytes then take 1.25 times as long as by a slot, near (55 ns) 0.94 times. */
    EAGER_FIRST_LINE_BYTES = 64 - EAGER_PAYLOAD_OFFSET,
};

enum eager_state { EAGER_W, EAGER_WK, EAGER_FORWARD, EAGER_N, EAGER_C, EAGER_K, EAGER_DONE };

/* On to the next child; its rank is kept in `set`, which this protocol has no other use for. */
static inline void eager_to_child(struct cursor *c)
{
    c->set = tree_child(c->call->tree, c->call->root, c->call->rank, c->child);
    c->state = EAGER_WK;
}

static inline void eager_start(struct cursor *c, const struct bcast_call *call, uint32_t op)
{
    *c = (struct cursor){.call = call, .op = op};
    c->children = tree_child_count(call->tree, call->root, call->rank);
    c->index = op & (call->lines - 1);
    if (call->procs == 1 || call->size_bytes == 0)
        c->state = EAGER_DONE;
    else if (call->rank == call->root)
        eager_to_child(c);
    else
        c->state = EAGER_W;
}

/* The call is over: the next one uses the next line. */
static inline void eager_end(struct cursor *c)
{
    c->op++;
    c->state = EAGER_DONE;
}

static inline void eager_word(const struct cursor *c, struct step *out, uint32_t op, uint32_t name, uint32_t word, uint32_t owner,
                              uint32_t value)
{
    out->op = op;
    out->name = name;
    out->word = word;
    out->owner = owner;
    out->index = word == WORD_LINE ? c->index : 0;
    out->value = value;
}

static inline void eager_copy(const struct cursor *c, struct step *out, int from_user, uint32_t to)
{
    struct step_place user = {.kind = PLACE_USER, .owner = c->call->rank};
    struct step_place own = {.kind = PLACE_LINE, .owner = c->call->rank, .index = c->index};
    out->op = STEP_COPY;
    out->name = STEP_NAME_C;
    out->bytes = (uint32_t)c->call->size_bytes;
    out->offset_bytes = 0;
    out->from = from_user ? user : own;
    out->to = to == c->call->rank ? user : (struct step_place){.kind = PLACE_LINE, .owner = to, .index = c->index};
}

/* Every half round of the lines is acknowledged at once. */
static inline int eager_acknowledges(const struct cursor *c)
{
    return ((c->op + 1) & (c->call->lines / 2 - 1)) == 0;
}

/* Nothing but the switch comes first, so that a compiler that inlines this can jump from state to state. */
static inline void eager_next(struct cursor *c, uint32_t seen, struct step *out)
{
    (void)seen;
    const struct bcast_call *call = c->call;
    uint32_t self = call->rank, is_root = self == call->root;
    switch (c->state) {
    case EAGER_W:
        if (c->children)
            eager_to_child(c);
        else
            c->state = EAGER_C;
        eager_word(c, out, STEP_WAIT_EQ, STEP_NAME_W, WORD_LINE, self, c->op); /* A1 */
        return;
    case EAGER_WK:
        c->state = EAGER_FORWARD;
        eager_word(c, out, STEP_WAIT_GE, STEP_NAME_WK, WORD_ACK, c->set, c->op - call->lines + 1); /* A2 */
        return;
    case EAGER_FORWARD:
        c->state = EAGER_N;
        eager_copy(c, out, is_root, c->set);
        return;
    case EAGER_N:
        eager_word(c, out, STEP_STORE, STEP_NAME_N, WORD_LINE, c->set, c->op); /* R1 */
        c->child++;
        if (c->child < c->children)
            eager_to_child(c);
        else if (is_root && !eager_acknowledges(c))
            eager_end(c);
        else
            c->state = is_root ? EAGER_K : EAGER_C;
        return;
    case EAGER_C:
        eager_copy(c, out, 0, self);
        if (eager_acknowledges(c))
            c->state = EAGER_K;
        else
            eager_end(c);
        return;
    case EAGER_K:
        eager_word(c, out, STEP_STORE, STEP_NAME_K, WORD_ACK, self, c->op + 1); /* R2 */
        eager_end(c);
        return;
    default:
        out->op = STEP_DONE;
        return;
    }
}

static inline uint32_t eager_word_initial(uint32_t word, uint32_t op)
{
    return word == WORD_LINE ? op - 1 : word == WORD_ACK ? op : 0;
}

#endif
