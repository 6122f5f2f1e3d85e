#include "gather_case.h"

#include "watched_launch.h"

#include "kernels/allgather_lanes.h"
#include "kernels/verify.h"
#include "model/protocol/eager.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SHIFT_MOST = 8, FRAGMENTS_MOST = 4096 };

struct gather_case gather_case_default(void)
{
    return (struct gather_case){.protocol = &protocol_counted, .procs = 2, .slots = 8, .sets = 4, .fragment_bytes = 4096,
                                .block_bytes = 20000, .call_count = 5, .copy_out = COMM_COPY_AUTO};
}

static uint64_t largest(const struct gather_case *c)
{
    uint64_t mixed = 3 * (uint64_t)c->fragment_bytes + 5, least = EAGER_PAYLOAD_BYTES + 1;
    uint64_t most = c->calls == GATHER_CALLS_MIXED && mixed > c->block_bytes ? mixed : c->block_bytes + 1;
    return most > least ? most : least;
}

/* The own block with its guards; behind it the message with its guards. */
static uint64_t send_bytes(const struct gather_case *c)
{
    return largest(c) + 2 * VERIFY_GUARD_BYTES + SHIFT_MOST;
}

static uint64_t memory_bytes(const struct gather_case *c)
{
    return send_bytes(c) + c->procs * largest(c) + 2 * VERIFY_GUARD_BYTES + SHIFT_MOST;
}

static struct comm_config config_of(struct launch_rank *self, const struct gather_case *c)
{
    struct comm_lane lane = {.protocol = c->protocol, .fragment_bytes = c->fragment_bytes, .slots = c->slots, .sets = c->sets,
                             .tree = {TREE_KARY, 2}, .size_max_bytes = UINT64_MAX};
    struct comm_config config = comm_config_of(self->procs, self->rank, &lane);
    if (c->lanes == GATHER_LANES_MANY) {
        config.lane[0] = (struct comm_lane){.protocol = &protocol_eager, .tree = lane.tree};
        config.lane[0].size_max_bytes = EAGER_PAYLOAD_BYTES;
        config.lane[1] = (struct comm_lane){.protocol = &protocol_pipelined, .fragment_bytes = 500, .slots = 6, .sets = 2,
                                            .tree = lane.tree, .size_max_bytes = 3000};
        config.lane[2] = lane;
        config.lanes = 3;
    }
    config.area_bytes = c->buffers == GATHER_BUFFERS_PRIVATE ? 0 : memory_bytes(c);
    config.generic_executor = c->generic_executor;
    config.op_start = c->op_start;
    config.delay_max_ns = c->delay_max_ns;
    config.seed = c->seed;
    config.copy_out = c->copy_out;
    config.dead_rank = launcher_dead_rank;
    config.dead_rank_context = self;
    return config;
}

/* What the call numbered `call` moves: the same on all ranks. */
struct plan {
    uint64_t block_bytes;
    uint32_t root;
    int is_broadcast;
};

static struct plan plan_of(const struct gather_case *c, uint32_t call)
{
    uint64_t random = verify_key(c->seed, call) >> 8, f = c->fragment_bytes, b = c->block_bytes;
    const uint64_t size[] = {b, b, b, 0, 1, f - 1, f, f + 1, 3 * f + 5, EAGER_FIRST_LINE_BYTES, EAGER_FIRST_LINE_BYTES + 1,
                             EAGER_PAYLOAD_BYTES, EAGER_PAYLOAD_BYTES + 1};
    uint64_t bytes = c->calls == GATHER_CALLS_MIXED ? size[random % (sizeof size / sizeof *size)] : b;
    int is_random = c->broadcasts == GATHER_BROADCASTS_RANDOM && (random >> 40 & 1);
    struct plan plan = {.block_bytes = bytes / f > FRAGMENTS_MOST ? f : bytes, .root = (uint32_t)(call % c->procs)};
    plan.is_broadcast = c->broadcasts == GATHER_BROADCASTS_EVEN ? call % 2 == 0 : is_random;
    return plan;
}

static int is_in_place(const struct gather_case *c, uint32_t rank)
{
    return c->in_place == GATHER_IN_PLACE_ALL || (c->in_place == GATHER_IN_PLACE_ODD && rank % 2);
}

struct held_buffers {
    unsigned char *send, *receive;
};

static int wrong(struct launch_rank *self, uint32_t call, const char *what, uint32_t block, int64_t byte)
{
    snprintf(self->message, COMM_REASON_BYTES, "rank %u call %u: %s (block %u, byte %lld)", self->rank, call, what, block,
             (long long)byte);
    return -EBADMSG;
}

static int check(struct launch_rank *self, const struct held_buffers *b, uint32_t call, const struct plan *plan, int in_place)
{
    uint64_t bytes = plan->block_bytes;
    for (uint32_t r = 0; r < self->procs; r++) {
        int64_t byte = verify_check(b->receive + r * bytes, bytes, verify_key(call, r));
        if (byte >= 0)
            return wrong(self, call, "a byte is wrong", r, byte);
    }
    if (!verify_guard_check(b->receive, bytes * self->procs))
        return wrong(self, call, "a guard byte is gone", self->rank, -1);
    if (!in_place && (verify_check(b->send, bytes, verify_key(call, self->rank)) >= 0 || !verify_guard_check(b->send, bytes)))
        return wrong(self, call, "what was sent has changed", self->rank, -1);
    return 0;
}

