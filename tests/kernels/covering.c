#include "covering.h"

#include "model/protocol/eager.h"

#include <string.h>

static const struct tree_shape trees[] = {{TREE_FLAT, 0}, {TREE_CHAIN, 0}, {TREE_KARY, 2}, {TREE_KARY, 4},
                                          {TREE_KNOMIAL, 2}, {TREE_KNOMIAL, 3}, {TREE_KNOMIAL, 4}};
static const uint32_t sets[] = {1, 2, 4}, slots[] = {1, 2, 8, 64}, fragments[] = {1, 63, 4096, 8192, 65536}, procs[] = {1, 2, 3, 5, 8};
/* Wrap-around of the counters themselves and of their differences as signed numbers. */
static const uint32_t starts[] = {0, UINT32_MAX - 1, INT32_MAX - 1};
static const int copies_out[] = {COMM_COPY_AUTO, COPY_MEMCPY, COPY_NONTEMPORAL};
static const uint32_t levels[FACTOR_COUNT] = {
    [FACTOR_SETS] = 3, [FACTOR_SLOTS] = 4, [FACTOR_FRAGMENT] = 5, [FACTOR_SIZE] = 7, [FACTOR_PROCS] = 5, [FACTOR_TREE] = 7,
    [FACTOR_READERS] = 3, [FACTOR_ROOT] = 2, [FACTOR_BACKEND] = 2, [FACTOR_LANES] = CASE_LANES_COUNT,
    [FACTOR_CALLS] = CASE_CALLS_COUNT, [FACTOR_BUFFERS] = CASE_BUFFERS_COUNT, [FACTOR_PACKED] = CASE_PACKED_COUNT,
    [FACTOR_START] = 3, [FACTOR_DELAY] = 2, [FACTOR_COPY_OUT] = 3, [FACTOR_EXECUTOR] = 2,
};

enum { LEVELS_MAX = 7, CANDIDATES = 20, CALLS = 4, CALLS_SHORT = EAGER_LINES + EAGER_LINES / 2 };

uint32_t covering_levels(uint32_t factor)
{
    return levels[factor];
}

uint64_t covering_size_bytes(uint32_t level, uint32_t f)
{
    const uint64_t size[] = {0, 1, f - 1, f, (uint64_t)f + 1, 3 * (uint64_t)f + 5, 1 << 20};
    return size[level];
}

struct bcast_case covering_case(const struct protocol *protocol, const struct covering_row *row)
{
    const uint8_t *level = row->level;
    struct bcast_case c = bcast_case_default();
    c.protocol = protocol;
    c.tree = trees[level[FACTOR_TREE]];
    c.sets = sets[level[FACTOR_SETS]];
    c.slots = slots[level[FACTOR_SLOTS]];
    c.fragment_bytes = fragments[level[FACTOR_FRAGMENT]];
    c.size_bytes = covering_size_bytes(level[FACTOR_SIZE], c.fragment_bytes);
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

/* covered[a][i][b][j]: the pair of level i of factor a and level j of factor b, a < b. */
struct coverage {
    const struct protocol *protocol;
    uint8_t covered[FACTOR_COUNT][LEVELS_MAX][FACTOR_COUNT][LEVELS_MAX];
    uint64_t random;
};

static uint32_t draw(struct coverage *c, uint32_t below)
{
    c->random = c->random * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)((c->random >> 33) % below);
}

/* Fills the factors not in `fixed` at random until the row is valid; 0 if that seems impossible. */
static int complete(struct coverage *c, struct covering_row *row, uint32_t fixed)
{
    for (int attempt = 0; attempt < 400; attempt++) {
        for (uint32_t f = 0; f < FACTOR_COUNT; f++)
            if (!(fixed >> f & 1))
                row->level[f] = (uint8_t)draw(c, levels[f]);
        struct bcast_case possible = covering_case(c->protocol, row);
        if (bcast_case_valid(&possible))
            return 1;
    }
    return 0;
}

static uint32_t gain(const struct coverage *c, const struct covering_row *row)
{
    uint32_t n = 0;
    for (uint32_t a = 0; a < FACTOR_COUNT; a++)
        for (uint32_t b = a + 1; b < FACTOR_COUNT; b++)
            n += !c->covered[a][row->level[a]][b][row->level[b]];
    return n;
}

static void cover(struct coverage *c, const struct covering_row *row)
{
    for (uint32_t a = 0; a < FACTOR_COUNT; a++)
        for (uint32_t b = a + 1; b < FACTOR_COUNT; b++)
            c->covered[a][row->level[a]][b][row->level[b]] = 1;
}

/* The best of some rows that contain the pair. */
static int best_row(struct coverage *c, uint32_t a, uint32_t i, uint32_t b, uint32_t j, struct covering_row *best)
{
    uint32_t best_gain = 0;
    for (int k = 0; k < CANDIDATES; k++) {
        struct covering_row row;
        row.level[a] = (uint8_t)i;
        row.level[b] = (uint8_t)j;
        if (!complete(c, &row, 1u << a | 1u << b))
            return 0;
        uint32_t g = gain(c, &row);
        if (g > best_gain) {
            best_gain = g;
            *best = row;
        }
    }
    return 1;
}

uint32_t covering_make(const struct protocol *protocol, uint64_t seed, struct covering_row *rows, uint32_t rows_max, uint32_t *pairs)
{
    struct coverage c;
    uint32_t n = 0;
    memset(&c, 0, sizeof c);
    c.protocol = protocol;
    c.random = seed;
    *pairs = 0;
    for (uint32_t a = 0; a < FACTOR_COUNT; a++)
        for (uint32_t b = a + 1; b < FACTOR_COUNT; b++)
            for (uint32_t i = 0; i < levels[a]; i++)
                for (uint32_t j = 0; j < levels[b]; j++) {
                    struct covering_row row;
                    int possible = c.covered[a][i][b][j];
                    if (!possible && best_row(&c, a, i, b, j, &row)) {
                        if (n == rows_max)
                            return 0;
                        possible = 1;
                        rows[n++] = row;
                        cover(&c, &row);
                    }
                    *pairs += (uint32_t)possible;
                }
    return n;
}
