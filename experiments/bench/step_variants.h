/* Ways to run one rank's part of a call: written by hand, by the step program inlined or through its table, and
 * by the kernels, which inline it (or not) among error checks, wake-ups and a wait that looks after its peers.
 *
 * All make the same stores, atomic operations and copies; the caller owns the segment and the
 * communicators. Two ranks only. Included by the one benchmark that compares them. */
#ifndef SHMCOLL_BENCH_STEP_VARIANTS_H
#define SHMCOLL_BENCH_STEP_VARIANTS_H

#include "kernels/comm.h"
#include "model/protocol.h"
#include "model/protocol/counted.h"
#include "model/protocol/eager.h"
#include "model/protocol/pipelined.h"
#include "model/segment_layout.h"

#include <stdatomic.h>
#include <string.h>

struct arena {
    unsigned char *segment;
    unsigned char *user; /* a buffer for each rank, user_bytes apart */
    struct segment_layout layout;
    uint64_t user_bytes;
    struct comm *comm[3][2][2]; /* [enum step_comm_kind][through the table][rank]: have segments of their own */
};

typedef void next_fn(struct cursor *cursor, uint32_t seen, struct step *out);

static _Atomic uint32_t *word_at(const struct arena *a, uint32_t word, uint32_t owner, uint32_t index)
{
    return (_Atomic uint32_t *)(void *)(a->segment + segment_word_offset(&a->layout, word, owner, index));
}

static unsigned char *place_at(const struct arena *a, const struct step_place *place, uint64_t offset_bytes)
{
    switch (place->kind) {
    case PLACE_USER:
        return a->user + place->owner * a->user_bytes + offset_bytes;
    case PLACE_SLOT:
        return a->segment + segment_slot_offset(&a->layout, place->owner, place->index);
    default:
        return a->segment + segment_word_offset(&a->layout, WORD_LINE, place->owner, place->index) + EAGER_PAYLOAD_OFFSET;
    }
}

static inline void relax(void)
{
#if defined(__x86_64__)
    __builtin_ia32_pause();
#endif
}

static inline uint32_t await_equal(_Atomic uint32_t *word, uint32_t value)
{
    uint32_t seen;
    while ((seen = atomic_load_explicit(word, memory_order_acquire)) != value)
        relax();
    return seen;
}

static inline uint32_t await_other(_Atomic uint32_t *word, uint32_t value)
{
    uint32_t seen;
    while ((seen = atomic_load_explicit(word, memory_order_acquire)) == value)
        relax();
    return seen;
}

static inline uint32_t await_least(_Atomic uint32_t *word, uint32_t value)
{
    uint32_t seen;
    while ((int32_t)((seen = atomic_load_explicit(word, memory_order_acquire)) - value) < 0)
        relax();
    return seen;
}

/* Executes a rank's program to its end; `next` is a constant or a table entry, which makes the variant. */
static inline __attribute__((always_inline)) uint32_t execute(const struct arena *a, next_fn *next, struct cursor *cursor)
{
    uint32_t seen = 0;
    for (;;) {
        struct step step = {0};
        next(cursor, seen, &step);
        switch (step.op) {
        case STEP_WAIT_EQ:
            seen = await_equal(word_at(a, step.word, step.owner, step.index), step.value);
            break;
        case STEP_WAIT_NE:
            seen = await_other(word_at(a, step.word, step.owner, step.index), step.value);
            break;
        case STEP_WAIT_GE:
            seen = await_least(word_at(a, step.word, step.owner, step.index), step.value);
            break;
        case STEP_STORE:
            atomic_store_explicit(word_at(a, step.word, step.owner, step.index), step.value, memory_order_release);
            break;
        case STEP_ADD:
            atomic_fetch_add_explicit(word_at(a, step.word, step.owner, step.index), step.value, memory_order_release);
            break;
        case STEP_COPY:
            memcpy(place_at(a, &step.to, step.offset_bytes), place_at(a, &step.from, step.offset_bytes), step.bytes);
            break;
        default:
            return cursor->op;
        }
    }
}

/* One rank's call; returns the operation number of the next call. */
typedef uint32_t call_fn(const struct arena *a, const struct bcast_call *call, uint32_t op);

/* Flattened, or the compiler leaves the program out of line and passes every step through memory. */
static __attribute__((noinline, flatten)) uint32_t pipelined_inline(const struct arena *a, const struct bcast_call *call,
                                                                    uint32_t op)
{
    struct cursor cursor;
    pipelined_start(&cursor, call, op);
    return execute(a, pipelined_next, &cursor);
}

