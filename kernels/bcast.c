/* The broadcast: executes a protocol's step program on the memory of a segment.
 *
 * The executor is instantiated with the program inlined, once for each protocol with and without random
 * delays, and once more through the protocol table. The words' happens-before edges: every STORE and
 * ADD is a release (R1) and every satisfied WAIT an acquire (A1, in wait.h); bytes copied before a
 * release are seen by who has acquired it. A non-temporal copy into a slot is fenced before its notification;
 * one out of it goes to memory that is the rank's own, and is fenced when the call ends. */
#include "kernels/comm_internal.h"
#include "model/protocol/eager.h"
#include "model/protocol/pipelined.h"

#include <errno.h>
#include <string.h>

struct message {
    char *buffer; /* NULL: by the callbacks */
    const struct comm_data *data;
    enum copy_routine copy_in, copy_out;
};

static inline atomic_word *step_word(const struct comm *comm, const struct step *s)
{
    return segment_word(&comm->plan.layout, comm->base, s->word, s->owner, s->index);
}

/* The shared side of a copy, NULL if it would leave the segment: what the program says is private, but
 * a corrupted cursor shall end in an error and not in somebody's memory. */
static inline char *shared_place(const struct comm *comm, const struct step_place *place, uint32_t bytes)
{
    const struct segment_layout *l = &comm->plan.layout;
    if (place->kind == PLACE_SLOT) {
        int fits = place->owner < l->procs && place->index < l->slots && bytes <= l->fragment_bytes;
        return fits ? comm->base + segment_slot_offset(l, place->owner, place->index) : NULL;
    }
    int fits = place->owner < l->procs && place->index < l->lines && bytes <= EAGER_PAYLOAD_BYTES;
    return fits ? comm->base + segment_word_offset(l, WORD_LINE, place->owner, place->index) + EAGER_PAYLOAD_OFFSET : NULL;
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

static inline int execute_copy(const struct comm *comm, const struct message *m, const struct step *s, uint64_t size_bytes)
{
    int to_user = s->to.kind == PLACE_USER, from_user = s->from.kind == PLACE_USER;
    char *to = to_user ? NULL : shared_place(comm, &s->to, s->bytes);
    char *from = from_user ? NULL : shared_place(comm, &s->from, s->bytes);
    int user_fits = s->bytes <= size_bytes && s->offset_bytes <= size_bytes - s->bytes;
    if (__builtin_expect((!to_user && !to) || (!from_user && !from) || ((to_user || from_user) && !user_fits), 0))
        return -EPROTO;
    if (to_user || from_user)
        copy_user(m, s, to_user ? from : to, to_user);
    else
        copy_short(to, from, s->bytes);
    return 0;
}

static inline int execute_step(struct comm *comm, const struct message *m, const struct step *s, uint64_t size_bytes,
                               uint32_t *seen)
{
    switch (s->op) {
    case STEP_WAIT_EQ:
    case STEP_WAIT_NE:
    case STEP_WAIT_GE:
        return wait_until(&comm->waiter, step_word(comm, s), s->op, s->value, seen);
    case STEP_STORE: {
        atomic_word *word = step_word(comm, s);
        word_store_release(word, s->value); /* R1: all copies before; pairs with A1 */
        wait_wake(&comm->waiter, word);
        return 0;
    }
    case STEP_ADD: {
        atomic_word *word = step_word(comm, s);
        word_add_acq_rel(word, s->value); /* R1: the slots have been read before the root may write them again */
        wait_wake(&comm->waiter, word);
        return 0;
    }
    case STEP_COPY:
        return execute_copy(comm, m, s, size_bytes);
    default:
        return -EPROTO;
    }
}

/* Spreads the ranks over their programs: 0..delay_max_ns before every step, now and then a yield. */
static void delay(struct comm *comm)
{
    comm->random ^= comm->random << 13;
    comm->random ^= comm->random >> 7;
    comm->random ^= comm->random << 17;
    uint64_t end = clock_monotonic_ns() + comm->random % ((uint64_t)comm->config.delay_max_ns + 1);
    if (comm->random % 61 == 0)
        sched_yield();
    while (clock_monotonic_ns() < end)
        ;
}

typedef void (*start_function)(struct cursor *, const struct bcast_call *, uint32_t);
typedef void (*next_function)(struct cursor *, uint32_t, struct step *);

static inline __attribute__((always_inline)) int execute(struct comm *comm, const struct bcast_call *call, const struct message *m,
                                                         uint32_t *op, start_function start, next_function next, int delayed)
{
    struct cursor cursor;
    uint32_t seen = 0;
    start(&cursor, call, *op);
    for (;;) {
        struct step step = {0};
        next(&cursor, seen, &step); /* the one place that asks, or the program would not be inlined into all */
        if (step.op == STEP_DONE)
            break;
        if (delayed)
            delay(comm);
        int error = execute_step(comm, m, &step, call->size_bytes, &seen);
        if (__builtin_expect(error != 0, 0))
            return error;
    }
    *op = cursor.op;
    return 0;
}

/* The call as a local copy: inlined, its fields are registers and constants instead of memory just written. */
static inline struct bcast_call call_of(const struct bcast_call *template, uint64_t size_bytes, uint32_t root)
{
    struct bcast_call call = *template;
    call.size_bytes = size_bytes;
    call.root = root;
    return call;
}

/* Not to be inlined into a caller, where `flatten` would be lost and the program called step by step. */
#define EXECUTOR __attribute__((noinline, flatten)) static

EXECUTOR int run_pipelined(struct comm *comm, const struct message *m, uint64_t size_bytes, uint32_t root)
{
    struct bcast_call call = call_of(&comm->pipelined_call, size_bytes, root);
    return execute(comm, &call, m, &comm->pipelined_op, pipelined_start, pipelined_next, 0);
}

EXECUTOR int run_eager(struct comm *comm, const struct message *m, uint64_t size_bytes, uint32_t root)
{
    struct bcast_call call = call_of(&comm->eager_call, size_bytes, root);
    return execute(comm, &call, m, &comm->eager_op, eager_start, eager_next, 0);
}

EXECUTOR int run_pipelined_delayed(struct comm *comm, const struct message *m, uint64_t size_bytes, uint32_t root)
{
    struct bcast_call call = call_of(&comm->pipelined_call, size_bytes, root);
    return execute(comm, &call, m, &comm->pipelined_op, pipelined_start, pipelined_next, 1);
}

EXECUTOR int run_eager_delayed(struct comm *comm, const struct message *m, uint64_t size_bytes, uint32_t root)
{
    struct bcast_call call = call_of(&comm->eager_call, size_bytes, root);
    return execute(comm, &call, m, &comm->eager_op, eager_start, eager_next, 1);
}

__attribute__((noinline)) static int run_table(struct comm *comm, const struct bcast_call *template, const struct message *m,
                                               const struct protocol *protocol, uint32_t *op, uint64_t size_bytes, uint32_t root)
{
    struct bcast_call call = call_of(template, size_bytes, root);
    return execute(comm, &call, m, op, protocol->start, protocol->next, 0);
}

static inline void prefetch_to_write(const void *line)
{
#if defined(__x86_64__)
    __asm__ volatile("prefetchw %0" : : "m"(*(const char *)line)); /* a no-op where the cpu has it not */
#else
    __builtin_prefetch(line, 1);
#endif
}

/* Who has just told children takes the lines it will tell them on next, before they start to poll them:
 * that store then finds its line at home, and one of the two transfers of a hand-over is off the critical path. */
static inline void own_next_lines(const struct comm *comm, uint32_t root)
{
    enum { CHILDREN_MOST = 8 };
    uint32_t rank = comm->config.rank, children = tree_child_count(&comm->tree, root, rank);
    uint32_t line = comm->eager_op & (comm->eager_call.lines - 1);
    for (uint32_t i = 0; i < children && i < CHILDREN_MOST; i++)
        prefetch_to_write(segment_word(&comm->plan.layout, comm->base, WORD_LINE, tree_child(&comm->tree, root, rank, i), line));
}

static int run_short(struct comm *comm, const struct message *m, uint64_t size_bytes, uint32_t root)
{
    if (__builtin_expect(comm->config.generic_executor, 0))
        return run_table(comm, &comm->eager_call, m, &protocol_eager, &comm->eager_op, size_bytes, root);
    if (__builtin_expect(comm->config.delay_max_ns != 0, 0))
        return run_eager_delayed(comm, m, size_bytes, root);
    int error = run_eager(comm, m, size_bytes, root);
    own_next_lines(comm, root);
    return error;
}

static int run_long(struct comm *comm, struct message *m, uint64_t size_bytes, uint32_t root)
{
    const struct comm_config *f = &comm->config;
    m->copy_in = f->copy_in == COMM_COPY_AUTO ? COPY_MEMCPY : (enum copy_routine)f->copy_in;
    m->copy_out = f->copy_out == COMM_COPY_AUTO ? copy_routine_choose(size_bytes, comm->llc_bytes, f->procs)
                                                : (enum copy_routine)f->copy_out;
    if (__builtin_expect(f->generic_executor, 0))
        return run_table(comm, &comm->pipelined_call, m, &protocol_pipelined, &comm->pipelined_op, size_bytes, root);
    if (__builtin_expect(f->delay_max_ns != 0, 0))
        return run_pipelined_delayed(comm, m, size_bytes, root);
    return run_pipelined(comm, m, size_bytes, root);
}

static int broadcast(struct comm *comm, struct message *m, uint64_t size_bytes, uint32_t root)
{
    int error = 0;
    if (__builtin_expect(comm->error != 0, 0))
        return comm->error;
    comm->liveness.calls++;
    if (size_bytes <= EAGER_PAYLOAD_BYTES && comm->eager_allowed)
        error = run_short(comm, m, size_bytes, root);
    else {
        error = run_long(comm, m, size_bytes, root);
        copy_fence(m->copy_out);
    }
    return __builtin_expect(error != 0, 0) ? comm_fail(comm, error, "broadcast") : 0;
}

int comm_bcast(struct comm *comm, void *buffer, uint64_t size_bytes, uint32_t root)
{
    struct message m = {.buffer = buffer};
    if (root >= comm->config.procs || (!buffer && size_bytes))
        return -EINVAL;
    return broadcast(comm, &m, size_bytes, root);
}

int comm_bcast_packed(struct comm *comm, const struct comm_data *data, uint64_t size_bytes, uint32_t root)
{
    struct message m = {.data = data};
    if (root >= comm->config.procs || (root == comm->config.rank ? !data->pack : !data->unpack))
        return -EINVAL;
    return broadcast(comm, &m, size_bytes, root);
}
