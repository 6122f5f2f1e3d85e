#include "kernels/channels/packet_probe.h"

enum { ROUNDS = 200, TAG = 1 };

static int pass(struct endpoint *e, uint32_t peer, int send)
{
    struct transfer t;
    uint64_t payload = 0;
    int err = send ? endpoint_send(e, peer, TAG, &payload, sizeof payload, &t)
                   : endpoint_receive(e, peer, TAG, &payload, sizeof payload, &t);
    return err ? err : endpoint_wait(e, &t);
}

static int ping_pong(struct endpoint *e, uint32_t rank)
{
    int err = 0;
    for (int i = 0; i < 2 * ROUNDS && !err; i++)
        err = pass(e, !rank, (i & 1) == (int)rank);
    return err;
}

int packet_probe_run(struct endpoint *e, uint32_t rank, const struct clock *clock, double *samples_ns, uint32_t count)
{
    int err = 0;
    for (uint32_t r = 0; r < count && !err; r++) {
        /* Both are there, and the channel's state is made, before time counts. */
        err = pass(e, !rank, rank == 0);
        if (!err)
            err = pass(e, !rank, rank == 1);
        uint64_t start = clock_ticks(clock);
        if (!err)
            err = ping_pong(e, rank);
        samples_ns[r] = clock_ns(clock, clock_ticks(clock) - start) / (2 * ROUNDS);
    }
    return err;
}
