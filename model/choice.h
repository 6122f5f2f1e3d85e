/* Choosing: protocol and parameters of a collective, from node, placement and job alone.
 *
 * Pure: the same answer on every rank and every day. What is not fixed beforehand is searched for on a small grid of sensible
 * values, each judged by an evaluator; of those within a thousandth of the least time, the one that needs the shortest queue. */
#ifndef SHMCOLL_MODEL_CHOICE_H
#define SHMCOLL_MODEL_CHOICE_H

#include "model/scenario.h"

/* What the search may use. All zero: everything is free, the queue within bcast_cost_budget_bytes. */
struct choice_space {
    uint64_t budget_bytes; /* most a queue may take; 0: the node's default */
    struct params fixed;   /* protocol, fragment_bytes, slots, sets: 0 or NULL is free */
    int tree_fixed;        /* fixed.tree holds */
};

struct choice {
    struct params params;
    double time_s;       /* as the evaluator has it */
    uint32_t candidates; /* judged */
    char reason[200];    /* one line, set whenever the search fails */
};

/* Searches with any evaluator; scenario->params are ignored. 0; -EINVAL if nothing in the space makes sense; else what the
 * evaluator answered to the first candidate it could not judge. */
int choice_bcast_search(const struct scenario *scenario, const struct evaluator *evaluator, const char *variant,
                        const struct choice_space *space, struct choice *out);

/* Everything free, judged by the model's form `by`: "paper" or "extended". */
int choice_bcast(const struct scenario *scenario, const char *by, struct params *out);

#endif
