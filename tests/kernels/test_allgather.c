/* The allgather moves the right bytes: every special way of running it, one at a time. */
#include "forbid.h"
#include "gather_case.h"
#include "watched_launch.h"

#include "kernels/allgather_lanes.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

static void run_one(const struct gather_case *c)
{
    char reason[COMM_REASON_BYTES] = "", text[GATHER_CASE_TEXT_BYTES];
    int error = gather_case_run(c, reason);
    if (error)
        fail_msg("%s: error %d: %s", gather_case_format(c, text, sizeof text), error, reason);
}

static void run(struct gather_case c)
{
    for (int backend = backend_possible(BACKEND_PROCS); backend <= BACKEND_THREADS; backend++) {
        c.backend = backend;
        run_one(&c);
    }
}

static void moves_bytes(void **state)
{
    (void)state;
    struct gather_case c = gather_case_default();
    static const uint64_t blocks[] = {0, 1, 7, 8, 9, 56, 57, 120, 121, 4095, 4096, 4097, 65536, 1000003};
    static const uint32_t procs[] = {1, 2, 3, 5};
    for (size_t p = 0; p < sizeof procs / sizeof *procs; p++)
        for (size_t i = 0; i < sizeof blocks / sizeof *blocks; i++) {
            c.procs = procs[p];
            c.block_bytes = blocks[i];
            c.in_place = (uint32_t)(i + p) % GATHER_IN_PLACE_COUNT;
            run(c);
        }
}

/* The shortest queues there are: blocks are longer than all of it. */
static void short_queues(void **state)
{
    (void)state;
    struct gather_case c = gather_case_default();
    c.procs = 3;
    c.fragment_bytes = 100;
    c.op_start = UINT32_MAX - 50;
    for (c.slots = 1; c.slots <= 4; c.slots *= 2)
        for (c.sets = 1; c.sets <= c.slots; c.sets *= 2)
            run(c);
}

/* Queues that were made for another protocol: any number of slots and sets. */
static void lanes_of_all_protocols(void **state)
{
    (void)state;
    struct gather_case c = gather_case_default();
    c.procs = 3;
    c.broadcasts = GATHER_BROADCASTS_RANDOM;
    c.calls = GATHER_CALLS_MIXED;
    c.call_count = 20;
    for (const struct protocol *const *p = protocol_table; *p; p++) {
        struct bcast_call call = {.size_bytes = UINT64_MAX, .fragment_bytes = c.fragment_bytes, .slots = 6, .sets = 3,
                                  .procs = c.procs};
        if (*p == &protocol_eager)
            continue;
        c.protocol = *p;
        int any = (*p)->supports(&call) == 0;
        c.slots = any ? 6 : 8;
        c.sets = any ? 3 : 1;
        run(c);
        c.buffers = GATHER_BUFFERS_AREA;
        run(c);
        c.buffers = GATHER_BUFFERS_EITHER;
        run(c);
        c.buffers = GATHER_BUFFERS_PRIVATE;
    }
}

static void between_broadcasts(void **state)
{
    (void)state;
    struct gather_case c = gather_case_default();
    c.procs = 4;
    c.slots = 4;
    c.sets = 2;
    c.fragment_bytes = 1000;
    c.op_start = UINT32_MAX - 30;
    c.call_count = 40;
    c.broadcasts = GATHER_BROADCASTS_EVEN;
    run(c);
    c.calls = GATHER_CALLS_MIXED;
    c.broadcasts = GATHER_BROADCASTS_RANDOM;
    c.lanes = GATHER_LANES_MANY;
    for (c.seed = 0; c.seed < 3; c.seed++)
        run(c);
    c.delay_max_ns = 2000;
    run(c);
}

static void many_short_calls(void **state)
{
    (void)state;
    struct gather_case c = gather_case_default();
    c.procs = 3;
    c.block_bytes = 37;
    c.call_count = 500;
    c.op_start = UINT32_MAX - 100;
    run(c);
    c.delay_max_ns = 3000;
    c.call_count = 200;
    run(c);
}

static void delays_and_table(void **state)
{
    (void)state;
    struct gather_case c = gather_case_default();
    c.procs = 4;
    c.fragment_bytes = 1000;
    c.delay_max_ns = 2000;
    for (c.seed = 1; c.seed <= 4; c.seed++)
        run(c);
    c.delay_max_ns = 0;
    c.generic_executor = 1;
    run(c);
    c.block_bytes = 50;
    run(c);
}

static void crowded(void **state)
{
    (void)state;
    struct gather_case c = gather_case_default();
    c.procs = 8;
    c.block_bytes = 200000;
    c.call_count = 3;
    run(c);
    c.block_bytes = 8;
    c.call_count = 200;
    run(c);
    c.pinned = 1;
    c.procs = 4;
    c.block_bytes = 30000;
    c.call_count = 20;
    run(c);
}

