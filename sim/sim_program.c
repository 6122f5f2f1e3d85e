/* What ranks do with channels: an allgather by schedule, and messages between two.
 *
 * An allgather's steps are posted as kernels/allgather_schedule.c posts them: blocks that do not lie in one piece are messages of
 * their own, eight each way at a time. */
#include "sim/sim_channel.h"
#include "sim/sim_time.h"

#include <errno.h>
#include <stdlib.h>

enum { PLACE, STEP, RECEIVES, SENDS, WAIT_RECEIVES, WAIT_SENDS, REORDERS, ENDED };
enum { ROUND_TRIPS = 4 }; /* of a ping-pong: the first finds both ranks where later ones do */

static int is_p2p(const struct sim_channel *c)
{
    return c->scenario->job.kind == JOB_P2P;
}

static int users_cold(const struct sim_channel *c)
{
    return c->scenario->conditions.buffers == BUFFERS_COLD;
}

static int outgrows(const struct sim_channel *c, uint64_t bytes)
{
    const struct node *node = c->scenario->machine.node;
    uint64_t ranks = c->procs < node->cores ? c->procs : node->cores, caches = node->cores ? 1 : 0;
    for (uint32_t core = 0; core < node->cores; core++)
        caches = node->core_cache[core] + 1 > caches ? node->core_cache[core] + 1 : caches;
    uint64_t at_cache = (ranks + caches - 1) / caches;
    return node->llc_bytes > 0 && at_cache > 0 && bytes > node->llc_bytes / at_cache;
}

/* ---- allgather ---- */

static uint32_t piece_blocks(const struct sim_channel *c, const struct schedule_blocks *blocks, uint32_t i)
{
    uint32_t first = schedule_block(&c->schedule, blocks, i), left = blocks->count - i, to_end = c->procs - first, n = 1;
    if (blocks->stride == 1)
        return left < to_end ? left : to_end;
    while (n < left && schedule_block(&c->schedule, blocks, i + n) == first + n)
        n++;
    return n;
}

/* The next message of a way, or NULL: none is left, or as many as go together have been posted. */
static struct sim_message *piece_take(const struct sim_channel *c, struct sim_way *w, uint32_t tag, int cold)
{
    if (w->posted == SIM_PIECES || w->next == w->blocks.count)
        return NULL;
    uint32_t n = piece_blocks(c, &w->blocks, w->next);
    struct sim_message *m = &w->message[w->posted++];
    w->next += n;
    *m = (struct sim_message){.peer = w->peer, .tag = tag, .bytes = n * c->scenario->job.allgather.block_bytes, .cold = cold};
    return m;
}

static int all_done(const struct sim_way *w)
{
    for (uint32_t i = 0; i < w->posted; i++)
        if (!w->message[i].done)
            return 0;
    return 1;
}

static uint32_t step_begin(struct sim_channel *c, struct sim_endpoint *e)
{
    const struct numbering *numbering = c->scenario->numbering;
    struct sim_program *g = &e->program;
    struct schedule_step step;
    do {
        if (c->scenario->job.allgather.block_bytes == 0 || g->step == schedule_steps_numbered(&c->schedule, numbering, e->rank))
            return ENDED;
        schedule_step_numbered(&c->schedule, numbering, e->rank, g->step++, &step);
        if (step.op == SCHEDULE_PERMUTE)
            return REORDERS;
    } while (step.op != SCHEDULE_EXCHANGE); /* every block is at its number */
    g->tag = step.round;
    g->in.blocks = step.receive, g->in.peer = step.receive_from, g->in.next = g->in.posted = 0;
    g->out.blocks = step.send, g->out.peer = step.send_to, g->out.next = g->out.posted = 0;
    return RECEIVES;
}

/* A block from one place to another, in the end. */
static void reorder(struct sim_channel *c, struct sim_endpoint *e)
{
    uint64_t block_bytes = c->scenario->job.allgather.block_bytes;
    int cold = outgrows(c, block_bytes * c->procs);
    struct sim_channel_copy copy = {SIM_CHANNEL_MOVE, e->rank, block_bytes, block_bytes, 0, cold, cold};
    sim_channel_work(c, e, (struct sim_work){.kind = SIM_WORK_COPY, .copy = copy});
}

static int is_reordered(const struct sim_channel *c)
{
    return c->scenario->numbering && c->scenario->numbering->remap == NUMBERING_REORDER;
}

/* Whether the own block is sent from where the user has it, to whom it is exchanged with. */
static int trades(const struct sim_channel *c, uint32_t rank)
{
    return schedule_step_trades(c->scenario->numbering, rank, 0);
}

