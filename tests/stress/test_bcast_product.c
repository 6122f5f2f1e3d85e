/* The full product: every tree, q, s, f, m, root, p (16 included) and backend, byte-exact.
 *
 * One communicator for each (tree, q, s, f, p, backend) carries all sizes and roots, in random order, with counters
 * that wrap. SHMCOLL_STRESS_S bounds the time (default 600 s); what was left out is said. */
#include "../kernels/covering.h"

#include "kernels/clock.h"

#include <stdio.h>
#include <stdlib.h>

enum { SIZES = 7, PROCS_MOST = 16, COMMUNICATORS_MAX = 8000, LARGEST_BYTES = 1 << 20 };

struct tally {
    uint64_t passed, failed, left_out;
};

/* Steps through (size, root) but for the first, which the case itself is: size 0 from rank 0. */
static int next_size_and_root(const struct bcast_case *c, uint32_t step, uint64_t *size_bytes, uint32_t *root)
{
    for (uint32_t i = 1, found = 0; i < 2 * SIZES; i++) {
        uint64_t size = covering_size_bytes(i / 2, c->fragment_bytes);
        if (size / c->fragment_bytes > 4096 || (c->procs == 1 && i % 2) || found++ < step)
            continue;
        *size_bytes = size;
        *root = i % 2 ? c->procs - 1 : 0;
        return 1;
    }
    return 0;
}

static uint32_t all_communicators(struct bcast_case *out)
{
    struct covering_row row = {{0}};
    uint32_t n = 0, procs_levels = covering_levels(FACTOR_PROCS);
    uint32_t count[] = {covering_levels(FACTOR_TREE), covering_levels(FACTOR_SETS), covering_levels(FACTOR_SLOTS),
                        covering_levels(FACTOR_FRAGMENT), procs_levels + 1, covering_levels(FACTOR_BACKEND)};
    static const uint32_t factor[] = {FACTOR_TREE, FACTOR_SETS, FACTOR_SLOTS, FACTOR_FRAGMENT, FACTOR_PROCS, FACTOR_BACKEND};
    uint32_t total = 1;
    for (uint32_t k = 0; k < 6; k++)
        total *= count[k];
    for (uint32_t i = 0; i < total && n < COMMUNICATORS_MAX; i++) {
        uint32_t rest = i, sixteen = 0;
        for (uint32_t k = 0; k < 6; k++) {
            uint32_t level = rest % count[k];
            rest /= count[k];
            sixteen |= factor[k] == FACTOR_PROCS && level == procs_levels;
            row.level[factor[k]] = (uint8_t)(factor[k] == FACTOR_PROCS && level == procs_levels ? 0 : level);
        }
        if (!covering_row_valid(&row))
            continue;
        out[n] = covering_case(&row);
        out[n].procs = sixteen ? PROCS_MOST : out[n].procs;
        n++;
    }
    return n;
}

static void shuffle(struct bcast_case *c, uint32_t n)
{
    for (uint32_t i = n; i > 1; i--) {
        uint32_t j = (uint32_t)rand() % i;
        struct bcast_case other = c[j];
        c[j] = c[i - 1];
        c[i - 1] = other;
    }
}

static void run_one(struct bcast_case c, uint32_t i, unsigned seed, struct tally *tally)
{
    char reason[COMM_REASON_BYTES] = "", text[256];
    c.calls = 2;
    c.op_start = UINT32_MAX - 5;
    c.short_protocol = i % 2;
    c.more = next_size_and_root;
    c.size_max_bytes = LARGEST_BYTES;
    c.seed = seed + i;
    int error = bcast_case_run(&c, reason);
    *(error ? &tally->failed : &tally->passed) += bcast_case_count(&c);
    if (error)
        printf("%s: error %d: %s\n", bcast_case_format(&c, text, sizeof text), error, reason);
}

int main(void)
{
    const char *given = getenv("SHMCOLL_TEST_SEED"), *bound = getenv("SHMCOLL_STRESS_S");
    unsigned seed = given ? (unsigned)strtoul(given, NULL, 0) : (unsigned)(clock_monotonic_ns() % 1000000);
    uint64_t end_ns = clock_monotonic_ns() + (bound ? strtoull(bound, NULL, 0) : 600) * 1000000000;
    struct bcast_case *all = calloc(COMMUNICATORS_MAX, sizeof *all);
    struct tally tally = {0};
    if (!all)
        return 1;
    uint32_t n = all_communicators(all);
    srand(seed);
    shuffle(all, n);
    printf("seed %u: %u communicators\n", seed, n);
    for (uint32_t i = 0; i < n; i++) {
        all[i].more = next_size_and_root;
        if (clock_monotonic_ns() < end_ns)
            run_one(all[i], i, seed, &tally);
        else
            tally.left_out += bcast_case_count(&all[i]);
    }
    free(all);
    printf("%llu cases left out for time\n", (unsigned long long)tally.left_out);
    printf("%llu passed, %llu failed\n", (unsigned long long)tally.passed, (unsigned long long)tally.failed);
    return tally.failed > 0;
}
