#include "bcast_case.h"

#include "watched_launch.h"

#include "kernels/verify.h"
#include "model/protocol/eager.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { FRAGMENTS_MOST = 4096, SHIFT_MOST = 8, OTHERS_MOST = 2 };

struct bcast_case bcast_case_default(void)
{
    return (struct bcast_case){.tree = {TREE_KARY, 2}, .procs = 2, .slots = 8, .sets = 1, .fragment_bytes = 4096,
                               .size_bytes = 65536, .call_count = 3, .protocol = &protocol_pipelined, .lanes = CASE_LANES_SHORT,
                               .copy_out = COMM_COPY_AUTO};
}

static int takes(const struct protocol *protocol, const struct bcast_case *c, uint64_t size_bytes)
{
    struct bcast_call call = {.size_bytes = size_bytes, .fragment_bytes = c->fragment_bytes, .slots = c->slots, .sets = c->sets,
                              .lines = EAGER_LINES, .readers_most = c->readers_most, .procs = c->procs, .root = c->root};
    return protocol->supports(&call) == 0 && size_bytes / c->fragment_bytes <= FRAGMENTS_MOST;
}

int bcast_case_valid(const struct bcast_case *c)
{
    return c->slots % c->sets == 0 && takes(c->protocol, c, c->size_bytes);
}

/* ---- the communicator ---- */

static struct comm_lane lane_of(const struct bcast_case *c, const struct protocol *protocol, uint64_t size_max_bytes)
{
    return (struct comm_lane){.protocol = protocol, .fragment_bytes = c->fragment_bytes, .slots = c->slots, .sets = c->sets,
                              .readers_most = c->readers_most, .tree = c->tree, .size_max_bytes = size_max_bytes};
}

/* The first protocols after the one under test that take these parameters and all sizes. */
static uint32_t find_others(const struct bcast_case *c, const struct protocol *other[OTHERS_MOST])
{
    uint32_t count = 0, own = 0, n = 0;
    while (protocol_table[count])
        count++;
    while (own < count && protocol_table[own] != c->protocol)
        own++;
    for (uint32_t i = 1; i < count && n < OTHERS_MOST; i++) {
        const struct protocol *p = protocol_table[(own + i) % count];
        if (takes(p, c, (uint64_t)c->fragment_bytes * FRAGMENTS_MOST) && p != &protocol_eager)
            other[n++] = p;
    }
    return n;
}

/* Lanes by rising size, the one under test taking messages of just size_bytes if others are around it. */
static void set_lanes(const struct bcast_case *c, struct comm_config *config)
{
    const struct protocol *other[OTHERS_MOST];
    uint64_t before = c->size_bytes - 1, brief = before < EAGER_PAYLOAD_BYTES ? before : EAGER_PAYLOAD_BYTES;
    uint64_t all = c->protocol == &protocol_eager ? EAGER_PAYLOAD_BYTES : UINT64_MAX;
    uint32_t others = c->lanes == CASE_LANES_MANY ? find_others(c, other) : 0, n = 0;
    if (c->lanes != CASE_LANES_ONE && c->size_bytes > 0 && !c->control_pages)
        config->lane[n++] = lane_of(c, &protocol_eager, brief);
    if (others > 1 && c->size_bytes > 0)
        config->lane[n++] = lane_of(c, other[1], before);
    config->lane[n++] = lane_of(c, c->protocol, others ? c->size_bytes : all);
    if (others)
        config->lane[n++] = lane_of(c, other[0], UINT64_MAX);
    config->lanes = n;
}

static uint64_t largest(const struct bcast_case *c)
{
    return c->size_max_bytes > c->size_bytes ? c->size_max_bytes : c->size_bytes;
}

/* Room for the largest message of any pattern of calls, wherever in it the buffer begins. */
static uint64_t memory_bytes(const struct bcast_case *c)
{
    uint64_t most = largest(c), mixed = 3 * (uint64_t)c->fragment_bytes + 5;
    return (most > mixed ? most : mixed) + EAGER_PAYLOAD_BYTES + 1 + 2 * VERIFY_GUARD_BYTES + SHIFT_MOST;
}