/* The own block to where it belongs, or to that of the rank's number. */
static void place(struct sim_channel *c, struct sim_endpoint *e)
{
    struct job_allgather moved = c->scenario->job.allgather, *job = &moved;
    job->in_place &= !is_reordered(c) || numbering_virtual(c->scenario->numbering, e->rank) == e->rank;
    job->in_place |= trades(c, e->rank);
    int cold = users_cold(c);
    struct sim_channel_copy copy = {SIM_CHANNEL_MOVE, e->rank, job->block_bytes, job->block_bytes, 0, cold, cold};
    if (!job->in_place && job->block_bytes > 0)
        sim_channel_work(c, e, (struct sim_work){.kind = SIM_WORK_COPY, .copy = copy});
    /* It is sent from there, and its lines are still on their way from memory; what fits a line comes out of the store buffer. */
    if (!job->in_place && cold && job->block_bytes > CHANNEL_UNIT_BYTES)
        sim_channel_time(c, e, sim_ps_from_ns(c->scenario->machine.node->cold_ns.value));
}

static enum sim_program_next gather_next(struct sim_channel *c, struct sim_endpoint *e)
{
    struct sim_program *g = &e->program;
    const struct job_allgather *job = &c->scenario->job.allgather;
    int target_cold = users_cold(c) || outgrows(c, job->block_bytes * c->procs);
    int as_it_was = g->step == 1 && (job->in_place || trades(c, e->rank));
    int source_cold = (as_it_was && users_cold(c)) || outgrows(c, job->block_bytes);
    struct sim_message *m;
    switch (g->state) {
    case PLACE:
        place(c, e);
        g->state = STEP;
        return SIM_PROGRAM_WENT;
    case STEP:
        g->state = step_begin(c, e);
        return SIM_PROGRAM_WENT;
    case REORDERS:
        if (g->count++ < c->reorder_moves)
            reorder(c, e);
        else
            g->state = ENDED;
        return SIM_PROGRAM_WENT;
    case RECEIVES:
        m = piece_take(c, &g->in, g->tag, target_cold);
        m ? sim_channel_receive(c, e, m) : (void)(g->state = SENDS);
        return SIM_PROGRAM_WENT;
    case SENDS:
        m = piece_take(c, &g->out, g->tag, source_cold);
        m ? sim_channel_send(c, e, m) : (void)(g->state = WAIT_RECEIVES);
        return SIM_PROGRAM_WENT;
    case WAIT_RECEIVES:
    case WAIT_SENDS:
        if (!all_done(&g->in) || !all_done(&g->out))
            return SIM_PROGRAM_WAITS;
        g->state = g->in.next < g->in.blocks.count || g->out.next < g->out.blocks.count ? RECEIVES : STEP;
        g->in.posted = g->out.posted = 0;
        return SIM_PROGRAM_WENT;
    default:
        return SIM_PROGRAM_OVER;
    }
}

/* ---- two ranks ---- */

static const struct job_p2p *p2p_of(const struct sim_channel *c)
{
    return &c->scenario->job.p2p;
}

static uint32_t messages_of(const struct sim_channel *c)
{
    return p2p_of(c)->pattern == P2P_STREAM ? p2p_of(c)->window + 1 : 2 * ROUND_TRIPS;
}

/* Who sends the i-th message: the answer of a stream is its last. */
static uint32_t sender_of(const struct sim_channel *c, uint32_t i)
{
    return p2p_of(c)->pattern == P2P_STREAM ? i == p2p_of(c)->window : i & 1;
}

/* Whether the i-th message is begun before those before it have ended. */
static int is_together(const struct sim_channel *c, uint32_t i)
{
    return p2p_of(c)->pattern == P2P_STREAM && i < p2p_of(c)->window;
}

static enum sim_program_next p2p_next(struct sim_channel *c, struct sim_endpoint *e)
{
    struct sim_program *g = &e->program;
    if (!is_together(c, g->count))
        for (; g->waits < g->count; g->waits++)
            if (!g->message[g->waits].done)
                return SIM_PROGRAM_WAITS;
    if (g->count == messages_of(c))
        return SIM_PROGRAM_OVER;
    struct sim_message *m = &g->message[g->count];
    int answer = p2p_of(c)->pattern == P2P_STREAM && !is_together(c, g->count);
    *m = (struct sim_message){.peer = !e->rank, .bytes = answer ? 0 : p2p_of(c)->size_bytes, .cold = users_cold(c)};
    if (sender_of(c, g->count++) == e->rank)
        sim_channel_send(c, e, m);
    else
        sim_channel_receive(c, e, m);
    return SIM_PROGRAM_WENT;
}

/* ---- both ---- */

int sim_program_create(struct sim_channel *c, struct sim_endpoint *e)
{
    if (!is_p2p(c))
        return 0;
    e->program.message = calloc(messages_of(c), sizeof *e->program.message);
    return e->program.message ? 0 : -ENOMEM;
}

void sim_program_start(struct sim_channel *c, struct sim_endpoint *e)
{
    struct sim_program *g = &e->program;
    g->state = is_p2p(c) ? 0 : PLACE;
    g->step = g->count = g->waits = 0;
}

enum sim_program_next sim_program_next(struct sim_channel *c, struct sim_endpoint *e)
{
    return is_p2p(c) ? p2p_next(c, e) : gather_next(c, e);
}

uint64_t sim_program_time_ps(const struct sim_channel *c, uint64_t call_ps)
{
    if (!is_p2p(c))
        return call_ps;
    return call_ps / (p2p_of(c)->pattern == P2P_STREAM ? p2p_of(c)->window : 2 * ROUND_TRIPS);
}
