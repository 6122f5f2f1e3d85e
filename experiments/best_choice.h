/* --protocol best: the table of lanes for a scenario, kept while only sizes change. */
#ifndef SHMCOLL_EXPERIMENTS_BEST_CHOICE_H
#define SHMCOLL_EXPERIMENTS_BEST_CHOICE_H

#include "experiments/options.h"
#include "model/choice_table.h"

struct best_choice {
    struct choice_table table;
    uint32_t procs; /* the table is for so many ranks; 0: there is none */
};

/* Whether the settings leave the choice to us: "best", or "auto" and nothing that only a certain protocol would take. */
int best_choice_wanted(const struct settings *settings, const struct node *node);

/* Sets the scenario's params to the lane for its size. With -v the table goes to standard error.
 * 0; -errno of choice_table_make with its line in best->table.reason. */
int best_choice_apply(struct best_choice *best, const struct settings *settings, struct scenario *scenario);

#endif
