/* What executing a step program costs: per fragment of 8 KiB and per call of 8 bytes.
 *
 * The same protocol three ways over the same segment: `inline`, the program of
 * model/protocol instantiated in the executor; `table`, through the protocol table; `hand`, a loop
 * written for the protocol. Two settings, p=2: `alone`, one thread plays the root's call and
 * then the reader's, so that every wait is satisfied and only instructions are timed; `pair`,
 * two processes on two cores. Rounds are interleaved; a difference is taken within a round. */
#include "kernels/clock.h"
#include "model/protocol.h"
#include "model/protocol/eager.h"
#include "model/protocol/pipelined.h"
#include "model/segment_layout.h"

#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

enum { PROCS = 2, ROUNDS = 41, PAGE_BYTES = 4096, VARIANTS = 3 };

struct arena {
    unsigned char *segment;
    unsigned char *user; /* a buffer for each rank, user_bytes apart */
    struct segment_layout layout;
    uint64_t user_bytes;
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
        struct step step;
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

static __attribute__((noinline, flatten)) uint32_t pipelined_inline(const struct arena *a, const struct bcast_call *call, uint32_t op)
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

/* The compiler must not see through the table. */
static const struct protocol *volatile table_pipelined = &protocol_pipelined, *volatile table_eager = &protocol_eager;

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

/* What is measured: `calls` calls of a size; ns are per `units` of each. */
struct trial {
    const char *name;
    const struct protocol *protocol;
    call_fn *variant[VARIANTS];
    uint64_t size_bytes;
    uint32_t fragment_bytes, slots, sets, units, calls;
    int alternate_roots; /* pair: each call waits for the one before, so the time is a latency */
};

static const char *const variant_names[VARIANTS] = {"hand", "inline", "table"};

static const struct trial trials[] = {
    {"pipelined 8 KiB fragments", &protocol_pipelined, {pipelined_hand, pipelined_inline, pipelined_table},
     1 << 18, 8192, 64, 2, 32, 200, 0},
    {"pipelined 8 B", &protocol_pipelined, {pipelined_hand, pipelined_inline, pipelined_table}, 8, 8192, 64, 2, 1, 20000, 1},
    {"eager 8 B", &protocol_eager, {eager_hand, eager_inline, eager_table}, 8, 8192, 64, 2, 1, 20000, 1},
};

static struct bcast_call call_of(const struct trial *t, const struct tree *tree, uint32_t rank, uint32_t root)
{
    return (struct bcast_call){.size_bytes = t->size_bytes, .fragment_bytes = t->fragment_bytes, .slots = t->slots,
                               .sets = t->sets, .lines = EAGER_LINES, .procs = PROCS, .rank = rank, .root = root, .tree = tree};
}

static void words_start(const struct arena *a, const struct protocol *protocol)
{
    for (uint32_t set = 0; set < a->layout.sets; set++) {
        *word_at(a, WORD_SET_OP, 0, set) = protocol->word_initial(WORD_SET_OP, 0);
        *word_at(a, WORD_SET_NREADERS, 0, set) = protocol->word_initial(WORD_SET_NREADERS, 0);
    }
    for (uint32_t rank = 0; rank < PROCS; rank++) {
        for (uint32_t slot = 0; slot < a->layout.slots; slot++)
            *word_at(a, WORD_CONTROL, rank, slot) = protocol->word_initial(WORD_CONTROL, 0);
        for (uint32_t line = 0; line < a->layout.lines; line++)
            *word_at(a, WORD_LINE, rank, line) = protocol->word_initial(WORD_LINE, 0);
        *word_at(a, WORD_ACK, rank, 0) = protocol->word_initial(WORD_ACK, 0);
    }
}

/* One thread plays both ranks, the root first: nothing ever waits, for a message fits its queue. ns per unit. */
static double run_alone(const struct arena *a, const struct trial *t, const struct tree *tree, const struct clock *clock, int v)
{
    call_fn *run = t->variant[v];
    uint32_t op[PROCS] = {0, 0};
    words_start(a, t->protocol);
    uint64_t start = clock_ticks(clock);
    for (uint32_t i = 0; i < t->calls; i++) {
        uint32_t root = t->alternate_roots ? i % 2 : 0;
        struct bcast_call of_root = call_of(t, tree, root, root), of_reader = call_of(t, tree, 1 - root, root);
        op[root] = run(a, &of_root, op[root]);
        op[1 - root] = run(a, &of_reader, op[1 - root]);
    }
    return clock_ns(clock, clock_ticks(clock) - start) / (double)t->calls / t->units;
}

struct meeting {
    _Atomic uint32_t arrived;
    _Alignas(128) double ns[VARIANTS][ROUNDS];
};

/* Everyone goes on when both have come for the n-th time. */
static void meet(struct meeting *m, uint32_t turn)
{
    atomic_fetch_add(&m->arrived, 1);
    while (atomic_load(&m->arrived) < PROCS * turn)
        relax();
}

/* The reader ends last: its time is the trial's. */
static void run_pair(const struct arena *a, const struct trial *t, const struct tree *tree, const struct clock *clock, int v,
                     uint32_t rank, double *ns_out)
{
    uint32_t op = 0;
    uint64_t start = clock_ticks(clock);
    for (uint32_t i = 0; i < t->calls; i++) {
        struct bcast_call call = call_of(t, tree, rank, t->alternate_roots ? i % 2 : 0);
        op = t->variant[v](a, &call, op);
    }
    if (rank == 1)
        *ns_out = clock_ns(clock, clock_ticks(clock) - start) / (double)t->calls / t->units;
}

static void pin(uint32_t nth)
{
    cpu_set_t allowed, one;
    CPU_ZERO(&one);
    sched_getaffinity(0, sizeof allowed, &allowed);
    for (int cpu = 0; cpu < CPU_SETSIZE; cpu++)
        if (CPU_ISSET(cpu, &allowed) && nth-- == 0) {
            CPU_SET(cpu, &one);
            sched_setaffinity(0, sizeof one, &one);
            return;
        }
}

static void rank_of_pair(const struct arena *a, const struct trial *t, const struct tree *tree, const struct clock *clock,
                         struct meeting *m, uint32_t rank)
{
    uint32_t turn = 0;
    pin(rank);
    for (int round = -1; round < ROUNDS; round++)
        for (int v = 0; v < VARIANTS; v++) {
            double ns = 0;
            meet(m, ++turn);
            if (rank == 0)
                words_start(a, t->protocol);
            meet(m, ++turn);
            run_pair(a, t, tree, clock, v, rank, &ns);
            if (rank == 1 && round >= 0)
                m->ns[v][round] = ns;
        }
}

static int by_value(const void *x, const void *y)
{
    double a = *(const double *)x, b = *(const double *)y;
    return (a > b) - (a < b);
}

/* Sorts; returns the quantile. */
static double quantile(double *v, double q)
{
    qsort(v, ROUNDS, sizeof *v, by_value);
    return v[(int)(q * (ROUNDS - 1))];
}

static void report(const char *setting, const struct trial *t, double ns[VARIANTS][ROUNDS])
{
    double more[VARIANTS][ROUNDS];
    for (int v = 0; v < VARIANTS; v++)
        for (int i = 0; i < ROUNDS; i++)
            more[v][i] = ns[v][i] - ns[0][i];
    double hand = quantile(ns[0], 0.5);
    for (int v = 0; v < VARIANTS; v++) {
        double extra = quantile(more[v], 0.5);
        printf("%-6s %-26s %-7s %9.1f %9.1f %9.1f %9.1f %9.1f %9.1f %8.2f\n", setting, t->name, variant_names[v],
               quantile(ns[v], 0.5), quantile(ns[v], 0.25), quantile(ns[v], 0.75), extra, quantile(more[v], 0.25),
               quantile(more[v], 0.75), 100 * extra / hand);
    }
}

static void measure_alone(const struct arena *a, const struct trial *t, const struct tree *tree, const struct clock *clock)
{
    double ns[VARIANTS][ROUNDS];
    for (int round = -1; round < ROUNDS; round++)
        for (int v = 0; v < VARIANTS; v++) {
            double one = run_alone(a, t, tree, clock, v);
            if (round >= 0)
                ns[v][round] = one;
        }
    report("alone", t, ns);
}

static int measure_pair(const struct arena *a, const struct trial *t, const struct tree *tree, const struct clock *clock,
                        struct meeting *m)
{
    m->arrived = 0;
    fflush(stdout);
    pid_t child = fork();
    if (child < 0)
        return 1;
    rank_of_pair(a, t, tree, clock, m, child == 0);
    if (child == 0)
        _exit(0);
    int status;
    waitpid(child, &status, 0);
    report("pair", t, m->ns);
    return status != 0;
}

static void *shared_memory(size_t bytes)
{
    void *memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);
    return memory == MAP_FAILED ? NULL : memory;
}

