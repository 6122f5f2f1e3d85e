/* Channels: what their users may rely on, and what they may do wrong. Random traffic is in test_channels_traffic.c. */
#include "channel_case.h"
#include "forbid.h"
#include "watched_launch.h"

#include "kernels/channels/endpoint_internal.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* ---- bodies for two ranks ---- */

enum { DUO_BYTES = 3000000 };

struct duo {
    int (*run)(struct launch_rank *self, struct endpoint *e, unsigned char *out, unsigned char *in);
    struct endpoint_config config;
};

static int duo_body(struct launch_rank *self, void *argument)
{
    const struct duo *d = argument;
    struct endpoint_config config = d->config;
    struct endpoint *e;
    config.procs = self->procs;
    config.rank = self->rank;
    config.dead_rank = launcher_dead_rank;
    config.dead_rank_context = self;
    int error = endpoint_create(&config, &self->bootstrap, &e, self->message);
    if (error)
        return error;
    unsigned char *memory = calloc(2, DUO_BYTES);
    error = memory ? d->run(self, e, memory, memory + DUO_BYTES) : -ENOMEM;
    free(memory);
    if (error && !self->message[0])
        snprintf(self->message, COMM_REASON_BYTES, "rank %u: %s", self->rank, endpoint_error_string(e));
    endpoint_destroy(e);
    return error;
}

static int duo_run(const struct duo *d, uint32_t procs, char *reason)
{
    struct launch_options options = {.procs = procs, .backend = backend_possible(BACKEND_PROCS), .timeout_s = HANGS_S};
    struct launch_report report;
    int error = launcher_run(&options, duo_body, (void *)d, NULL, NULL, &report);
    snprintf(reason, COMM_REASON_BYTES, "%s", report.reason);
    return error;
}

static void duo_each(int (*run)(struct launch_rank *, struct endpoint *, unsigned char *, unsigned char *), uint32_t procs)
{
    char reason[COMM_REASON_BYTES];
    for (const struct channel *const *channel = channel_table; *channel; channel++) {
        struct duo d = {.run = run, .config = endpoint_config_default(procs, 0, *channel)};
        int error = duo_run(&d, procs, reason);
        if (error)
            fail_msg("%s: error %d: %s", channel_name(*channel), error, reason);
    }
}

#define EXPECT(condition) do { if (!(condition)) { snprintf(self->message, COMM_REASON_BYTES, "rank %u line %d: %s", self->rank, \
    __LINE__, #condition); return -EBADMSG; } } while (0)

/* Both send before either receives; then the longer one, posted by both before either waits. */
static int both_send_first(struct launch_rank *self, struct endpoint *e, unsigned char *out, unsigned char *in)
{
    static const uint32_t sizes[] = {0, 1, 8, 100, 4000, 16384};
    uint32_t other = 1 - self->rank;
    struct transfer s, r;
    for (uint32_t i = 0; i < 6; i++) {
        memset(out, (int)(self->rank + 2 * i), sizes[i]);
        EXPECT(endpoint_send(e, other, i, out, sizes[i], &s) == 0 && endpoint_wait(e, &s) == 0);
        EXPECT(endpoint_receive(e, other, i, in, DUO_BYTES, &r) == 0 && endpoint_wait(e, &r) == 0);
        EXPECT(r.bytes == sizes[i]);
        for (uint32_t k = 0; k < sizes[i]; k++)
            EXPECT(in[k] == other + 2 * i);
    }
    memset(out, (int)self->rank + 77, DUO_BYTES);
    EXPECT(endpoint_send(e, other, 9, out, DUO_BYTES, &s) == 0 && endpoint_receive(e, other, 9, in, DUO_BYTES, &r) == 0);
    EXPECT(endpoint_wait(e, &s) == 0 && endpoint_wait(e, &r) == 0);
    EXPECT(in[0] == other + 77 && memcmp(in, in + 1, DUO_BYTES - 1) == 0);
    return 0;
}

static void two_that_send_first_do_not_wait_for_ever(void **state)
{
    (void)state;
    duo_each(both_send_first, 2);
}

