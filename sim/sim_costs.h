/* What one step costs on one node, in picoseconds: a node's quantities made ready for the event loop.
 *
 * On a contention-free node only the four parameters of the paper count: a reader pays t_wo for a set that opens, t_w for any
 * other notification or offer, every wait of a barrier among them, and t_A for an atomic addition; everything else at the
 * words is free, acknowledgements among it. On a described node a line travels between cores, by distance; quantities the node
 * does not know cost nothing, but for the hand-over, without which there is no simulation. */
#ifndef SHMCOLL_SIM_COSTS_H
#define SHMCOLL_SIM_COSTS_H

#include "model/scenario.h"
#include "sim/sim_words.h"

struct sim_costs {
    int contention_free;
    double t_s_per_byte;
    uint64_t t_w_ps, t_wo_ps, t_a_ps;

    uint64_t step_ps, atomic_ps, call_ps, packet_ps;
    double fetch_share; /* a line written a while ago against a hand-over; 1 if unknown */
    int serves;         /* hand-overs of a line to those who spin on it begin serve_ps apart, not one after the other */
    uint64_t serve_ps;
    double detour;
    double store_share; /* store_ns against a hand-over to the next core; 1 if unknown */
    uint32_t procs, cores;
    const uint32_t *core_of_rank; /* borrowed from the scenario */
    uint64_t *handover_ps;        /* [i*cores + j], i writer, j reader */
    const uint32_t *core_socket;  /* borrowed from the node */
    size_t row;                   /* 64-bit groups of ranks */
    uint64_t *peers;              /* [rank*row], ranks with the same last-level cache */
};

/* 0; -ENOMEM; -ENOTSUP with a line in `reason` if the node lacks what a simulation needs. */
int sim_costs_create(struct sim_costs *costs, const struct scenario *scenario, char *reason, size_t reason_bytes);
void sim_costs_destroy(struct sim_costs *costs);

/* A wait's cost on a contention-free node, by its name (enum step_name). */
static inline uint64_t sim_costs_wait_ps(const struct sim_costs *costs, uint32_t name)
{
    if (name == STEP_NAME_WO)
        return costs->t_wo_ps;
    return name == STEP_NAME_W || name == STEP_NAME_WP || name == STEP_NAME_B ? costs->t_w_ps : 0;
}

/* Time for a line to get from one rank to another. */
static inline uint64_t sim_costs_between_ps(const struct sim_costs *costs, uint32_t from, uint32_t to)
{
    return costs->handover_ps[(size_t)costs->core_of_rank[from] * costs->cores + costs->core_of_rank[to]];
}

/* Whether two ranks are on one socket. */
static inline int sim_costs_beside(const struct sim_costs *costs, uint32_t a, uint32_t b)
{
    return costs->core_socket[costs->core_of_rank[a]] == costs->core_socket[costs->core_of_rank[b]];
}

/* Time for the line of a word to get from whoever has it to `rank`: from the rank's own last-level cache if a copy is
 * there, else from the rank that had it last to itself; 0 if `rank` holds it. */
uint64_t sim_costs_fetch_ps(const struct sim_costs *costs, const struct sim_words *words, size_t word, uint32_t rank);

/* By how much the line of a word that `rank` stores to comes later to those who spin on it beside `rank`, as others do on another
 * socket: the first of these gets it for itself. */
uint64_t sim_costs_detour_ps(const struct sim_costs *costs, const struct sim_words *words, size_t word, uint32_t rank);

/* Time for a line to come to `rank` for itself alone. Copies of others need not be waited for, since they are called
 * back ahead of the store; but from a core that spins on the line it has to be taken. */
uint64_t sim_costs_claim_ps(const struct sim_costs *costs, const struct sim_words *words, size_t word, uint32_t rank);

/* Of a hand-over, what the store needs to take its line from the farthest core that has a copy; the rest is the reader's. */
uint64_t sim_costs_take_ps(const struct sim_costs *costs, const struct sim_words *words, size_t word, uint32_t rank);

/* How long a store that had to fetch its line, so far away, keeps the next one from its core: store_ns for a
 * near line, in proportion for a far one. */
static inline uint64_t sim_costs_drain_ps(const struct sim_costs *costs, uint64_t fetch_ps)
{
    return (uint64_t)(costs->store_share * (double)fetch_ps);
}

#endif
