/* Calibration: from probes of the primitives to the numbers of a node.
 *
 * A plan is a list of probes with room for their samples; measuring fills it in one launch of
 * ranks; fitting turns it into quantities with intervals. No collective code runs, but channels between two
 * ranks do. */
#ifndef SHMCOLL_EXPERIMENTS_CALIBRATE_H
#define SHMCOLL_EXPERIMENTS_CALIBRATE_H

#include "kernels/probe.h"
#include "model/node.h"

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

enum { CALIBRATE_REASON_BYTES = 256, CALIBRATE_QUEUE_BYTES = 4 << 20,
       CALIBRATE_PEER_SHORT_BYTES = 4 << 10, CALIBRATE_PEER_LONG_BYTES = 1 << 20 };

enum calibrate_kind {
    CALIBRATE_HANDOVER,  /* lines = 1, 2, ...: nanoseconds one way */
    CALIBRATE_ATOMIC,    /* remote = 0, 1 */
    CALIBRATE_DEADLINE,
    CALIBRATE_PACKET,    /* a message of one line, from endpoint to endpoint */
    CALIBRATE_COLD,      /* cold copy of one word by rank 0 */
    CALIBRATE_PLAIN,     /* cold copy by rank 0, routine */
    CALIBRATE_PEER,      /* the same from another process, through the kernel */
    CALIBRATE_SHARED,    /* cold copy of one message by all ranks, routine */
    CALIBRATE_QUEUE,     /* copy-in and copy-out through a queue */
};

struct calibrate_probe {
    enum calibrate_kind kind;
    uint32_t lines;
    int remote, routine;
    uint64_t message_bytes;
    struct probe_queue queue;
    double *first_ns, *second_ns; /* [plan reps]; second: copy-out */
};

/* Probes run in rounds, and every round knows the hand-over just before and after it. Only rounds of one state
 * of the host count: that of state_ns, or if it is 0 the one most rounds were in, which it then becomes. */
struct calibrate_plan {
    struct calibrate_probe *probes;
    size_t count, capacity;
    double state_ns;
    uint32_t reps;         /* samples of each probe that count, set by measuring */
    uint32_t rounds, kept; /* rounds run, and of the state */
};

void calibrate_plan_destroy(struct calibrate_plan *plan);
/* Appends a probe. 0 or -ENOMEM. */
int calibrate_plan_add(struct calibrate_plan *plan, struct calibrate_probe probe);

/* Runs the plan with one process on each of the given cores of the node and fills in the samples.
 * 0, or -errno with one line in `reason`. */
int calibrate_measure(struct calibrate_plan *plan, const struct node *node, const uint32_t *cores, uint32_t count,
                      char reason[CALIBRATE_REASON_BYTES]);

/* One row of the table of residuals: a measured copy against the line fitted to its class. */
struct calibrate_residual {
    enum copy_class copy_class;
    uint64_t message_bytes, fragment_bytes, queue_bytes;
    double measured_ns, fitted_ns;
};

struct calibrate_result {
    struct calibrate_residual *residuals;
    size_t count;
};

/* What the kernel's copy between processes takes beyond a plain one, from the plan's probes of both; unknown if it is
 * forbidden. */
void calibrate_fit_peers(const struct calibrate_plan *plan, struct node *node);
/* Appends the copies of a measured plan to the node as copy_points. 0 or -ENOMEM. */
int calibrate_fit_points(const struct calibrate_plan *plan, struct node *node);
/* Fits start_ns + n * s_per_byte to each class's points by weighted least squares (relative errors), and lists what is left over.
 * 0 or -ENOMEM. */
int calibrate_fit_lines(struct node *node, struct calibrate_result *out);
/* The least over copy routines of a probe of so many bytes, times `scale`; unknown if there is none. */
struct quantity calibrate_least(const struct calibrate_plan *plan, enum calibrate_kind kind, uint64_t message_bytes,
                                double scale);
/* (a - b) / divisor with its interval, never below 0. */
struct quantity calibrate_difference(struct quantity a, struct quantity b, double divisor);
/* Median of a probe's samples, times `scale`, with its confidence interval. */
struct quantity calibrate_quantity(const double *samples, size_t count, double scale);

#endif
