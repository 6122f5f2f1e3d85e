#include "partition/partitioner.h"
#include "partition/bound.h"
#include "partition/refine.h"
#include "partition/repair.h"
#include "partition/strategies.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

const struct partitioner *const partitioner_table[] = {
    &partitioner_block,    &partitioner_cyclic, &partitioner_closed,   &partitioner_metis_kway,
    &partitioner_metis_rb, &partitioner_scotch, &partitioner_strided, &partitioner_auto,
    NULL,
};

const struct partitioner *partitioner_find(const char *name)
{
    for (const struct partitioner *const *p = partitioner_table; *p; p++)
        if (strcmp((*p)->name, name) == 0)
            return *p;
    return NULL;
}

uint32_t partition_problem_size(const struct partition_problem *problem, uint32_t part)
{
    uint32_t n = problem->graph->vertices, h = problem->parts;
    return problem->sizes ? problem->sizes[part] : n / h + (part < n % h);
}

int partition_problem_equal(const struct partition_problem *problem)
{
    if (!problem->sizes)
        return problem->graph->vertices % problem->parts == 0;
    for (uint32_t p = 1; p < problem->parts; p++)
        if (problem->sizes[p] != problem->sizes[0])
            return 0;
    return 1;
}

static int sizes_check(const struct partition_problem *problem, char *reason, size_t bytes)
{
    uint64_t sum = 0;
    for (uint32_t p = 0; p < problem->parts; p++) {
        if (problem->sizes[p] == 0) {
            snprintf(reason, bytes, "part %u has size 0: parts have at least one rank", p);
            return -EINVAL;
        }
        sum += problem->sizes[p];
    }
    if (sum != problem->graph->vertices) {
        snprintf(reason, bytes, "the sizes of the %u parts add up to %llu, not to the %u ranks", problem->parts,
                 (unsigned long long)sum, problem->graph->vertices);
        return -EINVAL;
    }
    return 0;
}

int partition_problem_check(const struct partition_problem *problem, char *reason, size_t bytes)
{
    uint32_t n = problem->graph->vertices;
    if (n < 2) {
        snprintf(reason, bytes, "%u rank: there is nothing to partition below 2", n);
        return -EINVAL;
    }
    if (problem->parts < 1 || problem->parts > n) {
        snprintf(reason, bytes, "%u parts of %u ranks: parts are from 1 to the number of ranks", problem->parts, n);
        return -EINVAL;
    }
    return problem->sizes ? sizes_check(problem, reason, bytes) : 0;
}

/* Nothing to decide: all vertices in one part, or each in its own. */
static int trivial(const struct partition_problem *problem, struct partition *out)
{
    uint32_t n = problem->graph->vertices;
    if (problem->parts != 1 && problem->parts != n)
        return 0;
    *out = (struct partition){.vertices = n, .parts = problem->parts, .form = PARTITION_BLOCKS, .optimal = 1};
    return 1;
}

static int finish(const struct partitioner *partitioner, const struct partition_problem *problem, struct partition *made)
{
    int error = 0;
    if (made->form == PARTITION_TABLE && partitioner != &partitioner_auto) {
        error = partition_repair(problem, made->table, &made->moved);
        if (!error && partitioner->refinable && problem->refine)
            error = partition_refine(problem, made->table);
    }
    if (!error) {
        made->cut = partition_cut(problem->graph, made);
        made->optimal |= made->cut == partition_bound(problem);
    }
    return error;
}

int partition_make(const struct partitioner *partitioner, const struct partition_problem *problem, struct partition *out,
                   char *reason, size_t reason_bytes)
{
    struct partition made = {0};
    int error = partition_problem_check(problem, reason, reason_bytes);
    if (error)
        return error;
    reason[0] = 0;
    if (!trivial(problem, &made))
        error = partitioner->make(problem, &made, reason, reason_bytes);
    if (!error)
        error = finish(partitioner, problem, &made);
    if (error) {
        if (error == -ENOMEM && !reason[0])
            snprintf(reason, reason_bytes, "no memory to partition %u ranks by %s", problem->graph->vertices, partitioner->name);
        partition_destroy(&made);
        return error;
    }
    if (!made.by)
        made.by = partitioner->name;
    *out = made;
    return 0;
}
