/* The release and gather trees of MPICH (Jain et al., SC'18; ch4 posix), as a step program.
 *
 * One ring for the communicator, owned by rank 0, and one tree rooted there, whoever the root is: another root sends each
 * fragment to rank 0 first. Counters only grow and have one writer each: release[r] is the last fragment that r knows to
 * be in the ring, gather[r] the last one that r's whole subtree is done with.
 *
 *   another root  C user -> its own slot; N sent[self] = n + 1; then as a reader, but without copying out
 *   rank 0        [another root: W wait sent[root] == n + 1; C root's slot -> slot] or C user -> slot; N release[0] = n + 1
 *   others        W wait release[parent] > n; N release[self] = n + 1
 *   readers       C slot -> user, rank 0 among them if it is not the root
 *   all, gather   WK look at gather[self]: if it says that fragment n + 1 - s is over everywhere below, that is all. Else for
 *                 each child WK wait gather[child] > n + 1 - s, and K gather[self] = the least of n + 1 and what was seen.
 *                 Leaves always K gather[self] = n + 1.
 *
 * So the next fragment's slot is free whenever rank 0 comes to fill it, and the wait is skipped while the slots last.
 * Faithful: the ring of 4 x 8 KiB, the counters and their order, the skip, everybody storing its release, the root waiting
 * for its own fragment to be released before it sends the next, the tree (k-ary, K = 64, one a socket, joined at the
 * root; MPICH builds that only for ranks bound by the user). Not: the sending goes through a slot of the root's own with one
 * counter where MPICH has its general queue of cells, and the size and error word in front of each fragment are left out.
 *
 * R1 N sent pairs with A1 W: rank 0 takes what the root has put there. R2 N release pairs with A2 W, from parent to child: what
 * lies in the ring. R3 K gather pairs with A3 WK, from child to parent: rank 0 fills a slot again after everybody's copy out
 * of it, and a root's slot is free because its fragment was released (R2, A2) after rank 0 had copied it. */
#ifndef SHMCOLL_MODEL_PROTOCOL_RELEASE_GATHER_H
#define SHMCOLL_MODEL_PROTOCOL_RELEASE_GATHER_H

#include "model/protocol.h"

enum { RELEASE_GATHER_RELEASE, RELEASE_GATHER_GATHER, RELEASE_GATHER_SENT, RELEASE_GATHER_COUNTERS };

enum release_gather_state {
    RELEASE_GATHER_IN,   /* the root's copy from its buffer */
    RELEASE_GATHER_SEND, /* a root that is not rank 0 tells it */
    RELEASE_GATHER_TAKE_W,
    RELEASE_GATHER_TAKE_C,
    RELEASE_GATHER_W,
    RELEASE_GATHER_SEEN,
    RELEASE_GATHER_N,
    RELEASE_GATHER_OUT,
    RELEASE_GATHER_LOOK,
    RELEASE_GATHER_LOOKED,
    RELEASE_GATHER_WK,
    RELEASE_GATHER_LEAST,
    RELEASE_GATHER_K,
    RELEASE_GATHER_DONE,
};

static inline uint32_t release_gather_fragment(const struct cursor *c)
{
    uint64_t left = c->call->size_bytes - c->offset_bytes;
    return left < c->call->fragment_bytes ? (uint32_t)left : c->call->fragment_bytes;
}

static inline void release_gather_begin(struct cursor *c)
{
    const struct bcast_call *call = c->call;
    c->child = 0;
    if (c->offset_bytes == call->size_bytes)
        c->state = RELEASE_GATHER_DONE;
    else if (call->rank == call->root)
        c->state = RELEASE_GATHER_IN;
    else
        c->state = call->rank == 0 ? RELEASE_GATHER_TAKE_W : RELEASE_GATHER_W;
}

static inline void release_gather_start(struct cursor *c, const struct bcast_call *call, uint32_t op)
{
    *c = (struct cursor){.call = call, .op = op, .state = RELEASE_GATHER_DONE};
    if (call->procs == 1 || call->size_bytes == 0)
        return;
    c->children = tree_child_count(call->tree, 0, call->rank);
    c->peer = tree_parent(call->tree, 0, call->rank);
    release_gather_begin(c);
}

static inline void release_gather_word(struct step *out, uint32_t op, uint32_t name, uint32_t owner, uint32_t counter,
                                       uint32_t value)
{
    out->op = op;
    out->name = name;
    out->word = WORD_COUNTER;
    out->owner = owner;
    out->index = counter;
    out->value = value;
}

static inline void release_gather_copy(const struct cursor *c, struct step *out, struct step_place from, struct step_place to)
{
    uint32_t slot = c->op & (c->call->slots - 1); /* powers of two, so that numbers may wrap */
    out->op = STEP_COPY;
    out->name = STEP_NAME_C;
    out->bytes = release_gather_fragment(c);
    out->offset_bytes = c->offset_bytes;
    out->from = from;
    out->to = to;
    if (from.kind == PLACE_SLOT)
        out->from.index = slot;
    if (to.kind == PLACE_SLOT)
        out->to.index = slot;
}

/* What comes after the own release. */
static inline uint32_t release_gather_released(const struct cursor *c)
{
    return c->call->rank != c->call->root ? RELEASE_GATHER_OUT : c->children ? RELEASE_GATHER_LOOK : RELEASE_GATHER_K;
}

