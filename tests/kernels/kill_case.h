/* Collectives or messages in an endless loop until one rank is killed: shared by the kill tests, the kill loop of stress and the
 * kill matrix. */
#ifndef SHMCOLL_TESTS_KILL_CASE_H
#define SHMCOLL_TESTS_KILL_CASE_H

#include "kernels/channels/endpoint.h"
#include "kernels/launcher.h"
#include "model/schedule.h"

enum { KILL_PROCS_MAX = 16, KILL_CASE_TEXT_BYTES = 160, KILL_LATE_NS = 1000000000 };

struct kill_case {
    uint32_t procs, victim;
    uint64_t size_bytes, delay_ns; /* the victim dies so long after all stand ready */
    /* Calls of a communicator. */
    const struct protocol *protocol; /* NULL: the default lanes */
    int allgather;                   /* size_bytes are of each rank */
    /* Or, unless it is NULL, over endpoints: messages to and from everyone, or allgathers by schedule. */
    const struct channel *channel;
    const struct schedule_algorithm *algorithm;
    int moving;  /* from channel to channel, with any message */
    int polling; /* ranks look around instead of waiting */
};

/* Checks all that must hold: every survivor gets -EOWNERDEAD with the victim's rank, nothing is left, and all
 * know in less than a second; as a host may be busy, in one of some times.
 * 0; -1 with what went wrong in reason[COMM_REASON_BYTES]. *latest_ns: when the last survivor knew. */
int kill_case_run(const struct kill_case *c, char *reason, uint64_t *latest_ns);
/* One line that names every parameter. */
const char *kill_case_format(const struct kill_case *c, char *text, size_t text_bytes);

/* What a survivor tells. */
struct survivor {
    int error;
    int64_t error_rank;
    uint64_t noticed_ns;
    char text[COMM_REASON_BYTES];
};

/* Whether that is the victim's death, told in words that name the dead rank; if `collective` is not NULL,
 * also that one, the survivor and the step where it was. If not, with what went wrong in reason[COMM_REASON_BYTES].
 * *latest_ns grows to the time it took. */
int survivor_right(const struct survivor *s, const char *collective, uint32_t victim, uint32_t rank, uint64_t killed_ns,
                   char *reason, uint64_t *latest_ns);

#endif
