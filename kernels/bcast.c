/* The broadcast: picks the lane for the size and runs it. */
#include "kernels/clock.h"
#include "kernels/comm_internal.h"

#include <errno.h>
#include <stdlib.h>

uint32_t lane_for(const struct comm *comm, uint64_t size_bytes)
{
    uint32_t lane = 0;
    while (lane < comm->lanes && size_bytes > comm->lane[lane].size_max_bytes)
        lane++;
    return lane;
}

/* Shorter messages are over before a routine could show what it is worth. */
enum { WATCH_LEAST_BYTES = 128 << 10 };

/* By the routine that proves the faster one. A broadcast's root copies nothing out; callbacks copy for themselves. */
static int run_watched(struct comm *comm, uint32_t lane, struct message *m, uint64_t size_bytes, uint32_t root)
{
    int past_cache = copy_routine_choose(size_bytes, comm->llc_bytes, comm->config.procs) == COPY_NONTEMPORAL;
    struct copy_watch *watch = &comm->lane[lane].watch[past_cache];
    uint64_t start_ns = clock_monotonic_ns();
    m->copy_out = copy_watch_next(watch);
    int error = comm->lane[lane].execute(comm, lane, m, size_bytes, root);
    copy_fence(m->copy_out);
    copy_watch_learn(watch, m->copy_out, (double)(clock_monotonic_ns() - start_ns) / (double)size_bytes);
    return error;
}

int lane_run(struct comm *comm, uint32_t lane, struct message *m, uint64_t size_bytes, uint32_t root)
{
    const struct comm_config *f = &comm->config;
    if (comm->lane[lane].protocol->uses & (PROTOCOL_SLOTS | PROTOCOL_PEERS)) {
        m->copy_in = f->copy_in == COMM_COPY_AUTO ? COPY_MEMCPY : (enum copy_routine)f->copy_in;
        m->copy_out = f->copy_out == COMM_COPY_AUTO ? COPY_MEMCPY : (enum copy_routine)f->copy_out;
        if (f->copy_out == COMM_COPY_AUTO && size_bytes >= WATCH_LEAST_BYTES && f->rank != root && !m->data)
            return run_watched(comm, lane, m, size_bytes, root);
    }
    int error = comm->lane[lane].execute(comm, lane, m, size_bytes, root);
    copy_fence(m->copy_out);
    return error;
}

/* Others cannot reach data that does not lie in one piece: a piece is made of it. */
static int run_gathered(struct comm *comm, uint32_t lane, struct message *m, uint64_t size_bytes, uint32_t root)
{
    const struct comm_data *data = m->data;
    struct message whole = {.buffer = malloc(size_bytes + 1)};
    int is_root = root == comm->config.rank, error = whole.buffer ? 0 : -ENOMEM;
    comm->at.call = NULL; /* nowhere yet */
    if (!error && is_root)
        data->pack(data->context, 0, whole.buffer, size_bytes);
    if (!error)
        error = lane_run(comm, lane, &whole, size_bytes, root);
    if (!error && !is_root)
        data->unpack(data->context, 0, whole.buffer, size_bytes);
    free(whole.buffer);
    return error;
}

/* Where the kernel forbids reading other ranks' memory, the root tells before each call that would whether its buffer lies where
 * all reach it; otherwise the message goes through a queue. */
static int detour(struct comm *comm, uint32_t *lane, const struct message *m, uint64_t size_bytes, uint32_t root)
{
    char far = root == comm->config.rank && !(m->buffer && peer_within_areas(&comm->peers, m->buffer, size_bytes));
    struct message ask = {.buffer = &far};
    int error = size_bytes == 0 ? 0 : lane_run(comm, comm->ask_lane, &ask, 1, root);
    if (!error && far)
        *lane = comm->queue_lane;
    return error;
}

static int broadcast(struct comm *comm, struct message *m, uint64_t size_bytes, uint32_t root)
{
    if (__builtin_expect(comm->error != 0, 0))
        return comm->error;
    uint32_t lane = lane_for(comm, size_bytes);
    if (__builtin_expect(lane == comm->lanes, 0))
        return -EINVAL;
    comm->peers.call = ++comm->liveness.calls;
    int error = 0;
    if (comm->queue_lane && (comm->lane[lane].protocol->uses & PROTOCOL_PEERS))
        error = detour(comm, &lane, m, size_bytes, root);
    int gathers = m->data && (comm->lane[lane].protocol->uses & PROTOCOL_PEERS);
    if (!error)
        error = gathers ? run_gathered(comm, lane, m, size_bytes, root) : lane_run(comm, lane, m, size_bytes, root);
    return __builtin_expect(error != 0, 0) ? comm_fail(comm, error, "broadcast") : 0;
}

int comm_bcast(struct comm *comm, void *buffer, uint64_t size_bytes, uint32_t root)
{
    struct message m = {.buffer = buffer};
    if (root >= comm->config.procs || (!buffer && size_bytes))
        return -EINVAL;
    return broadcast(comm, &m, size_bytes, root);
}

int comm_bcast_packed(struct comm *comm, const struct comm_data *data, uint64_t size_bytes, uint32_t root)
{
    struct message m = {.data = data};
    if (root >= comm->config.procs || (root == comm->config.rank ? !data->pack : !data->unpack))
        return -EINVAL;
    return broadcast(comm, &m, size_bytes, root);
}
