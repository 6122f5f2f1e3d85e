/* Executes a protocol's step program on the memory of a lane.
 *
 * Inlined together with the program, once for each protocol with and without random delays, and once more through the protocol
 * table (executors.c). The words' happens-before edges: every STORE, OFFER, ADD and TAKE is a release (R1) and every satisfied
 * WAIT an acquire (A1, in wait.h); bytes copied before a release are seen by who has acquired it. A non-temporal copy into a
 * slot or a peer's buffer is fenced before its notification; one into a rank's own memory is fenced when the call ends,
 * unless others read it there meanwhile (PROTOCOL_SERVES). */
#ifndef SHMCOLL_KERNELS_EXECUTE_H
#define SHMCOLL_KERNELS_EXECUTE_H

#include "kernels/comm_internal.h"
#include "model/protocol/eager.h"

#include <errno.h>
#include <string.h>

static inline atomic_word *step_word(const struct lane *lane, const struct step *s)
{
    return segment_word(lane->layout, lane->base, s->word, s->owner, s->index);
}

static inline struct peer_card *offer_card(const struct lane *lane, uint32_t owner)
{
    return (struct peer_card *)(void *)(lane->base + segment_word_offset(lane->layout, WORD_OFFER, owner, 0) + PEER_CARD_OFFSET);
}

/* The shared side of a copy, NULL if it would leave the segment: what the program says is private, but
 * a corrupted cursor shall end in an error and not in somebody's memory. */
static inline char *shared_place(const struct lane *lane, const struct step_place *place, uint32_t bytes)
{
    const struct segment_layout *l = lane->layout;
    if (place->kind == PLACE_SLOT) {
        int fits = place->owner < l->procs && place->index < l->slots && bytes <= l->fragment_bytes;
        return fits ? lane->base + segment_slot_offset(l, place->owner, place->index) : NULL;
    }
    int fits = place->owner < l->procs && place->index < l->lines && bytes <= EAGER_PAYLOAD_BYTES;
    return fits ? lane->base + segment_word_offset(l, WORD_LINE, place->owner, place->index) + EAGER_PAYLOAD_OFFSET : NULL;
}

/* Up to one line: a call of memcpy would cost as much as the copy. */
static inline void copy_short(char *to, const char *from, size_t n)
{
    if (n < 8) {
        for (size_t i = 0; i < n; i++)
            to[i] = from[i];
        return;
    }
    for (size_t i = 0; i + 8 <= n; i += 8)
        memcpy(to + i, from + i, 8);
    memcpy(to + n - 8, from + n - 8, 8);
}

static inline void copy_user(const struct message *m, const struct step *s, char *shared, int to_user)
{
    int is_short = (to_user ? s->from.kind : s->to.kind) == PLACE_LINE;
    char *user = m->buffer + s->offset_bytes;
    if (__builtin_expect(m->data != NULL, 0)) {
        if (to_user)
            m->data->unpack(m->data->context, s->offset_bytes, shared, s->bytes);
        else
            m->data->pack(m->data->context, s->offset_bytes, shared, s->bytes);
    } else if (is_short) {
        copy_short(to_user ? user : shared, to_user ? shared : user, s->bytes);
    } else {
        copy_bytes(to_user ? m->copy_out : m->copy_in, to_user ? user : shared, to_user ? shared : user, s->bytes);
        if (!to_user)
            copy_fence(m->copy_in);
    }
}

/* Off the fast path, both note in comm->at where the rank is. They are given what they need piece by piece: a step whose address
 * is taken would no longer live in registers. */
int execute_wait(struct comm *comm, const struct lane *lane, uint32_t root, uint32_t name, uint32_t op, atomic_word *word,
                 uint32_t value, uint32_t *seen);
int execute_failed(struct comm *comm, const struct lane *lane, uint32_t root, uint32_t name, int64_t peer, int error);

static inline void offer(struct comm *comm, const struct lane *lane, const struct message *m, uint32_t owner, uint64_t size_bytes)
{
    if (m->own)
        peer_offer(&comm->peers, offer_card(lane, owner), m->own->block, m->own->block_bytes);
    else
        peer_offer(&comm->peers, offer_card(lane, owner), m->buffer, size_bytes);
}

/* Between the own buffer and one that another rank has offered. */
static inline int copy_peer(struct comm *comm, const struct lane *lane, const struct message *m, const struct step *s,
                            uint32_t root)
{
    char *user = m->buffer + s->offset_bytes;
    uint32_t owner = s->from.kind == PLACE_PEER ? s->from.owner : s->to.owner;
    uint64_t offset = s->offset_bytes - (m->own ? owner * m->own->block_bytes : 0); /* ranks offer their blocks alone */
    int error;
    if (s->from.kind == PLACE_PEER)
        error = peer_read(&comm->peers, owner, offer_card(lane, owner), offset, user, s->bytes, m->copy_out);
    else
        error = peer_write(&comm->peers, owner, offer_card(lane, owner), offset, user, s->bytes, m->copy_out);
    if (lane->protocol->uses & PROTOCOL_SERVES)
        copy_fence(m->copy_out); /* others will read what has been copied here, told by a plain release */
    return __builtin_expect(error != 0, 0) ? execute_failed(comm, lane, root, s->name, owner, error) : 0;
}

