#include "kernels/channels/endpoint_internal.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum {
    CHECK_POLLS = 64, /* the clock is read this often */
    CHECK_INTERVAL_NS = 20000000,
    PAUSE_POLLS = 64, /* looks in vain before the first pause: a hand-over takes less */
};

const struct channel *const channel_table[] = {&channel_mp, &channel_er, &channel_sr, &channel_zc, &channel_combined, NULL};

const struct channel *channel_find(const char *name)
{
    for (const struct channel *const *c = channel_table; *c; c++)
        if (strcmp((*c)->kind->name, name) == 0)
            return *c;
    return NULL;
}

const char *channel_name(const struct channel *channel)
{
    return channel->kind->name;
}

const char *channel_summary(const struct channel *channel)
{
    return channel->kind->summary;
}

int endpoint_fail(struct endpoint *e, int error)
{
    if (!e->error)
        e->error = comm_fail(e->comm, error, "channels");
    return e->error;
}

void endpoint_bell_ring(struct peer *p)
{
    word_add_acq_rel(p->bell, 1); /* R4: what the bell is for has been stored; pairs with the A1 of wait.h */
    wait_wake_all(p->bell);
}

/* ---- post ---- */

static int post_check(struct endpoint *e, uint32_t peer)
{
    return e->error ? e->error : peer >= e->procs ? -EINVAL : 0;
}

int endpoint_send(struct endpoint *e, uint32_t peer, uint32_t tag, const void *buffer, uint64_t bytes, struct transfer *t)
{
    int error = post_check(e, peer);
    if (error)
        return error;
    struct peer *p = &e->peer[peer];
    /* The buffer of a send is only read. */
    *t = (struct transfer){.peer = peer, .tag = tag, .bytes = bytes, .channel = p->channel, .buffer = (char *)(uintptr_t)buffer};
    if (!p->open && !p->queue.head) {
        int begun = t->channel->announce(e, p, t);
        if (begun < 0)
            return endpoint_fail(e, begun);
        if (begun == 1 && !p->open)
            return 0;
        if (begun == 0)
            transfer_queue_push(&p->queue, t);
    } else {
        transfer_queue_push(&p->queue, t);
    }
    endpoint_pending_add(e, p);
    return 0;
}

int endpoint_receive(struct endpoint *e, uint32_t peer, uint32_t tag, void *buffer, uint64_t capacity_bytes, struct transfer *t)
{
    int error = post_check(e, peer);
    if (error)
        return error;
    *t = (struct transfer){.peer = peer, .tag = tag, .buffer = buffer, .capacity_bytes = capacity_bytes};
    error = receive_post(e, &e->peer[peer], t);
    return error ? endpoint_fail(e, error) : 0;
}

/* ---- progress ---- */

/* Whether all are there, asked now and then even by those who always have news. */
static int check_alive(struct endpoint *e)
{
    uint64_t now = clock_monotonic_ns();
    if (now < e->alive_ns)
        return 0;
    e->alive_ns = now + CHECK_INTERVAL_NS;
    return liveness_check(&e->comm->liveness);
}

static int poll_all(struct endpoint *e)
{
    int sum = e->queue.slots ? mp_poll(e) : 0;
    for (uint32_t i = e->rings.count; i-- > 0 && sum >= 0;) { /* backwards, as one that closes is replaced by the last */
        int taken = er_poll(e, &e->peer[e->rings.from[i]]);
        sum = taken < 0 ? taken : sum + taken;
    }
    return sum;
}

static int push_all(struct endpoint *e)
{
    int sum = 0;
    for (uint32_t i = 0; i < e->pending_count;) {
        struct peer *p = &e->peer[e->pending[i]];
        int moved = endpoint_push(e, p);
        if (moved < 0)
            return moved;
        sum += moved;
        if (p->open || p->queue.head || p->streams.head || p->control.head || p->fetches.head || p->says || p->closing) {
            i++;
            continue;
        }
        p->pending = 0;
        e->pending[i] = e->pending[--e->pending_count];
    }
    return sum;
}

int endpoint_progress(struct endpoint *e)
{
    if (e->error)
        return e->error;
    int taken = poll_all(e), moved = taken >= 0 && e->pending_count ? push_all(e) : 0, error = taken < 0 ? taken : moved;
    if (error >= 0 && ++e->polls % CHECK_POLLS == 0)
        error = check_alive(e);
    return error < 0 ? endpoint_fail(e, error) : taken + moved;
}

/* ---- wait ---- */

