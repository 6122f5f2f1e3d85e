/* The pipelined broadcast of S1 (Fig. 2), as a step program.
 *
 * The root copies fragments into its own queue, set after set; readers are told
 * through a tree of control blocks and all copy from the root's queue.
 *
 *   root    WS wait nreaders[set] == 0, nreaders[set] = p-1; SO set_op[set] = op;
 *           per slot: C user -> slot, N control[child][slot] = bytes for each child
 *   reader  WO wait set_op[set] == op; per slot: W wait control[self][slot] != 0 and reset it,
 *           N pass it to the children, C slot -> user; A nreaders[set] -= 1
 *
 * Initially set_op[k] = op + 1, so with q >= 2 a reader may pass WO of the second set before
 * the root has opened it. That is harmless: its control block is still 0, and is written only
 * after the root has passed WS of that set. All counters may wrap: they are compared for equality.
 *
 * R1 N pairs with A1 W, from parent to child all down the tree: the root's slot is filled. R2 A pairs with A2 WS (the additions
 * are one release sequence): all copies out of the set and all resets of its control blocks are over before it is filled again,
 * and whoever gets an N of that lap is behind A2 too. R3 SO pairs with A3 WO: the claim comes before any A. Who passes WO early
 * has the claim by A1, for N comes after it. */
#ifndef SHMCOLL_MODEL_PROTOCOL_PIPELINED_H
#define SHMCOLL_MODEL_PROTOCOL_PIPELINED_H

#include "model/protocol.h"

enum pipelined_state {
    PIPELINED_ROOT_WS,
    PIPELINED_ROOT_CLAIM,
    PIPELINED_ROOT_SO,
    PIPELINED_ROOT_C,
    PIPELINED_ROOT_N,
    PIPELINED_READER_WO,
    PIPELINED_READER_W,
    PIPELINED_READER_RESET,
    PIPELINED_READER_N,
    PIPELINED_READER_C,
    PIPELINED_READER_A,
    PIPELINED_DONE,
};

static inline uint32_t pipelined_fragment(const struct cursor *c)
{
    uint64_t left = c->call->size_bytes - c->offset_bytes;
    return left < c->call->fragment_bytes ? (uint32_t)left : c->call->fragment_bytes;
}

static inline uint32_t pipelined_slot(const struct cursor *c)
{
    return c->set * (c->call->slots / c->call->sets) + c->index;
}

static inline void pipelined_start(struct cursor *c, const struct bcast_call *call, uint32_t op)
{
    *c = (struct cursor){.call = call, .op = op};
    c->children = tree_child_count(call->tree, call->root, call->rank);
    c->set = op % call->sets;
    c->state = call->procs == 1 || call->size_bytes == 0 ? PIPELINED_DONE
               : call->rank == call->root                ? PIPELINED_ROOT_WS
                                                         : PIPELINED_READER_WO;
}

/* After a fragment: the next slot of the set, or the end of the set. */
static inline uint32_t pipelined_after_fragment(struct cursor *c, uint32_t bytes, uint32_t same_set, uint32_t set_end)
{
    c->offset_bytes += bytes;
    c->index++;
    c->child = 0;
    return c->offset_bytes == c->call->size_bytes || c->index == c->call->slots / c->call->sets ? set_end : same_set;
}

static inline void pipelined_enter_set(struct cursor *c)
{
    c->op++;
    c->index = 0;
    c->set = c->op % c->call->sets;
}

static inline void pipelined_word(struct step *out, uint32_t op, uint32_t name, uint32_t word, uint32_t owner, uint32_t index,
                                  uint32_t value)
{
    out->op = op;
    out->name = name;
    out->word = word;
    out->owner = owner;
    out->index = index;
    out->value = value;
}

static inline void pipelined_copy(struct step *out, const struct cursor *c, uint32_t bytes, int to_slot)
{
    struct step_place user = {.kind = PLACE_USER, .owner = c->call->rank};
    struct step_place slot = {.kind = PLACE_SLOT, .owner = c->call->root, .index = pipelined_slot(c)};
    out->op = STEP_COPY;
    out->name = STEP_NAME_C;
    out->bytes = bytes;
    out->offset_bytes = c->offset_bytes;
    out->from = to_slot ? user : slot;
    out->to = to_slot ? slot : user;
}

