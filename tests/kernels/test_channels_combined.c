/* combined: a receiver's rings are with its busiest senders, whoever that is; its memory is what was allowed. */
#include "channel_case.h"
#include "watched_launch.h"

#include "kernels/channels/endpoint_internal.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
#include <errno.h>
#include <stdio.h>
#include <unistd.h>

#define EXPECT(condition) do { if (!(condition)) { snprintf(self->message, COMM_REASON_BYTES, "rank %u line %d: %s; %.80s", \
    self->rank, __LINE__, #condition, endpoint_error_string(e)); return -EBADMSG; } } while (0)

static int stream(struct launch_rank *self, struct endpoint *e, uint32_t from, uint32_t count)
{
    struct transfer t, echo;
    uint32_t value = 0;
    for (uint32_t i = 0; i < count && self->rank == from; i++) { /* each is answered, so that there is time to move a ring */
        EXPECT(endpoint_send(e, 0, 1, &i, sizeof i, &t) == 0 && endpoint_receive(e, 0, 2, &value, sizeof value, &echo) == 0);
        EXPECT(endpoint_wait(e, &t) == 0 && endpoint_wait(e, &echo) == 0 && value == i);
    }
    for (uint32_t i = 0; i < count && self->rank == 0; i++) {
        EXPECT(endpoint_receive(e, from, 1, &value, sizeof value, &t) == 0 && endpoint_wait(e, &t) == 0 && value == i);
        EXPECT(endpoint_send(e, from, 2, &value, sizeof value, &echo) == 0 && endpoint_wait(e, &echo) == 0);
    }
    return 0;
}

/* No rank is left behind: who has to give back its ring can only do so when it moves on. */
static int everyone_answers(struct launch_rank *self, struct endpoint *e)
{
    struct transfer t;
    for (uint32_t r = 1; r < 4 && self->rank == 0; r++) {
        EXPECT(endpoint_send(e, r, 9, NULL, 0, &t) == 0 && endpoint_wait(e, &t) == 0);
        EXPECT(endpoint_receive(e, r, 9, NULL, 0, &t) == 0 && endpoint_wait(e, &t) == 0);
    }
    if (self->rank == 0)
        return 0;
    EXPECT(endpoint_receive(e, 0, 9, NULL, 0, &t) == 0 && endpoint_wait(e, &t) == 0);
    EXPECT(endpoint_send(e, 0, 9, NULL, 0, &t) == 0 && endpoint_wait(e, &t) == 0);
    return 0;
}

/* Two ranks are busy by turns, a third hardly; with one ring it follows them. */
static int rings_follow(struct launch_rank *self, struct endpoint *e)
{
    int error = 0;
    for (uint32_t turn = 0; turn < 4 && !error; turn++) {
        uint32_t busy = 1 + turn % 2;
        error = stream(self, e, 3, 2);
        for (uint32_t k = 0; k < 400 && !error; k++) {
            error = stream(self, e, busy, 4);
            if (!error)
                error = everyone_answers(self, e);
        }
        if (error || self->rank)
            continue;
        EXPECT(e->peer[busy].in_ring && e->rings.count == 1);
        EXPECT(!e->peer[3 - busy].in_ring && !e->peer[3].in_ring);
    }
    return error;
}

/* Rings go first to whom they are expected to be needed by. */
static int rings_as_expected(struct launch_rank *self, struct endpoint *e)
{
    if (self->rank == 3)
        EXPECT(endpoint_expect(e, 0, 1000) == 0 && endpoint_expect(e, 4, 1) == -EINVAL);
    int error = stream(self, e, 3, 3);
    if (!error && self->rank == 0)
        EXPECT(e->peer[3].in_ring);
    if (!error)
        error = stream(self, e, 1, 50);
    if (!error && self->rank == 0)
        EXPECT(e->peer[3].in_ring && !e->peer[1].in_ring);
    return error;
}

typedef int four_ranks(struct launch_rank *self, struct endpoint *e);

