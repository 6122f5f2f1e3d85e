/* The closed forms applied to a scenario: seconds for one broadcast on a node.
 *
 * Two forms with one signature. The scenario must have passed scenario_check, the tree be built from it.
 * Pure; they allocate O(procs) and free it. */
#ifndef SHMCOLL_MODEL_BCAST_MODEL_H
#define SHMCOLL_MODEL_BCAST_MODEL_H

#include "model/bcast_cost.h"
#include "model/scenario.h"

struct bcast_prediction {
    double time_s;
    double time_mean_s;       /* mean over ranks; 0: a closed form, which tells the last one's only */
    double copy_s, wait_s;    /* sums over ranks */
    struct bcast_costs costs; /* t, t_w, t_wo, t_A as used, or as they would be derived */
};

/* The paper's costs of this scenario. A contention-free node states them; on others they are derived, since stated ones hold for
 * one tree and fragment only, and are used as stated only where the node has nothing to derive them from:
 *   t     the slower of one fragment's copy-in and the slowest reader's copy-out, per byte, beside its counterpart if the queue
 *         lets them overlap; their mean if not, since the form then bills 2 m t. Distance counts, shared bandwidth does not
 *   t_w   hand-overs and stores along the path to the rank notified last: depends on tree, p and placement
 *   t_wo  the farthest reader's load of the set's word;  t_A  its decrement, nobody else there
 * 0; -ENOTSUP with one line in `reason` if the node lacks a cost; -ENOMEM. */
int bcast_model_costs(const struct scenario *scenario, const struct tree *tree, struct bcast_costs *out, char *reason,
                      size_t reason_bytes);

/* S1's form with those costs. The eager protocol, of which S1 knows nothing, takes its path's time in both forms. */
int bcast_model_paper(const struct scenario *scenario, const struct tree *tree, struct bcast_prediction *out, char *reason,
                      size_t reason_bytes);

/* What the protocol does, with latencies pipelined, sets that wait for one another, residency and contention:
 * see bcast_extended.c. On a contention-free node with two ranks it is exact. */
int bcast_model_extended(const struct scenario *scenario, const struct tree *tree, struct bcast_prediction *out, char *reason,
                         size_t reason_bytes);

/* The eager protocol along its tree. */
int bcast_model_eager(const struct scenario *scenario, const struct tree *tree, struct bcast_prediction *out, char *reason,
                      size_t reason_bytes);

#endif
