/* The counted protocol on a contention-free node: the simulator against independent recurrences, to the picosecond. */
#include "tests/model/cmocka_all.h"
#include "tests/sim/sim_case.h"

#include <stdlib.h>

struct costs {
    uint64_t t, w; /* picoseconds */
};

struct shape {
    uint64_t m;
    uint32_t f, s, q;
};

static uint64_t later(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

static uint64_t fragment_ps(const struct costs *c, const struct shape *x, uint64_t n)
{
    uint64_t left = x->m - n * x->f;
    return c->t * (left < x->f ? left : x->f);
}

/* The root's side of two ranks: posted[n] as far as the acknowledgements known let it come. */
static uint64_t root_advance(const struct costs *c, const struct shape *x, uint64_t count, uint64_t from, uint64_t acked,
                             const uint64_t *acked_at, uint64_t *posted)
{
    uint64_t per_set = x->s / x->q;
    for (; from < count; from++) {
        uint64_t begin = from ? posted[from - 1] : 0;
        if (from % per_set == 0 && from + per_set > x->s) {
            uint64_t needed = from + per_set - x->s;
            if (needed > acked)
                break;
            begin = later(begin, acked_at[needed]);
        }
        posted[from] = begin + fragment_ps(c, x, from);
    }
    return from;
}

/* The reader takes what is posted when it looks, pays t_w once for all of it, and acknowledges set by set. An acknowledgement
 * lets both copy in step; the reader began first and looks first. */
static uint64_t two_ranks_ps(const struct costs *c, const struct shape *x)
{
    uint64_t count = (x->m + x->f - 1) / x->f, reader = 0, known = 0, acked = 0, done = 0;
    uint64_t *posted = calloc(count, sizeof *posted), *acked_at = calloc(count + 1, sizeof *acked_at);
    assert_true(posted && acked_at);
    for (uint64_t n = 0; n < count; n++) {
        done = root_advance(c, x, count, done, acked, acked_at, posted);
        if (known <= n) {
            uint64_t now = later(reader, posted[n]);
            for (known = n + 1; known < done && posted[known] < now; known++)
                ;
            reader = now + c->w;
        }
        reader += fragment_ps(c, x, n);
        if ((n + 1) % (x->s / x->q) == 0)
            acked_at[acked = n + 1] = reader;
    }
    free(posted);
    free(acked_at);
    return reader;
}

static uint64_t simulated_ps(const struct costs *c, const struct shape *x, uint32_t procs, const char *tree)
{
    struct sim_case test;
    sim_case_paper(&test, (double)c->t, (double)c->w, 0, 0);
    sim_case_bcast(&test, procs, x->m, x->f, x->s, x->q);
    sim_case_tree(&test, tree);
    test.scenario.params.protocol = &protocol_counted;
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

static struct shape draw_shape(uint64_t *x, uint64_t size_most)
{
    uint32_t q = 1u << draw(x, 3), s = q << draw(x, 4), f = 100 + draw(x, 3000);
    return (struct shape){1 + draw(x, (uint32_t)size_most), f, s, q};
}

static void two_ranks(void **state)
{
    (void)state;
    uint64_t x = 20261122;
    for (int i = 0; i < 3000; i++) {
        struct costs c = {1 + draw(&x, 2000), 1 + draw(&x, 3000000)};
        struct shape shape = draw_shape(&x, 60000);
        if (shape.s == 1) /* a slot whose only reader has it may not be written: nothing overlaps, but it must work */
            shape.q = 1;
        uint64_t want = two_ranks_ps(&c, &shape), got = simulated_ps(&c, &shape, 2, "flat");
        if (want != got)
            fail_msg("case %d: m=%llu f=%u s=%u q=%u t=%llu w=%llu: %llu ps, not %llu", i, (unsigned long long)shape.m, shape.f,
                     shape.s, shape.q, (unsigned long long)c.t, (unsigned long long)c.w, (unsigned long long)got,
                     (unsigned long long)want);
    }
}

struct post {
    uint64_t time, value;
};

/* One rank of a chain, the queue long enough for all: what it sees of its parent, what its child sees of it, its end. */
static uint64_t chain_rank_ps(const struct costs *c, const struct shape *x, const struct post *parent, size_t parents,
                              struct post *own, size_t *owns)
{
    uint64_t count = (x->m + x->f - 1) / x->f, now = 0, known = 0;
    for (uint64_t n = 0; n < count; n++) {
        if (known <= n) {
            size_t i = 0;
            while (parent[i].value <= n)
                i++;
            now = later(now, parent[i].time);
            while (i + 1 < parents && parent[i + 1].time <= now)
                i++;
            known = parent[i].value;
            now += c->w;
            own[(*owns)++] = (struct post){now, known};
        }
        now += fragment_ps(c, x, n);
    }
    return now;
}

static uint64_t chain_ps(const struct costs *c, const struct shape *x, uint32_t procs)
{
    uint64_t count = (x->m + x->f - 1) / x->f, end = 0;
    struct post *parent = calloc(count, sizeof *parent), *own = calloc(count, sizeof *own);
    assert_true(parent && own);
    for (uint64_t n = 0; n < count; n++)
        parent[n] = (struct post){end += fragment_ps(c, x, n), n + 1};
    size_t parents = count;
    for (uint32_t rank = 1; rank < procs; rank++) {
        size_t owns = 0;
        end = later(end, chain_rank_ps(c, x, parent, parents, own, &owns));
        struct post *swap = parent;
        parent = own;
        own = swap;
        parents = owns;
    }
    free(parent);
    free(own);
    return end;
}

static void chains(void **state)
{
    (void)state;
    uint64_t x = 7;
    for (int i = 0; i < 1000; i++) {
        struct costs c = {1 + draw(&x, 2000), 1 + draw(&x, 3000000)};
        struct shape shape = {1, 100 + draw(&x, 3000), 1u << (1 + draw(&x, 6)), 1};
        shape.m += draw(&x, shape.f * shape.s);
        uint32_t procs = 2 + draw(&x, 9);
        uint64_t want = chain_ps(&c, &shape, procs), got = simulated_ps(&c, &shape, procs, "chain");
        if (want != got)
            fail_msg("case %d: p=%u m=%llu f=%u s=%u t=%llu w=%llu: %llu ps, not %llu", i, procs, (unsigned long long)shape.m,
                     shape.f, shape.s, (unsigned long long)c.t, (unsigned long long)c.w, (unsigned long long)got,
                     (unsigned long long)want);
    }
}

/* By hand: t_w = 5 f t, four fragments, four slots. The first is read alone, the other three by one look. */
static void looks_are_saved(void **state)
{
    (void)state;
    struct costs c = {1000, 5000000};
    struct shape shape = {4000, 1000, 4, 1};
    assert_int_equal(simulated_ps(&c, &shape, 2, "flat"), 1000000 + 5000000 + 1000000 + 5000000 + 3000000);
    struct shape narrow = {4000, 1000, 1, 1}; /* nothing to look ahead to: every fragment by itself */
    assert_int_equal(simulated_ps(&c, &narrow, 2, "flat"), 4 * (1000000 + 5000000 + 1000000));
}

/* A flat tree's readers do the same at the same time where nothing contends. */
static void readers_are_alike(void **state)
{
    (void)state;
    struct costs c = {1000, 50000};
    struct shape shape = {100000, 3000, 8, 2};
    assert_int_equal(simulated_ps(&c, &shape, 16, "flat"), two_ranks_ps(&c, &shape));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(two_ranks),
        cmocka_unit_test(chains),
        cmocka_unit_test(looks_are_saved),
        cmocka_unit_test(readers_are_alike),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