static int body(struct launch_rank *self, void *argument)
{
    struct endpoint_config config = endpoint_config_default(self->procs, self->rank, channel_find("combined"));
    struct endpoint *e;
    config.rings_most = 1;
    config.op_start = 0u - 300;
    config.dead_rank = launcher_dead_rank;
    config.dead_rank_context = self;
    int error = endpoint_create(&config, &self->bootstrap, &e, self->message);
    if (error)
        return error;
    error = (*(four_ranks **)argument)(self, e);
    if (!error)
        error = launcher_barrier(self); /* nobody leaves while others still answer it */
    endpoint_destroy(e);
    return error;
}

static void run_four(four_ranks *run)
{
    for (int threads = 0; threads < 2; threads++) {
        struct launch_options options = {
            .procs = 4, .backend = backend_possible(threads ? BACKEND_THREADS : BACKEND_PROCS), .timeout_s = HANGS_S};
        struct launch_report report;
        int error = launcher_run(&options, body, &run, NULL, NULL, &report);
        if (error)
            fail_msg("error %d: %s", error, report.reason);
    }
}

static void the_ring_follows_the_busiest(void **state)
{
    (void)state;
    run_four(rings_follow);
}

static void expected_neighbours_have_it_first(void **state)
{
    (void)state;
    run_four(rings_as_expected);
}

/* Rank 0 has pages for a ring once somebody is busy with it. */
static int ring_has_pages_when_used(struct launch_rank *self, struct endpoint *e)
{
    struct endpoint_memory before = endpoint_memory(e);
    struct comm_audit first = {0}, then = {0};
    int can_tell = endpoint_audit(e, &first) == 0, error;
    EXPECT(before.used_bytes <= before.segment_bytes && first.pages_misplaced <= first.pages);
    if ((error = stream(self, e, 1, 3)) != 0) /* too few */
        return error;
    EXPECT(endpoint_memory(e).used_bytes == before.used_bytes);
    if ((error = stream(self, e, 1, 50)) != 0 || self->rank != 0)
        return error;
    EXPECT(e->peer[1].in_ring && endpoint_memory(e).used_bytes == before.segment_bytes);
    EXPECT(!can_tell || endpoint_audit(e, &then) == 0);
    if (can_tell && before.used_bytes < before.segment_bytes)
        EXPECT(then.pages == first.pages + e->config.ring_bytes / (uint64_t)sysconf(_SC_PAGESIZE));
    EXPECT(!can_tell || first.pages_misplaced == then.pages_misplaced);
    return 0;
}

static void rings_get_memory_when_used(void **state)
{
    (void)state;
    run_four(ring_has_pages_when_used);
}

/* What 64 ranks would take: the layout alone decides it. */
struct measured {
    uint64_t bytes, unused_bytes; /* unused: as long as no ring has been */
};

static int measure_body(struct launch_rank *self, void *argument)
{
    struct endpoint_config config = endpoint_config_default(self->procs, self->rank, argument);
    struct endpoint *e;
    int error = endpoint_create(&config, &self->bootstrap, &e, self->message);
    if (error)
        return error;
    *(struct measured *)self->result = (struct measured){endpoint_memory(e).segment_bytes, endpoint_memory(e).used_bytes};
    endpoint_destroy(e);
    return 0;
}

static struct measured memory_of(const char *channel)
{
    struct launch_options options = {
        .procs = 64, .backend = BACKEND_THREADS, .timeout_s = HANGS_S, .result_bytes = sizeof(struct measured)};
    struct launch_report report;
    struct measured measured[64];
    assert_int_equal(launcher_run(&options, measure_body, (void *)channel_find(channel), measured, NULL, &report), 0);
    return measured[0];
}

static void memory_is_a_quarter_of_what_rings_for_all_take(void **state)
{
    (void)state;
    struct measured all = memory_of("er"), some = memory_of("combined");
    print_message("64 ranks, each: er %llu KiB, combined %llu KiB, before a ring is used %llu KiB\n",
                  (unsigned long long)all.bytes / 1024, (unsigned long long)some.bytes / 1024,
                  (unsigned long long)some.unused_bytes / 1024);
    assert_true(4 * some.bytes <= all.bytes);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_ring_follows_the_busiest),
        cmocka_unit_test(expected_neighbours_have_it_first),
        cmocka_unit_test(rings_get_memory_when_used),
        cmocka_unit_test(memory_is_a_quarter_of_what_rings_for_all_take),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
