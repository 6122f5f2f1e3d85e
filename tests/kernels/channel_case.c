#include "channel_case.h"

#include "watched_launch.h"

#include "kernels/verify.h"

#include <errno.h>
#include <math.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { GUARD_BYTES = 64, GUARD = 0xa5, WINDOW_MOST = 32, PEERS_MOST = 32 };

struct channel_case channel_case_default(const struct channel *channel)
{
    return (struct channel_case){
        .channel = {channel}, .procs = 2, .messages = 1000, .size_max_bytes = 65536, .tags = 4, .window = 8};
}

/* ---- who sends what to whom ---- */

static uint64_t mix(uint64_t a, uint64_t b)
{
    uint64_t x = (a ^ b) * 0x9e3779b97f4a7c15u;
    x = (x ^ x >> 29) * 0xbf58476d1ce4e5b9u;
    return x ^ x >> 32;
}

struct message_plan {
    uint64_t bytes, pool_offset;
    uint32_t tag;
};

/* The message numbered `number` from one rank to another. Sizes are log-uniform, the shortest being 0. */
static struct message_plan plan_of(const struct channel_case *c, uint32_t from, uint32_t to, uint32_t number)
{
    uint64_t key = mix(mix(c->seed, (uint64_t)from << 32 | to), number);
    double exponent = (double)(key >> 40) / (double)(1 << 24) * log2((double)c->size_max_bytes + 1);
    uint64_t bytes = (uint64_t)exp2(exponent) - 1;
    bytes = bytes < c->size_max_bytes ? bytes : c->size_max_bytes;
    key = mix(key, 1);
    return (struct message_plan){
        .bytes = bytes, .pool_offset = key % (c->size_max_bytes + 1), .tag = (uint32_t)(key >> 33) % c->tags};
}

static int talks(const struct channel_case *c, uint32_t from, uint32_t to)
{
    switch (c->pattern) {
    case PATTERN_ALL_TO_ALL:
        return c->procs == 1 || from != to;
    case PATTERN_MANY_TO_ONE:
        return to == 0;
    case PATTERN_NEIGHBOURS:
        return to == (from + 1) % c->procs || from == (to + 1) % c->procs;
    default:
        return (from == 0 && to == 1 % c->procs) || mix(mix(c->seed, 77), (uint64_t)from << 32 | to) % 3 == 0;
    }
}

static uint32_t pair_messages(const struct channel_case *c, uint32_t from, uint32_t to)
{
    uint32_t pairs = 0;
    for (uint32_t i = 0; i < c->procs * c->procs; i++)
        pairs += (uint32_t)talks(c, i / c->procs, i % c->procs);
    return talks(c, from, to) ? c->messages / pairs + 1 : 0;
}

/* ---- one rank ---- */

struct flight {
    struct transfer transfer;
    struct message_plan plan;
    unsigned char *memory; /* of a receive */
    int busy;
};

struct runner {
    const struct channel_case *c;
    const unsigned char *pool; /* what is sent is a piece of this */
    struct launch_rank *self;
    struct endpoint *e;
    /* Slots of each peer its own: if ranks ran out of them, they could wait for each other in a ring. */
    struct flight send[PEERS_MOST][WINDOW_MOST], receive[PEERS_MOST][WINDOW_MOST];
    uint32_t sent[PEERS_MOST], to_send[PEERS_MOST];
    /* Receives of a peer are posted in this order: numbers, shuffled by tag within stretches of a window. */
    uint32_t posted[PEERS_MOST], to_receive[PEERS_MOST], ahead[PEERS_MOST][WINDOW_MOST];
    uint64_t random, left, arrived;
};

static uint32_t draw(struct runner *r, uint32_t below)
{
    r->random = mix(r->random, 0x1234567);
    return (uint32_t)(r->random >> 20) % below;
}

/* Ranks that wait for everything they post have to post in the order of the sends. */
static uint32_t stretch_length(const struct channel_case *c)
{
    return c->blocking ? 1 : c->window;
}

/* The order of posting a stretch of the pair's messages: by turns through the tags, from a random one, so that the order within
 * each tag stays. */