/* Called between the looks of a long wait: what came ends it. */
void endpoint_rest_progress(void *context)
{
    struct endpoint *e = context;
    if (endpoint_progress(e) != 0)
        word_add_acq_rel(e->bell, 1);
    if (e->config.progress)
        e->config.progress(e->config.progress_context);
}

static int peer_left(const struct endpoint *e, uint32_t rank)
{
    return word_load_acquire(&e->comm->liveness.head->leave[rank].left) != 0; /* A5: pairs with R3 of liveness.h */
}

/* Called in a long wait every 20 ms. */
int endpoint_rest_alive(void *context)
{
    struct endpoint *e = context;
    int error = liveness_check(&e->comm->liveness);
    return error ? error : e->awaited && peer_left(e, e->awaited->peer) ? -EPIPE : 0;
}

void endpoint_rest_stalled(void *context, atomic_word *word, uint32_t seen, uint64_t waited_ns)
{
    struct endpoint *e = context;
    const struct transfer *t = e->awaited;
    struct endpoint_stall stall = {.rank = e->rank, .peer = t->peer, .tag = t->tag, .sends = t->channel != NULL,
                                   .waited_s = (double)waited_ns * 1e-9};
    (void)word;
    (void)seen;
    snprintf(stall.text, sizeof stall.text,
             "rank %u has waited %.3g s for a message %s rank %u (tag %u%s%s): %llu bytes of %s%llu have moved", stall.rank,
             stall.waited_s, stall.sends ? "to be taken by" : "from", stall.peer, stall.tag, stall.sends ? ", " : "",
             stall.sends ? t->channel->kind->name : "", (unsigned long long)t->moved_bytes, stall.sends ? "" : "at most ",
             (unsigned long long)(stall.sends ? t->bytes : t->capacity_bytes));
    e->config.stall(e->config.stall_context, &stall);
}

static int gone(struct endpoint *e, uint32_t rank)
{
    e->comm->liveness.error = -EPIPE;
    e->comm->liveness.failed_rank = rank;
    return endpoint_fail(e, -EPIPE);
}

/* Looking has been in vain for long: yield, then sleep, until something happens. */
static int rest(struct endpoint *e, struct transfer *t)
{
    uint32_t seen = word_load_acquire(e->bell);
    int news = endpoint_progress(e); /* after the bell was read: who comes later rings it */
    if (news || t->done)
        return news < 0 ? news : 0;
    e->awaited = t;
    int error = wait_slowly(&e->waiter, e->bell, STEP_WAIT_NE, seen, &seen);
    e->awaited = NULL;
    if (error != -EPIPE || e->error)
        return error ? endpoint_fail(e, error) : 0;
    while (!t->done && (news = endpoint_progress(e)) > 0) /* what it sent before it left is all there */
        ;
    return t->done ? 0 : news < 0 ? news : gone(e, t->peer);
}

int endpoint_wait(struct endpoint *e, struct transfer *t)
{
    for (uint32_t looks = 0; !t->done;) {
        int news = endpoint_progress(e);
        if (news == 0 && ++looks > e->spins) {
            news = rest(e, t);
            looks = 0;
        } else if (news > 0) {
            looks = 0;
        } else if (looks > PAUSE_POLLS) {
            wait_pause();
        }
        if (news < 0)
            return news;
    }
    return t->error;
}

int endpoint_wait_all(struct endpoint *e, struct transfer *t, uint32_t count)
{
    int first = 0;
    for (uint32_t i = 0; i < count; i++) {
        int error = endpoint_wait(e, &t[i]);
        if (e->error)
            return e->error;
        first = first ? first : error;
    }
    return first;
}

/* ---- what there is to know ---- */

const char *endpoint_error_string(const struct endpoint *e)
{
    return comm_error_string(e->comm);
}

int64_t endpoint_error_rank(const struct endpoint *e)
{
    return comm_error_rank(e->comm);
}

const char *endpoint_note(const struct endpoint *e)
{
    return comm_note(e->comm);
}

struct endpoint_memory endpoint_memory(const struct endpoint *e)
{
    return e->memory;
}

/* Rings without memory are nowhere, which is no misplacement. */
int endpoint_audit(struct endpoint *e, struct comm_audit *out)
{
    uint64_t nowhere = (e->memory.segment_bytes - e->memory.used_bytes) / (uint64_t)sysconf(_SC_PAGESIZE);
    int error = comm_audit(e->comm, out);
    out->pages -= error ? 0 : nowhere;
    out->pages_misplaced -= error ? 0 : nowhere;
    return error;
}
