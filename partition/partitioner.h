/* Partitioners: strategies that cut a graph into parts of exactly the sizes asked for.
 *
 *   block        runs of consecutive vertices
 *   cyclic       one vertex to every part in turn, until it is full
 *   closed       the optimum by a formula, where one is known: v mod parts for Bruck and recursive doubling with a power of two
 *                of equal parts, runs for ring and neighbour exchange
 *   metis-kway   METIS, k ways at once; its sizes repaired
 *   metis-rb     METIS, by recursive bisection; its sizes repaired
 *   scotch       Scotch, by recursive bipartitioning onto the target; its sizes repaired
 *   strided      runs of the vertices in an order that brings together those a power of two apart; the best of all those powers
 *   auto         the formula if it meets a bound; else the best of all these, refined, or found by search if there are few
 *                vertices
 *
 * The same problem has the same answer. METIS draws its numbers from rand(), so only one thread at a time may partition. */
#ifndef SHMCOLL_PARTITION_PARTITIONER_H
#define SHMCOLL_PARTITION_PARTITIONER_H

#include "partition/partition.h"

enum { PARTITION_LEVELS_MAX = 8 };

/* What `auto` shall do without. */
enum {
    PARTITION_WITHOUT_CLOSED = 1,
    PARTITION_WITHOUT_SEARCH = 2, /* branch and bound */
    PARTITION_WITHOUT_REFINEMENT = 4,
};

/* A machine whose parts lie alike at every level: arity[0] groups of arity[1] groups of ..., the product being the parts; two
 * parts that meet first at level l are distance[l] apart. Only Scotch looks at it. */
struct partition_target {
    uint32_t levels, arity[PARTITION_LEVELS_MAX];
    uint32_t distance[PARTITION_LEVELS_MAX]; /* not rising inwards */
};

/* Everything pointed to is borrowed. */
struct partition_problem {
    const struct graph *graph;
    const struct schedule *schedule; /* whose graph it is; NULL: nobody's, and no formula applies */
    uint32_t parts;
    const uint32_t *sizes; /* [parts], adding up to the vertices; NULL: equal, the first vertices mod parts of them one larger */
    const struct partition_target *target; /* NULL: all parts are equally far from each other */
    uint64_t seed;
    unsigned without;
    int refine; /* a named strategy's result is refined too, as that of `auto` always is; block, cyclic and closed never are */
};

struct partitioner {
    const char *name;
    const char *summary;
    /* The problem has been checked. As partition_make(), but that sizes and cut may be left to it. */
    int (*make)(const struct partition_problem *problem, struct partition *out, char *reason, size_t reason_bytes);
    int refinable;
};

/* All strategies, NULL-terminated. */
extern const struct partitioner *const partitioner_table[];
/* NULL if there is none of that name. */
const struct partitioner *partitioner_find(const char *name);

/* Size of a part. */
uint32_t partition_problem_size(const struct partition_problem *problem, uint32_t part);
/* Whether all parts have the same. */
int partition_problem_equal(const struct partition_problem *problem);
/* 0, or -EINVAL with one line in `reason`: no parts, more parts than vertices, one vertex, a part of size 0, or sizes that do not
 * add up. */
int partition_problem_check(const struct partition_problem *problem, char *reason, size_t reason_bytes);

/* Cuts a graph. 0, or with one line in `reason`: -EINVAL for a problem that makes no sense, -ENOTSUP for one the strategy has
 * nothing for, -ENOMEM, -EIO if a library failed. `out` is set only on success; its sizes are exact, its cut recomputed. */
int partition_make(const struct partitioner *partitioner, const struct partition_problem *problem, struct partition *out,
                   char *reason, size_t reason_bytes);

#endif
