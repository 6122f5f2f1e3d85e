/* Fault points: a rank that ends in the middle of its program, for tests.
 *
 * Only where SHMCOLL_FAULT_POINTS is defined (V=fault) does the executor ask, before every step it executes, DONE included,
 * whether to go on. Elsewhere nothing of this exists. What ends a rank is the test's business: it sets
 * comm->fault after comm_create. */
#ifndef SHMCOLL_KERNELS_FAULT_POINT_H
#define SHMCOLL_KERNELS_FAULT_POINT_H

#ifdef SHMCOLL_FAULT_POINTS
#include "model/step.h"

enum fault_verdict {
    FAULT_NONE,
    FAULT_BEFORE, /* the rank is killed before the step */
    FAULT_WITHIN, /* after half of it: half of the bytes, or the word without waking who sleeps on it, or the offer without its
                     word */
};

struct fault_point {
    /* `number` counts the steps that the rank executes in a call, from 0; calls count from 0. NULL: never asked. */
    enum fault_verdict (*visit)(void *context, uint32_t call, uint32_t number, const struct step *step);
    void *context;
};
#endif

#endif
