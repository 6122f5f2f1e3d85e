/* Mappings from the outermost level of a machine inwards. */
#include "partition/mapping_whole.h"
#include "partition/strategies.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PATIENT_PLACES_MAX = 4096 };

/* Places and vertices side by side: every group of every level is a run of places, and the vertices at that run are those it
 * gets. Many groups of a level ask the same question: the last one and its answer are kept. */
struct descent {
    const struct partitioner *partitioner;
    const struct partition_problem *problem;
    const struct hierarchy *hierarchy;
    uint32_t *place, *vertex; /* [procs] */
    uint32_t *size, *next;    /* [procs] of the groups within the one looked at, and where their vertices begin */
    uint32_t *moved;          /* [procs] */
    struct graph asked;
    uint32_t *asked_size, asked_parts;
    struct partition answer;
    int answered, optimal;
    const char *by;
    char *reason;
    size_t reason_bytes;
};

static int same_graph(const struct graph *a, const struct graph *b)
{
    if (a->vertices != b->vertices || a->row[a->vertices] != b->row[b->vertices])
        return 0;
    size_t ends = a->row[a->vertices];
    return !memcmp(a->row, b->row, a->vertices * sizeof *a->row) &&
           !memcmp(a->neighbour, b->neighbour, ends * sizeof *a->neighbour) &&
           !memcmp(a->weight, b->weight, ends * sizeof *a->weight);
}

static void answer_forget(struct descent *d)
{
    if (d->answered) {
        graph_destroy(&d->asked);
        partition_destroy(&d->answer);
    }
    d->answered = 0;
}

/* Partitions the vertices at a run, with d->size saying how; the answer is d->answer. */
static int ask(struct descent *d, uint32_t begin, uint32_t count, uint32_t parts)
{
    struct partition_problem problem = *d->problem;
    struct graph graph;
    int error = graph_of_vertices(&graph, d->problem->graph, d->vertex + begin, count);
    if (error)
        return error;
    if (d->answered && parts == d->asked_parts && !memcmp(d->size, d->asked_size, parts * sizeof *d->size) &&
        same_graph(&graph, &d->asked)) {
        graph_destroy(&graph);
        return 0;
    }
    problem.graph = &graph;
    problem.schedule = NULL;
    problem.target = NULL;
    problem.parts = parts;
    problem.sizes = d->size;
    answer_forget(d);
    error = partition_make(d->partitioner, &problem, &d->answer, d->reason, d->reason_bytes);
    if (error) {
        graph_destroy(&graph);
        return error;
    }
    d->asked = graph;
    d->asked_parts = parts;
    memcpy(d->asked_size, d->size, parts * sizeof *d->size);
    d->answered = 1;
    return 0;
}

/* The whole graph, of which the schedule is known: a formula may apply. */
static int ask_whole(struct descent *d, uint32_t parts)
{
    struct partition_problem problem = *d->problem;
    problem.parts = parts;
    problem.sizes = d->size;
    int error = partition_make(d->partitioner, &problem, &d->answer, d->reason, d->reason_bytes);
    if (error)
        return error;
    d->optimal = d->answer.optimal;
    d->by = d->answer.by;
    return 0;
}

static void vertices_arrange(struct descent *d, uint32_t begin, uint32_t count, uint32_t parts)
{
    uint32_t at = begin;
    for (uint32_t p = 0; p < parts; p++) {
        d->next[p] = at;
        at += d->size[p];
    }
    for (uint32_t i = 0; i < count; i++)
        d->moved[d->next[partition_part(&d->answer, i)]++] = d->vertex[begin + i];
    memcpy(d->vertex + begin, d->moved + begin, count * sizeof *d->vertex);
}

/* Parts the run [begin, end) by the groups of a level. */
static int run_part(struct descent *d, uint32_t level, uint32_t begin, uint32_t end)
{
    const uint32_t *group = d->hierarchy->level[level].group;
    uint32_t parts = 0;
    for (uint32_t i = begin; i < end; i++) {
        if (i == begin || group[d->place[i]] != group[d->place[i - 1]])
            d->size[parts++] = 0;
        d->size[parts - 1]++;
    }
    if (parts == 1)
        return 0;
    int error = level == 0 ? ask_whole(d, parts) : ask(d, begin, end - begin, parts);
    if (error)
        return error;
    vertices_arrange(d, begin, end - begin, parts);
    if (level == 0)
        partition_destroy(&d->answer);
    return 0;
}

static int level_part(struct descent *d, uint32_t level)
{
    uint32_t n = d->hierarchy->procs;
    if (level == 0)
        return run_part(d, 0, 0, n);
    const uint32_t *outer = d->hierarchy->level[level - 1].group;
    int error = 0;
    for (uint32_t begin = 0, end; begin < n && !error; begin = end) {
        for (end = begin + 1; end < n && outer[d->place[end]] == outer[d->place[begin]];)
            end++;
        error = run_part(d, level, begin, end);
    }
    answer_forget(d);
    return error;
}

