/* Strategies that only look at vertices' numbers: block, cyclic. */
#include "partition/strategies.h"

#include <errno.h>
#include <stdlib.h>

int partition_allocate(const struct partition_problem *problem, struct partition *out)
{
    uint32_t n = problem->graph->vertices;
    *out = (struct partition){.vertices = n, .parts = problem->parts, .form = PARTITION_TABLE};
    out->table = malloc(n * sizeof *out->table);
    return out->table ? 0 : -ENOMEM;
}

static int formula(const struct partition_problem *problem, enum partition_form form, struct partition *out)
{
    *out = (struct partition){.vertices = problem->graph->vertices, .parts = problem->parts, .form = form};
    return 0;
}

static int block(const struct partition_problem *problem, struct partition *out, char *reason, size_t bytes)
{
    (void)reason, (void)bytes;
    if (partition_problem_equal(problem))
        return formula(problem, PARTITION_BLOCKS, out);
    int error = partition_allocate(problem, out);
    for (uint32_t p = 0, v = 0; p < problem->parts && !error; p++)
        for (uint32_t end = v + partition_problem_size(problem, p); v < end; v++)
            out->table[v] = p;
    return error;
}

static int cyclic(const struct partition_problem *problem, struct partition *out, char *reason, size_t bytes)
{
    (void)reason, (void)bytes;
    if (partition_problem_equal(problem))
        return formula(problem, PARTITION_MODULO, out);
    int error = partition_allocate(problem, out);
    uint32_t v = 0;
    for (uint32_t lap = 0; v < problem->graph->vertices && !error; lap++)
        for (uint32_t p = 0; p < problem->parts; p++)
            if (lap < partition_problem_size(problem, p))
                out->table[v++] = p;
    return error;
}

const struct partitioner partitioner_block = {
    .name = "block", .summary = "runs of consecutive ranks", .make = block,
};
const struct partitioner partitioner_cyclic = {
    .name = "cyclic", .summary = "one rank to every part in turn", .make = cyclic,
};
