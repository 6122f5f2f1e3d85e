/* What executing a step program costs: per fragment of 8 KiB and per call of 8 bytes.
 *
 * The same protocol five ways: `hand`, a loop written for the protocol; `inline`, the program
 * of model/protocol instantiated in a bare executor; `table`, through the protocol table; `kernel`
 * and `kern-table`, comm_bcast doing the one or the other. Two settings, p=2: `alone`, one thread
 * plays the root's call and then the reader's, so that every wait is satisfied and only instructions
 * are timed; `pair`, two threads on two cores. Rounds are interleaved; a difference is taken within a round. */
#include "experiments/bench/step_comms.h"
#include "experiments/bench/step_variants.h"
#include "kernels/clock.h"

#include <sched.h>
#include <stdlib.h>
#include <sys/mman.h>

enum { PROCS = 2, ROUNDS = 41, PAGE_BYTES = 4096, VARIANTS = 5, USER_BYTES = 128 << 20 };

/* What is measured: `calls` calls of a size; ns are per `units` of each. */
struct trial {
    const char *name;
    const struct protocol *protocol;
    call_fn *variant[VARIANTS];
    uint64_t size_bytes;
    uint32_t fragment_bytes, slots, sets, units, calls;
    int alternate_roots; /* pair: each call waits for the one before, so the time is a latency */
    int cold;            /* each call has buffers of its own, last used a whole pool ago */
};

static const char *const variant_names[VARIANTS] = {"hand", "inline", "table", "kernel", "kern-table"};

#define PIPELINED pipelined_hand, pipelined_inline, pipelined_table, pipelined_kernel, pipelined_kernel_table
#define COUNTED counted_hand, counted_inline, counted_table, counted_kernel, counted_kernel_table
#define EAGER eager_hand, eager_inline, eager_table, eager_kernel, eager_kernel_table
static const struct trial trials[] = {
    {"pipelined 8 KiB, cold", &protocol_pipelined, {PIPELINED}, 1 << 18, 8192, 64, 2, 32, 100, 0, 1},
    {"pipelined 8 KiB, warm", &protocol_pipelined, {PIPELINED}, 1 << 18, 8192, 64, 2, 32, 200, 0, 0},
    {"counted 8 KiB, cold", &protocol_counted, {COUNTED}, 1 << 18, 8192, 64, 2, 32, 100, 0, 1},
    {"counted 8 KiB, warm", &protocol_counted, {COUNTED}, 1 << 18, 8192, 64, 2, 32, 200, 0, 0},
    {"counted 8 B", &protocol_counted, {COUNTED}, 8, 8192, 64, 2, 1, 20000, 1, 0},
    {"pipelined 8 B", &protocol_pipelined, {PIPELINED}, 8, 8192, 64, 2, 1, 20000, 1, 0},
    {"eager 8 B", &protocol_eager, {EAGER}, 8, 8192, 64, 2, 1, 20000, 1, 0},
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
        *word_at(a, WORD_COUNTER, rank, COUNTED_READY) = protocol->word_initial(WORD_COUNTER, 0);
        *word_at(a, WORD_ACK, rank, 0) = protocol->word_initial(WORD_ACK, 0);
    }
}

/* The arena as seen by the i-th call: cold buffers walk through the pool, and go on from one trial to the next. */
static struct arena arena_of_call(const struct arena *a, const struct trial *t, uint64_t *offset_bytes)
{
    struct arena moved = *a;
    if (!t->cold)
        return moved;
    moved.user += *offset_bytes;
    *offset_bytes = (*offset_bytes + t->size_bytes) % (a->user_bytes - t->size_bytes);
    return moved;
}

