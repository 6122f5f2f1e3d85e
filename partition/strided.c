/* Runs of vertices in the order of a walk by strides of 2^j.
 *
 * The far steps of Bruck, of shifts 2^k, carry the most blocks. A walk by 2^j makes its shifts 2^(k-j), so that runs cut only few
 * of those from j on, and most of the nearer ones, which carry few. Where 2^j and the vertices have a common divisor g, a walk
 * stays within a class of v mod g: the classes follow each other in the order of their last bits, so that those that
 * differ in a far bit only are neighbours. Which j is the best depends on vertices and parts: all are tried. */
#include "partition/strategies.h"

#include <string.h>

/* The bits below 2^bits in the opposite order. */
static uint32_t reversed_bits(uint32_t v, uint32_t bits)
{
    uint32_t out = 0;
    for (; bits--; v >>= 1)
        out = out << 1 | (v & 1);
    return out;
}

/* Hands out the vertices of a walk to the parts. */
static void walk(const struct partition_problem *problem, uint32_t j, uint32_t *part)
{
    uint32_t n = problem->graph->vertices, twos = 0, p = 0, left = partition_problem_size(problem, 0), stride = 1u << j;
    while (twos < j && n % (2u << twos) == 0)
        twos++;
    for (uint32_t i = 0; i < 1u << twos; i++) {
        uint32_t v = reversed_bits(i, twos);
        for (uint32_t k = 0; k < n >> twos; k++, v = v < n - stride ? v + stride : v - (n - stride)) {
            if (left == 0)
                left = partition_problem_size(problem, ++p);
            part[v] = p;
            left--;
        }
    }
}

static int strided(const struct partition_problem *problem, struct partition *out, char *reason, size_t bytes)
{
    (void)reason, (void)bytes;
    uint32_t n = problem->graph->vertices;
    uint64_t best = UINT64_MAX;
    struct partition one;
    int error = partition_allocate(problem, &one);
    if (error)
        return error;
    error = partition_allocate(problem, out);
    for (uint32_t j = 0; 1u << j < n && !error; j++) {
        walk(problem, j, one.table);
        uint64_t cut = partition_cut(problem->graph, &one);
        if (cut < best) {
            best = cut;
            memcpy(out->table, one.table, n * sizeof *one.table);
        }
    }
    partition_destroy(&one);
    return error;
}

const struct partitioner partitioner_strided = {
    .name = "strided",
    .summary = "runs of the ranks in an order that brings together those a power of two apart",
    .make = strided,
    .refinable = 1,
};
