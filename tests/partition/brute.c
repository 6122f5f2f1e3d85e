#include "tests/partition/brute.h"

#include <stdlib.h>

uint64_t *brute_sent(const struct schedule *schedule)
{
    size_t n = schedule->procs;
    uint64_t *sent = calloc(n * n, sizeof *sent);
    struct schedule_step step;
    for (uint32_t i = 0; i < n && sent; i++)
        for (uint32_t k = 0; k < schedule_steps(schedule, i); k++) {
            schedule_step(schedule, i, k, &step);
            if (step.send_to != SCHEDULE_NONE)
                sent[i * n + step.send_to] += step.send.count;
        }
    return sent;
}

uint64_t brute_cut(const uint64_t *sent, uint32_t n, const uint32_t *part)
{
    uint64_t cut = 0;
    for (uint32_t i = 0; i < n; i++)
        for (uint32_t j = 0; j < n; j++)
            if (part[i] != part[j])
                cut += sent[(size_t)i * n + j];
    return cut;
}

struct brute {
    const uint64_t *sent;
    const uint32_t *sizes;
    uint32_t n, parts;
    uint32_t part[64], left[64];
    uint64_t best;
};

static void try_from(struct brute *b, uint32_t v, uint64_t cut)
{
    if (v == b->n) {
        b->best = cut < b->best ? cut : b->best;
        return;
    }
    for (uint32_t p = 0; p < b->parts; p++) {
        uint64_t more = 0;
        if (!b->left[p] || (p && b->sizes[p] == b->sizes[p - 1] && b->left[p - 1] == b->sizes[p - 1]))
            continue;
        for (uint32_t u = 0; u < v; u++)
            if (b->part[u] != p)
                more += b->sent[u * b->n + v] + b->sent[v * b->n + u];
        b->part[v] = p;
        b->left[p]--;
        try_from(b, v + 1, cut + more);
        b->left[p]++;
    }
}

uint64_t brute_optimum(const uint64_t *sent, uint32_t n, const uint32_t *sizes, uint32_t parts)
{
    struct brute b = {.sent = sent, .sizes = sizes, .n = n, .parts = parts, .best = UINT64_MAX};
    for (uint32_t p = 0; p < parts; p++)
        b.left[p] = sizes[p];
    try_from(&b, 0, 0);
    return b.best;
}

int brute_next_sizes(uint32_t n, uint32_t *sizes, uint32_t *parts)
{
    uint32_t rest = 0;
    if (*parts == 0) {
        sizes[0] = n;
        *parts = 1;
        return 1;
    }
    while (*parts && sizes[*parts - 1] == 1) {
        rest++;
        --*parts;
    }
    if (*parts == 0)
        return 0;
    uint32_t size = --sizes[*parts - 1];
    for (rest++; rest; rest -= sizes[*parts - 1])
        sizes[(*parts)++] = rest < size ? rest : size;
    return 1;
}
