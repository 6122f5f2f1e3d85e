/* Settings to scenarios: the node is loaded once, lists are multiplied out, queues are chosen. */
#ifndef SHMCOLL_EXPERIMENTS_SCENARIO_BUILD_H
#define SHMCOLL_EXPERIMENTS_SCENARIO_BUILD_H

#include "experiments/best_choice.h"
#include "experiments/options.h"
#include "experiments/queue_choice.h"
#include "model/formats/numbering_file.h"
#include "model/network.h"
#include "model/scenario.h"

struct scenario_grid {
    const struct settings *settings;
    struct node node;
    struct network network; /* if settings->network */
    struct numbering_file mapping; /* if settings->mapping, and what scenarios have of it */
    struct numbering numbering, exchanged; /* exchanged: the other way, of --remap auto */
    uint32_t *cores; /* of the ranks, of the scenario built last */
    size_t count;
    struct best_choice best;
    struct best_choice best_inside[2]; /* on a network, within its nodes: of bcast, of allgather */
};

/* 0, or an exit code after telling why: checks the words (the collective), loads the node. */
int scenario_grid_create(const struct settings *settings, struct scenario_grid *out);
void scenario_grid_destroy(struct scenario_grid *grid);

/* Scenario i < count; sizes vary slowest, then queues, so that neighbours compare. It borrows from the grid, and holds until the
 * next call. `variant` is left "". 0, or an exit code after telling why. */
int scenario_grid_get(struct scenario_grid *grid, size_t i, struct scenario *out);

/* The paper's four costs of a node, NAN where unknown. */
struct bcast_costs scenario_costs(const struct node *node);
/* What settings say of it. */
struct conditions scenario_conditions(const struct settings *settings);
struct job scenario_job(const struct settings *settings, uint32_t procs, uint64_t size_bytes);
/* Whether any of f, s, b was given. */
int settings_give_queue(const struct settings *settings);

#endif
