/* Lanes chosen by what the node costs: model/choice_table for communicators. */
#include "kernels/comm.h"
#include "model/choice_table.h"

#include <stdio.h>
#include <string.h>

_Static_assert((int)CHOICE_LANES_MAX <= (int)COMM_LANES_MAX, "a communicator holds every lane of a table");

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
    if (!error)
        *out = config;
    return error;
}
