/* The peers' protocols on a contention-free node: the simulator against independent recurrences, to the picosecond. */
#include "tests/model/cmocka_all.h"
#include "tests/sim/sim_case.h"

#include <stdlib.h>
#include <string.h>

enum { RANKS = 16, FRAGMENTS = 256 };

struct costs {
    uint64_t t, w, wo, a; /* picoseconds */
};

struct shape {
    uint64_t m;
    uint32_t f, s, q, procs, root;
};

static uint64_t later(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

static uint64_t fragments(const struct shape *x)
{
    return (x->m + x->f - 1) / x->f;
}

static uint64_t fragment_ps(const struct costs *c, const struct shape *x, uint64_t n)
{
    uint64_t left = x->m - n * x->f;
    return c->t * (left < x->f ? left : x->f);
}

static uint64_t simulated_ps(const struct costs *c, const struct shape *x, const struct protocol *protocol, const char *tree)
{
    struct sim_case test;
    sim_case_paper(&test, (double)c->t, (double)c->w, (double)c->wo, (double)c->a);
    sim_case_bcast(&test, x->procs, x->m, x->f, x->s, x->q);
    sim_case_tree(&test, tree);
    test.scenario.params.protocol = protocol;
    test.scenario.job.bcast.root = x->root;
    uint64_t time_ps = sim_case_time_ps(&test);
    sim_case_destroy(&test);
    return time_ps;
}

static uint32_t draw(uint64_t *x, uint32_t n)
{
    *x ^= *x << 13;
    *x ^= *x >> 7;
    *x ^= *x << 17;
    return (uint32_t)((*x >> 16) % n);
}

static struct costs draw_costs(uint64_t *x)
{
    return (struct costs){1 + draw(x, 2000), 1 + draw(x, 3000000), 1 + draw(x, 3000000), 1 + draw(x, 500000)};
}

static void same(const char *what, int i, const struct costs *c, const struct shape *x, uint64_t got, uint64_t want)
{
    if (got != want)
        fail_msg("%s, case %d: p=%u root=%u m=%llu f=%u s=%u q=%u t=%llu w=%llu wo=%llu a=%llu: %llu ps, not %llu", what, i,
                 x->procs, x->root, (unsigned long long)x->m, x->f, x->s, x->q, (unsigned long long)c->t,
                 (unsigned long long)c->w, (unsigned long long)c->wo, (unsigned long long)c->a, (unsigned long long)got,
                 (unsigned long long)want);
}

static uint64_t latest(const uint64_t *now, uint32_t procs)
{
    uint64_t end = 0;
    for (uint32_t r = 0; r < procs; r++)
        end = later(end, now[r]);
    return end;
}

/* Rank 0 hears of everybody's arrival, one after the other; then everybody hears of that. */
static void barrier(const struct costs *c, uint64_t *now, uint32_t procs)
{
    for (uint32_t r = 1; r < procs; r++)
        now[0] = later(now[0], now[r]) + c->w;
    for (uint32_t r = 1; r < procs; r++)
        now[r] = later(now[r], now[0]) + c->w;
}

/* One count for fragments and barriers: the last number of a lap is a barrier's. */
static uint64_t slot_ring_ps(const struct costs *c, const struct shape *x)
{
    uint64_t now[RANKS] = {0}, n = 0;
    for (uint64_t op = 0;; op++) {
        if (op % x->s == x->s - 1) {
            barrier(c, now, x->procs);
            continue;
        }
        if (n == fragments(x))
            return latest(now, x->procs);
        now[x->root] += fragment_ps(c, x, n);
        for (uint32_t r = 0; r < x->procs; r++)
            if (r != x->root)
                now[r] = later(now[r], now[x->root]) + c->w + fragment_ps(c, x, n);
        n++;
    }
}

static void slot_ring(void **state)
{
    (void)state;
    uint64_t x = 20261123;
    for (int i = 0; i < 2000; i++) {
        struct costs c = draw_costs(&x);
        struct shape shape = {1 + draw(&x, 100000), 500 + draw(&x, 3000), 2u << draw(&x, 6), 1, 2 + draw(&x, 15), 0};
        shape.root = draw(&x, shape.procs);
        same("slot_ring", i, &c, &shape, simulated_ps(&c, &shape, &protocol_slot_ring, "flat"), slot_ring_ps(&c, &shape));
    }
}

/* The tree of ranks 1..p-1 under 0 with at most k children each; k = 0: all under 0. */
static uint32_t parent_of(uint32_t rank, uint32_t k)
{
    return k ? (rank - 1) / k : 0;
}

static int has_children(uint32_t rank, uint32_t k, uint32_t procs)
{
    return k ? rank * k + 1 < procs : rank == 0;
}

struct banks {
    uint64_t now[RANKS], open, posted[RANKS][FRAGMENTS];
};

/* A reader's part of one set: with children the fragment goes into its own slot first. */
static void banked_reader(const struct costs *c, const struct shape *x, struct banks *b, uint32_t rank, uint32_t k,
                          uint64_t first, uint64_t last, int open_early)
{
    uint64_t *now = &b->now[rank];
    *now = (open_early ? *now : later(*now, b->open)) + c->wo;
    for (uint64_t n = first; n < last; n++) {
        *now = later(*now, b->posted[parent_of(rank, k)][n]) + c->w;
        if (has_children(rank, k, x->procs))
            b->posted[rank][n] = *now += fragment_ps(c, x, n);
        *now += fragment_ps(c, x, n);
    }
    *now += c->a;
}

static uint64_t banked_ps(const struct costs *c, const struct shape *x, uint32_t k)
{
    uint64_t left[8] = {0}, per_set = x->s / x->q, count = fragments(x);
    struct banks *b = calloc(1, sizeof *b);
    assert_non_null(b);
    for (uint64_t set = 0, first = 0; first < count; set++, first += per_set) {
        uint64_t last = first + per_set < count ? first + per_set : count;
        b->open = b->now[0] = later(b->now[0], left[set % x->q]);
        for (uint64_t n = first; n < last; n++)
            b->posted[0][n] = b->now[0] += fragment_ps(c, x, n);
        for (uint32_t rank = 1; rank < x->procs; rank++) {
            banked_reader(c, x, b, rank, k, first, last, set == 1 && x->q > 1);
            left[set % x->q] = later(left[set % x->q], b->now[rank]);
        }
    }
    uint64_t end = latest(b->now, x->procs);
    free(b);
    return end;
}

static void banked(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        uint32_t k;
    } trees[] = {{"flat", 0}, {"chain", 1}, {"kary:2", 2}, {"kary:4", 4}};
    uint64_t x = 20261124;
    for (int i = 0; i < 2000; i++) {
        struct costs c = draw_costs(&x);
        uint32_t q = 1 + draw(&x, 3);
        struct shape shape = {1 + draw(&x, 100000), 500 + draw(&x, 3000), q * (1 + draw(&x, 8)), q, 2 + draw(&x, 15), 0};
        same(trees[i % 4].name, i, &c, &shape, simulated_ps(&c, &shape, &protocol_banked, trees[i % 4].name),
             banked_ps(&c, &shape, trees[i % 4].k));
    }
}