int main(void)
{
    struct arena a = {.user_bytes = 1 << 20};
    struct tree tree;
    cpu_set_t allowed;
    if (segment_layout_packed(PROCS, 64, 2, 8192, PAGE_BYTES, EAGER_LINES, &a.layout) ||
        tree_create((struct tree_shape){TREE_FLAT, 0}, PROCS, &tree))
        return 1;
    struct meeting *m = shared_memory(sizeof *m);
    a.segment = shared_memory(a.layout.total_bytes);
    a.user = shared_memory(PROCS * a.user_bytes);
    if (!m || !a.segment || !a.user)
        return 1;
    sched_getaffinity(0, sizeof allowed, &allowed);
    struct clock clock = clock_create();
    pin(0);
    printf("cost of a step program, ns a fragment or call; more: than the hand-written loop, within a round; %d rounds\n", ROUNDS);
    printf("%-6s %-26s %-7s %9s %9s %9s %9s %9s %9s %8s\n", "where", "what", "variant", "median", "q25", "q75", "more", "q25", "q75",
           "more %");
    for (size_t i = 0; i < sizeof trials / sizeof *trials; i++)
        measure_alone(&a, &trials[i], &tree, &clock);
    sched_setaffinity(0, sizeof allowed, &allowed);
    int failed = 0;
    if (CPU_COUNT(&allowed) < PROCS)
        fprintf(stderr, "step_cost: one cpu allowed, the pair is left out\n");
    else
        for (size_t i = 0; i < sizeof trials / sizeof *trials; i++) {
            sched_setaffinity(0, sizeof allowed, &allowed);
            failed |= measure_pair(&a, &trials[i], &tree, &clock, m);
        }
    tree_destroy(&tree);
    return failed;
}
