/* A node's costs from times of a collective: nonlinear least squares over the simulator.
 *
 * What is minimised are differences of logarithms of simulated and measured times, so that a percent counts the same at any size.
 * Parameters are costs of the node, never of a size or a number of ranks; each keeps above zero, as its logarithm is what is
 * sought. One that no row depends on is left as it is. Topology and all other costs are the node's own. */
#ifndef SHMCOLL_EXPERIMENTS_FIT_NODE_H
#define SHMCOLL_EXPERIMENTS_FIT_NODE_H

#include "experiments/fit_rows.h"
#include "model/scenario.h"

#define FIT_OF_BENCHMARK SIZE_MAX
enum { FIT_PARAMETERS_MAX = 16, FIT_REASON_BYTES = 256 };

struct fit_parameter {
    const char *name; /* as node files have it */
    const char *unit;
    size_t offset; /* of the quantity in struct node, or FIT_OF_BENCHMARK */
    double begin;  /* where the node knows nothing */
};

/* Ends with a NULL name. */
extern const struct fit_parameter fit_parameters[];

struct fit_problem {
    const struct scenario *scenario; /* what was run; its ranks, size and node are not looked at */
    const struct fit_row *row;
    const int *use; /* [count] whether a row is fitted to */
    size_t count;
    int mean; /* times are means over ranks, each from its own start, not the last one's end from the first start */
    struct quantity late_ns; /* of means: the root comes out of that barrier so much before the others */
};

struct fit_estimate {
    const struct fit_parameter *parameter;
    double value, low, high; /* 95 %, as if residuals were independent and normal */
    int determined;          /* 0: the rows hardly say what it is */
};

struct fit_result {
    struct fit_estimate estimate[FIT_PARAMETERS_MAX];
    size_t estimates;
    size_t iterations;
};

/* What the scenario lacks of the node before anything can be simulated is set to where the search begins. */
void fit_node_complete(struct node *node);
/* Changes the node. 0; -ENOTSUP, -EINVAL with one line in reason; -ENOMEM. */
int fit_node(struct node *node, struct fit_problem *problem, const char *source, struct fit_result *out,
             char reason[FIT_REASON_BYTES]);
/* Simulated times of all rows. 0 or as fit_node. */
int fit_node_predict(const struct node *node, struct fit_problem *problem, double *time_s, char reason[FIT_REASON_BYTES]);

#endif
