/* Whoever dies amid messages, the others know within a second, whatever they are waiting for; nothing stays behind. */
#include "channel_case.h"
#include "leftovers.h"

#include "kernels/allgather_schedule.h"
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

static uint64_t worst_ns, kills;

struct kill {
    const struct channel *channel;
    uint32_t procs, victim;
    uint64_t bytes, delay_ns;
    int polling; /* survivors look around instead of waiting */
    const struct schedule_algorithm *algorithm; /* of allgathers; NULL: messages to and from everyone */
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

static int gather(const struct kill *k, struct endpoint *e, char *memory)
{
    struct schedule schedule;
    int error = schedule_init(&schedule, k->algorithm, k->procs, 0);
    return error ? error : allgather_schedule_run(e, memory, memory + k->bytes, k->bytes, &schedule, NULL);
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
        error = k->algorithm ? gather(k, e, memory) : exchange(k, e, self->rank, memory);
    mine->noticed_ns = clock_monotonic_ns();
    mine->error = error;
    mine->error_rank = endpoint_error_rank(e);
    snprintf(self->message, COMM_REASON_BYTES, "%s", endpoint_error_string(e));
    snprintf(mine->text, sizeof mine->text, "%s", endpoint_error_string(e));
    endpoint_destroy(e);
    free(memory);
    return error;
}

static void kill_one(const struct kill *k)
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
        worst_ns = late_ns > worst_ns ? late_ns : worst_ns;
    }
}

/* The victim is any rank, the moment any. */
static void kill_any(struct kill k)
{
    struct leftovers before = leftovers_count();
    k.victim = (uint32_t)rand() % k.procs;
    k.delay_ns = (uint64_t)rand() % 60000000;
    kill_one(&k);
    kills++;
    const char *left = leftovers_find(before);
    if (left)
        fail_msg("left behind: %s", left);
}

static const uint64_t kill_bytes[] = {8, 5000, 1 << 20};

static void survivors_know_within_a_second(void **state)
{
    (void)state;
    for (const struct channel *const *channel = channel_table; *channel; channel++)
        for (int i = 0; i < 6; i++)
            kill_any((struct kill){.channel = *channel, .procs = 2 + (uint32_t)rand() % 4, .bytes = kill_bytes[i % 3],
                                   .polling = i >= 4});
}

static void survivors_of_an_allgather_too(void **state)
{
    uint32_t turn = 0;
    (void)state;
    for (const struct channel *const *channel = channel_table; *channel; channel++)
        for (const struct schedule_algorithm *const *a = schedule_table; *a; a++) {
            uint32_t procs = 2 + (uint32_t)rand() % (PROCS_MAX - 1);
            if ((*a)->kind != SCHEDULE_ALLGATHER)
                continue;
            procs = schedule_valid(*a, procs) ? procs : 4;
            kill_any((struct kill){.channel = *channel, .procs = procs, .bytes = kill_bytes[turn++ % 3], .algorithm = *a});
        }
}

int main(void)
{
    const char *only = getenv("SHMCOLL_TEST_BACKENDS");
    if (only && strcmp(only, "threads") == 0) {
        printf("0 passed, 0 failed: threads cannot be killed\n");
        return 77;
    }
    unsigned seed = (unsigned)(clock_monotonic_ns() / 1000) & 0xffffff;
    printf("seed %u\n", seed);
    fflush(stdout); /* ranks are forked */
    srand(seed);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(survivors_know_within_a_second),
        cmocka_unit_test(survivors_of_an_allgather_too),
    };
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    printf("%llu kills, last survivor knew after at most %.1f ms\n", (unsigned long long)kills, (double)worst_ns * 1e-6);
    return failed;
}