static __attribute__((noinline, flatten)) uint32_t eager_inline(const struct arena *a, const struct bcast_call *call, uint32_t op)
{
    struct cursor cursor;
    eager_start(&cursor, call, op);
    return execute(a, eager_next, &cursor);
}

static __attribute__((noinline, flatten)) uint32_t counted_inline(const struct arena *a, const struct bcast_call *call,
                                                                  uint32_t op)
{
    struct cursor cursor;
    counted_start(&cursor, call, op);
    return execute(a, counted_next, &cursor);
}

/* The compiler must not see through the table. */
static const struct protocol *volatile table_pipelined = &protocol_pipelined, *volatile table_eager = &protocol_eager,
                                      *volatile table_counted = &protocol_counted;

static __attribute__((noinline)) uint32_t by_table(const struct arena *a, const struct protocol *protocol,
                                                   const struct bcast_call *call, uint32_t op)
{
    struct cursor cursor;
    protocol->start(&cursor, call, op);
    return execute(a, protocol->next, &cursor);
}

static uint32_t pipelined_table(const struct arena *a, const struct bcast_call *call, uint32_t op)
{
    return by_table(a, table_pipelined, call, op);
}

static uint32_t eager_table(const struct arena *a, const struct bcast_call *call, uint32_t op)
{
    return by_table(a, table_eager, call, op);
}

static uint32_t counted_table(const struct arena *a, const struct bcast_call *call, uint32_t op)
{
    return by_table(a, table_counted, call, op);
}

static uint32_t least(uint64_t left, uint32_t fragment)
{
    return left < fragment ? (uint32_t)left : fragment;
}

/* The protocol written out for two ranks: the one reader is the other rank. */
static uint32_t pipelined_hand_root(const struct arena *a, const struct bcast_call *call, uint32_t op)
{
    uint32_t per_set = call->slots / call->sets, child = 1 - call->rank;
    unsigned char *slots = a->segment + segment_slot_offset(&a->layout, call->rank, 0);
    unsigned char *controls = a->segment + segment_word_offset(&a->layout, WORD_CONTROL, child, 0);
    const unsigned char *user = a->user + call->rank * a->user_bytes;
    for (uint64_t done = 0; done < call->size_bytes; op++) {
        uint32_t set = op % call->sets;
        _Atomic uint32_t *readers = word_at(a, WORD_SET_NREADERS, 0, set);
        await_equal(readers, 0);
        atomic_store_explicit(readers, 1, memory_order_release);
        atomic_store_explicit(word_at(a, WORD_SET_OP, 0, set), op, memory_order_release);
        for (uint32_t slot = set * per_set; slot < (set + 1) * per_set && done < call->size_bytes; slot++) {
            uint32_t bytes = least(call->size_bytes - done, call->fragment_bytes);
            memcpy(slots + slot * a->layout.fragment_stride_bytes, user + done, bytes);
            _Atomic uint32_t *control = (_Atomic uint32_t *)(void *)(controls + slot * a->layout.control_stride_bytes);
            atomic_store_explicit(control, bytes, memory_order_release);
            done += bytes;
        }
    }
    return op;
}

static uint32_t pipelined_hand_reader(const struct arena *a, const struct bcast_call *call, uint32_t op)
{
    uint32_t per_set = call->slots / call->sets;
    const unsigned char *slots = a->segment + segment_slot_offset(&a->layout, call->root, 0);
    unsigned char *controls = a->segment + segment_word_offset(&a->layout, WORD_CONTROL, call->rank, 0);
    unsigned char *user = a->user + call->rank * a->user_bytes;
    for (uint64_t done = 0; done < call->size_bytes; op++) {
        uint32_t set = op % call->sets;
        await_equal(word_at(a, WORD_SET_OP, 0, set), op);
        for (uint32_t slot = set * per_set; slot < (set + 1) * per_set && done < call->size_bytes; slot++) {
            _Atomic uint32_t *control = (_Atomic uint32_t *)(void *)(controls + slot * a->layout.control_stride_bytes);
            uint32_t bytes = await_other(control, 0);
            atomic_store_explicit(control, 0, memory_order_release);
            memcpy(user + done, slots + slot * a->layout.fragment_stride_bytes, bytes);
            done += bytes;
        }
        atomic_fetch_sub_explicit(word_at(a, WORD_SET_NREADERS, 0, set), 1, memory_order_release);
    }
    return op;
}

