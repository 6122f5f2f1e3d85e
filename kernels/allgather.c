/* The allgather: picks the lane for the block and runs it. */
#include "kernels/allgather_lanes.h"

#include <errno.h>
#include <string.h>

enum { NOBODY = UINT32_MAX }; /* is root of an allgather */

/* One of those for allgathers, where there are any. */
static uint32_t lane_of_blocks(const struct comm *comm, uint64_t block_bytes)
{
    int own = 0;
    for (uint32_t i = 0; i < comm->lanes; i++) {
        if (block_bytes <= comm->config.lane[i].block_max_bytes)
            return i;
        own |= comm->config.lane[i].block_max_bytes > 0;
    }
    return own ? comm->lanes : lane_for(comm, block_bytes);
}

/* LANES_ALL if no lane takes blocks of that size. */
static uint32_t allgather_lane(const struct comm *comm, uint64_t block_bytes)
{
    if (block_bytes <= comm->lane[LANE_BRIEF].size_max_bytes)
        return LANE_BRIEF;
    uint32_t lane = lane_of_blocks(comm, block_bytes), by = lane < comm->lanes ? comm->allgather_lane[lane] : LANES_ALL;
    if (by == LANES_ALL || block_bytes >> 30 >= comm->lane[by].call.fragment_bytes) /* fragments are counted in 32 bits */
        return LANES_ALL;
    return by;
}

const struct protocol *companion_of(const struct comm *comm, uint64_t block_bytes)
{
    uint32_t lane = allgather_lane(comm, block_bytes);
    return lane == LANES_ALL ? NULL : comm->lane[lane].protocol;
}

/* Over when all ranks have ended their earlier calls that used the lane's slots. */
static int fence(struct comm *comm, uint32_t companion)
{
    struct lane *lane = &comm->lane[companion];
    struct message nothing = {.buffer = NULL};
    lane->call.fence = 1;
    lane->call.block_bytes = 0;
    int error = lane->execute(comm, companion, &nothing, 0, NOBODY);
    lane->call.fence = 0;
    return error;
}

/* The first broadcast after allgathers in the same slots. Later ones do not come here. */
static int broadcast_fenced(struct comm *comm, uint32_t lane, const struct message *m, uint64_t size_bytes, uint32_t root)
{
    if (size_bytes == 0) /* nothing moves, and not all ranks need be here: each only thinks that its message goes this way */
        return 0;
    comm->lane[lane].execute = lane_execute_find(comm->lane[lane].protocol, &comm->config);
    int error = fence(comm, LANE_COMPANION + lane);
    return error ? error : comm->lane[lane].execute(comm, lane, m, size_bytes, root);
}

/* Slots change hands between the broadcast's protocol and the allgather's, of which neither knows. */
static int take_slots(struct comm *comm, uint32_t companion)
{
    struct lane *lane = &comm->lane[companion], *shared = &comm->lane[companion - LANE_COMPANION];
    int error = shared->op != lane->shared_op ? fence(comm, companion) : 0;
    lane->shared_op = shared->op;
    shared->execute = broadcast_fenced;
    return error;
}

static int run(struct comm *comm, uint32_t lane, struct message *m)
{
    struct bcast_call *call = &comm->lane[lane].call;
    const struct contribution *own = m->own;
    int error = comm->lane[lane].protocol->uses & PROTOCOL_SLOTS ? take_slots(comm, lane) : 0;
    call->block_bytes = own->block_bytes;
    call->in_place = own->block == m->buffer + own->offset_bytes;
    return error ? error : lane_run(comm, lane, m, own->block_bytes * comm->config.procs, NOBODY);
}

/* Where the kernel forbids reading other ranks' memory, all tell whether their blocks lie where everyone reaches them; if one
 * does not, all go through the queue. */
static int detour(struct comm *comm, uint32_t *lane, const struct message *m)
{
    uint32_t procs = comm->config.procs, rank = comm->config.rank;
    int far = 0;
    comm->far[rank] = !peer_within_areas(&comm->peers, m->own->block, m->own->block_bytes);
    struct contribution own = {(char *)&comm->far[rank], 1, rank};
    struct message ask = {.buffer = (char *)comm->far, .own = &own};
    int error = run(comm, LANE_BRIEF, &ask);
    for (uint32_t r = 0; r < procs && !error; r++)
        far |= comm->far[r];
    if (far)
        *lane = LANE_COMPANION + comm->queue_lane;
    return error;
}

static int gather(struct comm *comm, uint32_t lane, struct message *m)
{
    int error = 0;
    comm->peers.call = ++comm->liveness.calls;
    if (m->own->block_bytes == 0)
        return 0;
    if (comm->config.procs == 1) {
        memmove(m->buffer, m->own->block, m->own->block_bytes);
        return 0;
    }
    if (comm->queue_lane && (comm->lane[lane].protocol->uses & PROTOCOL_PEERS))
        error = detour(comm, &lane, m);
    if (!error)
        error = run(comm, lane, m);
    return __builtin_expect(error != 0, 0) ? comm_fail(comm, error, "allgather") : 0;
}

int comm_allgather(struct comm *comm, const void *send, void *receive, uint64_t block_bytes)
{
    uint64_t total;
    uint32_t lane = allgather_lane(comm, block_bytes);
    if (__builtin_expect(comm->error != 0, 0))
        return comm->error;
    if (lane == LANES_ALL || (!receive && block_bytes) || __builtin_mul_overflow(block_bytes, comm->config.procs, &total))
        return -EINVAL;
    struct contribution own = {.block_bytes = block_bytes, .offset_bytes = comm->config.rank * block_bytes};
    struct message m = {.buffer = receive, .own = &own};
    own.block = send ? (char *)(uintptr_t)send : m.buffer + own.offset_bytes;
    return gather(comm, lane, &m);
}
