/* Allgathers by schedule: every algorithm moves the right bytes over every channel; what is refused; who disagrees. */
#include "channel_case.h"
#include "scheduled_case.h"
#include "watched_launch.h"

#include "kernels/clock.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static uint64_t seed, seed_first;

/* Threads only, where the environment says so. */
static uint32_t backends(void)
{
    return backend_runs(BACKEND_PROCS) ? 2 : 1;
}

static uint32_t run(struct scheduled_case c)
{
    char reason[COMM_REASON_BYTES] = "", text[SCHEDULED_TEXT_BYTES];
    uint32_t calls;
    if (!backend_runs(c.backend))
        return 0;
    c.repeats = c.repeats ? c.repeats : 1;
    c.seed = seed++;
    int error = scheduled_case_run(&c, &calls, reason);
    if (error)
        fail_msg("%s: error %d: %s", scheduled_case_format(&c, text, sizeof text), error, reason);
    return calls;
}

static uint32_t run_both(struct scheduled_case c)
{
    c.backend = BACKEND_PROCS;
    uint32_t calls = run(c);
    c.backend = BACKEND_THREADS;
    return calls + run(c);
}

static uint32_t valid_algorithms(uint32_t procs)
{
    uint32_t n = 0;
    for (const struct schedule_algorithm *const *a = schedule_table; *a; a++)
        n += (*a)->kind == SCHEDULE_ALLGATHER && schedule_valid(*a, procs);
    return n;
}

/* Everything with everything is for the stress tests; else some combinations of many ranks are left out, others each number. */
static int everything(void)
{
    return getenv("SHMCOLL_TEST_FULL") != NULL;
}

static int left_out(uint32_t procs, uint32_t i, uint32_t channel)
{
    return procs > (tests_brief() ? 1 : 5) && (i + channel + seed_first) % 3 && !everything();
}

/* Of what is repeated so often otherwise. */
static uint32_t repeats(uint32_t otherwise)
{
    return everything() ? 3 * otherwise : tests_brief() ? (otherwise + 2) / 3 : otherwise;
}

/* All ways of being in place, or one. */
static uint32_t turns(void)
{
    return everything() ? 3 : 1;
}

static const uint32_t procs[] = {1, 2, 3, 4, 5, 6, 7, 8, 12, 16};
enum { PROCS_COUNT = sizeof procs / sizeof *procs };

static void every_algorithm_over_every_channel(void **state)
{
    static const uint64_t blocks[] = {0, 1, 8, 37, 41, 224, 225, 4095, 16385, 65537};
    uint32_t calls = 0, expected = 0;
    (void)state;
    for (const struct channel *const *channel = channel_table; *channel; channel++)
        for (uint32_t i = 0; i < PROCS_COUNT; i++) {
            if (left_out(procs[i], i, (uint32_t)(channel - channel_table)))
                continue;
            struct scheduled_case c = {.channel = {*channel}, .procs = procs[i], .blocks = 10, .repeats = turns()};
            memcpy(c.block_bytes, blocks, sizeof blocks);
            c.blocks -= backends() == 1 && procs[i] > 8; /* a thread checker takes its time */
            calls += run_both(c);
            expected += backends() * valid_algorithms(procs[i]) * c.blocks * c.repeats;
        }
    assert_int_equal(calls, expected);
    print_message("%u allgathers\n", calls);
}

/* Not all together where that is 256 MiB in all. */
static int long_left_out(uint32_t i, uint32_t k, uint32_t channels)
{
    if (everything() || procs[i] <= 4)
        return left_out(2 * procs[i], i, k);
    return (i + k / 2 + k % 2) % channels != 0 || (tests_brief() && left_out(procs[i], i, k));
}

/* Each algorithm, channel, way of being a rank and number of ranks. */
static void long_blocks(void **state)
{
    uint32_t channels = 0;
    (void)state;
    while (channel_table[channels])
        channels++;
    for (uint32_t i = 0; i < PROCS_COUNT; i++)
        for (uint32_t k = 0; k < 2 * channels; k++) {
            struct scheduled_case c = {.channel = {channel_table[k / 2]}, .procs = procs[i], .blocks = 1, .repeats = turns()};
            c.block_bytes[0] = backends() == 2 ? 1 << 20 : 100000; /* a thread checker takes its time */
            c.backend = k % 2 ? BACKEND_THREADS : BACKEND_PROCS;
            if (!long_left_out(i, k, channels))
                run(c);
        }
}

/* More pieces than go at one time: a random numbering cuts up every step, sparbit all but its first. */
static void many_pieces(void **state)
{
    (void)state;
    for (const struct channel *const *channel = channel_table; *channel; channel++) {
        if (tests_brief() && left_out(40, 0, (uint32_t)(channel - channel_table)))
            continue;
        struct scheduled_case c = {.channel = {*channel}, .procs = 40, .blocks = 2, .block_bytes = {8, 3000}};
        c.backend = BACKEND_THREADS;
        run(c);
        c.procs = 32;
        c.backend = BACKEND_PROCS;
        run(c);
    }
}

