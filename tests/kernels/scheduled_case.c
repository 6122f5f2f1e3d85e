#include "scheduled_case.h"

#include "watched_launch.h"

#include "kernels/verify.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { SHIFT_MOST = 8, CHATTER_BYTES = 3000, CHATTER_TAG = 5 };

/* What the call numbered `number` is like: the same on all ranks. */
struct plan {
    const struct schedule_algorithm *algorithm;
    uint64_t block_bytes, random;
    uint32_t turn;
    int numbered; /* 0: not; else remap */
    enum numbering_remap remap;
};

struct caller {
    const struct scheduled_case *c;
    struct launch_rank *self;
    struct endpoint *e;
    unsigned char *memory, *send, *receive;
    uint32_t virtual_of_rank[SCHEDULED_PROCS_MAX], rank_of_virtual[SCHEDULED_PROCS_MAX];
    uint32_t calls;
};

static uint64_t largest(const struct scheduled_case *c)
{
    uint64_t most = 0;
    for (uint32_t i = 0; i < c->blocks; i++)
        most = c->block_bytes[i] > most ? c->block_bytes[i] : most;
    return most;
}

static uint64_t send_bytes(const struct scheduled_case *c)
{
    return largest(c) + 2 * VERIFY_GUARD_BYTES + SHIFT_MOST;
}

static uint64_t memory_bytes(const struct scheduled_case *c)
{
    return send_bytes(c) + c->procs * largest(c) + 2 * VERIFY_GUARD_BYTES + SHIFT_MOST;
}

static uint64_t next_random(uint64_t *state)
{
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return *state >> 33;
}

static struct numbering numbering_draw(struct caller *r, uint64_t state)
{
    for (uint32_t i = 0; i < r->c->procs; i++) {
        uint32_t j = (uint32_t)(next_random(&state) % (i + 1));
        r->virtual_of_rank[i] = r->virtual_of_rank[j];
        r->virtual_of_rank[j] = i;
    }
    for (uint32_t i = 0; i < r->c->procs; i++)
        r->rank_of_virtual[r->virtual_of_rank[i]] = i;
    return (struct numbering){.virtual_of_rank = r->virtual_of_rank, .rank_of_virtual = r->rank_of_virtual};
}

static int wrong(struct caller *r, const struct plan *plan, const char *what, uint32_t block, int64_t byte)
{
    snprintf(r->self->message, COMM_REASON_BYTES, "rank %u call %u, %s %s of %llu bytes: %s (block %u, byte %lld)", r->self->rank,
             r->calls, plan->algorithm->name, plan->numbered ? numbering_remap_name(plan->remap) : "",
             (unsigned long long)plan->block_bytes, what, block, (long long)byte);
    return -EBADMSG;
}

static int check(struct caller *r, const struct plan *plan, int in_place)
{
    uint64_t bytes = plan->block_bytes;
    for (uint32_t i = 0; i < r->c->procs; i++) {
        int64_t byte = verify_check(r->receive + i * bytes, bytes, verify_key(r->calls, i));
        if (byte >= 0)
            return wrong(r, plan, "a byte is wrong", i, byte);
    }
    if (!verify_guard_check(r->receive, bytes * r->c->procs))
        return wrong(r, plan, "a guard byte is gone", r->self->rank, -1);
    int64_t changed = in_place ? -1 : verify_check(r->send, bytes, verify_key(r->calls, r->self->rank));
    if (changed >= 0 || (!in_place && !verify_guard_check(r->send, bytes)))
        return wrong(r, plan, "what was sent has changed", r->self->rank, -1);
    return 0;
}

/* By turns ranks are in place or not as each likes, none is, all are. */
static int is_in_place(const struct plan *plan, uint64_t own_random)
{
    return plan->turn % 3 == 0 ? own_random % 2 == 0 : plan->turn % 3 == 2;
}

static int gather(struct caller *r, const struct plan *plan)
{
    uint64_t bytes = plan->block_bytes, own_random = verify_key(plan->random, r->self->rank) >> 16;
    uint32_t rank = r->self->rank;
    int in_place = is_in_place(plan, own_random);
    for (uint32_t i = 0; i < r->c->procs; i++)
        verify_poison(r->receive + i * bytes, bytes, verify_key(r->calls, i));
    verify_fill(in_place ? r->receive + rank * bytes : r->send, bytes, verify_key(r->calls, rank));
    verify_guard(r->receive, bytes * r->c->procs);
    if (!in_place)
        verify_guard(r->send, bytes);
    const unsigned char *send = !in_place ? r->send : own_random >> 1 & 1 ? r->receive + rank * bytes : NULL;
    struct numbering numbering = numbering_draw(r, plan->random);
    struct numbering_neighbours neighbours;
    struct schedule schedule;
    uint32_t region = schedule_region(r->c->procs, 1u << (plan->random >> 40 & 3));
    int error = schedule_init_regions(&schedule, plan->algorithm, r->c->procs, 0, region);
    numbering.remap = plan->remap;
    if (!error && plan->remap == NUMBERING_EXCH && plan->random >> 24 & 1) { /* no more is known of it */
        error = schedule_neighbours(&schedule, &numbering, rank, &neighbours);
        numbering = (struct numbering){.remap = NUMBERING_EXCH, .neighbours = &neighbours};
    }
    if (!error)
        error = allgather_schedule_run(r->e, send, r->receive, bytes, &schedule, plan->numbered ? &numbering : NULL);
    if (error)
        snprintf(r->self->message, COMM_REASON_BYTES, "rank %u call %u, %s: %.120s", rank, r->calls, plan->algorithm->name,
                 endpoint_error_string(r->e));
    return error ? error : check(r, plan, in_place);
}