static void stretch_shuffle(struct runner *r, uint32_t peer, uint32_t begin)
{
    const struct channel_case *c = r->c;
    uint32_t n = stretch_length(c), first = draw(r, c->tags), at = 0;
    n = n < r->to_receive[peer] - begin ? n : r->to_receive[peer] - begin;
    for (uint32_t turn = 0; turn < c->tags; turn++)
        for (uint32_t i = 0; i < n; i++)
            if (plan_of(c, peer, r->self->rank, begin + i).tag == (first + turn) % c->tags)
                r->ahead[peer][at++] = begin + i;
}

static int fail(struct runner *r, int error, const char *what, uint32_t peer, const struct message_plan *plan)
{
    snprintf(r->self->message, COMM_REASON_BYTES, "rank %u, peer %u, tag %u, %llu bytes: %s: %.100s", r->self->rank, peer,
             plan->tag, (unsigned long long)plan->bytes, what, endpoint_error_string(r->e));
    return error;
}

static int post_send(struct runner *r, struct flight *f, uint32_t peer)
{
    uint32_t channels = 0;
    while (channels < ENDPOINT_CHANNELS_MAX && r->c->channel[channels])
        channels++;
    int error = r->c->moving && draw(r, 4) == 0 ? endpoint_channel_set(r->e, peer, r->c->channel[draw(r, channels)]) : 0;
    f->plan = plan_of(r->c, r->self->rank, peer, r->sent[peer]++);
    f->busy = 1;
    if (!error)
        error = endpoint_send(r->e, peer, f->plan.tag, r->pool + f->plan.pool_offset, f->plan.bytes, &f->transfer);
    return error ? fail(r, error, "send", peer, &f->plan) : 0;
}

static int post_receive(struct runner *r, struct flight *f, uint32_t peer)
{
    uint32_t stretch = stretch_length(r->c);
    if (r->posted[peer] % stretch == 0)
        stretch_shuffle(r, peer, r->posted[peer]);
    uint32_t number = r->ahead[peer][r->posted[peer]++ % stretch];
    f->plan = plan_of(r->c, peer, r->self->rank, number);
    f->memory = malloc(f->plan.bytes + 2 * GUARD_BYTES);
    if (!f->memory)
        return fail(r, -ENOMEM, "memory", peer, &f->plan);
    f->busy = 1;
    memset(f->memory, GUARD, GUARD_BYTES);
    memset(f->memory + GUARD_BYTES + f->plan.bytes, GUARD, GUARD_BYTES);
    int error = endpoint_receive(r->e, peer, f->plan.tag, f->memory + GUARD_BYTES, f->plan.bytes, &f->transfer);
    return error ? fail(r, error, "receive", peer, &f->plan) : 0;
}

static int guards_whole(const struct flight *f)
{
    const unsigned char *behind = f->memory + GUARD_BYTES + f->plan.bytes;
    for (int i = 0; i < GUARD_BYTES; i++)
        if (f->memory[i] != GUARD || behind[i] != GUARD)
            return 0;
    return 1;
}

static int receive_check(struct runner *r, const struct flight *f)
{
    const char *wrong = f->transfer.bytes != f->plan.bytes ? "another length"
                        : memcmp(f->memory + GUARD_BYTES, r->pool + f->plan.pool_offset, f->plan.bytes) != 0 ? "wrong bytes"
                        : !guards_whole(f) ? "a guard byte is gone" : NULL;
    return wrong ? fail(r, -EBADMSG, wrong, f->transfer.peer, &f->plan) : 0;
}

static int reap(struct runner *r, struct flight *f, int received)
{
    if (!f->busy || !transfer_done(&f->transfer))
        return 0;
    f->busy = 0;
    r->left--;
    r->arrived += (uint64_t)received;
    int error = f->transfer.error ? 0 : received ? receive_check(r, f) : 0;
    free(f->memory);
    f->memory = NULL;
    if (f->transfer.error)
        return fail(r, f->transfer.error, "done with an error", f->transfer.peer, &f->plan);
    return error;
}

