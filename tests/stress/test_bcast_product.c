/* The full product: every protocol, tree, q, s, f, m, root, p (16 included) and backend, byte-exact.
 *
 * One communicator for each (protocol, tree, q, s, f, p, backend) carries all sizes and roots, in random order; the other
 * factors (buffers, packing, begin of the counters, readers at once, delays, copy routine, executor) are drawn for each.
 * SHMCOLL_STRESS_S bounds the time (default 720 s); what was left out is said. */
#include "../kernels/bcast_factors.h"

#include "kernels/clock.h"

#include <stdio.h>
#include <stdlib.h>

enum { SIZES = 7, PROCS_MOST = 16, COMMUNICATORS_MAX = 100000, LARGEST_BYTES = 1 << 20, SECONDS = 720 };

struct tally {
    uint64_t passed, failed, left_out;
};

/* The index-th valid (size, root), largest size first, which the case itself is; 0 if there are no more. */
static int size_and_root(const struct bcast_case *c, uint32_t index, uint64_t *size_bytes, uint32_t *root)
{
    for (uint32_t i = 0, found = 0; i < 2 * SIZES; i++) {
        struct bcast_case one = *c;
        one.size_bytes = bcast_factor_size_bytes(SIZES - 1 - i / 2, c->fragment_bytes);
        one.root = i % 2 ? c->procs - 1 : 0;
        if (!bcast_case_valid(&one) || (c->procs == 1 && i % 2) || found++ < index)
            continue;
        *size_bytes = one.size_bytes;
        *root = one.root;
        return 1;
    }
    return 0;
}

static int next_size_and_root(const struct bcast_case *c, uint32_t step, uint64_t *size_bytes, uint32_t *root)
{
    return size_and_root(c, step + 1, size_bytes, root);
}

static const uint32_t factors[] = {FACTOR_TREE, FACTOR_SETS, FACTOR_SLOTS, FACTOR_FRAGMENT, FACTOR_PROCS, FACTOR_BACKEND};
enum { FACTORS = sizeof factors / sizeof *factors };

/* Factors of which the protocol takes no notice have one level here; there is one more p than in the covering array. */
static uint32_t level_count(const struct protocol *protocol, uint32_t factor)
{
    int queue = (protocol->uses & PROTOCOL_SLOTS) != 0, pieces = queue || (protocol->uses & PROTOCOL_PEERS);
    if (((factor == FACTOR_SETS || factor == FACTOR_SLOTS) && !queue) || (factor == FACTOR_FRAGMENT && !pieces))
        return 1;
    return bcast_factor_levels[factor] + (factor == FACTOR_PROCS);
}

/* Number `index` of the protocol's communicators into *out. 1; 0 if there is none such; -1 past the end. */
static int communicator(const struct protocol *protocol, uint32_t index, struct bcast_case *out)
{
    struct covering_row row = {{0}};
    int sixteen = 0;
    for (uint32_t k = 0; k < FACTORS; k++) {
        uint32_t count = level_count(protocol, factors[k]), level = index % count;
        index /= count;
        sixteen |= factors[k] == FACTOR_PROCS && level == bcast_factor_levels[FACTOR_PROCS];
        row.level[factors[k]] = (uint8_t)(factors[k] == FACTOR_PROCS && sixteen ? 0 : level);
    }
    if (index > 0)
        return -1;
    for (uint32_t f = 0; f < FACTOR_COUNT; f++)
        if (f == FACTOR_READERS || f > FACTOR_BACKEND)
            row.level[f] = (uint8_t)((uint32_t)rand() % bcast_factor_levels[f]);
    *out = bcast_factors_case(protocol, &row);
    out->procs = sixteen ? PROCS_MOST : out->procs;
    out->lanes = CASE_LANES_ONE;
    out->calls = CASE_CALLS_SAME;
    out->call_count = 2;
    out->delay_max_ns = out->delay_max_ns && rand() % 4 == 0 ? 200 : 0;
    out->more = next_size_and_root;
    out->size_max_bytes = LARGEST_BYTES;
    return size_and_root(out, 0, &out->size_bytes, &out->root);
}

static uint32_t all_communicators(struct bcast_case *out)
{
    uint32_t n = 0;
    for (const struct protocol *const *p = protocol_table; *p; p++)
        for (uint32_t i = 0, there = 0; n < COMMUNICATORS_MAX; i++, n += there) {
            int found = communicator(*p, i, &out[n]);
            if (found < 0)
                break;
            there = (uint32_t)found;
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

static void run_one(const struct bcast_case *c, struct tally *tally)
{
    char reason[COMM_REASON_BYTES] = "", text[BCAST_CASE_TEXT_BYTES];
    int error = bcast_case_run(c, reason);
    *(error ? &tally->failed : &tally->passed) += bcast_case_count(c);
    if (error)
        printf("%s: error %d: %s\n", bcast_case_format(c, text, sizeof text), error, reason);
}

int main(void)
{
    const char *given = getenv("SHMCOLL_TEST_SEED"), *bound = getenv("SHMCOLL_STRESS_S");
    unsigned seed = given ? (unsigned)strtoul(given, NULL, 0) : (unsigned)(clock_monotonic_ns() % 1000000);
    uint64_t end_ns = clock_monotonic_ns() + (bound ? strtoull(bound, NULL, 0) : SECONDS) * 1000000000;
    struct bcast_case *all = calloc(COMMUNICATORS_MAX, sizeof *all);
    struct tally tally = {0};
    if (!all)
        return 1;
    setvbuf(stdout, NULL, _IOLBF, BUFSIZ); /* ranks are forked */
    srand(seed);
    uint32_t n = all_communicators(all);
    shuffle(all, n);
    printf("seed %u: %u communicators\n", seed, n);
    for (uint32_t i = 0; i < n; i++) {
        all[i].seed = seed + i;
        if (clock_monotonic_ns() < end_ns)
            run_one(&all[i], &tally);
        else
            tally.left_out += bcast_case_count(&all[i]);
    }
    free(all);
    printf("%llu cases left out for time\n", (unsigned long long)tally.left_out);
    printf("%llu passed, %llu failed\n", (unsigned long long)tally.passed, (unsigned long long)tally.failed);
    return tally.failed > 0;
}