/* One thread plays both ranks, the root first: nothing ever waits, for a message fits its queue. ns per unit. */
static double run_alone(const struct arena *a, const struct trial *t, const struct tree *tree, const struct clock *clock, int v,
                        uint64_t *offset_bytes)
{
    call_fn *run = t->variant[v];
    uint32_t op[PROCS] = {0, 0};
    words_start(a, t->protocol);
    uint64_t start = clock_ticks(clock);
    for (uint32_t i = 0; i < t->calls; i++) {
        uint32_t root = t->alternate_roots ? i % 2 : 0;
        struct bcast_call of_root = call_of(t, tree, root, root), of_reader = call_of(t, tree, 1 - root, root);
        struct arena here = arena_of_call(a, t, offset_bytes);
        op[root] = run(&here, &of_root, op[root]);
        op[1 - root] = run(&here, &of_reader, op[1 - root]);
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
                     uint32_t rank, uint64_t *offset_bytes, double *ns_out)
{
    uint32_t op = 0;
    uint64_t start = clock_ticks(clock);
    for (uint32_t i = 0; i < t->calls; i++) {
        struct bcast_call call = call_of(t, tree, rank, t->alternate_roots ? i % 2 : 0);
        struct arena here = arena_of_call(a, t, offset_bytes);
        op = t->variant[v](&here, &call, op);
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
    uint64_t offset_bytes = 0;
    pin(rank);
    for (int round = -1; round < ROUNDS; round++)
        for (int v = 0; v < VARIANTS; v++) {
            double ns = 0;
            meet(m, ++turn);
            if (rank == 0)
                words_start(a, t->protocol);
            meet(m, ++turn);
            run_pair(a, t, tree, clock, v, rank, &offset_bytes, &ns);
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
        printf("%-6s %-26s %-10s %9.1f %9.1f %9.1f %9.1f %9.1f %9.1f %8.2f\n", setting, t->name, variant_names[v],
               quantile(ns[v], 0.5), quantile(ns[v], 0.25), quantile(ns[v], 0.75), extra, quantile(more[v], 0.25),
               quantile(more[v], 0.75), 100 * extra / hand);
    }
}

static void measure_alone(const struct arena *a, const struct trial *t, const struct tree *tree, const struct clock *clock)
{
    double ns[VARIANTS][ROUNDS];
    uint64_t offset_bytes = 0;
    for (int round = -1; round < ROUNDS; round++)
        for (int v = 0; v < VARIANTS; v++) {
            double one = run_alone(a, t, tree, clock, v, &offset_bytes);
            if (round >= 0)
                ns[v][round] = one;
        }
    report("alone", t, ns);
}

struct pair {
    const struct arena *a;
    const struct trial *t;
    const struct tree *tree;
    const struct clock *clock;
    struct meeting *m;
};

static void *second_of_pair(void *argument)
{
    const struct pair *p = argument;
    rank_of_pair(p->a, p->t, p->tree, p->clock, p->m, 1);
    return NULL;
}

static int measure_pair(const struct arena *a, const struct trial *t, const struct tree *tree, const struct clock *clock)
{
    static struct meeting m;
    struct pair pair = {a, t, tree, clock, &m};
    pthread_t second;
    m.arrived = 0;
    int error = pthread_create(&second, NULL, second_of_pair, &pair);
    if (error)
        return error;
    rank_of_pair(a, t, tree, clock, &m, 0);
    pthread_join(second, NULL);
    report("pair", t, m.ns);
    return 0;
}

static void *shared_memory(size_t bytes)
{
    void *memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);
    return memory == MAP_FAILED ? NULL : memory;
}

static int comms_create(struct arena *a)
{
    int error = 0;
    for (int kind = 0; kind < 6 && !error; kind++)
        error = step_comms_create(kind / 2, kind % 2, a->comm[kind / 2][kind % 2]);
    if (error)
        fprintf(stderr, "step_cost: no communicator: error %d\n", error);
    return error;
}

static void comms_destroy(struct arena *a)
{
    for (int i = 0; i < 12; i++)
        comm_destroy(a->comm[i / 4][i / 2 % 2][i % 2]);
}

int main(void)
{
    struct arena a = {.user_bytes = USER_BYTES};
    struct tree tree;
    cpu_set_t allowed;
    struct segment_shape shape = {.procs = PROCS, .slots = 64, .sets = 2, .fragment_bytes = 8192, .lines = EAGER_LINES,
                                  .counters = COUNTED_COUNTERS};
    if (segment_layout_packed(&shape, PAGE_BYTES, &a.layout) ||
        tree_create((struct tree_shape){TREE_FLAT, 0}, PROCS, &tree))
        return 1;
    a.segment = shared_memory(a.layout.total_bytes);
    a.user = shared_memory(PROCS * a.user_bytes);
    if (!a.segment || !a.user || comms_create(&a) != 0)
        return 1;
    sched_getaffinity(0, sizeof allowed, &allowed);
    struct clock clock = clock_create();
    pin(0);
    printf("cost of a step program, ns a fragment or call; more: than the hand-written loop in the same round; %d rounds\n",
           ROUNDS);
    printf("%-6s %-26s %-10s %9s %9s %9s %9s %9s %9s %8s\n", "where", "what", "variant", "median", "q25", "q75", "more", "q25",
           "q75", "more %");
    for (size_t i = 0; i < sizeof trials / sizeof *trials; i++)
        measure_alone(&a, &trials[i], &tree, &clock);
    sched_setaffinity(0, sizeof allowed, &allowed);
    int failed = 0;
    if (CPU_COUNT(&allowed) < PROCS)
        fprintf(stderr, "step_cost: one cpu allowed, the pair is left out\n");
    else
        for (size_t i = 0; i < sizeof trials / sizeof *trials; i++) {
            sched_setaffinity(0, sizeof allowed, &allowed);
            failed |= measure_pair(&a, &trials[i], &tree, &clock);
        }
    comms_destroy(&a);
    tree_destroy(&tree);
    return failed;
}
