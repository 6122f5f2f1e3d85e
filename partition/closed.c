/* Optimal partitions by a formula.
 *
 * Bruck and recursive doubling with a power of two of equal parts, v mod parts: the far steps stay within a part, the near ones
 * bring every part each foreign block once, which is the least there is (bound.h). The edges of ring and neighbour exchange are a
 * cycle, of which every part of a partition cuts two at least: runs cut no more. Those of neighbour exchange are cheap and dear
 * by turns; a part of odd size cuts one of each at least. Runs of even size come first and begin behind a cheap edge, so that the
 * dear ones are cut by parts of odd size alone. */
#include "partition/strategies.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

static void run_fill(struct partition *out, uint32_t part, uint32_t size, uint32_t *at)
{
    for (uint32_t i = 0; i < size; i++, *at = (*at + 1) % out->vertices)
        out->table[*at] = part;
}

static int runs(const struct partition_problem *problem, uint32_t shift, struct partition *out)
{
    if (partition_problem_equal(problem)) {
        *out = (struct partition){.vertices = problem->graph->vertices,
                                  .parts = problem->parts,
                                  .form = PARTITION_BLOCKS,
                                  .shift = shift,
                                  .optimal = 1};
        return 0;
    }
    int error = partition_allocate(problem, out);
    if (error)
        return error;
    out->optimal = 1;
    uint32_t at = shift;
    for (uint32_t odd = 0; odd < 2; odd++)
        for (uint32_t p = 0; p < problem->parts; p++)
            if (partition_problem_size(problem, p) % 2 == odd)
                run_fill(out, p, partition_problem_size(problem, p), &at);
    return 0;
}

/* Where a run begins behind a cheap edge: vertex 0's edges are that to 1 and that to the last. */
static uint32_t cheap_shift(const struct graph *graph)
{
    return graph_between(graph, 0, 1) < graph_between(graph, 0, graph->vertices - 1);
}

static int closed(const struct partition_problem *problem, struct partition *out, char *reason, size_t bytes)
{
    const struct schedule_algorithm *algorithm = problem->schedule ? problem->schedule->algorithm : NULL;
    int halving = algorithm == &schedule_bruck || algorithm == &schedule_recursive_doubling;
    if (algorithm == &schedule_ring || algorithm == &schedule_neighbour_exchange)
        return runs(problem, cheap_shift(problem->graph), out);
    if (halving && (problem->parts & (problem->parts - 1)) == 0 && partition_problem_equal(problem)) {
        *out = (struct partition){
            .vertices = problem->graph->vertices, .parts = problem->parts, .form = PARTITION_MODULO, .optimal = 1};
        return 0;
    }
    if (halving)
        snprintf(reason, bytes, "the formula for %s is for a power of two of equal parts", algorithm->name);
    else
        snprintf(reason, bytes, "no formula is known for %s", algorithm ? algorithm->name : "a graph that is no algorithm's");
    return -ENOTSUP;
}

const struct partitioner partitioner_closed = {
    .name = "closed",
    .summary = "the optimum by a formula: bruck and recursive doubling in 2^k equal parts, ring, neighbour exchange",
    .make = closed,
};
