#include "kernels/run_buffers.h"

#include "kernels/verify.h"

enum { LINE_BYTES = 64, PAGE_BYTES = 4096, PINGPONG_BYTES = 1 << 18, TRIPS_LEAST = 2, TRIPS_MOST = 64 };

uint32_t run_root_of(const struct scenario *s, uint32_t repetition)
{
    uint32_t root = job_root(&s->job);
    return s->job.kind == JOB_BCAST && s->conditions.root_shift ? (uint32_t)(((uint64_t)root + repetition) % s->job.procs) : root;
}

static uint32_t trips_of(uint64_t size_bytes)
{
    uint64_t trips = size_bytes ? PINGPONG_BYTES / size_bytes : TRIPS_MOST;
    return trips < TRIPS_LEAST ? TRIPS_LEAST : trips > TRIPS_MOST ? TRIPS_MOST : (uint32_t)trips;
}

uint32_t run_messages_of(const struct scenario *s)
{
    const struct job *job = &s->job;
    return job->kind != JOB_P2P ? 1 : job->p2p.pattern == P2P_STREAM ? job->p2p.window : 2 * trips_of(job->p2p.size_bytes);
}

/* ---- where ---- */

/* A warm ping-pong has one place each way; a stream one for each message. Cold ones are all distinct, with guards between them,
 * so that one message does not bring parts of the next into the caches. */
static struct run_places p2p_places(const struct scenario *s)
{
    const struct job_p2p *p = &s->job.p2p;
    int cold = s->conditions.buffers == BUFFERS_COLD, stream = p->pattern == P2P_STREAM;
    uint64_t lines = (p->size_bytes + LINE_BYTES - 1) / LINE_BYTES * LINE_BYTES;
    return (struct run_places){.stride = cold ? lines + VERIFY_GUARD_BYTES : p->size_bytes,
                               .count = stream ? p->window : cold ? trips_of(p->size_bytes) : 1};
}

/* Of the places one way, with the guard behind them. */
static uint64_t p2p_way_bytes(const struct run_places *p)
{
    return (p->count * p->stride + VERIFY_GUARD_BYTES + PAGE_BYTES - 1) / PAGE_BYTES * PAGE_BYTES;
}

size_t run_slot_bytes(const struct scenario *s)
{
    const struct job *job = &s->job;
    struct run_places p = p2p_places(s);
    if (job->kind == JOB_P2P)
        return VERIFY_GUARD_BYTES + 2 * p2p_way_bytes(&p);
    size_t own = job->kind == JOB_ALLGATHER && !job->allgather.in_place ? job_size_bytes(job) + VERIFY_GUARD_BYTES : 0;
    return job_message_bytes(job) + 2 * VERIFY_GUARD_BYTES + own;
}

struct run_places run_places_of(const struct scenario *s, uint32_t rank, unsigned char *slot)
{
    const struct job *job = &s->job;
    unsigned char *at = slot + VERIFY_GUARD_BYTES;
    struct run_places p = {.receive = at, .send = at, .count = 1};
    if (job->kind == JOB_P2P) {
        p = p2p_places(s);
        p.send = at;
        p.receive = at + p2p_way_bytes(&p);
    } else if (job->kind == JOB_ALLGATHER) {
        p.send += job->allgather.in_place ? rank * job->allgather.block_bytes : job_message_bytes(job) + VERIFY_GUARD_BYTES;
    }
    return p;
}

/* ---- what ---- */

static int p2p_receives(const struct scenario *s, uint32_t rank)
{
    return rank == 1 || s->job.p2p.pattern == P2P_PINGPONG;
}

static uint64_t p2p_key(uint32_t repetition, uint32_t from, uint32_t message)
{
    return verify_key(repetition, from + 2 * message);
}

/* Guards lie around each message where there is room between them, else around all. */
static uint64_t p2p_guarded_bytes(const struct scenario *s, const struct run_places *p)
{
    return p->stride > s->job.p2p.size_bytes ? s->job.p2p.size_bytes : p->count * p->stride;
}

static void p2p_fill(const struct scenario *s, uint32_t rank, const struct run_places *p, uint32_t repetition)
{
    uint64_t size = s->job.p2p.size_bytes, guarded = p2p_guarded_bytes(s, p);
    for (uint32_t i = 0; i < p->count; i++) {
        uint64_t at = i * p->stride;
        if (i == 0 || guarded == size)
            verify_guard(p->receive + at, guarded);
        verify_poison(p->receive + at, size, p2p_key(repetition, 1 - rank, i));
        verify_fill(p->send + at, size, p2p_key(repetition, rank, i));
    }
}

static int64_t p2p_wrong(const struct scenario *s, uint32_t rank, const struct run_places *p, uint32_t repetition)
{
    uint64_t size = s->job.p2p.size_bytes, guarded = p2p_guarded_bytes(s, p);
    for (uint32_t i = 0; i < p->count && p2p_receives(s, rank); i++) {
        int64_t wrong = verify_check(p->receive + i * p->stride, size, p2p_key(repetition, 1 - rank, i));
        if (wrong >= 0)
            return (int64_t)(i * size) + wrong;
        if ((i == 0 || guarded == size) && !verify_guard_check(p->receive + i * p->stride, guarded))
            return (int64_t)(p->count * size);
    }
    return -1;
}

static void blocks_fill(const struct scenario *s, uint32_t rank, const struct run_places *p, uint32_t repetition)
{
    uint64_t size = job_size_bytes(&s->job);
    for (uint32_t i = 0; i < s->job.procs; i++)
        verify_poison(p->receive + i * size, size, verify_key(repetition, i));
    verify_fill(p->send, size, verify_key(repetition, rank));
}

static int64_t blocks_wrong(const struct scenario *s, const struct run_places *p, uint32_t repetition)
{
    uint64_t size = job_size_bytes(&s->job);
    int64_t wrong = -1;
    for (uint32_t i = 0; i < s->job.procs && wrong < 0; i++) {
        wrong = verify_check(p->receive + i * size, size, verify_key(repetition, i));
        wrong += wrong < 0 ? 0 : (int64_t)(i * size);
    }
    return wrong;
}

void run_places_fill(const struct scenario *s, uint32_t rank, const struct run_places *p, uint32_t repetition)
{
    uint32_t root = run_root_of(s, repetition);
    if (s->job.kind == JOB_P2P) {
        p2p_fill(s, rank, p, repetition);
        return;
    }
    verify_guard(p->receive, job_message_bytes(&s->job));
    if (s->job.kind == JOB_ALLGATHER)
        blocks_fill(s, rank, p, repetition);
    else
        (rank == root ? verify_fill : verify_poison)(p->receive, job_size_bytes(&s->job), verify_key(repetition, root));
}

int64_t run_places_wrong(const struct scenario *s, uint32_t rank, const struct run_places *p, uint32_t repetition)
{
    uint64_t size = job_message_bytes(&s->job);
    if (s->job.kind == JOB_P2P)
        return p2p_wrong(s, rank, p, repetition);
    int64_t wrong = s->job.kind == JOB_ALLGATHER
                        ? blocks_wrong(s, p, repetition)
                        : verify_check(p->receive, size, verify_key(repetition, run_root_of(s, repetition)));
    return wrong < 0 && !verify_guard_check(p->receive, size) ? (int64_t)size : wrong;
}