/* By hand: one fragment down a chain costs every level a wait and two copies, the last one copy. */
static void a_chain_of_copies(void **state)
{
    (void)state;
    struct costs c = {1000, 50000, 0, 0};
    for (uint32_t procs = 2; procs <= RANKS; procs++) {
        struct shape x = {1000, 1000, 8, 2, procs, 0};
        assert_int_equal(simulated_ps(&c, &x, &protocol_banked, "chain"), 1000000 + (procs - 1) * (50000 + 1000000));
    }
}

/* Flat, the root being rank 0: its slot is free when all have acknowledged; it looks at what they have only when the slots it
 * knows free are used up. */
static uint64_t release_gather_ps(const struct costs *c, const struct shape *x)
{
    uint64_t root = 0, known = 0, *end = calloc(fragments(x) + 1, sizeof *end);
    assert_non_null(end);
    for (uint64_t n = 0; n < fragments(x); n++) {
        root += fragment_ps(c, x, n);
        end[n + 1] = later(end[n], root) + c->w + fragment_ps(c, x, n); /* when leaves have n + 1 fragments */
        if (n + 2 <= known + x->s)
            continue;
        root = later(root, end[n + 2 - x->s]);
        for (known = n + 2 - x->s; known < n + 1 && end[known + 1] <= root; known++)
            ;
    }
    uint64_t last = later(root, end[fragments(x)]);
    free(end);
    return last;
}

