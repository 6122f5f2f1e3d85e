/* What single steps cost the ranks of a scenario: lines between cores, and copies with what they share.
 *
 * The same rules for lines and copies as in the simulator, in seconds. On a contention-free node only the paper's four costs
 * count. On a described node a line travels by distance, a copy loads the controllers of the memory it touches (a byte
 * read a third of a copy, a byte written two) and the link it crosses, and goes slower beside its counterpart.
 * Read-only once created, but for the few copy costs it remembers; one thread at a time. */
#ifndef SHMCOLL_MODEL_STEP_COSTS_H
#define SHMCOLL_MODEL_STEP_COSTS_H

#include "model/scenario.h"

enum { STEP_COSTS_KEPT = 12, STEP_STORE_BUFFER_BYTES = 512 };

/* Into a slot, out of one, from slot to slot; within the own user memory, and from what of it has come to the own cache; from a
 * peer's buffer, from what of that has come to the own cache, into a peer's. */
enum step_copy_kind {
    STEP_COPY_IN,
    STEP_COPY_OUT,
    STEP_COPY_RELAY,
    STEP_COPY_OWN,
    STEP_COPY_OWN_CACHED,
    STEP_COPY_PULL,
    STEP_COPY_PULL_CACHED,
    STEP_COPY_PUSH,
};

/* One size of copy of one kind: whole times, and the parts of `alone_s`. */
struct step_copy_cost {
    enum step_copy_kind kind;
    uint32_t bytes;
    double alone_s, beside_s, start_s, tail_s;
};

struct step_costs {
    const struct scenario *scenario;
    int contention_free;
    double t_s, t_w_s, t_wo_s, t_a_s; /* the paper's */
    double step_s, atomic_s, call_s, switch_s;
    double fetch_share, store_share;
    double serve_s; /* NAN: unknown */
    double detour;
    uint32_t procs;
    double *handover_s; /* [from*procs + to], 0 between ranks of one core */
    int users_cold, queue_in_memory, pair_measured;
    double bandwidth_bytes_per_s[4]; /* one, two, three, four cores of a domain together; INFINITY if unknown */
    uint64_t queue_bytes;
    struct step_copy_cost kept[STEP_COSTS_KEPT];
    uint32_t kept_count;
};

/* 0; -ENOMEM; -ENOTSUP with one line in `reason` if the node lacks a cost without which there is no time. */
int step_costs_create(struct step_costs *out, const struct scenario *scenario, char *reason, size_t reason_bytes);
void step_costs_destroy(struct step_costs *costs);

/* The node's answer for a kind and size. */
const struct step_copy_cost *step_costs_copy(struct step_costs *costs, enum step_copy_kind kind, uint32_t bytes);

/* Bytes a second that `cores` cores of a domain copy together; INFINITY if unknown. */
double step_costs_bandwidth(const struct step_costs *costs, uint32_t cores);

static inline uint32_t step_costs_core(const struct step_costs *c, uint32_t rank)
{
    return c->scenario->placement.core_of_rank[rank];
}
static inline uint32_t step_costs_domain(const struct step_costs *c, uint32_t rank)
{
    return c->scenario->machine.node->core_domain[step_costs_core(c, rank)];
}
static inline uint32_t step_costs_cache(const struct step_costs *c, uint32_t rank)
{
    return c->scenario->machine.node->core_cache[step_costs_core(c, rank)];
}
static inline uint32_t step_costs_socket(const struct step_costs *c, uint32_t rank)
{
    return c->scenario->machine.node->core_socket[step_costs_core(c, rank)];
}

#endif