static int progress_failed(struct runner *r, int happened)
{
    return happened < 0 ? fail(r, happened, "progress", 0, &(struct message_plan){0}) : 0;
}

static int slot_round(struct runner *r, uint32_t peer, uint32_t slot)
{
    struct flight *s = &r->send[peer][slot], *f = &r->receive[peer][slot];
    int error = reap(r, s, 0);
    if (!error)
        error = reap(r, f, 1);
    if (!error && !s->busy && r->sent[peer] < r->to_send[peer] && draw(r, 4) > 0)
        error = post_send(r, s, peer);
    if (!error && !f->busy && r->posted[peer] < r->to_receive[peer] && draw(r, 3) > 0)
        error = post_receive(r, f, peer);
    return error;
}

/* One round: reap and post each slot, then let the library work. */
static int round_run(struct runner *r)
{
    uint32_t procs = r->c->procs, first = draw(r, procs);
    int error = 0;
    for (uint32_t i = 0; i < r->c->window * procs && !error; i++)
        error = slot_round(r, (i + first) % procs, i / procs);
    int happened = error ? 0 : endpoint_progress(r->e);
    if (happened == 0)
        sched_yield(); /* most runs have more ranks than there are cpus */
    return error ? error : progress_failed(r, happened);
}

/* The same for ranks that wait: a message from and to everyone, then all are waited for, in any order. */
static int round_wait(struct runner *r)
{
    uint32_t procs = r->c->procs, first = draw(r, procs);
    int error = 0;
    for (uint32_t i = 0; i < procs && !error; i++) {
        uint32_t p = (first + i) % procs;
        error = r->sent[p] < r->to_send[p] ? post_send(r, &r->send[p][0], p) : 0;
        if (!error && r->posted[p] < r->to_receive[p])
            error = post_receive(r, &r->receive[p][0], p);
    }
    for (uint32_t i = 0; i < 2 * procs && !error; i++) {
        struct flight *f = (i + first) % 2 ? r->send[i / 2] : r->receive[i / 2];
        error = f->busy ? progress_failed(r, endpoint_wait(r->e, &f->transfer)) : 0;
        if (!error)
            error = reap(r, f, f == r->receive[i / 2]);
    }
    return error;
}

static void dawdle(struct runner *r)
{
    int is_slow = r->c->pattern == PATTERN_MANY_TO_ONE ? r->self->rank == 0 : r->self->rank % 2;
    if (r->c->slow && is_slow && draw(r, 50) == 0)
        usleep(draw(r, 1000));
}

/* What is kept for later never exceeds what all peers' budgets allow, heads included. */
static int memory_check(struct runner *r)
{
    struct endpoint_memory m = endpoint_memory(r->e);
    uint64_t kept = r->c->kept_bytes ? r->c->kept_bytes : endpoint_config_default(1, 0, r->c->channel[0]).kept_bytes;
    if (m.kept_messages == 0 && m.kept_bytes == 0 && m.kept_most_bytes <= 2 * kept * r->c->procs)
        return 0;
    snprintf(r->self->message, COMM_REASON_BYTES, "rank %u kept %llu bytes at most, %u messages at the end", r->self->rank,
             (unsigned long long)m.kept_most_bytes, m.kept_messages);
    return -ENOSPC;
}

static struct endpoint_config config_of(const struct channel_case *c, struct launch_rank *self)
{
    struct endpoint_config config = endpoint_config_default(self->procs, self->rank, c->channel[0]);
    memcpy(config.channel, c->channel, sizeof config.channel);
    config.op_start = c->op_start;
    config.ring_bytes = c->ring_bytes ? c->ring_bytes : config.ring_bytes;
    config.fragment_bytes = c->fragment_bytes ? c->fragment_bytes : config.fragment_bytes;
    config.eager_bytes = c->eager_bytes ? c->eager_bytes : config.eager_bytes;
    config.kept_bytes = c->kept_bytes ? c->kept_bytes : config.kept_bytes;
    config.rings_most = c->rings_most ? c->rings_most : config.rings_most;
    config.offer_bytes = c->offer_bytes ? c->offer_bytes : config.offer_bytes;
    config.delay_max_ns = c->delay_max_ns;
    config.seed = c->seed;
    config.dead_rank = launcher_dead_rank;
    config.dead_rank_context = self;
    return config;
}

