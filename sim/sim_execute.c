#include "sim/sim_execute.h"

#include "model/protocol/direct_line.h"
#include "model/protocol/eager.h"
#include "sim/sim_step.h"
#include "sim/sim_time.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

/* Only with several domains is there an order of its own. */
static int order_others(struct sim *sim)
{
    const struct scenario *s = sim->scenario;
    const struct node *node = s->machine.node;
    uint32_t procs = sim->procs;
    if (s->job.kind != JOB_ALLGATHER || node->domains == 1)
        return 0;
    uint32_t *domain = calloc(procs, sizeof *domain);
    sim->others = calloc((size_t)procs * procs, sizeof *sim->others);
    for (uint32_t r = 0; r < procs && domain; r++)
        domain[r] = node->core_domain[s->placement.core_of_rank[r]];
    for (uint32_t r = 0; r < procs && domain && sim->others; r++)
        others_order(procs, r, domain, sim->others + (size_t)r * (procs - 1));
    int ok = domain && sim->others;
    free(domain);
    return ok ? 0 : -ENOMEM;
}

static uint32_t lines_of(const struct scenario *scenario)
{
    return scenario->job.kind == JOB_ALLGATHER ? DIRECT_LINES : EAGER_LINES;
}

int sim_create(struct sim *sim, const struct scenario *scenario, char *reason, size_t reason_bytes)
{
    const struct params *params = &scenario->params;
    uint32_t procs = scenario->job.procs;
    *sim = (struct sim){.scenario = scenario, .protocol = params->protocol, .procs = procs};
    struct bcast_call call = {.slots = params->slots, .sets = params->sets, .lines = lines_of(scenario), .procs = procs};
    int rc = sim_costs_create(&sim->costs, scenario, reason, reason_bytes);
    if (rc == 0 && !sim->costs.contention_free)
        rc = sim_copies_create(&sim->copies, scenario, procs, reason, reason_bytes);
    if (rc) {
        sim_destroy(sim);
        return rc;
    }
    sim->rank = calloc(procs, sizeof *sim->rank);
    rc = scenario_tree_create(scenario, &sim->tree);
    if (rc == 0)
        rc = sim_words_create(&sim->words, &call, sim->protocol, scenario->conditions.op_start, !sim->costs.contention_free);
    if (rc == 0)
        rc = order_others(sim);
    if (rc == 0)
        rc = sim_queue_create(&sim->queue, 2 * (size_t)procs + 64);
    if (rc == 0)
        rc = sim_cores_create(&sim->cores, scenario, &sim->queue);
    if (rc || !sim->rank) {
        snprintf(reason, reason_bytes, rc == -EINVAL ? "this tree cannot be built" : "no memory to simulate %u ranks", procs);
        sim_destroy(sim);
        return rc ? rc : -ENOMEM;
    }
    for (uint32_t r = 0; r < procs; r++) {
        sim->rank[r].cursor.op = scenario->conditions.op_start;
        sim->rank[r].random = scenario->conditions.seed + UINT64_C(0xd1342543de82ef95) * (r + 1);
    }
    return 0;
}

void sim_destroy(struct sim *sim)
{
    tree_destroy(&sim->tree);
    sim_costs_destroy(&sim->costs);
    sim_copies_destroy(&sim->copies);
    sim_words_destroy(&sim->words);
    sim_queue_destroy(&sim->queue);
    sim_cores_destroy(&sim->cores);
    free(sim->rank);
    free(sim->others);
    *sim = (struct sim){0};
}

/* Takes a rank as far as it gets. As long as nothing else happens before its next step it goes on at once:
 * that is the order in which the queue would have returned it. */
static int advance(struct sim *sim, uint32_t r)
{
    sim->idle_turns = 0;
    for (;;) {
        uint64_t next_ps = sim->now_ps;
        if (sim->cores.shared && sim->rank[r].phase == SIM_NEXT && sim_cores_expired(&sim->cores, r, sim->now_ps))
            return sim_cores_leave(&sim->cores, r, 1, sim->now_ps);
        int rc = sim_step_continue(sim, r, &next_ps);
        if (rc || next_ps == SIM_BLOCKED)
            return rc;
        if (next_ps > sim->now_ps && (sim->copies.memory.bandwidth.dirty || next_ps >= sim_queue_head_ps(&sim->queue)))
            return sim_queue_push(&sim->queue, next_ps, r, 0);
        sim->now_ps = next_ps;
    }
}

/* A rank's time has come, on a core that it may share. */
static int go_on(struct sim *sim, uint32_t r)
{
    struct sim_cores *cores = &sim->cores;
    if (!cores->shared)
        return advance(sim, r);
    if (!sim_cores_begin(cores, r))
        return sim_cores_enter(cores, r, sim->now_ps);
    int rc = sim->rank[r].phase == SIM_PARKED ? 0 : advance(sim, r);
    if (rc || !sim_cores_have(cores, r))
        return rc;
    if (sim->rank[r].phase == SIM_OVER || (sim->rank[r].phase == SIM_PARKED && cores->slice_ps == 0))
        return sim_cores_leave(cores, r, 0, sim->now_ps);
    int turn = sim->rank[r].phase == SIM_PARKED && sim_cores_expired(cores, r, sim->now_ps);
    return turn ? sim_cores_leave(cores, r, 1, sim->now_ps) : 0;
}

