#include "kernels/allgather_lanes.h"

#include "model/protocol/direct_line.h"
#include "model/protocol/eager.h"

#include <errno.h>
#include <stdlib.h>

/* Into so many sets a queue is cut that was not made for it: enough to need no acknowledgement. */
enum { SETS_OF_OTHERS = 4 };

static const struct protocol *companion_protocol(const struct comm_config *f, uint32_t lane)
{
    uint32_t uses = f->lane[lane].protocol->uses;
    if (f->control_pages && lane == 0) /* the paper's layout ends with the queue */
        return NULL;
    return uses & PROTOCOL_PEERS ? &protocol_shared_blocks : uses & PROTOCOL_SLOTS ? &protocol_direct : NULL;
}

const struct protocol *companion_carrier(const struct protocol *allgather)
{
    if (allgather->uses & PROTOCOL_PEERS)
        return &protocol_shared_source;
    return allgather->uses & PROTOCOL_SLOTS ? &protocol_counted : &protocol_eager;
}

uint32_t companion_counters(const struct comm_config *f, uint32_t lane)
{
    const struct protocol *protocol = companion_protocol(f, lane);
    return protocol ? protocol->counters : 0;
}

struct segment_shape companions_shape_brief(const struct comm_config *f)
{
    return (struct segment_shape){.procs = f->procs, .lines = DIRECT_LINES};
}

static uint32_t power_of_two_within(uint32_t n)
{
    while (n & (n - 1))
        n &= n - 1;
    return n;
}

/* The queue as direct uses it: as it is if that is possible, else the largest part that is. */
static void fit_queue(struct bcast_call *call, const struct protocol *of)
{
    int made_for_it = of == &protocol_counted;
    call->slots = power_of_two_within(call->slots);
    if (!made_for_it)
        call->sets = call->slots < SETS_OF_OTHERS ? call->slots : SETS_OF_OTHERS;
}

static void companion_create(struct comm *comm, uint32_t i)
{
    const struct protocol *protocol = companion_protocol(&comm->config, i);
    const struct lane *shared = &comm->lane[i];
    struct lane *lane = &comm->lane[LANE_COMPANION + i];
    if (!protocol)
        return;
    *lane = *shared;
    comm->companion_layout[i] = segment_layout_second(shared->layout);
    lane->protocol = protocol;
    lane->layout = &comm->companion_layout[i];
    lane->call.others = comm->others;
    lane->shared_op = shared->op;
    lane->execute = lane_execute_find(protocol, &comm->config);
    if (protocol->uses & PROTOCOL_SLOTS)
        fit_queue(&lane->call, shared->protocol);
}

/* A queue carries blocks of any size, and through the kernel they go slower: unless buffers are where all reach them, the lane
 * was made for blocks, or there is nothing else, they go by the next lane that has one. */
static uint32_t lane_to_take(const struct comm *comm, uint32_t lane)
{
    const struct protocol *own = comm->lane[LANE_COMPANION + lane].protocol;
    int by_kernel = own == &protocol_shared_blocks && comm->config.area_bytes == 0 && !comm->config.lane[lane].block_max_bytes;
    for (uint32_t away = 1; by_kernel && away < comm->lanes; away++) {
        if (away <= lane && comm->lane[LANE_COMPANION + lane - away].protocol == &protocol_direct)
            return LANE_COMPANION + lane - away;
        if (lane + away < comm->lanes && comm->lane[LANE_COMPANION + lane + away].protocol == &protocol_direct)
            return LANE_COMPANION + lane + away;
    }
    return own ? LANE_COMPANION + lane : LANES_ALL;
}

static void brief_create(struct comm *comm)
{
    const struct comm_config *f = &comm->config;
    struct lane *lane = &comm->lane[LANE_BRIEF];
    lane->protocol = &protocol_direct_line;
    lane->call = (struct bcast_call){.lines = DIRECT_LINES, .procs = f->procs, .rank = f->rank, .others = comm->others};
    lane->layout = &comm->plan.layout[f->lanes];
    lane->base = comm->base + comm->plan.lane_offset[f->lanes];
    lane->op = f->op_start;
    lane->size_max_bytes = EAGER_PAYLOAD_BYTES;
    lane->execute = lane_execute_find(lane->protocol, f);
}

int companions_create(struct comm *comm, const uint32_t *domain_of_rank)
{
    uint32_t procs = comm->config.procs;
    comm->others = calloc(procs, sizeof *comm->others);
    comm->far = calloc(procs, sizeof *comm->far);
    if (!comm->others || !comm->far)
        return -ENOMEM;
    others_order(procs, comm->config.rank, domain_of_rank, comm->others);
    for (uint32_t i = 0; i < comm->lanes; i++)
        companion_create(comm, i);
    for (uint32_t i = 0; i < comm->lanes; i++)
        comm->allgather_lane[i] = lane_to_take(comm, i);
    brief_create(comm);
    return 0;
}