static void release_gather(void **state)
{
    (void)state;
    uint64_t x = 20261125;
    for (int i = 0; i < 2000; i++) {
        struct costs c = draw_costs(&x);
        struct shape shape = {1 + draw(&x, 100000), 500 + draw(&x, 3000), 2u << draw(&x, 4), 1, 2 + draw(&x, 15), 0};
        same("release_gather", i, &c, &shape, simulated_ps(&c, &shape, &protocol_release_gather, "flat"),
             release_gather_ps(&c, &shape));
    }
}

/* A root that is not rank 0 puts each fragment into its own slot, rank 0 takes it from there, and the root hears of that before
 * it sends the next: two copies and two notifications a fragment, one copy more at the end. */
static void another_root_of_release_gather(void **state)
{
    (void)state;
    struct costs c = {1000, 50000, 0, 0};
    for (uint64_t n = 1; n <= 10; n++) {
        struct shape x = {n * 1000, 1000, 16, 1, 2, 1};
        assert_int_equal(simulated_ps(&c, &x, &protocol_release_gather, "flat"), n * (2 * 1000000 + 2 * 50000) - 50000 + 1000000);
    }
}

/* Two ranks take pieces in step: the one with more of them decides, and takes once in vain. */
static void cooperative_pairs(void **state)
{
    (void)state;
    uint64_t x = 20261126;
    for (int i = 0; i < 500; i++) {
        struct costs c = draw_costs(&x);
        uint32_t f = 500 + draw(&x, 3000), most;
        struct shape shape = {(uint64_t)f * (1 + draw(&x, 40)), f, 1, 1, 2, draw(&x, 2)};
        most = (uint32_t)(fragments(&shape) + 1) / 2;
        same("cooperative", i, &c, &shape, simulated_ps(&c, &shape, &protocol_cooperative, "flat"),
             c.w + most * (c.a + f * c.t) + c.a);
    }
}

/* A reader's part is there after one wait and copy; every other part it takes from its reader, who has had time for it. */
static void cooperative_parts(void **state)
{
    (void)state;
    struct costs c = {1000, 50000, 0, 0};
    for (uint32_t procs = 3; procs <= RANKS; procs++) {
        uint32_t readers = procs - 1;
        struct shape x = {4096ull * readers, 4096, 1, 1, procs, 0};
        assert_int_equal(simulated_ps(&c, &x, &protocol_cooperative, "flat"), readers * (50000 + 4096 * 1000));
    }
}

static void shared_source_is_single_copy(void **state)
{
    (void)state;
    uint64_t x = 20261127;
    for (int i = 0; i < 100; i++) {
        struct costs c = draw_costs(&x);
        struct shape shape = {1 + draw(&x, 100000), 500 + draw(&x, 3000), 1, 1, 2 + draw(&x, 15), 0};
        same("shared_source", i, &c, &shape, simulated_ps(&c, &shape, &protocol_shared_source, "flat"), c.w + shape.m * c.t);
        same("single_copy", i, &c, &shape, simulated_ps(&c, &shape, &protocol_single_copy, "flat"), c.w + shape.m * c.t);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(slot_ring),
        cmocka_unit_test(banked),
        cmocka_unit_test(a_chain_of_copies),
        cmocka_unit_test(release_gather),
        cmocka_unit_test(another_root_of_release_gather),
        cmocka_unit_test(cooperative_pairs),
        cmocka_unit_test(cooperative_parts),
        cmocka_unit_test(shared_source_is_single_copy),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
