/* Schedules over channels and interfaces, watched: for tests. */
#ifndef SHMCOLL_TESTS_REMOTE_SCHEDULE_CASE_H
#define SHMCOLL_TESTS_REMOTE_SCHEDULE_CASE_H

#include "sim/sim_remote_schedule.h"
#include "tests/sim/remote_case.h"

enum { REMOTE_RANKS_MOST = 20 };

struct remote_asked {
    struct sim_remote_question remote;
    const struct schedule_algorithm *algorithm;
    uint64_t size_bytes, skew_ps, seed;
    int in_place;
    const struct numbering *numbering;
};

/* Warm, all at once, none in place. */
struct remote_asked remote_ask(const struct nic *nic, const char *layer, const struct channel_kind *kind,
                               const struct schedule_algorithm *algorithm, uint32_t procs, uint64_t size_bytes);
/* The second call of two. Fails the test if a block comes twice or never, or is sent by who does not have it, if messages are not
 * counted right, or anything is left. */
uint64_t remote_schedule_ps(const struct remote_asked *asked);

#endif
