/* The executors: every protocol's program, inlined into the loop that runs it. */
#include "kernels/execute.h"
#include "model/protocol/banked.h"
#include "model/protocol/cooperative.h"
#include "model/protocol/counted.h"
#include "model/protocol/direct.h"
#include "model/protocol/direct_line.h"
#include "model/protocol/pipelined.h"
#include "model/protocol/release_gather.h"
#include "model/protocol/shared_blocks.h"
#include "model/protocol/shared_source.h"
#include "model/protocol/single_copy.h"
#include "model/protocol/slot_ring.h"

/* Not to be inlined into a caller, where `flatten` would be lost and the program called step by step. */
#define EXECUTOR __attribute__((noinline, flatten)) static

/* gcc's `flatten` leaves a program out that grows past its limit for one function, so it is told of each by name. */
#if defined(__clang__)
#define PROGRAM_INLINED(NAME)
#else
#define PROGRAM_INLINED(NAME)                                                                                                  \
    static inline __attribute__((always_inline)) void NAME##_next(struct cursor *, uint32_t, struct step *);
#endif

#define EXECUTORS_OF(NAME)                                                                                                     \
    PROGRAM_INLINED(NAME)                                                                                                      \
    EXECUTOR int run_##NAME(struct comm *comm, uint32_t lane, const struct message *m, uint64_t size_bytes, uint32_t root)     \
    {                                                                                                                          \
        return execute(comm, lane, m, size_bytes, root, NAME##_start, NAME##_next, 0);                                         \
    }                                                                                                                          \
    EXECUTOR int delay_##NAME(struct comm *comm, uint32_t lane, const struct message *m, uint64_t size_bytes, uint32_t root)   \
    {                                                                                                                          \
        return execute(comm, lane, m, size_bytes, root, NAME##_start, NAME##_next, 1);                                         \
    }

EXECUTORS_OF(pipelined)
EXECUTORS_OF(eager)
EXECUTORS_OF(counted)
EXECUTORS_OF(single_copy)
EXECUTORS_OF(cooperative)
EXECUTORS_OF(shared_source)
EXECUTORS_OF(slot_ring)
EXECUTORS_OF(banked)
EXECUTORS_OF(release_gather)
EXECUTORS_OF(direct)
EXECUTORS_OF(direct_line)
EXECUTORS_OF(shared_blocks)

static int run_table(struct comm *comm, uint32_t lane, const struct message *m, uint64_t size_bytes, uint32_t root)
{
    const struct protocol *protocol = comm->lane[lane].protocol;
    return execute(comm, lane, m, size_bytes, root, protocol->start, protocol->next, 0);
}

void execute_delay(struct comm *comm)
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
static int run_eager_ahead(struct comm *comm, uint32_t index, const struct message *m, uint64_t size_bytes, uint32_t root)
{
    enum { CHILDREN_MOST = 8 };
    const struct lane *lane = &comm->lane[index];
    int error = run_eager(comm, index, m, size_bytes, root);
    uint32_t rank = comm->config.rank, children = tree_child_count(&lane->tree, root, rank);
    uint32_t line = lane->op & (lane->call.lines - 1);
    for (uint32_t i = 0; i < children && i < CHILDREN_MOST; i++)
        prefetch_to_write(segment_word(lane->layout, lane->base, WORD_LINE, tree_child(&lane->tree, root, rank, i), line));
    return error;
}

static const struct {
    const struct protocol *protocol;
    lane_execute *run, *delayed;
} executors[] = {
    {&protocol_pipelined, run_pipelined, delay_pipelined},
    {&protocol_eager, run_eager_ahead, delay_eager},
    {&protocol_counted, run_counted, delay_counted},
    {&protocol_single_copy, run_single_copy, delay_single_copy},
    {&protocol_cooperative, run_cooperative, delay_cooperative},
    {&protocol_shared_source, run_shared_source, delay_shared_source},
    {&protocol_slot_ring, run_slot_ring, delay_slot_ring},
    {&protocol_banked, run_banked, delay_banked},
    {&protocol_release_gather, run_release_gather, delay_release_gather},
    {&protocol_direct, run_direct, delay_direct},
    {&protocol_direct_line, run_direct_line, delay_direct_line},
    {&protocol_shared_blocks, run_shared_blocks, delay_shared_blocks},
};

lane_execute *lane_execute_find(const struct protocol *protocol, const struct comm_config *config)
{
    for (size_t i = 0; i < sizeof executors / sizeof *executors; i++)
        if (executors[i].protocol == protocol)
            return config->generic_executor ? run_table : config->delay_max_ns ? executors[i].delayed : executors[i].run;
    return NULL;
}
