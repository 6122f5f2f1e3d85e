/* One cell of the kill matrix: a rank is killed at a step of its program, and everything that must hold then is checked. */
#ifndef SHMCOLL_TESTS_FAULT_CASE_H
#define SHMCOLL_TESTS_FAULT_CASE_H

#include "kernels/comm_internal.h"
#include "kernels/launcher.h"

enum { FAULT_PROCS_MAX = 8, FAULT_CALLS = 3, FAULT_STEPS_MAX = 128 };

/* What a rank executed: op and name of each step of each call, DONE included. */
struct fault_census {
    uint32_t count[FAULT_CALLS];
    struct {
        uint32_t op, name;
    } step[FAULT_CALLS][FAULT_STEPS_MAX];
};

struct fault_case {
    struct comm_lane lane;
    uint64_t size_bytes;
    int allgather; /* size_bytes are of each rank, and the lane serves it */
    uint32_t procs, victim;
    uint32_t call, step; /* where it is killed */
    enum fault_verdict verdict;
    uint64_t area_bytes; /* user buffers of so much lie in the segment; 0: they are private */
};

/* Runs the calls without a kill and tells what the victim executed. The victim is the root of the first call, its successor of
 * the next. The other ranks dawdle, so that the victim's course is the same each time as far as that can be.
 * 0, or the launcher's error with a line in reason[COMM_REASON_BYTES]. */
int fault_case_census(const struct fault_case *c, struct fault_census *census, char *reason);

enum fault_end { FAULT_SURVIVED, FAULT_MISSED, FAULT_BROKEN };
/* MISSED: the victim went another course, of fewer steps. BROKEN: a survivor has no error, a wrong one or a late one, or
 * something is left behind; `reason` says what. *latest_ns: from the kill until the last survivor had its error. */
enum fault_end fault_case_kill(const struct fault_case *c, char *reason, uint64_t *latest_ns);

#endif
