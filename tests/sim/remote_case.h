/* Questions for tests of messages between nodes. */
#ifndef SHMCOLL_TESTS_REMOTE_CASE_H
#define SHMCOLL_TESTS_REMOTE_CASE_H

#include "sim/sim_remote_p2p.h"

const struct nic *remote_tianhe(void);
/* Rings of eight fragments of 8 KiB, warm. */
struct sim_remote_question remote_question(const struct nic *nic, const char *layer, const struct channel_kind *kind,
                                           uint32_t procs);
/* What a message takes in the second of two calls: the first makes rings and registers. Fails the test if anything is left. */
uint64_t remote_time_ps(const struct sim_remote_question *question, enum p2p_pattern pattern, uint64_t bytes, uint32_t window);

#endif
