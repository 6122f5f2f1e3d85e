#include "tests/partition/random_graphs.h"

#include <math.h>
#include <stdlib.h>

enum { EDGES_EACH_MAX = 16 };

struct draft {
    struct graph_edge *edge;
    size_t count, room;
    uint32_t weights; /* which kind */
    uint64_t *random;
};

static uint64_t next(uint64_t *state)
{
    uint64_t z = *state += 0x9e3779b97f4a7c15;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
    z = (z ^ z >> 27) * 0x94d049bb133111eb;
    return z ^ z >> 31;
}

uint32_t random_below(uint64_t *state, uint32_t below)
{
    return (uint32_t)(next(state) % below);
}

uint32_t random_size(uint64_t *state, uint32_t least, uint32_t most)
{
    double share = (double)(next(state) >> 11) * 0x1p-53;
    uint32_t size = (uint32_t)(least * pow((most + 1.0) / least, share));
    return size < least ? least : size > most ? most : size;
}

static uint64_t weight(struct draft *d)
{
    switch (d->weights) {
    case 0: return 1;
    case 1: return 1 + random_below(d->random, 1000);
    case 2: return ((uint64_t)1 << 40) - random_below(d->random, 1 << 20);
    case 3: return random_below(d->random, 2) ? 1 : (uint64_t)1 << 40;
    case 4: return (uint64_t)1 << random_below(d->random, 41);
    default: return 0;
    }
}

static void join(struct draft *d, uint32_t a, uint32_t b)
{
    if (a != b && d->count < d->room)
        d->edge[d->count++] = (struct graph_edge){a, b, weight(d)};
}

static void stencil(struct draft *d, uint32_t n, int holes)
{
    uint32_t x = (uint32_t)ceil(sqrt(n));
    for (uint32_t v = 0; v < n; v++) {
        if (holes && random_below(d->random, 5) == 0)
            continue;
        if (v % x + 1 < x && v + 1 < n)
            join(d, v, v + 1);
        if (v + x < n)
            join(d, v, v + x);
    }
}

static void stencil_deep(struct draft *d, uint32_t n)
{
    uint32_t x = (uint32_t)ceil(cbrt(n));
    for (uint32_t v = 0; v < n; v++) {
        if (v % x + 1 < x && v + 1 < n)
            join(d, v, v + 1);
        if (v / x % x + 1 < x && v + x < n)
            join(d, v, v + x);
        if (v + x * x < n)
            join(d, v, v + x * x);
    }
}

static void power_law(struct draft *d, uint32_t n)
{
    for (uint32_t v = 1; v < n; v++)
        for (int i = 0; i < 3; i++) {
            double share = (double)random_below(d->random, 1 << 20) * 0x1p-20;
            join(d, v, (uint32_t)(v * share * share * share));
        }
}

static void groups(struct draft *d, uint32_t n)
{
    for (uint32_t first = 0; first < n;) {
        uint32_t end = first + 2 + random_below(d->random, 14);
        end = end < n ? end : n;
        for (uint32_t a = first; a < end; a++)
            for (uint32_t b = a + 1; b < end; b++)
                join(d, a, b);
        if (first)
            join(d, first - 1, first);
        first = end;
    }
}

static void sparse(struct draft *d, uint32_t n)
{
    uint32_t edges = 1 + random_below(d->random, 4 * n);
    for (uint32_t i = 0; i < edges; i++)
        join(d, random_below(d->random, n), random_below(d->random, n));
}

static void star(struct draft *d, uint32_t n)
{
    for (uint32_t v = 1; v < n; v++)
        join(d, 0, v);
}

static void path(struct draft *d, uint32_t n)
{
    for (uint32_t v = 1; v < n; v++)
        join(d, v - 1, v);
}

/* Several rings that know nothing of each other, their vertices by turns. */
static void rings(struct draft *d, uint32_t n)
{
    uint32_t many = 2 + random_below(d->random, 9);
    for (uint32_t v = 0; v < n; v++)
        join(d, v, v + many < n ? v + many : v % many);
}

static void shuffle(struct draft *d, uint32_t n)
{
    uint32_t *number = malloc(n * sizeof *number);
    for (uint32_t v = 0; v < n; v++) {
        uint32_t other = random_below(d->random, v + 1);
        number[v] = v;
        number[v] = number[other];
        number[other] = v;
    }
    for (size_t i = 0; i < d->count; i++) {
        d->edge[i].a = number[d->edge[i].a];
        d->edge[i].b = number[d->edge[i].b];
    }
    free(number);
}

static const char *draw(struct draft *d, uint32_t n)
{
    switch (random_below(d->random, 9)) {
    case 0: stencil(d, n, 0); return "stencil";
    case 1: stencil(d, n, 1); return "stencil with holes";
    case 2: stencil_deep(d, n); return "deep stencil";
    case 3: power_law(d, n); return "power law";
    case 4: groups(d, n); return "groups";
    case 5: sparse(d, n); return "sparse";
    case 6: star(d, n); return "star";
    case 7: path(d, n); return "path";
    default: rings(d, n); return "rings";
    }
}

const char *random_graph(struct graph *out, uint32_t vertices, uint64_t *state)
{
    struct draft d = {.room = (size_t)vertices * EDGES_EACH_MAX, .weights = random_below(state, 11) / 2, .random = state};
    char reason[200];
    d.edge = malloc(d.room * sizeof *d.edge);
    const char *name = draw(&d, vertices);
    if (random_below(state, 2))
        shuffle(&d, vertices);
    int error = graph_of_edges(out, vertices, d.edge, d.count, reason, sizeof reason);
    free(d.edge);
    return error ? NULL : name;
}

uint32_t *random_sizes(uint32_t vertices, uint32_t parts, uint64_t *state)
{
    uint32_t *size = malloc(parts * sizeof *size), left = vertices - parts;
    for (uint32_t p = 0; p < parts; p++)
        size[p] = 1;
    while (left) {
        uint32_t more = 1 + random_below(state, left / 3 + 1);
        size[random_below(state, parts)] += more;
        left -= more;
    }
    return size;
}
