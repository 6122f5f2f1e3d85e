#include "partition/settle.h"

#include <errno.h>
#include <stdlib.h>

static int by_ends(const void *a, const void *b)
{
    const struct settle_pair *x = a, *y = b;
    if (x->a != y->a)
        return x->a < y->a ? -1 : 1;
    return (x->b > y->b) - (x->b < y->b);
}

static int by_weight(const void *a, const void *b)
{
    const struct settle_pair *x = a, *y = b;
    if (x->weight != y->weight)
        return x->weight > y->weight ? -1 : 1;
    return by_ends(a, b);
}

/* Same pairs become one; returns how many are left, by rising ends. */
static size_t pairs_add_up(struct settle_pair *pair, size_t pairs)
{
    size_t left = 0;
    if (pairs)
        qsort(pair, pairs, sizeof *pair, by_ends);
    for (size_t i = 0; i < pairs; i++)
        if (left && pair[left - 1].a == pair[i].a && pair[left - 1].b == pair[i].b)
            pair[left - 1].weight += pair[i].weight;
        else
            pair[left++] = pair[i];
    return left;
}

/* What is left over goes in order. */
static void greedily(uint32_t count, struct settle_pair *pair, size_t pairs, uint32_t *of, uint32_t *taken)
{
    for (uint32_t i = 0; i < count; i++) {
        of[i] = UINT32_MAX;
        taken[i] = 0;
    }
    if (pairs)
        qsort(pair, pairs, sizeof *pair, by_weight);
    for (size_t i = 0; i < pairs; i++)
        if (of[pair[i].a] == UINT32_MAX && !taken[pair[i].b]) {
            of[pair[i].a] = pair[i].b;
            taken[pair[i].b] = 1;
        }
    for (uint32_t a = 0, b = 0; a < count; a++)
        if (of[a] == UINT32_MAX) {
            while (taken[b])
                b++;
            of[a] = b;
            taken[b] = 1;
        }
}

/* Shortest augmenting paths with potentials; costs are weights below none. Numbers from 1 on, 0 stands for nothing. */
struct hungarian {
    uint32_t count;
    const uint32_t *weight;   /* [count*count] a*count + b */
    int64_t *of_a, *of_b;     /* potentials */
    int64_t *slack;
    uint32_t *a_of, *before;  /* by b: who has it; by which b the path came */
    uint32_t *seen;
};

static int64_t reduced(const struct hungarian *h, uint32_t a, uint32_t b)
{
    return -(int64_t)h->weight[(size_t)(a - 1) * h->count + b - 1] - h->of_a[a] - h->of_b[b];
}

/* One more b is reached, from that which was reached last; returns it. */
static uint32_t reach(struct hungarian *h, uint32_t last)
{
    uint32_t next = 0;
    int64_t least = INT64_MAX;
    h->seen[last] = 1;
    for (uint32_t b = 1; b <= h->count; b++) {
        if (h->seen[b])
            continue;
        int64_t cost = reduced(h, h->a_of[last], b);
        if (cost < h->slack[b]) {
            h->slack[b] = cost;
            h->before[b] = last;
        }
        if (h->slack[b] < least) {
            least = h->slack[b];
            next = b;
        }
    }
    for (uint32_t b = 0; b <= h->count; b++)
        if (h->seen[b]) {
            h->of_a[h->a_of[b]] += least;
            h->of_b[b] -= least;
        } else {
            h->slack[b] -= least;
        }
    return next;
}

static void hungarian_add(struct hungarian *h, uint32_t a)
{
    for (uint32_t b = 0; b <= h->count; b++) {
        h->slack[b] = INT64_MAX;
        h->seen[b] = 0;
    }
    h->a_of[0] = a;
    uint32_t b = 0;
    do
        b = reach(h, b);
    while (h->a_of[b]);
    for (; b; b = h->before[b])
        h->a_of[b] = h->a_of[h->before[b]];
}

static int exactly(uint32_t count, const struct settle_pair *pair, size_t pairs, uint32_t *of)
{
    size_t n = (size_t)count + 1;
    uint32_t *weight = calloc((size_t)count * count, sizeof *weight), *numbers = calloc(3 * n, sizeof *numbers);
    int64_t *costs = calloc(3 * n, sizeof *costs);
    int error = weight && numbers && costs ? 0 : -ENOMEM;
    if (!error) {
        struct hungarian h = {count, weight, costs, costs + n, costs + 2 * n, numbers, numbers + n, numbers + 2 * n};
        for (size_t i = 0; i < pairs; i++)
            weight[(size_t)pair[i].a * count + pair[i].b] = pair[i].weight;
        for (uint32_t a = 1; a <= count; a++)
            hungarian_add(&h, a);
        for (uint32_t b = 1; b <= count; b++)
            of[h.a_of[b] - 1] = b - 1;
    }
    free(weight);
    free(numbers);
    free(costs);
    return error;
}

int settle_assign(uint32_t count, struct settle_pair *pair, size_t pairs, uint32_t *of)
{
    pairs = pairs_add_up(pair, pairs);
    if (count <= SETTLE_EXACT_MOST)
        return exactly(count, pair, pairs, of);
    uint32_t *taken = malloc(count * sizeof *taken);
    if (!taken)
        return -ENOMEM;
    greedily(count, pair, pairs, of, taken);
    free(taken);
    return 0;
}
