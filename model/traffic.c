#include "model/traffic.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static int by_pair(const void *a, const void *b)
{
    const struct traffic_entry *x = a, *y = b;
    if (x->from != y->from)
        return x->from < y->from ? -1 : 1;
    if (x->to != y->to)
        return x->to < y->to ? -1 : 1;
    return (x->line > y->line) - (x->line < y->line);
}

static int complain(struct traffic_complaint *complaint, enum traffic_fault fault, const struct traffic_entry *entry,
                    uint64_t back)
{
    if (complaint->fault == TRAFFIC_SOUND || entry->line < complaint->entry.line)
        *complaint = (struct traffic_complaint){fault, *entry, back};
    return -EINVAL;
}

/* One entry a pair, in place; returns how many are left. */
static size_t merge(struct traffic_entry *entries, size_t count, unsigned rules, struct traffic_complaint *complaint)
{
    size_t kept = 0;
    for (size_t i = 0; i < count; i++) {
        struct traffic_entry *last = kept ? &entries[kept - 1] : NULL;
        if (!last || last->from != entries[i].from || last->to != entries[i].to)
            entries[kept++] = entries[i];
        else if (rules & TRAFFIC_ONCE)
            complain(complaint, TRAFFIC_TWICE, &entries[i], 0);
        else if ((last->bytes += entries[i].bytes) > TRAFFIC_BYTES_MAX) /* none alone is above it */
            complain(complaint, TRAFFIC_TOO_MUCH, &entries[i], last->bytes = 0);
    }
    return kept;
}

/* Without what stays where it is. 0, or -EINVAL if all together are too much. */
static int fill(struct traffic *out, const struct traffic_entry *entries, size_t count, struct traffic_complaint *complaint)
{
    size_t n = 0;
    for (size_t i = 0; i < count; i++) {
        const struct traffic_entry *e = &entries[i];
        if (e->from == e->to || !e->bytes)
            continue;
        if (__builtin_add_overflow(out->total_bytes, e->bytes, &out->total_bytes) || out->total_bytes > TRAFFIC_BYTES_MAX)
            return complain(complaint, TRAFFIC_TOO_MUCH, e, 0);
        out->first[e->from + 1]++;
        out->to[n] = e->to;
        out->bytes[n++] = e->bytes;
    }
    for (uint32_t r = 0; r < out->ranks; r++)
        out->first[r + 1] += out->first[r];
    return 0;
}

static int check_both_ways(const struct traffic *traffic, const struct traffic_entry *entries, size_t count,
                           struct traffic_complaint *complaint)
{
    int err = 0;
    for (size_t i = 0; i < count; i++) {
        const struct traffic_entry *e = &entries[i];
        uint64_t back = e->from == e->to ? e->bytes : traffic_bytes(traffic, e->to, e->from);
        if (back != e->bytes)
            err = complain(complaint, TRAFFIC_ONE_WAY, e, back);
    }
    return err;
}

int traffic_create(struct traffic *out, uint32_t ranks, struct traffic_entry *entries, size_t count, unsigned rules,
                   struct traffic_complaint *complaint)
{
    struct traffic made = {.ranks = ranks};
    *complaint = (struct traffic_complaint){.fault = TRAFFIC_SOUND};
    if (count)
        qsort(entries, count, sizeof *entries, by_pair);
    count = merge(entries, count, rules, complaint);
    made.first = calloc((size_t)ranks + 1, sizeof *made.first);
    made.to = malloc((count ? count : 1) * sizeof *made.to);
    made.bytes = malloc((count ? count : 1) * sizeof *made.bytes);
    int err = !made.first || !made.to || !made.bytes ? -ENOMEM : complaint->fault ? -EINVAL : 0;
    if (!err)
        err = fill(&made, entries, count, complaint);
    if (!err && (rules & TRAFFIC_BOTH_WAYS))
        err = check_both_ways(&made, entries, count, complaint);
    if (err) {
        traffic_destroy(&made);
        return err;
    }
    *out = made;
    return 0;
}

void traffic_destroy(struct traffic *traffic)
{
    free(traffic->first);
    free(traffic->to);
    free(traffic->bytes);
    memset(traffic, 0, sizeof *traffic);
}

uint64_t traffic_bytes(const struct traffic *traffic, uint32_t from, uint32_t to)
{
    size_t low = traffic->first[from], high = traffic->first[from + 1];
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (traffic->to[middle] < to)
            low = middle + 1;
        else
            high = middle;
    }
    return low < traffic->first[from + 1] && traffic->to[low] == to ? traffic->bytes[low] : 0;
}
