/* The banked broadcast of Open MPI's coll/sm (4.x; removed in 2024), as a step program.
 *
 * What S1 began from: the same sets (there: banks, guarded by in-use flags), control blocks and root, but an interior rank copies
 * each fragment from its parent's slot into its own and serves its children and itself from there. So every rank's slots
 * carry data, a fragment is copied once more on every level, and nobody but the root's children reads the root's memory.
 *
 *   root      as in pipelined: WS wait nreaders[set] == 0 and claim it; SO; per slot: C user -> slot, N for each child
 *   interior  WO; per slot: W wait control[self][slot] != 0 and reset it; C parent's slot -> own slot; N for each child;
 *             C own slot -> user; A nreaders[set] -= 1
 *   leaf      WO; per slot: W and reset; C parent's slot -> user; A
 *
 * This is the variant of the code, not that of S1's description, where the tree only notifies. Faithful: 8 slots of 8 KiB in 2
 * banks, the complete 4-ary tree, the order of the steps, one atomic decrement a rank and bank. Not: where its data lies. There
 * the fragments of all ranks for one slot are neighbours in memory (and bound at offsets that do not match); here each rank's
 * slots are on its own domain.
 *
 * R1 N pairs with A1 W: parent's slot. R2 A pairs with A2 WS: the root claims a bank only when all copies out of it, own slots'
 * included, are over; who gets its N later copies after that. R3 SO pairs with A3 WO. */
#ifndef SHMCOLL_MODEL_PROTOCOL_BANKED_H
#define SHMCOLL_MODEL_PROTOCOL_BANKED_H

#include "model/protocol/pipelined.h"

enum banked_state { BANKED_READER_BETWEEN = PIPELINED_DONE + 1 };

static inline void banked_start(struct cursor *c, const struct bcast_call *call, uint32_t op)
{
    pipelined_start(c, call, op);
    c->peer = tree_parent(call->tree, call->root, call->rank);
}

static inline void banked_copy(struct step *out, const struct cursor *c, uint32_t from_rank, int to_own_slot)
{
    uint32_t rank = c->call->rank, slot = pipelined_slot(c);
    out->op = STEP_COPY;
    out->name = STEP_NAME_C;
    out->bytes = pipelined_fragment(c);
    out->offset_bytes = c->offset_bytes;
    out->from = (struct step_place){.kind = PLACE_SLOT, .owner = from_rank, .index = slot};
    out->to = (struct step_place){.kind = to_own_slot ? PLACE_SLOT : PLACE_USER, .owner = rank, .index = to_own_slot ? slot : 0};
}

static inline void banked_next(struct cursor *c, uint32_t seen, struct step *out)
{
    switch (c->state) {
    case PIPELINED_READER_RESET:
        pipelined_next_reader(c, seen, out);
        if (c->state == PIPELINED_READER_N)
            c->state = BANKED_READER_BETWEEN;
        return;
    case BANKED_READER_BETWEEN:
        banked_copy(out, c, c->peer, 1);
        c->state = PIPELINED_READER_N;
        return;
    case PIPELINED_READER_C:
        banked_copy(out, c, c->children ? c->call->rank : c->peer, 0);
        c->state = pipelined_after_fragment(c, out->bytes, PIPELINED_READER_W, PIPELINED_READER_A);
        return;
    default:
        pipelined_next(c, seen, out);
        return;
    }
}

static inline uint32_t banked_word_initial(uint32_t word, uint32_t op)
{
    return pipelined_word_initial(word, op);
}

#endif
