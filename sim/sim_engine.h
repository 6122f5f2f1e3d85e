/* The engines of the simulator, of which each runs some scenarios: step programs on a node, messages over a node's channels,
 * messages and schedules over network interfaces, and schedules over a network without any. The evaluator (evaluator_sim.c) takes
 * the one that applies and calls it as often as there are repetitions. */
#ifndef SHMCOLL_SIM_ENGINE_H
#define SHMCOLL_SIM_ENGINE_H

#include "model/scenario.h"
#include "sim/sim_channel.h"
#include "sim/sim_execute.h"
#include "sim/sim_network.h"
#include "sim/sim_remote_schedule.h"

/* What the engine in use keeps from call to call. */
union sim_state {
    struct sim steps;
    struct sim_channel channel;
    struct sim_remote remote;
    struct sim_remote_schedule scheduled;
    struct sim_network network;
};

struct sim_engine {
    int (*applies)(const struct scenario *scenario);
    /* What it cannot be asked of a scenario to which it applies: 0, or -ENOTSUP with one line in `reason`. */
    int (*reason)(const struct scenario *scenario, int traced, char *reason, size_t reason_bytes);
    int (*create)(union sim_state *out, const struct scenario *scenario, char *reason, size_t reason_bytes);
    void (*destroy)(union sim_state *state);
    /* The i-th call: 0 or -errno with one line in `reason`. */
    int (*call)(union sim_state *state, const struct scenario *scenario, uint32_t i, struct trace_sink *sink, uint64_t *time_ps,
                char *reason, size_t reason_bytes);
    /* Sums begin anew. Not NULL: a call ahead makes what pairs need, and finds rings and credits where later ones do. */
    void (*forget)(union sim_state *state);
    /* Of the last call the mean over ranks of their ends, in seconds; NULL: is not told. */
    double (*mean_s)(const union sim_state *state);
    /* Events, messages and the breakdown of all calls. */
    void (*report)(const union sim_state *state, struct outcome *out);
};

/* The one that applies; there always is one. */
const struct sim_engine *sim_engine_of(const struct scenario *scenario);

#endif