/* A message too long is told to the receiver alone; the next one of the same tag arrives. */
static int too_long(struct launch_rank *self, struct endpoint *e, unsigned char *out, unsigned char *in)
{
    static const uint32_t sizes[] = {5, 5000, 50000, 500000};
    struct transfer t;
    for (uint32_t i = 0; i < 8; i++) {
        uint32_t n = sizes[i % 4];
        if (self->rank == 0) {
            EXPECT(endpoint_send(e, 1, 3, out, n, &t) == 0 && endpoint_wait(e, &t) == 0);
            EXPECT(endpoint_send(e, 1, 3, "next", 4, &t) == 0 && endpoint_wait(e, &t) == 0);
            continue;
        }
        if (i >= 4)
            usleep(3000); /* it has come before it is asked for */
        EXPECT(endpoint_receive(e, 0, 3, in, n - 1, &t) == 0 && endpoint_wait(e, &t) == -EMSGSIZE && t.bytes == n);
        EXPECT(endpoint_receive(e, 0, 3, in, n, &t) == 0 && endpoint_wait(e, &t) == 0 && t.bytes == 4 &&
               memcmp(in, "next", 4) == 0);
    }
    return 0;
}

static void a_message_too_long_is_an_error_of_its_receive_only(void **state)
{
    (void)state;
    duo_each(too_long, 2);
}

/* Tags are asked for in the reverse order, more messages than the budget holds at once. */
static int reverse_tags(struct launch_rank *self, struct endpoint *e, unsigned char *out, unsigned char *in)
{
    enum { COUNT = 200, BYTES = 3000 };
    struct transfer r, t[COUNT];
    struct peer *p = &e->peer[1 - self->rank];
    uint32_t spent;
    for (uint32_t i = 0; i < COUNT && self->rank == 0; i++) {
        memset(out + i * BYTES, (int)i, BYTES);
        EXPECT(endpoint_send(e, 1, i, out + i * BYTES, BYTES, &t[i]) == 0);
    }
    if (self->rank == 0) {
        EXPECT(endpoint_wait_all(e, t, COUNT) == 0);
        spent = p->spent_units;
        EXPECT(endpoint_send(e, 1, COUNT, &spent, sizeof spent, t) == 0 && endpoint_wait(e, t) == 0);
        return 0;
    }
    for (uint32_t i = COUNT; i-- > 0;) {
        EXPECT(endpoint_receive(e, 0, i, in, BYTES, &r) == 0 && endpoint_wait(e, &r) == 0);
        EXPECT(in[0] == (unsigned char)i && memcmp(in, in + 1, BYTES - 1) == 0);
    }
    EXPECT(endpoint_receive(e, 0, COUNT, &spent, sizeof spent, &r) == 0 && endpoint_wait(e, &r) == 0);
    /* What the sender has spent of its budget it may spend again: the last message too, which was sent or announced. */
    EXPECT(p->free_units == spent + kept_units(sizeof spent) || p->free_units == spent + kept_units(0));
    struct endpoint_memory m = endpoint_memory(e);
    EXPECT(m.kept_messages == 0 && m.kept_bytes == 0 && m.kept_most_bytes > 0 && m.kept_most_bytes < 300000);
    return 0;
}

static void messages_are_kept_until_asked_for_within_bounds(void **state)
{
    (void)state;
    duo_each(reverse_tags, 2);
}

static int to_oneself(struct launch_rank *self, struct endpoint *e, unsigned char *out, unsigned char *in)
{
    struct transfer s, r;
    for (uint32_t n = 0; n < DUO_BYTES; n = 3 * n + 5) {
        memset(out, (int)n + 1, n);
        EXPECT(endpoint_send(e, self->rank, n, out, n, &s) == 0 && endpoint_receive(e, self->rank, n, in, n, &r) == 0);
        EXPECT(endpoint_wait(e, &r) == 0 && endpoint_wait(e, &s) == 0 && memcmp(in, out, n) == 0);
    }
    EXPECT(endpoint_send(e, self->procs, 0, out, 1, &s) == -EINVAL && endpoint_receive(e, 99, 0, in, 1, &r) == -EINVAL);
    return 0;
}

