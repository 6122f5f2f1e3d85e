/* Cores that ranks share: who runs on each, and who is ready to.
 *
 * Without a slice a rank runs until it waits; then its core goes to the one that has been ready longest. With one, who waits
 * spins on, as all who have not ended want their core: at the end of a slice it goes to the next in turn, if there is another. A
 * step is not cut: who copies keeps the core until that has ended. To change from one rank to another takes switch_ps. Nothing is
 * done where each rank has a core for itself. The struct owns its arrays. */
#ifndef SHMCOLL_SIM_CORES_H
#define SHMCOLL_SIM_CORES_H

#include "model/scenario.h"
#include "sim/sim_queue.h"

#include <stdint.h>

/* Events of cores: this and the core. Ranks and classes of copies are below. */
#define SIM_CORE_EVENT (UINT32_C(1) << 31)

struct sim_core {
    uint32_t runs, ran; /* SIM_NOBODY: no rank; the last one to */
    uint32_t first, last; /* of those who are ready */
    uint32_t turn; /* events of earlier turns mean nothing */
    int begun;     /* runs has come to it, the change is over */
    uint64_t slice_end_ps;
};

struct sim_cores {
    int shared; /* 0: all below is unused */
    uint64_t slice_ps, switch_ps;
    struct sim_core *core;       /* [cores of the node] */
    uint32_t cores, *next_ready; /* [rank] */
    const uint32_t *core_of_rank;
    struct sim_queue *queue; /* an event of a rank: it has its core from then on */
};

/* 0 or -ENOMEM. */
int sim_cores_create(struct sim_cores *cores, const struct scenario *scenario, struct sim_queue *queue);
void sim_cores_destroy(struct sim_cores *cores);
/* Nobody runs. */
void sim_cores_start(struct sim_cores *cores);

static inline int sim_cores_have(const struct sim_cores *cores, uint32_t rank)
{
    if (!cores->shared)
        return 1;
    const struct sim_core *core = &cores->core[cores->core_of_rank[rank]];
    return core->runs == rank && core->begun;
}

/* A rank's event has come: whether it is that it has its core. */
static inline int sim_cores_begin(struct sim_cores *cores, uint32_t rank)
{
    struct sim_core *core = &cores->core[cores->core_of_rank[rank]];
    core->begun |= core->runs == rank;
    return core->runs == rank;
}

/* Cores are shared: whether a rank that runs has used up its slice, and another is ready. */
int sim_cores_expired(const struct sim_cores *cores, uint32_t rank, uint64_t now_ps);
/* A rank is ready: its event comes when it has its core. 0 or -ENOMEM, as the others. */
int sim_cores_enter(struct sim_cores *cores, uint32_t rank, uint64_t now_ps);
/* The rank that runs leaves; `ready`: to the end of those who are ready. */
int sim_cores_leave(struct sim_cores *cores, uint32_t rank, int ready, uint64_t now_ps);

#endif