static struct comm_config config_of(struct launch_rank *self, const struct bcast_case *c)
{
    struct comm_config config = comm_config_of(self->procs, self->rank, &(struct comm_lane){0});
    set_lanes(c, &config);
    config.area_bytes = c->buffers == CASE_BUFFERS_PRIVATE ? 0 : memory_bytes(c);
    config.generic_executor = c->generic_executor;
    config.control_pages = c->control_pages;
    config.huge_pages = c->huge_pages;
    config.op_start = c->op_start;
    config.delay_max_ns = c->delay_max_ns;
    config.seed = c->seed;
    config.copy_out = c->copy_out;
    config.dead_rank = launcher_dead_rank;
    config.dead_rank_context = self;
    return config;
}

/* ---- the calls ---- */

static void pack(void *context, uint64_t offset, void *to, size_t n)
{
    memcpy(to, (unsigned char *)context + offset, n);
}

static void unpack(void *context, uint64_t offset, const void *from, size_t n)
{
    memcpy((unsigned char *)context + offset, from, n);
}

/* Sizes on both sides of every threshold. */
static uint64_t mixed_size(const struct bcast_case *c, uint64_t random)
{
    uint64_t f = c->fragment_bytes, m = c->size_bytes;
    const uint64_t size[] = {m, m, m, 0, 1, f - 1, f, f + 1, 3 * f + 5, m ? m - 1 : 0, m + 1, EAGER_PAYLOAD_BYTES,
                             EAGER_PAYLOAD_BYTES + 1};
    uint64_t chosen = size[random % (sizeof size / sizeof *size)];
    int too_large = c->protocol == &protocol_eager && c->lanes != CASE_LANES_MANY && chosen > EAGER_PAYLOAD_BYTES;
    return too_large || chosen / f > FRAGMENTS_MOST ? m : chosen;
}

/* What the call numbered `call` moves: the same on all ranks. */
static uint64_t call_of(const struct bcast_case *c, uint32_t call, uint64_t *size_bytes, uint32_t *root)
{
    uint64_t random = verify_key(c->seed, call) >> 8;
    *size_bytes = c->calls == CASE_CALLS_MIXED ? mixed_size(c, random) : c->size_bytes;
    *root = c->calls == CASE_CALLS_SAME     ? c->root
            : c->calls == CASE_CALLS_ROTATE ? (c->root + call) % c->procs
                                            : (uint32_t)(random >> 32) % c->procs;
    return verify_key(call, *root);
}

static int packs(const struct bcast_case *c, uint32_t rank, uint32_t root)
{
    return c->packed == CASE_PACKED_ALL || (c->packed == CASE_PACKED_ODD && rank % 2) ||
           (c->packed == CASE_PACKED_ROOT && rank == root);
}

static int one_call(struct launch_rank *self, struct comm *comm, const struct bcast_case *c, unsigned char *memory, uint32_t call)
{
    uint64_t size;
    uint32_t root;
    uint64_t key = call_of(c, call, &size, &root);
    unsigned char *buffer = memory + (call + self->rank + 1) % SHIFT_MOST; /* no alignment to rely on, and never twice the same */
    if (self->rank == root)
        verify_fill(buffer, size, key);
    else
        verify_poison(buffer, size, key);
    verify_guard(buffer, size);
    struct comm_data data = {buffer, pack, unpack};
    int error = packs(c, self->rank, root) ? comm_bcast_packed(comm, &data, size, root) : comm_bcast(comm, buffer, size, root);
    int64_t wrong = error ? -1 : verify_check(buffer, size, key);
    if (error)
        snprintf(self->message, COMM_REASON_BYTES, "call %u: %s", call, comm_error_string(comm));
    else if (wrong >= 0)
        snprintf(self->message, COMM_REASON_BYTES, "rank %u call %u: byte %lld of %llu is wrong", self->rank, call,
                 (long long)wrong, (unsigned long long)size);
    else if (!verify_guard_check(buffer, size))
        snprintf(self->message, COMM_REASON_BYTES, "rank %u call %u: a guard byte is gone", self->rank, call);
    else
        return 0;
    return error ? error : -EBADMSG;
}

