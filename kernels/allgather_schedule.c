#include "kernels/allgather_schedule.h"

#include "kernels/channels/endpoint_internal.h"

#include <errno.h>
#include <string.h>

/* Messages under way at one time, each way. */
enum { PIECES_MOST = 8 };

struct gathering {
    struct endpoint *e;
    const struct schedule *schedule;
    const struct numbering *numbering;
    char *receive;
    uint64_t block_bytes;
};

/* One way of a step: the blocks from the next one on are still to be posted. */
struct way {
    const struct schedule_blocks *blocks;
    uint32_t peer, tag, next, posted;
    struct transfer transfer[PIECES_MOST];
};

/* The rank whose block it is: that is where it lies. */
static uint32_t owner_of(const struct gathering *g, const struct schedule_blocks *blocks, uint32_t i)
{
    return numbering_rank(g->numbering, schedule_block(g->schedule, blocks, i));
}

/* How many of the blocks from the i-th on lie one behind the other. Both ends find the same. */
static uint32_t piece_blocks(const struct gathering *g, const struct schedule_blocks *blocks, uint32_t i)
{
    uint32_t first = owner_of(g, blocks, i), left = blocks->count - i, to_end = g->schedule->procs - first, n = 1;
    if (!g->numbering && blocks->stride == 1)
        return left < to_end ? left : to_end;
    while (n < left && owner_of(g, blocks, i + n) == first + n)
        n++;
    return n;
}

/* The next piece: where it lies. */
static char *piece_take(const struct gathering *g, struct way *w, uint64_t *bytes)
{
    uint32_t n = piece_blocks(g, w->blocks, w->next);
    char *at = g->receive + owner_of(g, w->blocks, w->next) * g->block_bytes;
    *bytes = n * g->block_bytes;
    w->next += n;
    return at;
}

static int receives_post(const struct gathering *g, struct way *w)
{
    int error = 0;
    for (w->posted = 0; w->posted < PIECES_MOST && w->next < w->blocks->count && !error; w->posted++) {
        uint64_t bytes;
        char *to = piece_take(g, w, &bytes);
        error = endpoint_receive(g->e, w->peer, w->tag, to, bytes, &w->transfer[w->posted]);
    }
    return error;
}

static int sends_post(const struct gathering *g, struct way *w)
{
    int error = 0;
    for (w->posted = 0; w->posted < PIECES_MOST && w->next < w->blocks->count && !error; w->posted++) {
        uint64_t bytes;
        const char *from = piece_take(g, w, &bytes);
        error = endpoint_send(g->e, w->peer, w->tag, from, bytes, &w->transfer[w->posted]);
    }
    return error;
}

/* A message of another length than expected leaves nobody with what was promised. Whoever finds an error stops there and then:
 * the endpoint fails with it, which leaves its transfers alone from then on. */
static int receives_wait(const struct gathering *g, struct way *w)
{
    int error = 0;
    for (uint32_t i = 0; i < w->posted && !error; i++) {
        struct transfer *t = &w->transfer[i];
        error = endpoint_wait(g->e, t);
        if (error == -EMSGSIZE || (!error && t->bytes != t->capacity_bytes))
            error = -EPROTO;
    }
    return error;
}

static int sends_wait(const struct gathering *g, struct way *w)
{
    int error = 0;
    for (uint32_t i = 0; i < w->posted && !error; i++)
        error = endpoint_wait(g->e, &w->transfer[i]);
    return error;
}

/* In batches that are ended before the next begins. Rounds and batches rise on every rank, and who is behind all others finds
 * its partners' messages posted: so somebody always moves, however little room the channels have. */
static int exchange(const struct gathering *g, const struct schedule_step *step)
{
    uint32_t tag = ALLGATHER_SCHEDULE_TAG + step->round;
    struct way in, out;
    int error = 0;
    in.blocks = &step->receive, in.peer = step->receive_from, in.tag = tag, in.next = 0;
    out.blocks = &step->send, out.peer = step->send_to, out.tag = tag, out.next = 0;
    while ((in.next < in.blocks->count || out.next < out.blocks->count) && !error) {
        error = receives_post(g, &in);
        if (!error)
            error = sends_post(g, &out);
        if (!error)
            error = receives_wait(g, &in);
        if (!error)
            error = sends_wait(g, &out);
    }
    return error;
}

static int steps_run(const struct gathering *g)
{
    uint32_t rank = g->e->rank, steps = schedule_steps(g->schedule, numbering_virtual(g->numbering, rank));
    int error = 0;
    for (uint32_t k = 0; k < steps && !error; k++) {
        struct schedule_step step;
        schedule_step_numbered(g->schedule, g->numbering, rank, k, &step);
        if (step.op == SCHEDULE_EXCHANGE) /* every block is at its place, so there is nothing to rotate */
            error = exchange(g, &step);
    }
    return error;
}

int allgather_schedule_run(struct endpoint *e, const void *send, void *receive, uint64_t block_bytes,
                           const struct schedule *schedule, const struct numbering *numbering)
{
    struct gathering g = {e, schedule, numbering, receive, block_bytes};
    uint64_t total;
    if (e->error)
        return e->error;
    if (schedule->algorithm->kind != SCHEDULE_ALLGATHER || schedule->procs != e->procs || (!receive && block_bytes) ||
        __builtin_mul_overflow(block_bytes, e->procs, &total))
        return -EINVAL;
    if (block_bytes == 0)
        return 0;
    char *own = g.receive + e->rank * block_bytes;
    if (send && send != own)
        memcpy(own, send, block_bytes);
    int error = steps_run(&g);
    return error ? endpoint_fail(e, error) : 0;
}