/* Notify the next child, or go on to `then` when all are told. */
static inline void pipelined_notify(struct cursor *c, struct step *out, uint32_t bytes)
{
    uint32_t child = tree_child(c->call->tree, c->call->root, c->call->rank, c->child++);
    pipelined_word(out, STEP_STORE, STEP_NAME_N, WORD_CONTROL, child, pipelined_slot(c), bytes); /* R1 */
}

static inline void pipelined_next_root(struct cursor *c, struct step *out)
{
    uint32_t bytes = pipelined_fragment(c);
    switch (c->state) {
    case PIPELINED_ROOT_WS:
        c->state = PIPELINED_ROOT_CLAIM;
        pipelined_word(out, STEP_WAIT_EQ, STEP_NAME_WS, WORD_SET_NREADERS, 0, c->set, 0); /* A2 */
        return;
    case PIPELINED_ROOT_CLAIM:
        c->state = PIPELINED_ROOT_SO;
        pipelined_word(out, STEP_STORE, STEP_NAME_WS, WORD_SET_NREADERS, 0, c->set, c->call->procs - 1);
        return;
    case PIPELINED_ROOT_SO:
        c->state = PIPELINED_ROOT_C;
        pipelined_word(out, STEP_STORE, STEP_NAME_SO, WORD_SET_OP, 0, c->set, c->op); /* R3 */
        return;
    case PIPELINED_ROOT_C:
        c->state = PIPELINED_ROOT_N;
        pipelined_copy(out, c, bytes, 1);
        return;
    default: /* PIPELINED_ROOT_N: the root always has a child */
        pipelined_notify(c, out, bytes);
        if (c->child == c->children) {
            c->state = pipelined_after_fragment(c, bytes, PIPELINED_ROOT_C, PIPELINED_ROOT_WS);
            if (c->state == PIPELINED_ROOT_WS)
                pipelined_enter_set(c);
            if (c->offset_bytes == c->call->size_bytes)
                c->state = PIPELINED_DONE;
        }
        return;
    }
}

static inline void pipelined_next_reader(struct cursor *c, uint32_t seen, struct step *out)
{
    uint32_t bytes = pipelined_fragment(c);
    switch (c->state) {
    case PIPELINED_READER_WO:
        c->state = PIPELINED_READER_W;
        pipelined_word(out, STEP_WAIT_EQ, STEP_NAME_WO, WORD_SET_OP, 0, c->set, c->op); /* A3 */
        return;
    case PIPELINED_READER_W:
        c->state = PIPELINED_READER_RESET;
        pipelined_word(out, STEP_WAIT_NE, STEP_NAME_W, WORD_CONTROL, c->call->rank, pipelined_slot(c), 0); /* A1 */
        return;
    case PIPELINED_READER_RESET:
        if (seen != bytes) {
            out->op = STEP_FAULT;
            out->name = STEP_NAME_W;
            out->value = seen;
            return;
        }
        c->state = c->children ? PIPELINED_READER_N : PIPELINED_READER_C;
        pipelined_word(out, STEP_STORE, STEP_NAME_W, WORD_CONTROL, c->call->rank, pipelined_slot(c), 0);
        return;
    case PIPELINED_READER_N:
        pipelined_notify(c, out, bytes);
        if (c->child == c->children)
            c->state = PIPELINED_READER_C;
        return;
    case PIPELINED_READER_C:
        pipelined_copy(out, c, bytes, 0);
        c->state = pipelined_after_fragment(c, bytes, PIPELINED_READER_W, PIPELINED_READER_A);
        return;
    default: /* PIPELINED_READER_A */
        pipelined_word(out, STEP_ADD, STEP_NAME_A, WORD_SET_NREADERS, 0, c->set, UINT32_MAX); /* R2 */
        c->state = c->offset_bytes == c->call->size_bytes ? PIPELINED_DONE : PIPELINED_READER_WO;
        pipelined_enter_set(c);
        return;
    }
}

static inline void pipelined_next(struct cursor *c, uint32_t seen, struct step *out)
{
    if (c->state == PIPELINED_DONE)
        out->op = STEP_DONE;
    else if (c->state <= PIPELINED_ROOT_N)
        pipelined_next_root(c, out);
    else
        pipelined_next_reader(c, seen, out);
}

static inline uint32_t pipelined_word_initial(uint32_t word, uint32_t op)
{
    return word == WORD_SET_OP ? op + 1 : 0;
}

#endif
