#include "bcast_factors.h"

#include "model/protocol/eager.h"

static const struct tree_shape trees[] = {{TREE_FLAT, 0}, {TREE_CHAIN, 0}, {TREE_KARY, 2}, {TREE_KARY, 4},
                                          {TREE_KNOMIAL, 2}, {TREE_KNOMIAL, 3}, {TREE_KNOMIAL, 4}};
static const uint32_t sets[] = {1, 2, 4}, slots[] = {1, 2, 8, 64}, fragments[] = {1, 63, 4096, 8192, 65536},
                      procs[] = {1, 2, 3, 5, 8};
/* Wrap-around of the counters themselves and of their differences as signed numbers. */
static const uint32_t starts[] = {0, UINT32_MAX - 1, INT32_MAX - 1};
static const int copies_out[] = {COMM_COPY_AUTO, COPY_MEMCPY, COPY_NONTEMPORAL};
const uint32_t bcast_factor_levels[FACTOR_COUNT] = {
    [FACTOR_SETS] = 3, [FACTOR_SLOTS] = 4, [FACTOR_FRAGMENT] = 5, [FACTOR_SIZE] = 7, [FACTOR_PROCS] = 5, [FACTOR_TREE] = 7,
    [FACTOR_READERS] = 3, [FACTOR_ROOT] = 2, [FACTOR_BACKEND] = 2, [FACTOR_LANES] = CASE_LANES_COUNT,
    [FACTOR_CALLS] = CASE_CALLS_COUNT, [FACTOR_BUFFERS] = CASE_BUFFERS_COUNT, [FACTOR_PACKED] = CASE_PACKED_COUNT,
    [FACTOR_START] = 3, [FACTOR_DELAY] = 2, [FACTOR_COPY_OUT] = 3, [FACTOR_EXECUTOR] = 2,
};

enum { CALLS = 4, CALLS_SHORT = EAGER_LINES + EAGER_LINES / 2 };

uint64_t bcast_factor_size_bytes(uint32_t level, uint32_t f)
{
    const uint64_t size[] = {0, 1, f - 1, f, (uint64_t)f + 1, 3 * (uint64_t)f + 5, 1 << 20};
    return size[level];
}

struct bcast_case bcast_factors_case(const struct protocol *protocol, const struct covering_row *row)
{
    const uint8_t *level = row->level;
    struct bcast_case c = bcast_case_default();
    c.protocol = protocol;
    c.tree = trees[level[FACTOR_TREE]];
    c.sets = sets[level[FACTOR_SETS]];
    c.slots = slots[level[FACTOR_SLOTS]];
    c.fragment_bytes = fragments[level[FACTOR_FRAGMENT]];
    c.size_bytes = bcast_factor_size_bytes(level[FACTOR_SIZE], c.fragment_bytes);
    c.readers_most = level[FACTOR_READERS];
    c.procs = procs[level[FACTOR_PROCS]];
    c.root = level[FACTOR_ROOT] ? c.procs - 1 : 0;
    c.backend = level[FACTOR_BACKEND] ? BACKEND_THREADS : BACKEND_PROCS;
    c.lanes = level[FACTOR_LANES];
    c.calls = level[FACTOR_CALLS];
    c.buffers = level[FACTOR_BUFFERS];
    c.packed = level[FACTOR_PACKED];
    c.op_start = starts[level[FACTOR_START]];
    /* Of many fragments each is held up less. */
    c.delay_max_ns = !level[FACTOR_DELAY] ? 0 : c.size_bytes / c.fragment_bytes < 300 ? 2000 : 100;
    c.copy_out = copies_out[level[FACTOR_COPY_OUT]];
    c.generic_executor = level[FACTOR_EXECUTOR];
    c.call_count = c.size_bytes <= EAGER_PAYLOAD_BYTES ? CALLS_SHORT : CALLS; /* the first go more than once round all lines */
    return c;
}

static int possible(const void *protocol, const struct covering_row *row)
{
    struct bcast_case c = bcast_factors_case(protocol, row);
    return bcast_case_valid(&c);
}

struct covering_space bcast_factors_space(const struct protocol *protocol)
{
    return (struct covering_space){
        .context = protocol, .factors = FACTOR_COUNT, .levels = bcast_factor_levels, .deciding = FACTOR_DECIDING,
        .possible = possible};
}
