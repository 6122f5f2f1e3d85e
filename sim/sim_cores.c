#include "sim/sim_cores.h"

#include "sim/sim_time.h"
#include "sim/sim_words.h"

#include <errno.h>
#include <stdlib.h>

static int is_shared(const struct scenario *s)
{
    const uint32_t *core = s->placement.core_of_rank;
    uint8_t *taken = calloc(s->machine.node->cores, 1);
    int shared = taken ? 0 : -ENOMEM;
    for (uint32_t r = 0; r < s->job.procs && taken && !s->machine.node->contention_free; r++) {
        shared |= taken[core[r]];
        taken[core[r]] = 1;
    }
    free(taken);
    return shared;
}

int sim_cores_create(struct sim_cores *cores, const struct scenario *scenario, struct sim_queue *queue)
{
    const struct node *node = scenario->machine.node;
    const struct quantity *change = &node->handover_ns[HANDOVER_SAME_CORE];
    int shared = is_shared(scenario);
    *cores = (struct sim_cores){.shared = shared > 0, .cores = node->cores, .queue = queue,
                                .core_of_rank = scenario->placement.core_of_rank,
                                .slice_ps = sim_ps_from_s(scenario->conditions.slice_s),
                                .switch_ps = sim_ps_from_ns(quantity_or(change, 0))};
    if (shared <= 0)
        return shared;
    cores->core = calloc(node->cores, sizeof *cores->core);
    cores->next_ready = calloc(scenario->job.procs, sizeof *cores->next_ready);
    for (uint32_t i = 0; i < node->cores && cores->core; i++)
        cores->core[i].ran = SIM_NOBODY;
    return cores->core && cores->next_ready ? 0 : -ENOMEM;
}

void sim_cores_destroy(struct sim_cores *cores)
{
    free(cores->core);
    free(cores->next_ready);
    *cores = (struct sim_cores){0};
}

void sim_cores_start(struct sim_cores *cores)
{
    for (uint32_t i = 0; i < cores->cores && cores->shared; i++)
        cores->core[i] = (struct sim_core){.runs = SIM_NOBODY, .ran = cores->core[i].ran, .first = SIM_NOBODY, .last = SIM_NOBODY,
                                           .turn = cores->core[i].turn + 1};
}

static struct sim_core *core_of(const struct sim_cores *cores, uint32_t rank)
{
    return &cores->core[cores->core_of_rank[rank]];
}

int sim_cores_expired(const struct sim_cores *cores, uint32_t rank, uint64_t now_ps)
{
    const struct sim_core *core = core_of(cores, rank);
    return cores->slice_ps && core->first != SIM_NOBODY && now_ps >= core->slice_end_ps;
}

/* Somebody is ready while another runs: its slice will end. */
static int end_slice(struct sim_cores *cores, struct sim_core *core, uint64_t now_ps)
{
    uint64_t end_ps = core->slice_end_ps > now_ps ? core->slice_end_ps : now_ps;
    if (cores->slice_ps == 0)
        return 0;
    return sim_queue_push(cores->queue, end_ps, SIM_CORE_EVENT | (uint32_t)(core - cores->core), core->turn);
}

static int take(struct sim_cores *cores, struct sim_core *core, uint32_t rank, uint64_t now_ps)
{
    uint64_t from_ps = now_ps + (core->ran == rank || core->ran == SIM_NOBODY ? 0 : cores->switch_ps);
    core->runs = core->ran = rank;
    core->turn++;
    core->begun = 0;
    core->slice_end_ps = from_ps + cores->slice_ps;
    int rc = sim_queue_push(cores->queue, from_ps, rank, 0);
    return rc == 0 && core->first != SIM_NOBODY ? end_slice(cores, core, now_ps) : rc;
}

int sim_cores_enter(struct sim_cores *cores, uint32_t rank, uint64_t now_ps)
{
    struct sim_core *core = core_of(cores, rank);
    if (core->runs == SIM_NOBODY)
        return take(cores, core, rank, now_ps);
    int alone = core->first == SIM_NOBODY;
    cores->next_ready[rank] = SIM_NOBODY;
    if (alone)
        core->first = rank;
    else
        cores->next_ready[core->last] = rank;
    core->last = rank;
    return alone ? end_slice(cores, core, now_ps) : 0;
}

int sim_cores_leave(struct sim_cores *cores, uint32_t rank, int ready, uint64_t now_ps)
{
    struct sim_core *core = core_of(cores, rank);
    int rc = ready ? sim_cores_enter(cores, rank, now_ps) : 0; /* behind the others, while it still runs */
    uint32_t next = core->first;
    core->runs = SIM_NOBODY;
    if (rc || next == SIM_NOBODY)
        return rc;
    core->first = cores->next_ready[next];
    return take(cores, core, next, now_ps);
}