/* The fragment is over for this rank. */
static inline void release_gather_advance(struct cursor *c)
{
    c->offset_bytes += release_gather_fragment(c);
    c->op++;
    release_gather_begin(c);
}

/* The release half of one fragment. */
static inline void release_gather_release(struct cursor *c, uint32_t seen, struct step *out)
{
    const struct bcast_call *call = c->call;
    uint32_t rank = call->rank;
    struct step_place user = {.kind = PLACE_USER, .owner = rank}, ring = {.kind = PLACE_SLOT, .owner = 0};
    switch (c->state) {
    case RELEASE_GATHER_IN:
        release_gather_copy(c, out, user, (struct step_place){.kind = PLACE_SLOT, .owner = rank});
        c->state = rank == 0 ? RELEASE_GATHER_N : RELEASE_GATHER_SEND;
        return;
    case RELEASE_GATHER_SEND:
        release_gather_word(out, STEP_STORE, STEP_NAME_N, rank, RELEASE_GATHER_SENT, c->op + 1); /* R1 */
        c->state = RELEASE_GATHER_W;
        return;
    case RELEASE_GATHER_TAKE_W:
        release_gather_word(out, STEP_WAIT_EQ, STEP_NAME_W, call->root, RELEASE_GATHER_SENT, c->op + 1); /* A1 */
        c->state = RELEASE_GATHER_TAKE_C;
        return;
    case RELEASE_GATHER_TAKE_C:
        release_gather_copy(c, out, (struct step_place){.kind = PLACE_SLOT, .owner = call->root}, ring);
        c->state = RELEASE_GATHER_N;
        return;
    case RELEASE_GATHER_W:
        release_gather_word(out, STEP_WAIT_GE, STEP_NAME_W, c->peer, RELEASE_GATHER_RELEASE, c->op + 1); /* A2 */
        c->state = RELEASE_GATHER_SEEN;
        return;
    case RELEASE_GATHER_SEEN: /* no parent is more than the ring ahead */
        if (seen - c->op > call->slots) {
            out->op = STEP_FAULT;
            out->name = STEP_NAME_W;
            out->value = seen;
            return;
        }
        /* fall through */
    case RELEASE_GATHER_N:
        release_gather_word(out, STEP_STORE, STEP_NAME_N, rank, RELEASE_GATHER_RELEASE, c->op + 1); /* R2 */
        c->state = release_gather_released(c);
        return;
    default: /* RELEASE_GATHER_OUT */
        release_gather_copy(c, out, ring, user);
        c->state = c->children ? RELEASE_GATHER_LOOK : RELEASE_GATHER_K;
        return;
    }
}

/* The first fragment that may still be read when the next one is put into the ring. */
static inline uint32_t release_gather_needed(const struct cursor *c)
{
    return c->op + 2 - c->call->slots;
}

/* Acts on what a wait of the gather half has seen. Returns whether that ended the fragment. */
static inline int release_gather_judge(struct cursor *c, uint32_t seen)
{
    if (c->state == RELEASE_GATHER_LOOKED) {
        c->known = c->op + 1;
        c->state = RELEASE_GATHER_WK;
        return (int32_t)(seen - release_gather_needed(c)) >= 0;
    }
    if ((int32_t)(seen - c->known) < 0)
        c->known = seen;
    c->state = ++c->child == c->children ? RELEASE_GATHER_K : RELEASE_GATHER_WK;
    return 0;
}

static inline void release_gather_gather(struct cursor *c, struct step *out)
{
    const struct bcast_call *call = c->call;
    switch (c->state) {
    case RELEASE_GATHER_LOOK: /* never waits: the fragment before has left at least this */
        release_gather_word(out, STEP_WAIT_GE, STEP_NAME_WK, call->rank, RELEASE_GATHER_GATHER, release_gather_needed(c) - 1);
        c->state = RELEASE_GATHER_LOOKED;
        return;
    case RELEASE_GATHER_WK:
        release_gather_word(out, STEP_WAIT_GE, STEP_NAME_WK, tree_child(call->tree, 0, call->rank, c->child),
                            RELEASE_GATHER_GATHER, release_gather_needed(c)); /* A3 */
        c->state = RELEASE_GATHER_LEAST;
        return;
    default: /* RELEASE_GATHER_K */
        release_gather_word(out, STEP_STORE, STEP_NAME_K, call->rank, RELEASE_GATHER_GATHER,
                            c->children ? c->known : c->op + 1); /* R3 */
        release_gather_advance(c);
        return;
    }
}

static inline void release_gather_next(struct cursor *c, uint32_t seen, struct step *out)
{
    if (c->state == RELEASE_GATHER_LOOKED || c->state == RELEASE_GATHER_LEAST)
        if (release_gather_judge(c, seen))
            release_gather_advance(c);
    if (c->state == RELEASE_GATHER_DONE)
        out->op = STEP_DONE;
    else if (c->state <= RELEASE_GATHER_OUT)
        release_gather_release(c, seen, out);
    else
        release_gather_gather(c, out);
}

static inline uint32_t release_gather_word_initial(uint32_t word, uint32_t op)
{
    return word == WORD_COUNTER ? op : 0;
}

#endif