static void copy_routines(void **state)
{
    (void)state;
    struct gather_case c = gather_case_default();
    c.block_bytes = 300001;
    for (c.copy_out = 0; c.copy_out < COPY_ROUTINE_COUNT; c.copy_out++)
        run(c);
}

/* ---- where nobody may read others' memory ---- */

static int begin_without_cma(struct launch_rank *self, void *context)
{
    const long calls[] = {SYS_process_vm_readv, SYS_process_vm_writev};
    (void)self;
    (void)context;
    forbid_calls(calls, 2);
    return 0;
}

static void without_reading_peers(void **state)
{
    (void)state;
    struct gather_case c = gather_case_default();
    c.protocol = &protocol_single_copy;
    c.procs = 3;
    c.calls = GATHER_CALLS_MIXED;
    c.broadcasts = GATHER_BROADCASTS_RANDOM;
    c.call_count = 20;
    c.begin = begin_without_cma; /* a host that lets nobody filter reads through the kernel: right as well */
    for (c.buffers = 0; c.buffers < GATHER_BUFFERS_COUNT; c.buffers++)
        run_one(&c);
}

/* ---- which way they go ---- */

static int ways_body(struct launch_rank *self, void *argument)
{
    const int in_area = *(int *)argument;
    struct comm_lane lane = {.protocol = &protocol_pipelined, .fragment_bytes = 4096, .slots = 5, .sets = 1,
                             .tree = {TREE_FLAT, 0}, .size_max_bytes = 10000};
    struct comm_config config = comm_config_of(self->procs, self->rank, &lane);
    struct comm *comm;
    config.lane[1] = lane;
    config.lane[1].protocol = &protocol_cooperative;
    config.lane[1].size_max_bytes = 1 << 20;
    config.lanes = 2;
    config.area_bytes = in_area ? 1 << 20 : 0;
    int error = comm_create(&config, &self->bootstrap, &comm, self->message);
    if (error)
        return error;
    const struct protocol *large = in_area ? &protocol_shared_blocks : &protocol_direct;
    int ok = companion_of(comm, 120) == &protocol_direct_line && companion_of(comm, 121) == &protocol_direct &&
             companion_of(comm, 10001) == large && companion_of(comm, (1 << 20) + 1) == NULL;
    comm_destroy(comm);
    return ok ? 0 : -EBADMSG;
}

static void goes_by_a_queue_unless_buffers_are_shared(void **state)
{
    (void)state;
    struct launch_options options = {.procs = 2, .timeout_s = HANGS_S, .backend = BACKEND_THREADS};
    struct launch_report report;
    for (int in_area = 0; in_area < 2; in_area++)
        assert_int_equal(launcher_run(&options, ways_body, &in_area, NULL, NULL, &report), 0);
}

/* ---- what is refused ---- */

static int refusing_body(struct launch_rank *self, void *argument)
{
    struct comm_lane lane = {.protocol = &protocol_pipelined, .fragment_bytes = 4096, .slots = 4, .sets = 1,
                             .tree = {TREE_FLAT, 0}, .size_max_bytes = 100000};
    struct comm_config config = comm_config_of(self->procs, self->rank, &lane);
    struct comm *comm;
    char send[200] = {1}, receive[400];
    config.control_pages = *(int *)argument;
    int error = comm_create(&config, &self->bootstrap, &comm, self->message), paper = config.control_pages;
    if (error)
        return error;
    int ok = comm_allgather(comm, send, NULL, 8) == -EINVAL && comm_allgather(comm, send, receive, 100001) == -EINVAL &&
             comm_allgather(comm, send, receive, UINT64_MAX) == -EINVAL && comm_allgather(comm, NULL, NULL, 0) == 0 &&
             comm_allgather(comm, send, receive, 200) == (paper ? -EINVAL : 0) && comm_allgather(comm, send, receive, 50) == 0;
    lane.protocol = &protocol_direct;
    config = comm_config_of(self->procs, self->rank, &lane);
    struct comm *none;
    ok = ok && comm_create(&config, &self->bootstrap, &none, self->message) == -EINVAL;
    comm_destroy(comm);
    return ok ? 0 : -EBADMSG;
}

static void refuses(void **state)
{
    (void)state;
    struct launch_options options = {.procs = 2, .timeout_s = HANGS_S, .backend = BACKEND_THREADS};
    struct launch_report report;
    for (int paper = 0; paper < 2; paper++)
        assert_int_equal(launcher_run(&options, refusing_body, &paper, NULL, NULL, &report), 0);
}

int main(void)
{
    setvbuf(stdout, NULL, _IOLBF, BUFSIZ);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(moves_bytes), cmocka_unit_test(short_queues), cmocka_unit_test(lanes_of_all_protocols),
        cmocka_unit_test(between_broadcasts), cmocka_unit_test(many_short_calls), cmocka_unit_test(delays_and_table),
        cmocka_unit_test(crowded), cmocka_unit_test(copy_routines), cmocka_unit_test(without_reading_peers),
        cmocka_unit_test(goes_by_a_queue_unless_buffers_are_shared), cmocka_unit_test(refuses),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