static void a_rank_may_send_to_itself_and_not_to_nobody(void **state)
{
    (void)state;
    duo_each(to_oneself, 1);
    duo_each(to_oneself, 2);
}

/* The first one leaves; what it had sent arrives, what it had not is an error. */
static int leave_early(struct launch_rank *self, struct endpoint *e, unsigned char *out, unsigned char *in)
{
    struct transfer t;
    (void)out;
    if (self->rank == 0)
        return endpoint_send(e, 1, 1, "goodbye", 8, &t);
    usleep(20000);
    EXPECT(endpoint_receive(e, 0, 1, in, 8, &t) == 0 && endpoint_wait(e, &t) == 0 && memcmp(in, "goodbye", 8) == 0);
    EXPECT(endpoint_receive(e, 0, 1, in, 8, &t) == 0 && endpoint_wait(e, &t) == -EPIPE && endpoint_error_rank(e) == 0);
    EXPECT(endpoint_progress(e) == -EPIPE && endpoint_send(e, 0, 1, in, 8, &t) == -EPIPE);
    return 0;
}

static void waiting_for_one_who_left_is_an_error(void **state)
{
    (void)state;
    duo_each(leave_early, 2);
}

/* Payload that looks like the heads of the ring's next laps, which a message then begins just behind. */
static int false_heads(struct launch_rank *self, struct endpoint *e, unsigned char *out, unsigned char *in)
{
    enum { LINE_WORDS = 16 };
    uint32_t *word = (uint32_t *)(void *)out;
    struct peer *p = &e->peer[1 - self->rank];
    struct transfer t;
    for (uint32_t i = 0; i < 4000; i++) {
        uint32_t lines = 9 + i % 4, units = lines + 1;
        if (self->rank == 1) {
            EXPECT(endpoint_receive(e, 0, 0, in, lines * 64, &t) == 0 && endpoint_wait(e, &t) == 0 &&
                   ((uint32_t *)(void *)in)[1] == i);
            continue;
        }
        for (uint32_t k = 0; k < lines; k++) { /* positions as the arithmetic has them: head first, payload on lines of its own */
            memset(word + k * LINE_WORDS, (int)k, 64);
            word[k * LINE_WORDS] = er_stamp(p->out.at + 1 + k + p->out.units);
        }
        word[1] = i;
        EXPECT(endpoint_send(e, 1, 0, out, lines * 64, &t) == 0 && endpoint_wait(e, &t) == 0);
        EXPECT(units <= p->out.units);
    }
    return 0;
}

static void payload_is_never_taken_for_a_head(void **state)
{
    char reason[COMM_REASON_BYTES];
    struct duo d = {.run = false_heads, .config = endpoint_config_default(2, 0, channel_find("er"))};
    (void)state;
    d.config.ring_bytes = 4096;
    d.config.fragment_bytes = 1024;
    d.config.op_start = 0u - 1000;
    int error = duo_run(&d, 2, reason);
    if (error)
        fail_msg("error %d: %s", error, reason);
}

/* Rank 1 may not read others' memory: what is offered to it comes another way, what it offers is read. */
static int one_may_not_read(struct launch_rank *self, struct endpoint *e, unsigned char *out, unsigned char *in)
{
    static const long calls[] = {SYS_process_vm_readv};
    uint32_t other = 1 - self->rank;
    struct transfer s, r;
    if (self->rank == 1 && forbid_calls(calls, 1))
        return -ENOTSUP;
    for (uint32_t i = 0; i < 4; i++) {
        memset(out, (int)(10 * i + self->rank), DUO_BYTES);
        EXPECT(endpoint_send(e, other, i, out, DUO_BYTES, &s) == 0 && endpoint_receive(e, other, i, in, DUO_BYTES, &r) == 0);
        EXPECT(endpoint_wait(e, &s) == 0 && endpoint_wait(e, &r) == 0);
        EXPECT(in[0] == 10 * i + other && memcmp(in, in + 1, DUO_BYTES - 1) == 0);
    }
    EXPECT(e->peer[other].forbidden == (self->rank == 1));
    return 0;
}