/* The caller's own messages are posted before the call and end after it. */
static int gather_amid_messages(struct caller *r, const struct plan *plan)
{
    uint32_t rank = r->self->rank, procs = r->c->procs;
    unsigned char out[CHATTER_BYTES], in[CHATTER_BYTES];
    struct transfer t[2];
    if (!r->c->chatter)
        return gather(r, plan);
    memset(out, (int)(rank + r->calls), sizeof out);
    int error = endpoint_receive(r->e, (rank + procs - 1) % procs, CHATTER_TAG, in, sizeof in, &t[0]);
    if (!error)
        error = endpoint_send(r->e, (rank + 1) % procs, CHATTER_TAG, out, sizeof out, &t[1]);
    if (!error)
        error = gather(r, plan);
    if (!error)
        error = endpoint_wait_all(r->e, t, 2);
    int right = in[0] == (unsigned char)((rank + procs - 1) % procs + r->calls) && memcmp(in, in + 1, sizeof in - 1) == 0;
    return error || right ? error : wrong(r, plan, "a message beside it is wrong", rank, 0);
}

static void channels_change(struct caller *r, uint64_t state)
{
    uint32_t channels = 0;
    state += r->self->rank;
    while (channels < ENDPOINT_CHANNELS_MAX && r->c->channel[channels])
        channels++;
    for (uint32_t p = 0; channels > 1 && p < r->c->procs; p++)
        endpoint_channel_set(r->e, p, r->c->channel[next_random(&state) % channels]);
}

static int call(struct caller *r, const struct schedule_algorithm *algorithm, uint32_t number)
{
    uint64_t block_bytes = r->c->block_bytes[number % r->c->blocks];
    uint64_t random = verify_key(r->c->seed, r->calls), own = verify_key(random, r->self->rank);
    struct plan plan = {.algorithm = algorithm, .block_bytes = block_bytes, .random = random, .turn = number / r->c->blocks};
    plan.numbered = (random >> 20) % 4 > 0;
    plan.remap = plan.numbered ? (enum numbering_remap)((random >> 20) % 4 - 1) : NUMBERING_PLACED;
    uint32_t shift = (uint32_t)(own >> 8) % SHIFT_MOST; /* no alignment to rely on */
    r->send = r->memory + VERIFY_GUARD_BYTES + shift;
    r->receive = r->memory + send_bytes(r->c) + VERIFY_GUARD_BYTES + shift * 3 % SHIFT_MOST;
    if (own >> 30 & 1 && block_bytes < 100000) /* somebody is late */
        usleep((useconds_t)(own >> 40) % 200);
    channels_change(r, own);
    int error = gather_amid_messages(r, &plan);
    r->calls++;
    return error;
}

static int calls_run(struct caller *r)
{
    int error = 0;
    for (const struct schedule_algorithm *const *a = schedule_table; *a && !error; a++)
        for (uint32_t i = 0; i < r->c->blocks * r->c->repeats && !error; i++)
            if ((*a)->kind == SCHEDULE_ALLGATHER && schedule_valid(*a, r->c->procs))
                error = call(r, *a, i);
    return error;
}

static int body(struct launch_rank *self, void *argument)
{
    const struct scheduled_case *c = argument;
    struct endpoint_config config = endpoint_config_default(self->procs, self->rank, c->channel[0]);
    struct caller r = {.c = c, .self = self};
    memcpy(config.channel, c->channel, sizeof config.channel);
    config.op_start = c->op_start;
    config.ring_bytes = c->ring_bytes ? c->ring_bytes : config.ring_bytes;
    config.fragment_bytes = c->fragment_bytes ? c->fragment_bytes : config.fragment_bytes;
    config.kept_bytes = c->kept_bytes ? c->kept_bytes : config.kept_bytes;
    config.dead_rank = launcher_dead_rank;
    config.dead_rank_context = self;
    int error = endpoint_create(&config, &self->bootstrap, &r.e, self->message);
    if (error)
        return error;
    r.memory = malloc(memory_bytes(c));
    error = r.memory ? calls_run(&r) : -ENOMEM;
    *(uint32_t *)self->result = r.calls;
    /* Buffers of the caller's stay until nobody reads them any more, and a rank that is early does not leave the others alone. */
    if (!error)
        error = launcher_barrier(self);
    endpoint_destroy(r.e);
    free(r.memory);
    return error;
}

int scheduled_case_run(const struct scheduled_case *c, uint32_t *calls, char *reason)
{
    struct launch_options options = {.procs = c->procs, .backend = backend_possible(c->backend), .timeout_s = HANGS_S,
                                     .result_bytes = sizeof(uint32_t)};
    uint32_t made[SCHEDULED_PROCS_MAX] = {0};
    char text[SCHEDULED_TEXT_BYTES];
    int error = watched_launch(&options, body, (void *)c, made, scheduled_case_format(c, text, sizeof text), reason);
    *calls = made[0];
    return error;
}

const char *scheduled_case_format(const struct scheduled_case *c, char *text, size_t text_bytes)
{
    char names[64] = "";
    for (uint32_t i = 0; i < ENDPOINT_CHANNELS_MAX && c->channel[i]; i++)
        snprintf(names + strlen(names), sizeof names - strlen(names), "%s%s", i ? "+" : "", channel_name(c->channel[i]));
    snprintf(text, text_bytes, "%s p=%u %s blocks<=%llu x%u op=%u ring=%u fragment=%u kept=%u%s seed=%llu", names, c->procs,
             c->backend == BACKEND_THREADS ? "threads" : "procs", (unsigned long long)largest(c), c->repeats, c->op_start,
             c->ring_bytes, c->fragment_bytes, c->kept_bytes, c->chatter ? " chatter" : "", (unsigned long long)c->seed);
    return text;
}
