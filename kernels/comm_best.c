/* Lanes chosen by what the node costs: model/choice_table for communicators. */
#include "kernels/allgather_lanes.h"
#include "model/bcast_cost.h"
#include "model/choice_table.h"

#include <stdio.h>
#include <string.h>

enum { ALLGATHER_LANES_MAX = COMM_LANES_MAX - CHOICE_LANES_MAX };
_Static_assert(ALLGATHER_LANES_MAX >= 1, "a communicator holds every lane of a table, and lanes for allgathers");

static struct comm_lane lane_from(const struct choice_lane *chosen)
{
    const struct params *p = &chosen->params;
    return (struct comm_lane){.protocol = p->protocol, .fragment_bytes = p->fragment_bytes, .slots = p->slots, .sets = p->sets,
                              .readers_most = p->readers_most, .tree = p->tree, .size_max_bytes = chosen->size_max_bytes};
}

static struct scenario scenario_of(uint32_t procs, const struct comm_surroundings *around)
{
    return (struct scenario){
        .machine = {.node = around->node, .nodes = 1},
        .placement = {.name = "list", .core_of_rank = around->core_of_rank},
        .job = {.kind = JOB_BCAST, .procs = procs},
        .conditions = {.buffers = around->buffers_warm ? BUFFERS_WARM : BUFFERS_COLD,
                       .buffer_memory = around->buffers_in_area ? BUFFER_MEMORY_SHARED : BUFFER_MEMORY_PRIVATE,
                       .backend = around->threads ? BACKEND_THREADS : BACKEND_PROCS,
                       .buffer_domain = -1},
        .variant = "extended",
    };
}

static uint64_t budget_left(const struct comm_config *config, const struct comm_surroundings *around)
{
    uint64_t left = around->budget_bytes ? around->budget_bytes : bcast_cost_budget_bytes(around->node);
    for (uint32_t i = 0; i < config->lanes; i++) {
        const struct comm_lane *lane = &config->lane[i];
        uint64_t bytes = lane->protocol->uses & PROTOCOL_SLOTS ? (uint64_t)lane->fragment_bytes * lane->slots : 0;
        left -= bytes < left ? bytes : left;
    }
    return left;
}

/* Behind the broadcasts' lanes, so that no message comes to them. Blocks in private memory never go through the kernel. Where
 * there is nothing to choose from, allgathers go by the broadcasts' lanes. */
static void add_allgathers(const struct comm_surroundings *around, struct scenario scenario, struct comm_config *config)
{
    struct choice_permits permits = {.budget_bytes = budget_left(config, around), .lanes_most = ALLGATHER_LANES_MAX};
    struct choice_table table;
    scenario.job = (struct job){.kind = JOB_ALLGATHER, .procs = scenario.job.procs};
    if (permits.budget_bytes == 0 || choice_table_make(&scenario, &permits, &table))
        return;
    for (uint32_t i = 0; i < table.lanes; i++) {
        struct comm_lane lane = lane_from(&table.lane[i]);
        if (lane.protocol == &protocol_direct_line) /* which every communicator has */
            continue;
        lane.protocol = companion_carrier(lane.protocol);
        lane.block_max_bytes = lane.size_max_bytes;
        lane.size_max_bytes = UINT64_MAX;
        config->lane[config->lanes++] = lane;
    }
}

int comm_config_best(uint32_t procs, uint32_t rank, const struct comm_surroundings *around, struct comm_config *out,
                     char reason[COMM_REASON_BYTES])
{
    struct scenario scenario = scenario_of(procs, around);
    struct choice_permits permits = {.peers = 1, .budget_bytes = around->budget_bytes};
    struct choice_table table, without;
    int uses_peers = 0;
    int error = choice_table_make(&scenario, &permits, &table);
    struct comm_lane first = error ? (struct comm_lane){0} : lane_from(&table.lane[0]);
    struct comm_config config = comm_config_of(procs, rank, &first);
    for (uint32_t i = 0; i < table.lanes && !error; i++) {
        config.lane[i] = lane_from(&table.lane[i]);
        uses_peers |= (table.lane[i].params.protocol->uses & PROTOCOL_PEERS) != 0;
    }
    config.lanes = table.lanes;
    config.llc_bytes = around->node->llc_bytes;
    if (uses_peers && !error) { /* such lanes carry the long messages: what else would */
        permits.peers = 0;
        scenario.conditions.buffer_memory = BUFFER_MEMORY_PRIVATE;
        scenario.conditions.backend = BACKEND_PROCS;
        error = choice_table_make(&scenario, &permits, &without);
        if (!error)
            config.without_peers = lane_from(&without.lane[without.lanes - 1]);
        snprintf(table.reason, sizeof table.reason, "%s", without.reason);
    }
    if (error && reason)
        snprintf(reason, COMM_REASON_BYTES, "%s", table.reason);
    if (!error) {
        add_allgathers(around, scenario_of(procs, around), &config);
        *out = config;
    }
    return error;
}