/* Calls are numbered through, so that no two payloads are the same. */
static int calls_run(struct launch_rank *self, struct comm *comm, const struct bcast_case *c, unsigned char *memory,
                     uint32_t first)
{
    int error = 0;
    for (uint32_t call = 0; call < c->call_count && !error; call++)
        error = one_call(self, comm, c, memory, first + call);
    return error;
}

/* The case itself, then the sizes and roots that `more` names. */
static int cases_run(struct launch_rank *self, struct comm *comm, const struct bcast_case *c, unsigned char *memory)
{
    struct bcast_case one = *c;
    int error = calls_run(self, comm, c, memory, 0);
    for (uint32_t step = 0; !error && c->more && c->more(c, step, &one.size_bytes, &one.root); step++)
        error = calls_run(self, comm, &one, memory, (step + 1) * c->call_count);
    return error;
}

uint32_t bcast_case_count(const struct bcast_case *c)
{
    uint64_t size;
    uint32_t root, n = 0;
    while (c->more && c->more(c, n, &size, &root))
        n++;
    return n + 1;
}

static int body(struct launch_rank *self, void *argument)
{
    const struct bcast_case *c = argument;
    struct comm_config config = config_of(self, c);
    struct comm *comm;
    int error = c->begin ? c->begin(self, c->context) : 0;
    if (!error)
        error = comm_create(&config, &self->bootstrap, &comm, self->message);
    if (error)
        return error;
    int in_area = c->buffers == CASE_BUFFERS_AREA || (c->buffers == CASE_BUFFERS_EITHER && self->rank % 2 == 0);
    unsigned char *own = in_area ? NULL : malloc(memory_bytes(c)), *memory = in_area ? comm_area(comm) : own;
    error = memory ? cases_run(self, comm, c, memory + VERIFY_GUARD_BYTES) : -ENOMEM;
    free(own);
    comm_destroy(comm);
    return error;
}

/* ---- one run ---- */

int bcast_case_run(const struct bcast_case *c, char *reason)
{
    struct launch_options options = {.procs = c->procs, .backend = backend_possible(c->backend), .timeout_s = HANGS_S};
    char text[BCAST_CASE_TEXT_BYTES];
    return watched_launch(&options, body, (void *)c, NULL, bcast_case_format(c, text, sizeof text), reason);
}

const char *bcast_case_format(const struct bcast_case *c, char *text, size_t text_bytes)
{
    static const char *const lanes[] = {"one", "short", "many"}, *const calls[] = {"same", "rotate", "mixed"};
    static const char *const buffers[] = {"private", "area", "either"}, *const packed[] = {"none", "all", "odd", "root"};
    char tree[32];
    snprintf(text, text_bytes,
             "%s p=%u root=%u tree=%s s=%u q=%u f=%u m=%llu readers=%u %s calls=%u:%s lanes=%s buffers=%s packed=%s "
             "op=%u delay=%u copy_out=%d seed=%llu%s%s%s", c->protocol->name, c->procs, c->root,
             tree_shape_format(c->tree, tree, sizeof tree), c->slots, c->sets, c->fragment_bytes,
             (unsigned long long)c->size_bytes, c->readers_most, c->backend == BACKEND_THREADS ? "threads" : "procs",
             c->call_count, calls[c->calls], lanes[c->lanes], buffers[c->buffers], packed[c->packed], c->op_start,
             c->delay_max_ns, c->copy_out, (unsigned long long)c->seed, c->generic_executor ? " generic" : "",
             c->control_pages ? " pages" : "", c->huge_pages ? " huge" : "");
    return text;
}