/* From what the rank contributes to an allgather, to where others read it or to its own place in the message. */
static inline int copy_own(struct comm *comm, const struct lane *lane, const struct message *m, const struct step *s,
                           uint64_t size_bytes, uint32_t root)
{
    uint64_t at = s->offset_bytes - m->own->offset_bytes;
    int to_user = s->to.kind == PLACE_USER;
    int fits =
        s->bytes <= m->own->block_bytes && at <= m->own->block_bytes - s->bytes && s->offset_bytes <= size_bytes - s->bytes;
    char *to = to_user ? m->buffer + s->offset_bytes : shared_place(lane, &s->to, s->bytes);
    if (__builtin_expect(!to || !fits, 0))
        return execute_failed(comm, lane, root, s->name, -1, -EPROTO);
    if (s->bytes <= EAGER_PAYLOAD_BYTES) {
        copy_short(to, m->own->block + at, s->bytes);
    } else {
        copy_bytes(to_user ? m->copy_out : m->copy_in, to, m->own->block + at, s->bytes);
        if (!to_user)
            copy_fence(m->copy_in);
    }
    return 0;
}

static inline int execute_copy(struct comm *comm, const struct lane *lane, const struct message *m, const struct step *s,
                               uint64_t size_bytes, uint32_t root)
{
    if (s->from.kind == PLACE_SEND)
        return copy_own(comm, lane, m, s, size_bytes, root);
    int to_user = s->to.kind == PLACE_USER, from_user = s->from.kind == PLACE_USER;
    int user_fits = s->bytes <= size_bytes && s->offset_bytes <= size_bytes - s->bytes;
    if (s->to.kind == PLACE_PEER || s->from.kind == PLACE_PEER)
        return user_fits ? copy_peer(comm, lane, m, s, root) : execute_failed(comm, lane, root, s->name, -1, -EPROTO);
    char *to = to_user ? NULL : shared_place(lane, &s->to, s->bytes);
    char *from = from_user ? NULL : shared_place(lane, &s->from, s->bytes);
    if (__builtin_expect((!to_user && !to) || (!from_user && !from) || ((to_user || from_user) && !user_fits), 0))
        return execute_failed(comm, lane, root, s->name, -1, -EPROTO);
    if (to_user || from_user)
        copy_user(m, s, to_user ? from : to, to_user);
    else if (s->to.kind == PLACE_LINE)
        copy_short(to, from, s->bytes);
    else
        copy_bytes(COPY_MEMCPY, to, from, s->bytes);
    return 0;
}

static inline int execute_step(struct comm *comm, const struct lane *lane, const struct message *m, const struct step *s,
                               uint64_t size_bytes, uint32_t root, uint32_t *seen)
{
    switch (s->op) {
    case STEP_WAIT_EQ:
    case STEP_WAIT_NE:
    case STEP_WAIT_GE: {
        atomic_word *word = step_word(lane, s);
        if (__builtin_expect(wait_briefly(word, s->op, s->value, seen), 1))
            return 0;
        return execute_wait(comm, lane, root, s->name, s->op, word, s->value, seen);
    }
    case STEP_OFFER:
        offer(comm, lane, m, s->owner, size_bytes);
        /* fall through */
    case STEP_STORE: {
        atomic_word *word = step_word(lane, s);
        word_store_release(word, s->value); /* R1: all copies before; pairs with A1 */
        wait_wake(&comm->waiter, word);
        return 0;
    }
    case STEP_ADD:
    case STEP_TAKE: {
        atomic_word *word = step_word(lane, s);
        *seen = word_add_acq_rel(word, s->value); /* R1: the slots have been read before the root may write them again */
        wait_wake(&comm->waiter, word);
        return 0;
    }
    case STEP_COPY:
        return execute_copy(comm, lane, m, s, size_bytes, root);
    default:
        return execute_failed(comm, lane, root, s->name, -1, -EPROTO);
    }
}

#ifdef SHMCOLL_FAULT_POINTS
/* Asks the test whether this rank ends here, and does it. */
void execute_fault_point(struct comm *comm, const struct lane *lane, const struct message *m, const struct step *s,
                         uint64_t size_bytes, uint32_t root, uint32_t number);
#endif

typedef void (*start_function)(struct cursor *, const struct bcast_call *, uint32_t);
typedef void (*next_function)(struct cursor *, uint32_t, struct step *);

static inline __attribute__((always_inline)) int execute(struct comm *comm, uint32_t index, const struct message *m,
                                                         uint64_t size_bytes, uint32_t root, start_function start,
                                                         next_function next, int delayed)
{
    struct lane *lane = &comm->lane[index];
    /* The call as a local copy: inlined, its fields are registers and constants instead of memory just written. */
    struct bcast_call call = lane->call;
    call.size_bytes = size_bytes;
    call.root = root;
    struct cursor cursor;
    uint32_t seen = 0;
#ifdef SHMCOLL_FAULT_POINTS
    uint32_t number = 0;
#endif
    start(&cursor, &call, lane->op);
    for (;;) {
        struct step step = {0};
        next(&cursor, seen, &step); /* the one place that asks, or the program would not be inlined into all */
#ifdef SHMCOLL_FAULT_POINTS
        execute_fault_point(comm, lane, m, &step, size_bytes, root, number++);
#endif
        if (step.op == STEP_DONE)
            break;
        if (delayed)
            execute_delay(comm);
        int error = execute_step(comm, lane, m, &step, size_bytes, root, &seen);
        if (__builtin_expect(error != 0, 0))
            return error;
    }
    lane->op = cursor.op;
    return 0;
}

#endif
