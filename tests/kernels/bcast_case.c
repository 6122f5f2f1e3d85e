#include "bcast_case.h"

#include "kernels/verify.h"
#include "model/protocol/eager.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct bcast_case bcast_case_default(void)
{
    return (struct bcast_case){.tree = {TREE_KARY, 2}, .procs = 2, .slots = 8, .sets = 1, .fragment_bytes = 4096,
                               .size_bytes = 65536, .calls = 3, .protocol = &protocol_pipelined, .short_protocol = 1, .copy_out = COMM_COPY_AUTO};
}

static void pack(void *context, uint64_t offset, void *to, size_t n)
{
    memcpy(to, (unsigned char *)context + offset, n);
}

static void unpack(void *context, uint64_t offset, const void *from, size_t n)
{
    memcpy((unsigned char *)context + offset, from, n);
}

static int one_call(struct launch_rank *self, struct comm *comm, const struct bcast_case *c, unsigned char *buffer, uint32_t call)
{
    uint32_t root = c->rotate_root ? (c->root + call) % c->procs : c->root;
    uint64_t key = verify_key(call, root);
    if (self->rank == root)
        verify_fill(buffer, c->size_bytes, key);
    else
        verify_poison(buffer, c->size_bytes, key);
    verify_guard(buffer, c->size_bytes);
    struct comm_data data = {buffer, pack, unpack};
    int error = c->packed ? comm_bcast_packed(comm, &data, c->size_bytes, root) : comm_bcast(comm, buffer, c->size_bytes, root);
    int64_t wrong = error ? -1 : verify_check(buffer, c->size_bytes, key);
    if (error)
        snprintf(self->message, COMM_REASON_BYTES, "%s", comm_error_string(comm));
    else if (wrong >= 0)
        snprintf(self->message, COMM_REASON_BYTES, "rank %u call %u: byte %lld is wrong", self->rank, call, (long long)wrong);
    else if (!verify_guard_check(buffer, c->size_bytes))
        snprintf(self->message, COMM_REASON_BYTES, "rank %u call %u: a guard byte is gone", self->rank, call);
    else
        return 0;
    return error ? error : -EBADMSG;
}

static int calls_run(struct launch_rank *self, struct comm *comm, const struct bcast_case *c, unsigned char *buffer)
{
    int error = 0;
    for (uint32_t call = 0; call < c->calls && !error; call++)
        error = one_call(self, comm, c, buffer, call);
    return error;
}

/* The case itself, then the sizes and roots that `more` names. */
static int cases_run(struct launch_rank *self, struct comm *comm, const struct bcast_case *c, unsigned char *buffer)
{
    struct bcast_case one = *c;
    int error = calls_run(self, comm, c, buffer);
    for (uint32_t step = 0; !error && c->more && c->more(c, step, &one.size_bytes, &one.root); step++)
        error = calls_run(self, comm, &one, buffer);
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
    struct comm_lane lane = {.protocol = c->protocol, .fragment_bytes = c->fragment_bytes, .slots = c->slots, .sets = c->sets,
                             .readers_most = c->readers_most, .tree = c->tree, .size_max_bytes = UINT64_MAX};
    struct comm_config config = comm_config_of(self->procs, self->rank, &lane);
    if (c->short_protocol && !c->control_pages) {
        config.lane[1] = lane;
        config.lane[0].protocol = &protocol_eager;
        config.lane[0].size_max_bytes = EAGER_PAYLOAD_BYTES;
        config.lanes = 2;
    }
    config.generic_executor = c->generic_executor;
    config.control_pages = c->control_pages;
    config.huge_pages = c->huge_pages;
    config.op_start = c->op_start;
    config.delay_max_ns = c->delay_max_ns;
    config.seed = c->seed;
    config.copy_out = c->copy_out;
    config.dead_rank = launcher_dead_rank;
    config.dead_rank_context = self;
    struct comm *comm;
    int error = comm_create(&config, &self->bootstrap, &comm, self->message);
    if (error)
        return error;
    uint64_t most = c->size_max_bytes > c->size_bytes ? c->size_max_bytes : c->size_bytes;
    unsigned char *memory = malloc(most + 2 * VERIFY_GUARD_BYTES + 1);
    error = memory ? cases_run(self, comm, c, memory + VERIFY_GUARD_BYTES + 1) : -ENOMEM; /* + 1: no alignment to rely on */
    free(memory);
    comm_destroy(comm);
    return error;
}

int bcast_case_run(const struct bcast_case *c, char *reason)
{
    const char *only = getenv("SHMCOLL_TEST_BACKENDS"); /* a thread checker sees nothing across processes */
    enum backend backend = only && strcmp(only, "threads") == 0 ? BACKEND_THREADS : c->backend;
    struct launch_options options = {.procs = c->procs, .backend = backend, .timeout_s = 60};
    struct launch_report report;
    int error = launcher_run(&options, body, (void *)c, NULL, NULL, &report);
    if (error)
        snprintf(reason, COMM_REASON_BYTES, "%s", report.reason);
    return error;
}

const char *bcast_case_format(const struct bcast_case *c, char *text, size_t text_bytes)
{
    char tree[32];
    snprintf(text, text_bytes, "p=%u root=%u tree=%s s=%u q=%u f=%u m=%llu %s calls=%u op=%u delay=%u%s%s%s%s%s", c->procs, c->root,
             tree_shape_format(c->tree, tree, sizeof tree), c->slots, c->sets, c->fragment_bytes, (unsigned long long)c->size_bytes,
             c->backend == BACKEND_THREADS ? "threads" : "procs", c->calls, c->op_start, c->delay_max_ns,
             c->short_protocol ? "" : " long", c->generic_executor ? " generic" : "", c->control_pages ? " pages" : "",
             c->packed ? " packed" : "", c->rotate_root ? " rotate" : "");
    return text;
}
