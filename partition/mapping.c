#include "partition/mapping.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

void mapping_identity(struct mapping *out, uint32_t procs)
{
    *out = (struct mapping){.procs = procs, .form = MAPPING_SHIFT, .parts = 1, .by = "identity"};
}

void mapping_destroy(struct mapping *m)
{
    free(m->virtual_of_rank);
    free(m->rank_of_virtual);
    *m = (struct mapping){0};
}

static int tables_allocate(struct mapping *m)
{
    m->virtual_of_rank = malloc(m->procs * sizeof *m->virtual_of_rank);
    m->rank_of_virtual = malloc(m->procs * sizeof *m->rank_of_virtual);
    return m->virtual_of_rank && m->rank_of_virtual ? 0 : -ENOMEM;
}

int mapping_expand(struct mapping *m)
{
    struct mapping tables = *m;
    if (m->form == MAPPING_TABLE)
        return 0;
    if (tables_allocate(&tables)) {
        mapping_destroy(&tables);
        return -ENOMEM;
    }
    for (uint32_t r = 0; r < m->procs; r++) {
        tables.virtual_of_rank[r] = mapping_virtual(m, r);
        tables.rank_of_virtual[tables.virtual_of_rank[r]] = r;
    }
    tables.form = MAPPING_TABLE;
    *m = tables;
    return 0;
}

/* Vertices by part, and ranks by node: who comes at the same place in both lists belong together. */
static void tables_fill(struct mapping *m, const struct partition *partition, const uint32_t *node_of_rank, uint32_t *next)
{
    uint32_t n = m->procs, sum = 0;
    for (uint32_t p = 0; p < partition->parts; p++) {
        uint32_t count = next[p];
        next[p] = sum;
        sum += count;
    }
    uint32_t *by_part = m->virtual_of_rank; /* until ranks come: those are in rank order without nodes */
    for (uint32_t v = 0; v < n; v++)
        by_part[next[partition_part(partition, v)]++] = v;
    if (!node_of_rank) {
        for (uint32_t r = 0; r < n; r++)
            m->rank_of_virtual[by_part[r]] = r;
        return;
    }
    for (uint32_t p = partition->parts; p-- > 1;)
        next[p] = next[p - 1];
    next[0] = 0;
    for (uint32_t r = 0; r < n; r++)
        m->rank_of_virtual[by_part[next[node_of_rank[r]]++]] = r;
    for (uint32_t v = 0; v < n; v++)
        m->virtual_of_rank[m->rank_of_virtual[v]] = v;
}

/* As many ranks on every node as its part has vertices. */
static int nodes_check(const struct partition *partition, const uint32_t *node_of_rank, const uint32_t *count)
{
    uint32_t *left = malloc(partition->parts * sizeof *left);
    if (!left)
        return -ENOMEM;
    memcpy(left, count, partition->parts * sizeof *left);
    int error = 0;
    for (uint32_t r = 0; r < partition->vertices && !error; r++)
        error = node_of_rank[r] < partition->parts && left[node_of_rank[r]]-- ? 0 : -EINVAL;
    free(left);
    return error;
}

static int of_table(struct mapping *out, const struct partition *partition, const uint32_t *node_of_rank)
{
    uint32_t *count = malloc(partition->parts * sizeof *count);
    if (!count)
        return -ENOMEM;
    int error = partition_counts(partition, count);
    if (!error && node_of_rank)
        error = nodes_check(partition, node_of_rank, count);
    if (!error)
        error = tables_allocate(out);
    if (!error)
        tables_fill(out, partition, node_of_rank, count);
    free(count);
    return error;
}

/* Extended by Euclid: the inverse of a mod m, which have no common divisor; of 1 it is 0. */
static uint32_t inverse_mod(uint32_t a, uint32_t m)
{
    int64_t old_rest = m, rest = a % m, old_factor = 0, factor = 1;
    while (rest > 1) {
        int64_t quotient = old_rest / rest, kept = old_rest - quotient * rest;
        old_rest = rest;
        rest = kept;
        kept = old_factor - quotient * factor;
        old_factor = factor;
        factor = kept;
    }
    return (uint32_t)(m == 1 ? 0 : factor < 0 ? factor + m : factor);
}

static uint32_t common_divisor(uint32_t a, uint32_t b)
{
    while (b) {
        uint32_t rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}

/* The vertices of node u's own numbers are a run, which has ceil(size / parts) of some parts, and no part more: of the parts
 * u*size + k with k below the common divisor. Each k has its turn for `cycle` nodes, in which u*size meets no part twice. */
static void parts_name(struct mapping *m)
{
    uint32_t size = m->procs / m->parts, divisor = common_divisor(size, m->parts);
    m->cycle = m->parts / divisor;
    m->inverse = inverse_mod(size / divisor, m->cycle);
}

/* Runs go to the nodes that most of them are on. */
static uint32_t shift_least(uint32_t shift, uint32_t size, uint32_t procs)
{
    uint32_t beyond = shift % size;
    return 2 * beyond <= size ? beyond : procs - (size - beyond);
}

int mapping_of_partition(struct mapping *out, const struct partition *partition, const uint32_t *node_of_rank)
{
    struct mapping made = {.procs = partition->vertices, .parts = partition->parts, .by = partition->by,
                           .optimal = partition->optimal};
    if (!node_of_rank && partition->form != PARTITION_TABLE) {
        made.form = partition->form == PARTITION_MODULO ? MAPPING_MODULO : MAPPING_SHIFT;
        if (made.form == MAPPING_MODULO)
            parts_name(&made);
        else
            made.shift = shift_least(partition->shift, made.procs / made.parts, made.procs);
        *out = made;
        return 0;
    }
    made.form = MAPPING_TABLE;
    int error = of_table(&made, partition, node_of_rank);
    if (error)
        mapping_destroy(&made);
    else
        *out = made;
    return error;
}

void mapping_step(const struct schedule *schedule, const struct mapping *mapping, uint32_t rank, uint32_t k,
                  struct schedule_step *out)
{
    schedule_step(schedule, mapping_virtual(mapping, rank), k, out);
    if (out->send_to != SCHEDULE_NONE)
        out->send_to = mapping_rank(mapping, out->send_to);
    if (out->receive_from != SCHEDULE_NONE)
        out->receive_from = mapping_rank(mapping, out->receive_from);
}