static __attribute__((noinline)) uint32_t pipelined_hand(const struct arena *a, const struct bcast_call *call, uint32_t op)
{
    return call->rank == call->root ? pipelined_hand_root(a, call, op) : pipelined_hand_reader(a, call, op);
}

static __attribute__((noinline)) uint32_t counted_hand(const struct arena *a, const struct bcast_call *call, uint32_t op)
{
    uint32_t per_set = call->slots / call->sets, known = op, is_root = call->rank == call->root;
    unsigned char *slots = a->segment + segment_slot_offset(&a->layout, call->root, 0);
    unsigned char *user = a->user + call->rank * a->user_bytes;
    _Atomic uint32_t *own = word_at(a, WORD_COUNTER, call->rank, COUNTED_READY), *ack = word_at(a, WORD_ACK, call->rank, 0);
    _Atomic uint32_t *of_root = word_at(a, WORD_COUNTER, call->root, COUNTED_READY);
    _Atomic uint32_t *of_reader = word_at(a, WORD_ACK, 1 - call->rank, 0);
    for (uint64_t done = 0; done < call->size_bytes;) {
        uint32_t bytes = least(call->size_bytes - done, call->fragment_bytes);
        unsigned char *slot = slots + (op & (call->slots - 1)) * a->layout.fragment_stride_bytes;
        if (is_root && (op & (per_set - 1)) == 0)
            await_least(of_reader, op - call->slots + per_set);
        if (!is_root && (int32_t)(known - op) <= 0) {
            known = await_least(of_root, op + 1);
            atomic_store_explicit(own, known, memory_order_release);
        }
        memcpy(is_root ? slot : user + done, is_root ? user + done : slot, bytes);
        done += bytes;
        op++;
        if (is_root)
            atomic_store_explicit(own, op, memory_order_release);
        if ((op & (per_set - 1)) == 0)
            atomic_store_explicit(ack, op, memory_order_release);
    }
    return op;
}

static __attribute__((noinline)) uint32_t eager_hand(const struct arena *a, const struct bcast_call *call, uint32_t op)
{
    uint32_t index = op & (call->lines - 1), is_root = call->rank == call->root;
    uint32_t owner = is_root ? 1 - call->rank : call->rank;
    unsigned char *line = a->segment + segment_word_offset(&a->layout, WORD_LINE, owner, index);
    unsigned char *user = a->user + call->rank * a->user_bytes;
    _Atomic uint32_t *counter = (_Atomic uint32_t *)(void *)line;
    if (is_root) {
        await_least(word_at(a, WORD_ACK, owner, 0), op - call->lines + 1);
        memcpy(line + EAGER_PAYLOAD_OFFSET, user, call->size_bytes);
        atomic_store_explicit(counter, op, memory_order_release);
    } else {
        await_equal(counter, op);
        memcpy(user, line + EAGER_PAYLOAD_OFFSET, call->size_bytes);
    }
    if (((op + 1) & (call->lines / 2 - 1)) == 0)
        atomic_store_explicit(word_at(a, WORD_ACK, call->rank, 0), op + 1, memory_order_release);
    return op + 1;
}

static uint32_t kernel_call(const struct arena *a, const struct bcast_call *call, enum step_comm_kind kind, int by_table)
{
    comm_bcast(a->comm[kind][by_table][call->rank], a->user + call->rank * a->user_bytes, call->size_bytes, call->root);
    return 0;
}

static uint32_t pipelined_kernel(const struct arena *a, const struct bcast_call *call, uint32_t op)
{
    (void)op;
    return kernel_call(a, call, STEP_COMM_PIPELINED, 0);
}

static uint32_t pipelined_kernel_table(const struct arena *a, const struct bcast_call *call, uint32_t op)
{
    (void)op;
    return kernel_call(a, call, STEP_COMM_PIPELINED, 1);
}

static uint32_t eager_kernel(const struct arena *a, const struct bcast_call *call, uint32_t op)
{
    (void)op;
    return kernel_call(a, call, STEP_COMM_EAGER, 0);
}

static uint32_t eager_kernel_table(const struct arena *a, const struct bcast_call *call, uint32_t op)
{
    (void)op;
    return kernel_call(a, call, STEP_COMM_EAGER, 1);
}

static uint32_t counted_kernel(const struct arena *a, const struct bcast_call *call, uint32_t op)
{
    (void)op;
    return kernel_call(a, call, STEP_COMM_COUNTED, 0);
}

static uint32_t counted_kernel_table(const struct arena *a, const struct bcast_call *call, uint32_t op)
{
    (void)op;
    return kernel_call(a, call, STEP_COMM_COUNTED, 1);
}

#endif
