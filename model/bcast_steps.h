/* What the steps of the pipelined broadcast cost each rank of a scenario, copies left out.
 *
 * The one place where node, placement and tree become seconds for the closed forms. On a contention-free node only the
 * paper's costs count: W t_w, WO t_wo, A t_A, all else free. On a described node a line that another core has changed
 * costs its hand-over to whoever loads it, and the loader is busy meanwhile; stores leave a core one after the
 * other, store_ns apart, more for a farther line (unknown: a hand-over apart). Unknown step, atomic and call costs count 0.
 * Arrays are by virtual rank (0 the root) and owned by the struct. Read-only once created. */
#ifndef SHMCOLL_MODEL_BCAST_STEPS_H
#define SHMCOLL_MODEL_BCAST_STEPS_H

#include "model/scenario.h"

struct bcast_steps {
    uint32_t procs;
    double *path_s;  /* [v] from the root's copy done until v has seen the notification; 0 for the root */
    double *pass_s;  /* [v] per fragment: resetting its control block and telling its children */
    double *busy_s;  /* [v] per fragment: pass_s and, but for the root, the load that ends its waiting */
    double *lag_s;   /* [v] the part of pass_s in which stores wait for their lines; a copy after it may begin meanwhile */
    double *open_s;  /* [v] WO */
    double *leave_s; /* [v] A, nobody else at the counter */
    double path_max_s, path_mean_s, open_max_s, leave_max_s; /* over readers */
    double open_all_s; /* until the last of all readers, served one after the other, has seen a set open */
    /* How much later than alone the last reader leaves a set: those on the root's domain, then the others. `watched`: while
     * the root waits for just that and draws the line to itself after every decrement. */
    double queue_s[2], queue_watched_s[2];
    double claim_s; /* root's WS and SO */
    double step_s, call_s;
    uint32_t *order; /* [v] readers by rising path_s; order[0] is the root */
    char *far;       /* [v] on another domain than the root */
};

/* 0; -ENOMEM; -ENOTSUP with one line in `reason` if the node lacks a cost without which there is no time. */
int bcast_steps_create(const struct scenario *scenario, const struct tree *tree, struct bcast_steps *out, char *reason,
                       size_t reason_bytes);
void bcast_steps_destroy(struct bcast_steps *steps);

/* One-way hand-over in seconds from virtual rank v to w; NAN if the node knows none. */
double bcast_steps_handover_s(const struct scenario *scenario, const struct tree *tree, uint32_t v, uint32_t w);

/* How long a store of v to a line of w keeps the next one from leaving v's core. */
double bcast_steps_gap_s(const struct scenario *scenario, const struct tree *tree, uint32_t v, uint32_t w);

#endif