static void where_reading_is_forbidden_messages_are_sent(void **state)
{
    char reason[COMM_REASON_BYTES];
    struct duo d = {.run = one_may_not_read, .config = endpoint_config_default(2, 0, channel_find("zc"))};
    (void)state;
    if (!backend_runs(BACKEND_PROCS))
        skip();
    int error = duo_run(&d, 2, reason);
    if (error == -ENOTSUP)
        skip();
    if (error)
        fail_msg("error %d: %s", error, reason);
}

/* What is offered and is no memory is an error of that message at both ends, and of nothing else. */
static int unmapped_later(struct launch_rank *self, struct endpoint *e, unsigned char *out, unsigned char *in)
{
    enum { BYTES = 1 << 20 };
    uint32_t other = 1 - self->rank;
    struct transfer t;
    char *pages = mmap(NULL, BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    EXPECT(pages != MAP_FAILED);
    if (self->rank == 0) {
        struct transfer gone;
        EXPECT(endpoint_send(e, 1, 5, pages, BYTES, &t) == 0 && munmap(pages, BYTES) == 0);
        EXPECT(endpoint_send(e, 1, 7, out, 1, &gone) == 0 && endpoint_wait(e, &gone) == 0);
        EXPECT(endpoint_wait(e, &t) == -EFAULT);
    } else {
        EXPECT(endpoint_receive(e, 0, 7, in, 1, &t) == 0 && endpoint_wait(e, &t) == 0); /* it is unmapped */
        EXPECT(endpoint_receive(e, 0, 5, in, BYTES, &t) == 0 && endpoint_wait(e, &t) == -EFAULT);
    }
    EXPECT(endpoint_send(e, other, 6, out, 100, &t) == 0 && endpoint_wait(e, &t) == 0);
    EXPECT(endpoint_receive(e, other, 6, in, 100, &t) == 0 && endpoint_wait(e, &t) == 0);
    return 0;
}

static void a_buffer_unmapped_too_early_is_an_error_of_its_message_only(void **state)
{
    char reason[COMM_REASON_BYTES];
    struct duo d = {.run = unmapped_later, .config = endpoint_config_default(2, 0, channel_find("zc"))};
    (void)state;
    if (!backend_runs(BACKEND_PROCS))
        skip(); /* there a plain copy reads it */
    int error = duo_run(&d, 2, reason);
    if (error)
        fail_msg("error %d: %s", error, reason);
}

static int differing_body(struct launch_rank *self, void *argument)
{
    struct endpoint_config config = endpoint_config_default(self->procs, self->rank, argument);
    struct endpoint *e;
    config.eager_bytes = 100 + self->rank;
    int error = endpoint_create(&config, &self->bootstrap, &e, self->message);
    return error == -EINVAL && strstr(self->message, "differs") ? 0 : -EBADMSG;
}

static void configurations_that_differ_are_refused(void **state)
{
    struct launch_options options = {.procs = 3, .backend = backend_possible(BACKEND_PROCS), .timeout_s = HANGS_S};
    struct launch_report report;
    (void)state;
    assert_int_equal(launcher_run(&options, differing_body, (void *)channel_table[0], NULL, NULL, &report), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(two_that_send_first_do_not_wait_for_ever),
        cmocka_unit_test(a_message_too_long_is_an_error_of_its_receive_only),
        cmocka_unit_test(messages_are_kept_until_asked_for_within_bounds),
        cmocka_unit_test(a_rank_may_send_to_itself_and_not_to_nobody),
        cmocka_unit_test(waiting_for_one_who_left_is_an_error),
        cmocka_unit_test(payload_is_never_taken_for_a_head),
        cmocka_unit_test(where_reading_is_forbidden_messages_are_sent),
        cmocka_unit_test(a_buffer_unmapped_too_early_is_an_error_of_its_message_only),
        cmocka_unit_test(configurations_that_differ_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
