#include "kernels/allgather_schedule.h"

#include "kernels/allgather_reorder.h"
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
    const char *own; /* block, where the user has it */
    uint64_t block_bytes;
};

/* One way of a step: the blocks from the next one on are still to be posted. */
struct way {
    const struct schedule_blocks *blocks;
    uint32_t peer, tag, next, posted;
    struct transfer transfer[PIECES_MOST];
};

/* Whether blocks lie at other numbers than their own. */
static int is_placed(const struct gathering *g)
{
    return g->numbering && g->numbering->remap == NUMBERING_PLACED;
}

/* Where it lies. */
static uint32_t place_of(const struct gathering *g, const struct schedule_blocks *blocks, uint32_t i)
{
    uint32_t block = schedule_block(g->schedule, blocks, i);
    return is_placed(g) ? numbering_rank(g->numbering, block) : block;
}

/* How many of the blocks from the i-th on lie one behind the other. Both ends find the same. */
static uint32_t piece_blocks(const struct gathering *g, const struct schedule_blocks *blocks, uint32_t i)
{
    uint32_t first = place_of(g, blocks, i), left = blocks->count - i, to_end = g->schedule->procs - first, n = 1;
    if (!is_placed(g) && blocks->stride == 1)
        return left < to_end ? left : to_end;
    while (n < left && place_of(g, blocks, i + n) == first + n)
        n++;
    return n;
}

/* The next piece: where it lies. */
static char *piece_take(const struct gathering *g, struct way *w, uint64_t *bytes)
{
    uint32_t n = piece_blocks(g, w->blocks, w->next);
    char *at = g->receive + place_of(g, w->blocks, w->next) * g->block_bytes;
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

/* The own block, from where the user has it, for the one to begin with. */
static int trade(const struct gathering *g, const struct schedule_step *step)
{
    uint32_t tag = ALLGATHER_SCHEDULE_TAG + step->round;
    struct way in = {.posted = 1}, out = {.posted = 1};
    char *to = g->receive + place_of(g, &step->receive, 0) * g->block_bytes;
    int error = endpoint_receive(g->e, step->receive_from, tag, to, g->block_bytes, &in.transfer[0]);
    if (!error)
        error = endpoint_send(g->e, step->send_to, tag, g->own, g->block_bytes, &out.transfer[0]);
    if (!error)
        error = receives_wait(g, &in);
    return error ? error : sends_wait(g, &out);
}

static int step_run(const struct gathering *g, uint32_t k)
{
    struct schedule_step step;
    schedule_step_numbered(g->schedule, g->numbering, g->e->rank, k, &step);
    if (step.op == SCHEDULE_PERMUTE)
        allgather_reorder(g->receive, g->block_bytes, g->schedule->procs, g->numbering);
    if (step.op != SCHEDULE_EXCHANGE) /* every block is at its number, so there is nothing to rotate */
        return 0;
    return schedule_step_trades(g->numbering, g->e->rank, k) ? trade(g, &step) : exchange(g, &step);
}

static int steps_run(const struct gathering *g)
{
    uint32_t steps = schedule_steps_numbered(g->schedule, g->numbering, g->e->rank);
    int error = 0;
    for (uint32_t k = 0; k < steps && !error; k++)
        error = step_run(g, k);
    return error;
}

/* The own block to where the first step that sends it has it; what is exchanged beforehand leaves from where it is. */
static void begin(const struct gathering *g)
{
    uint32_t rank = g->e->rank, v = numbering_virtual(g->numbering, rank);
    int remap = g->numbering ? (int)g->numbering->remap : NUMBERING_PLACED;
    if (remap == NUMBERING_EXCH && v != rank)
        return;
    char *to = g->receive + (remap == NUMBERING_REORDER ? v : rank) * g->block_bytes;
    if (g->own != to)
        memcpy(to, g->own, g->block_bytes);
}

int allgather_schedule_run(struct endpoint *e, const void *send, void *receive, uint64_t block_bytes,
                           const struct schedule *schedule, const struct numbering *numbering)
{
    struct gathering g = {e, schedule, numbering, receive, send, block_bytes};
    uint64_t total;
    if (e->error)
        return e->error;
    if (schedule->algorithm->kind != SCHEDULE_ALLGATHER || schedule->procs != e->procs || (!receive && block_bytes) ||
        __builtin_mul_overflow(block_bytes, e->procs, &total))
        return -EINVAL;
    if (block_bytes == 0)
        return 0;
    if (!send)
        g.own = g.receive + e->rank * block_bytes;
    begin(&g);
    int error = steps_run(&g);
    return error ? endpoint_fail(e, error) : 0;
}