struct case_run {
    const struct channel_case *c;
    unsigned char *pool;
};

static int traffic_run(struct runner *r)
{
    int error = 0;
    for (uint32_t p = 0; p < r->c->procs; p++) {
        r->to_send[p] = pair_messages(r->c, r->self->rank, p);
        r->to_receive[p] = pair_messages(r->c, p, r->self->rank);
        r->left += r->to_send[p] + r->to_receive[p];
    }
    while (!error && r->left > 0) {
        dawdle(r);
        error = r->c->blocking ? round_wait(r) : round_run(r);
    }
    for (uint32_t i = 0; i < PEERS_MOST * WINDOW_MOST; i++)
        free(r->receive[i / WINDOW_MOST][i % WINDOW_MOST].memory);
    return error;
}

static int body(struct launch_rank *self, void *argument)
{
    const struct case_run *run = argument;
    struct endpoint_config config = config_of(run->c, self);
    struct runner *r = calloc(1, sizeof *r);
    if (!r)
        return -ENOMEM;
    *r = (struct runner){.c = run->c, .pool = run->pool, .self = self, .random = mix(run->c->seed, self->rank + 1000)};
    int error = endpoint_create(&config, &self->bootstrap, &r->e, self->message);
    if (!error) {
        error = traffic_run(r);
        if (!error)
            error = memory_check(r);
        *(uint64_t *)self->result = r->arrived;
        endpoint_destroy(r->e);
    }
    free(r);
    return error;
}

/* ---- one run ---- */

int channel_case_run(const struct channel_case *c, uint64_t *moved, char *reason)
{
    struct launch_options options = {.procs = c->procs, .backend = backend_possible(c->backend), .timeout_s = HANGS_S,
                                     .result_bytes = sizeof(uint64_t)};
    struct case_run run = {.c = c, .pool = malloc(2 * c->size_max_bytes + 2)};
    uint64_t arrived[PEERS_MOST] = {0};
    char text[CHANNEL_CASE_TEXT_BYTES];
    if (!run.pool)
        return -ENOMEM;
    if (c->procs > PEERS_MOST || c->window > WINDOW_MOST)
        return -EINVAL;
    verify_fill(run.pool, 2 * c->size_max_bytes + 2, verify_key(c->seed, 1));
    int error = watched_launch(&options, body, &run, arrived, channel_case_format(c, text, sizeof text), reason);
    *moved = 0;
    for (uint32_t r = 0; r < c->procs; r++)
        *moved += arrived[r];
    free(run.pool);
    return error;
}

const char *channel_case_format(const struct channel_case *c, char *text, size_t text_bytes)
{
    static const char *const pattern[] = {"all-to-all", "many-to-one", "neighbours", "random"};
    char names[64] = "";
    for (uint32_t i = 0; i < ENDPOINT_CHANNELS_MAX && c->channel[i]; i++)
        snprintf(names + strlen(names), sizeof names - strlen(names), "%s%s", i ? "+" : "", channel_name(c->channel[i]));
    snprintf(text, text_bytes,
             "%s%s p=%u %s messages=%u size<=%llu tags=%u window=%u %s%s%s op=%u ring=%u fragment=%u eager=%u kept=%u rings=%u "
             "offer=%u "
             "delay=%u seed=%llu",
             names, c->moving ? " moving" : "", c->procs, c->backend == BACKEND_THREADS ? "threads" : "procs", c->messages,
             (unsigned long long)c->size_max_bytes, c->tags, c->window, pattern[c->pattern], c->slow ? " slow" : "",
             c->blocking ? " blocking" : "", c->op_start, c->ring_bytes, c->fragment_bytes, c->eager_bytes, c->kept_bytes,
             c->rings_most, c->offer_bytes, c->delay_max_ns, (unsigned long long)c->seed);
    return text;
}