static int descend(struct descent *d, struct mapping *out)
{
    uint32_t n = d->hierarchy->procs;
    int error = 0;
    for (uint32_t i = 0; i < n; i++)
        d->vertex[i] = i;
    hierarchy_sort(d->hierarchy, d->place);
    for (uint32_t l = 0; l < d->hierarchy->levels && !error; l++)
        error = level_part(d, l);
    if (error)
        return error;
    *out = (struct mapping){.procs = n, .form = MAPPING_SHIFT, .parts = 1, .by = d->by ? d->by : d->partitioner->name,
                            .optimal = d->optimal};
    error = mapping_expand(out);
    for (uint32_t i = 0; i < n && !error; i++) {
        out->virtual_of_rank[d->place[i]] = d->vertex[i];
        out->rank_of_virtual[d->vertex[i]] = d->place[i];
    }
    return error;
}

static int top_down(struct mapping *out, const struct partitioner *partitioner, const struct partition_problem *problem,
                  const struct hierarchy *hierarchy, char *reason, size_t reason_bytes)
{
    struct descent d = {.partitioner = partitioner, .problem = problem, .hierarchy = hierarchy, .reason = reason,
                        .reason_bytes = reason_bytes};
    size_t n = hierarchy->procs;
    uint32_t *all = malloc(6 * n * sizeof *all);
    if (!all)
        return -ENOMEM;
    d.place = all;
    d.vertex = all + n;
    d.size = all + 2 * n;
    d.next = all + 3 * n;
    d.moved = all + 4 * n;
    d.asked_size = all + 5 * n;
    int error = descend(&d, out);
    free(all);
    return error;
}

/* Scotch sees all levels at once where it can. */
static int by_one(struct mapping *out, const struct partitioner *partitioner, const struct partition_problem *problem,
                  const struct hierarchy *hierarchy, char *reason, size_t reason_bytes)
{
    int error = partitioner == &partitioner_scotch && hierarchy->levels > 1
                    ? mapping_onto_target(out, partitioner, problem, hierarchy, reason, reason_bytes)
                    : -ENOTSUP;
    return error == -ENOTSUP ? top_down(out, partitioner, problem, hierarchy, reason, reason_bytes) : error;
}

/* By every strategy that can; the smallest J, of equal ones the first. */
static int by_all(struct mapping *best, const struct partition_problem *problem, const struct hierarchy *hierarchy)
{
    char reason[200];
    struct mapping_quality quality;
    int error = mapping_quality(problem->graph, best, hierarchy, &quality);
    double j = quality.j;
    for (const struct partitioner *const *p = partitioner_table; *p && !error; p++) {
        struct mapping made;
        if (*p == &partitioner_auto)
            continue;
        error = by_one(&made, *p, problem, hierarchy, reason, sizeof reason);
        if (error == -ENOTSUP || error == -EIO)
            error = 0;
        else if (!error) {
            /* Of few vertices every start is worth being brought to its end. */
            if (hierarchy->procs <= PATIENT_PLACES_MAX && !(problem->without & PARTITION_WITHOUT_REFINEMENT))
                error = mapping_refine(&made, problem->graph, hierarchy);
            error = error ? error : mapping_quality(problem->graph, &made, hierarchy, &quality);
            if (error || quality.j >= j) {
                mapping_destroy(&made);
                continue;
            }
            mapping_destroy(best);
            *best = made;
            j = quality.j;
        }
    }
    return error;
}

int mapping_make(struct mapping *out, const struct partitioner *partitioner, const struct partition_problem *problem,
                 const struct hierarchy *hierarchy, char *reason, size_t reason_bytes)
{
    struct mapping made;
    uint32_t n = problem->graph->vertices;
    reason[0] = 0;
    if (n != hierarchy->procs) {
        snprintf(reason, reason_bytes, "%u ranks for a machine of %u places: both must be as many", n, hierarchy->procs);
        return -EINVAL;
    }
    int error = by_one(&made, partitioner, problem, hierarchy, reason, reason_bytes);
    if (error)
        return error;
    /* What is the best at the outermost level, even proved so, need not be for those within. A formula is kept: it costs
     * nothing. */
    int settled = strcmp(made.by, partitioner_closed.name) == 0 || (hierarchy->levels < 2 && made.optimal);
    if (partitioner == &partitioner_auto && !settled) {
        if (hierarchy->levels > 1)
            error = by_all(&made, problem, hierarchy);
        if (!error && !(problem->without & PARTITION_WITHOUT_REFINEMENT))
            error = mapping_refine(&made, problem->graph, hierarchy);
    }
    error = error ? error : mapping_settle(&made, hierarchy);
    if (error)
        mapping_destroy(&made);
    else
        *out = made;
    return error;
}