static int gather(struct launch_rank *self, struct comm *comm, const struct gather_case *c, const struct held_buffers *b,
                  uint32_t call, const struct plan *plan)
{
    uint64_t bytes = plan->block_bytes;
    int in_place = is_in_place(c, self->rank);
    for (uint32_t r = 0; r < self->procs; r++)
        verify_poison(b->receive + r * bytes, bytes, verify_key(call, r));
    verify_fill(in_place ? b->receive + self->rank * bytes : b->send, bytes, verify_key(call, self->rank));
    verify_guard(b->receive, bytes * self->procs);
    if (!in_place)
        verify_guard(b->send, bytes);
    const unsigned char *send = !in_place ? b->send : call % 2 ? NULL : b->receive + self->rank * bytes;
    int error = comm_allgather(comm, send, b->receive, bytes);
    if (error)
        snprintf(self->message, COMM_REASON_BYTES, "call %u: %s", call, comm_error_string(comm));
    return error ? error : check(self, b, call, plan, in_place);
}

static int broadcast(struct launch_rank *self, struct comm *comm, const struct held_buffers *b, uint32_t call,
                     const struct plan *plan)
{
    uint64_t key = verify_key(call, plan->root), bytes = plan->block_bytes;
    (self->rank == plan->root ? verify_fill : verify_poison)(b->receive, bytes, key);
    verify_guard(b->receive, bytes);
    int error = comm_bcast(comm, b->receive, bytes, plan->root);
    int64_t byte = error ? -1 : verify_check(b->receive, bytes, key);
    if (error)
        snprintf(self->message, COMM_REASON_BYTES, "call %u: %s", call, comm_error_string(comm));
    else if (byte >= 0)
        return wrong(self, call, "a byte of a broadcast is wrong", plan->root, byte);
    return error || verify_guard_check(b->receive, bytes) ? error : wrong(self, call, "a guard byte is gone", plan->root, -1);
}

static int calls_run(struct launch_rank *self, struct comm *comm, const struct gather_case *c, unsigned char *memory)
{
    int error = 0;
    for (uint32_t call = 0; call < c->call_count && !error; call++) {
        struct plan plan = plan_of(c, call);
        uint32_t shift = (call + self->rank + 1) % SHIFT_MOST; /* no alignment to rely on */
        unsigned char *send = memory + VERIFY_GUARD_BYTES;
        struct held_buffers b = {send + shift, send + send_bytes(c) + (shift * 3) % SHIFT_MOST};
        error = plan.is_broadcast ? broadcast(self, comm, &b, call, &plan) : gather(self, comm, c, &b, call, &plan);
    }
    return error;
}

static int body(struct launch_rank *self, void *argument)
{
    const struct gather_case *c = argument;
    struct comm_config config = config_of(self, c);
    struct comm *comm;
    int error = c->begin ? c->begin(self, c->context) : 0;
    if (!error)
        error = comm_create(&config, &self->bootstrap, &comm, self->message);
    if (error)
        return error;
    if (c->expected && c->expected != companion_of(comm, c->block_bytes)) {
        snprintf(self->message, COMM_REASON_BYTES, "not by %s: %.200s", c->expected->name, comm_note(comm));
        comm_destroy(comm);
        return -ENOTSUP;
    }
    int in_area = c->buffers == GATHER_BUFFERS_AREA || (c->buffers == GATHER_BUFFERS_EITHER && self->rank % 2 == 0);
    unsigned char *own = in_area ? NULL : malloc(memory_bytes(c)), *memory = in_area ? comm_area(comm) : own;
    error = memory ? calls_run(self, comm, c, memory) : -ENOMEM;
    free(own);
    comm_destroy(comm);
    return error;
}

int gather_case_run(const struct gather_case *c, char *reason)
{
    uint32_t cpu[64] = {0};
    struct launch_options options = {.procs = c->procs, .backend = backend_possible(c->backend), .timeout_s = HANGS_S};
    char text[GATHER_CASE_TEXT_BYTES];
    options.cpu_os = c->pinned ? cpu : NULL;
    return watched_launch(&options, body, (void *)c, NULL, gather_case_format(c, text, sizeof text), reason);
}

const char *gather_case_format(const struct gather_case *c, char *text, size_t text_bytes)
{
    static const char *const lanes[] = {"one", "many"}, *const calls[] = {"same", "mixed"};
    static const char *const in_place[] = {"none", "all", "odd"};
    static const char *const broadcasts[] = {"none", "even", "random"}, *const buffers[] = {"private", "area", "either"};
    snprintf(text, text_bytes,
             "%s p=%u s=%u q=%u f=%u block=%llu %s calls=%u:%s broadcasts=%s in_place=%s lanes=%s buffers=%s op=%u "
             "delay=%u copy_out=%d seed=%llu%s%s", c->protocol->name, c->procs, c->slots, c->sets, c->fragment_bytes,
             (unsigned long long)c->block_bytes, c->backend == BACKEND_THREADS ? "threads" : "procs", c->call_count,
             calls[c->calls], broadcasts[c->broadcasts], in_place[c->in_place], lanes[c->lanes], buffers[c->buffers], c->op_start,
             c->delay_max_ns, c->copy_out, (unsigned long long)c->seed, c->generic_executor ? " generic" : "",
             c->pinned ? " pinned" : "");
    return text;
}