static int all_wait(const struct sim *sim)
{
    for (uint32_t r = 0; r < sim->procs; r++)
        if (sim->rank[r].phase != SIM_PARKED && sim->rank[r].phase != SIM_OVER)
            return 0;
    return 1;
}

/* The slice of who spins there has ended. */
static int turn_core(struct sim *sim, uint32_t core, uint32_t turn)
{
    struct sim_core *c = &sim->cores.core[core];
    if (c->turn != turn || c->runs == SIM_NOBODY || sim->rank[c->runs].phase != SIM_PARKED)
        return 0;
    if (++sim->idle_turns > 2 * sim->procs && all_wait(sim))
        return -EDEADLK;
    return sim_cores_expired(&sim->cores, c->runs, sim->now_ps) ? sim_cores_leave(&sim->cores, c->runs, 1, sim->now_ps) : 0;
}

/* Copies of one class have ended. */
static int end_flows(struct sim *sim, uint32_t class_id, uint32_t generation)
{
    uint32_t r;
    while ((r = sim_bandwidth_end(&sim->copies.memory.bandwidth, class_id, generation, sim->now_ps)) != SIM_NO_RANK) {
        sim_step_copied(sim, r);
        int rc = go_on(sim, r);
        if (rc)
            return rc;
    }
    return 0;
}

static struct bcast_call call_of(const struct sim *sim, uint32_t r, uint32_t root)
{
    const struct job *job = &sim->scenario->job;
    const struct params *p = &sim->scenario->params;
    struct bcast_call call = {.size_bytes = job_message_bytes(job), .fragment_bytes = p->fragment_bytes, .slots = p->slots,
                              .sets = p->sets, .lines = sim->words.lines, .readers_most = p->readers_most, .procs = sim->procs,
                              .rank = r, .root = root, .tree = &sim->tree};
    if (job->kind == JOB_ALLGATHER) {
        call.block_bytes = job->allgather.block_bytes;
        call.in_place = job->allgather.in_place != 0;
    }
    if (sim->others)
        call.others = sim->others + (size_t)r * (sim->procs - 1);
    return call;
}

static int start_ranks(struct sim *sim, uint32_t root)
{
    const struct scenario *scenario = sim->scenario;
    sim_copies_start(&sim->copies);
    sim_cores_start(&sim->cores);
    for (uint32_t r = 0; r < sim->procs; r++) {
        struct sim_rank *rank = &sim->rank[r];
        rank->call = call_of(sim, r, root);
        sim->protocol->start(&rank->cursor, &rank->call, rank->cursor.op);
        rank->phase = SIM_NEXT;
        double skew_s = scenario->conditions.skew_s > 0 ? scenario->conditions.skew_s * sim_random_uniform(&rank->random) : 0;
        uint64_t late_ps = sim_ps_from_s(skew_s) + sim_noisy(sim, r, sim->costs.call_ps);
        if (sim_queue_push(&sim->queue, sim->base_ps + late_ps, r, 0) != 0)
            return -ENOMEM;
    }
    sim->running = sim->procs;
    return 0;
}

static int run_events(struct sim *sim)
{
    struct sim_bandwidth *bandwidth = &sim->copies.memory.bandwidth;
    while (sim->running > 0) {
        if (bandwidth->dirty && sim_queue_head_ps(&sim->queue) > sim->now_ps) {
            int rc = sim_bandwidth_settle(bandwidth, &sim->queue, sim->now_ps);
            if (rc)
                return rc;
        }
        if (sim->queue.count == 0)
            return -EDEADLK;
        struct sim_event event = sim_queue_pop(&sim->queue);
        sim->now_ps = event.time_ps;
        int rc = event.target < sim->procs        ? go_on(sim, event.target)
                 : event.target >= SIM_CORE_EVENT ? turn_core(sim, event.target - SIM_CORE_EVENT, event.generation)
                                                  : end_flows(sim, event.target - sim->procs, event.generation);
        if (rc)
            return rc;
    }
    return 0;
}

int sim_call(struct sim *sim, uint32_t root, struct trace_sink *sink, uint64_t *time_ps, char *reason, size_t reason_bytes)
{
    sim->base_ps = sim->now_ps = sim->end_ps;
    sim->ends_ps = 0;
    sim->sink = sink;
    int rc = start_ranks(sim, root);
    if (rc == 0)
        rc = run_events(sim);
    if (rc == 0)
        *time_ps = sim->end_ps - sim->base_ps;
    else if (rc == -ENOMEM)
        snprintf(reason, reason_bytes, "no memory for the events of %u ranks", sim->procs);
    else
        snprintf(reason, reason_bytes, "protocol %s %s after %.3f us", sim->protocol->name,
                 rc == -EDEADLK ? "stops for ever" : "found a value that cannot be", sim_s_from_ps(sim->now_ps) * 1e6);
    return rc == 0 || rc == -ENOMEM ? rc : -EPROTO;
}
