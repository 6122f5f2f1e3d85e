/* Messages between two ranks on two nodes: a scenario's question for sim_remote.h, and its program. */
#ifndef SHMCOLL_SIM_REMOTE_P2P_H
#define SHMCOLL_SIM_REMOTE_P2P_H

#include "sim/sim_remote.h"

/* 0; -ENOTSUP or -EINVAL with a line in `reason`. */
int sim_remote_question_of(const struct scenario *scenario, struct sim_remote_question *out, char *reason, size_t reason_bytes);
/* Borrows the job. */
struct sim_remote_program sim_remote_p2p(const struct job_p2p *job);
/* What a call's time counts as: half a round trip, or a message's part of the stream. */
uint64_t sim_remote_p2p_time_ps(const struct job_p2p *job, uint64_t call_ps);

#endif
