/* Messages of a GOAL program on their way over a network whose links are shared (sim_fabric.h), for goal_run.h: every node
 * has one NIC. The runner has the events, one for each link that a message comes to. */
#ifndef SHMCOLL_SIM_GOAL_FLIGHT_H
#define SHMCOLL_SIM_GOAL_FLIGHT_H

#include "model/goal_program.h"
#include "model/scenario.h"
#include "sim/sim_fabric.h"
#include "sim/sim_pool.h"

struct goal_flight_message {
    uint32_t next; /* spare */
    uint32_t send; /* the task */
    uint32_t from, to; /* ranks */
    struct sim_fabric_message at;
    uint64_t there_ps; /* no sooner than NICs have read and written it, where memory is shared */
    uint32_t flows;    /* of NICs, not ended */
};

struct goal_flight {
    struct sim_fabric *fabric; /* NULL: no link is shared, and none of this is used */
    struct trace_sink *sink;   /* NULL: none */
    const struct loggp *loggp;
    uint32_t ppn;
    struct sim_pool messages; /* of goal_flight_message */
    uint64_t *last_ps; /* [tasks] of a send: its last byte is in the receiver's memory; UINT64_MAX: on its way */
};

/* The fabric, which is reset, and the sink are borrowed. 0 or -ENOMEM; destroy after either. */
int goal_flight_create(struct goal_flight *out, struct sim_fabric *fabric, struct trace_sink *sink, const struct loggp *loggp,
                       uint32_t ppn, uint32_t tasks);
void goal_flight_destroy(struct goal_flight *flight);
/* A NIC is given the message then, when its event is due. Its place in the pool; SIM_POOL_NONE if there is no memory. */
uint32_t goal_flight_begin(struct goal_flight *flight, uint32_t send, uint32_t from, uint32_t to, uint64_t bytes, uint64_t at_ps);
/* Its event has come: it passes the link. 1: it comes to another at its at.first_ps; 0: then its first byte is in memory. */
int goal_flight_cross(struct goal_flight *flight, uint32_t place, struct sim_fabric_crossing *crossing);
/* It is there, at its at.last_ps: its place is free again. */
void goal_flight_end(struct goal_flight *flight, uint32_t place);

#endif
