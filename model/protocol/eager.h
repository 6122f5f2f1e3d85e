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
 * child is at least lines/2 calls behind; a child that has kept up is never waited for. */
#ifndef SHMCOLL_MODEL_PROTOCOL_EAGER_H
#define SHMCOLL_MODEL_PROTOCOL_EAGER_H

#include "model/protocol.h"

enum {
    EAGER_LINES = 32,           /* default; a power of two, so that the counter may wrap */
    EAGER_LINE_BYTES = 128,     /* two cache lines, which the adjacent-line prefetcher pairs */
    EAGER_PAYLOAD_OFFSET = 8,   /* behind the counter, aligned for 8-byte payloads */
    EAGER_PAYLOAD_BYTES = EAGER_LINE_BYTES - EAGER_PAYLOAD_OFFSET,
};

enum eager_state { EAGER_W, EAGER_WK, EAGER_FORWARD, EAGER_N, EAGER_C, EAGER_K, EAGER_DONE };

static inline void eager_start(struct cursor *c, const struct bcast_call *call, uint32_t op)
{
    *c = (struct cursor){.call = call, .op = op};
    c->children = tree_child_count(call->tree, call->root, call->rank);
    c->index = op & (call->lines - 1);
    c->state = call->procs == 1 || call->size_bytes == 0 ? EAGER_DONE : call->rank == call->root ? EAGER_WK : EAGER_W;
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

static inline void eager_next(struct cursor *c, uint32_t seen, struct step *out)
{
    (void)seen;
    const struct bcast_call *call = c->call;
    uint32_t self = call->rank, is_root = self == call->root;
    uint32_t child = c->child < c->children ? tree_child(call->tree, call->root, self, c->child) : 0;
    switch (c->state) {
    case EAGER_W:
        c->state = c->children ? EAGER_WK : EAGER_C;
        eager_word(c, out, STEP_WAIT_EQ, STEP_NAME_W, WORD_LINE, self, c->op);
        return;
    case EAGER_WK:
        c->state = EAGER_FORWARD;
        eager_word(c, out, STEP_WAIT_GE, STEP_NAME_WK, WORD_ACK, child, c->op - call->lines + 1);
        return;
    case EAGER_FORWARD:
        c->state = EAGER_N;
        eager_copy(c, out, is_root, child);
        return;
    case EAGER_N:
        eager_word(c, out, STEP_STORE, STEP_NAME_N, WORD_LINE, child, c->op);
        c->child++;
        if (c->child < c->children)
            c->state = EAGER_WK;
        else if (is_root && (c->op + 1) % (call->lines / 2) != 0)
            eager_end(c);
        else
            c->state = is_root ? EAGER_K : EAGER_C;
        return;
    case EAGER_C:
        eager_copy(c, out, 0, self);
        if ((c->op + 1) % (call->lines / 2) == 0)
            c->state = EAGER_K;
        else
            eager_end(c);
        return;
    case EAGER_K:
        eager_word(c, out, STEP_STORE, STEP_NAME_K, WORD_ACK, self, c->op + 1);
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
