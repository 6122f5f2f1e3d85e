/* Whoever dies amid messages, the others know within a second, whatever they are waiting for; nothing stays behind. */
#include "channel_case.h"
#include "leftovers.h"

#include "kernels/clock.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { PROCS_MAX = 6 };

struct kill {
    const struct channel *channel;
    uint32_t procs, victim;
    uint64_t bytes, delay_ns;
    int polling; /* survivors look around instead of waiting */
};

struct survivor {
    int error;
    int64_t error_rank;
    uint64_t noticed_ns;
    char text[COMM_REASON_BYTES];
};

struct common {
    uint64_t killed_ns;
};

/* The kernel sends the signal: it comes at any instruction. */
static void arm(uint64_t delay_ns)
{
    struct sigevent event = {.sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGKILL};
    struct itimerspec when = {.it_value = {.tv_sec = (time_t)(delay_ns / 1000000000), .tv_nsec = (long)(delay_ns % 1000000000)}};
    timer_t timer;
    if (timer_create(CLOCK_MONOTONIC, &event, &timer) || timer_settime(timer, 0, &when, NULL))
        raise(SIGKILL);
}

static int finish(const struct kill *k, struct endpoint *e, struct transfer *t)
{
    int happened = 0;
    if (!k->polling)
        return endpoint_wait(e, t);
    while (!transfer_done(t) && happened >= 0) {
        happened = endpoint_progress(e);
        if (happened == 0)
            usleep(50);
    }
    return happened < 0 ? happened : t->error;
}

/* A message to and from everyone. */
static int exchange(const struct kill *k, struct endpoint *e, uint32_t rank, char *memory)
{
    struct transfer send[PROCS_MAX], receive[PROCS_MAX];
    int error = 0;
    for (uint32_t p = 0; p < k->procs && !error; p++) {
        if (p == rank)
            continue;
        error = endpoint_receive(e, p, 1, memory + (1 + p) * k->bytes, k->bytes, &receive[p]);
        if (!error)
            error = endpoint_send(e, p, 1, memory, k->bytes, &send[p]);
    }
    for (uint32_t p = 0; p < k->procs && !error; p++) {
        error = p == rank ? 0 : finish(k, e, &receive[p]);
        if (!error && p != rank)
            error = finish(k, e, &send[p]);
    }
    return error;
}

static int body(struct launch_rank *self, void *argument)
{
    const struct kill *k = argument;
    struct survivor *mine = self->result;
    struct endpoint_config config = endpoint_config_default(self->procs, self->rank, k->channel);
    struct endpoint *e;
    int error = endpoint_create(&config, &self->bootstrap, &e, self->message);
    if (!error)
        error = launcher_barrier(self);
    char *memory = calloc(1 + PROCS_MAX, k->bytes);
    if (error || !memory)
        return error ? error : -ENOMEM;
    if (self->rank == k->victim) {
        ((struct common *)self->common)->killed_ns = clock_monotonic_ns() + k->delay_ns;
        arm(k->delay_ns);
    }
    while (!error)
        error = exchange(k, e, self->rank, memory);
    mine->noticed_ns = clock_monotonic_ns();
    mine->error = error;
    mine->error_rank = endpoint_error_rank(e);
    snprintf(self->message, COMM_REASON_BYTES, "%s", endpoint_error_string(e));
    snprintf(mine->text, sizeof mine->text, "%s", endpoint_error_string(e));
    endpoint_destroy(e);
    free(memory);
    return error;
}

static void kill_one(const struct kill *k, uint64_t *worst_ns)
{
    struct launch_options options = {.procs = k->procs, .timeout_s = 30, .result_bytes = sizeof(struct survivor), .common_bytes = sizeof(struct common)};
    struct survivor survivor[PROCS_MAX];
    struct launch_report report;
    struct common common;
    char text[64];
    int error = launcher_run(&options, body, (void *)k, survivor, &common, &report);
    if (error != -EOWNERDEAD || report.failed_rank != k->victim || report.signal != SIGKILL)
        fail_msg("launcher: error %d, rank %lld: %s", error, (long long)report.failed_rank, report.reason);
    snprintf(text, sizeof text, "rank %u died", k->victim);
    for (uint32_t r = 0; r < k->procs; r++) {
        const struct survivor *s = &survivor[r];
        uint64_t late_ns = s->noticed_ns > common.killed_ns ? s->noticed_ns - common.killed_ns : 0;
        if (r == k->victim)
            continue;
        if (s->error != -EOWNERDEAD || s->error_rank != k->victim || late_ns >= 1000000000 || !strstr(s->text, text))
            fail_msg("%s p=%u victim=%u %llu bytes, delay %llu ns, survivor %u: error %d, blames rank %lld, after %.3f s: %s",
                     channel_name(k->channel), k->procs, k->victim, (unsigned long long)k->bytes, (unsigned long long)k->delay_ns, r,
                     s->error, (long long)s->error_rank, (double)late_ns * 1e-9, s->text);
        *worst_ns = late_ns > *worst_ns ? late_ns : *worst_ns;
    }
}

static void survivors_know_within_a_second(void **state)
{
    static const uint64_t bytes[] = {8, 5000, 1 << 20};
    unsigned seed = (unsigned)(clock_monotonic_ns() / 1000) & 0xffffff;
    uint64_t worst_ns = 0, kills = 0;
    (void)state;
    print_message("seed %u\n", seed);
    srand(seed);
    for (const struct channel *const *channel = channel_table; *channel; channel++)
        for (int i = 0; i < 6; i++) {
            struct leftovers before = leftovers_count();
            struct kill k = {.channel = *channel, .procs = 2 + (uint32_t)rand() % 4, .bytes = bytes[i % 3], .polling = i >= 4};
            k.victim = (uint32_t)rand() % k.procs;
            k.delay_ns = (uint64_t)rand() % 60000000;
            kill_one(&k, &worst_ns);
            kills++;
            const char *left = leftovers_find(before);
            if (left)
                fail_msg("left behind: %s", left);
        }
    print_message("%llu kills, last survivor knew after at most %.1f ms\n", (unsigned long long)kills, (double)worst_ns * 1e-6);
}

int main(void)
{
    const char *only = getenv("SHMCOLL_TEST_BACKENDS");
    if (only && strcmp(only, "threads") == 0) {
        printf("0 passed, 0 failed: threads cannot be killed\n");
        return 77;
    }
    const struct CMUnitTest tests[] = {cmocka_unit_test(survivors_know_within_a_second)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
