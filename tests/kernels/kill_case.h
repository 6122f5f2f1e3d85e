/* Broadcasts or allgathers in an endless loop until one rank is killed: shared by the kill test and the kill loop of stress. */
#ifndef SHMCOLL_TESTS_KILL_CASE_H
#define SHMCOLL_TESTS_KILL_CASE_H

#include "kernels/launcher.h"

enum { KILL_PROCS_MAX = 16 };

struct kill_case {
    uint32_t procs, victim;
    const struct protocol *protocol; /* NULL: the default lanes */
    uint64_t size_bytes, delay_ns; /* the victim dies so long after the communicator stands */
    int allgather;                 /* size_bytes are of each rank */
};

/* Checks all that must hold: every survivor gets -EOWNERDEAD with the victim's rank in less than a second.
 * 0; -1 with what went wrong in reason[COMM_REASON_BYTES]. *latest_ns: when the last survivor knew. */
int kill_case_run(const struct kill_case *c, char *reason, uint64_t *latest_ns);

/* Whether a survivor's error names the dead rank, itself and the step where it was. */
int kill_case_text_right(const char *collective, const char *text, uint32_t victim, uint32_t survivor);

#endif