/* The least room there is, and counters about to wrap around; ranks run ahead of each other through many short calls. */
static void little_room(void **state)
{
    (void)state;
    for (const struct channel *const *channel = channel_table; *channel; channel++) {
        struct scheduled_case c = {.channel = {*channel}, .procs = 5, .blocks = 3, .block_bytes = {8, 700, 30000}};
        c.repeats = repeats(6);
        c.ring_bytes = 4096;
        c.fragment_bytes = 1024;
        c.kept_bytes = 4096;
        c.op_start = 0u - 100;
        run_both(c);
        c.procs = 4;
        c.op_start = (1u << 31) - 100;
        run_both(c);
    }
}

static void amid_other_messages_over_changing_channels(void **state)
{
    (void)state;
    struct scheduled_case c = {.procs = 4, .blocks = 4, .block_bytes = {8, 300, 5000, 70000}, .repeats = repeats(10),
                               .chatter = 1};
    for (uint32_t i = 0; channel_table[i]; i++)
        c.channel[i] = channel_table[i];
    run_both(c);
    c.procs = 6;
    run_both(c);
}

/* ---- what is refused ---- */

#define EXPECT(condition) do { if (!(condition)) { snprintf(self->message, COMM_REASON_BYTES, "rank %u line %d: %s", self->rank, \
    __LINE__, #condition); return -EBADMSG; } } while (0)

static int refuse(struct launch_rank *self, struct endpoint *e)
{
    char memory[64] = {0}, *none = NULL;
    struct schedule right, fewer, scatter;
    schedule_init(&right, &schedule_ring, 2, 0);
    schedule_init(&fewer, &schedule_ring, 1, 0);
    schedule_init(&scatter, &schedule_binomial_scatter, 2, 0);
    EXPECT(allgather_schedule_run(e, memory, none, 8, &right, NULL) == -EINVAL);
    EXPECT(allgather_schedule_run(e, NULL, memory, UINT64_MAX, &right, NULL) == -EINVAL);
    EXPECT(allgather_schedule_run(e, NULL, memory, 8, &fewer, NULL) == -EINVAL);
    EXPECT(allgather_schedule_run(e, NULL, memory, 8, &scatter, NULL) == -EINVAL);
    EXPECT(allgather_schedule_run(e, NULL, none, 0, &right, NULL) == 0);
    EXPECT(allgather_schedule_run(e, NULL, memory, 32, &right, NULL) == 0); /* as if nothing had been */
    return 0;
}

/* Rank 1 has another idea of the block: an error on all ranks, of whom one gets too little and one too much, and no hang. */
static int disagree(struct launch_rank *self, struct endpoint *e)
{
    static char memory[3][100000 * 3]; /* of threads too */
    uint64_t block_bytes = self->procs == 2 ? 100 : 99999;
    struct schedule schedule;
    schedule_init(&schedule, &schedule_ring, self->procs, 0);
    int error = allgather_schedule_run(e, NULL, memory[self->rank], block_bytes + (self->rank == 1), &schedule, NULL);
    EXPECT(error == -EPROTO);
    EXPECT(strstr(endpoint_error_string(e), "channels: rank") != NULL);
    EXPECT(allgather_schedule_run(e, NULL, memory[self->rank], 8, &schedule, NULL) == -EPROTO);
    return 0;
}

struct duo {
    int (*run)(struct launch_rank *self, struct endpoint *e);
    const struct channel *channel;
};

static int duo_body(struct launch_rank *self, void *argument)
{
    const struct duo *d = argument;
    struct endpoint_config config = endpoint_config_default(self->procs, self->rank, d->channel);
    struct endpoint *e;
    config.dead_rank = launcher_dead_rank;
    config.dead_rank_context = self;
    int error = endpoint_create(&config, &self->bootstrap, &e, self->message);
    if (error)
        return error;
    error = d->run(self, e);
    if (!error)
        error = launcher_barrier(self);
    endpoint_destroy(e);
    return error;
}

static void each_channel(int (*run_duo)(struct launch_rank *, struct endpoint *), uint32_t ranks)
{
    for (const struct channel *const *channel = channel_table; *channel; channel++) {
        struct launch_options options = {.procs = ranks, .backend = backend_possible(BACKEND_PROCS), .timeout_s = HANGS_S};
        struct duo d = {run_duo, *channel};
        struct launch_report report;
        int error = launcher_run(&options, duo_body, &d, NULL, NULL, &report);
        if (error)
            fail_msg("%s: error %d: %s", channel_name(*channel), error, report.reason);
    }
}

static void what_makes_no_sense_is_refused(void **state)
{
    (void)state;
    each_channel(refuse, 2);
}

static void who_disagrees_is_told(void **state)
{
    (void)state;
    each_channel(disagree, 2);
    each_channel(disagree, 3);
}

int main(void)
{
    const char *given = getenv("SHMCOLL_TEST_SEED");
    seed = given ? strtoull(given, NULL, 0) : clock_monotonic_ns() % 1000000;
    seed_first = seed;
    setvbuf(stdout, NULL, _IOLBF, BUFSIZ); /* ranks are forked, and a crash shall not swallow the seed */
    printf("seed %llu\n", (unsigned long long)seed);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_algorithm_over_every_channel),
        cmocka_unit_test(long_blocks),
        cmocka_unit_test(many_pieces),
        cmocka_unit_test(little_room),
        cmocka_unit_test(amid_other_messages_over_changing_channels),
        cmocka_unit_test(what_makes_no_sense_is_refused),
        cmocka_unit_test(who_disagrees_is_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
