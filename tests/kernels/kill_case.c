#include "kill_case.h"

#include "kernels/clock.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct survivor {
    int error;
    int64_t error_rank;
    uint64_t noticed_ns;
    char text[COMM_REASON_BYTES];
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

static int body(struct launch_rank *self, void *argument)
{
    const struct kill_case *c = argument;
    struct survivor *mine = self->result;
    uint64_t *killed_ns = self->common;
    struct comm_config config = comm_config_default(self->procs, self->rank);
    struct comm *comm;
    config.lane[1].slots = 4;
    int error = comm_create(&config, &self->bootstrap, &comm, self->message);
    if (error)
        return error;
    unsigned char *buffer = malloc(c->size_bytes + 1);
    if (self->rank == c->victim) {
        *killed_ns = clock_monotonic_ns() + c->delay_ns;
        arm(c->delay_ns);
    }
    for (uint32_t call = 0; !error; call++)
        error = comm_bcast(comm, buffer, c->size_bytes, call % self->procs);
    mine->noticed_ns = clock_monotonic_ns();
    mine->error = error;
    mine->error_rank = comm_error_rank(comm);
    snprintf(self->message, COMM_REASON_BYTES, "%s", comm_error_string(comm));
    snprintf(mine->text, sizeof mine->text, "%s", comm_error_string(comm));
    free(buffer);
    comm_destroy(comm);
    return error;
}

int kill_case_text_right(const char *text, uint32_t victim, uint32_t survivor)
{
    char begin[80];
    int n = snprintf(begin, sizeof begin, "broadcast: rank %u died; rank %u was at ", victim, survivor);
    return strncmp(text, begin, (size_t)n) == 0 && text[n] >= 'A' && text[n] <= 'Z';
}

int kill_case_run(const struct kill_case *c, char *reason, uint64_t *latest_ns)
{
    struct launch_options options = {.procs = c->procs, .timeout_s = 30, .result_bytes = sizeof(struct survivor), .common_bytes = 8};
    struct survivor survivor[KILL_PROCS_MAX];
    struct launch_report report;
    uint64_t killed_ns;
    int error = launcher_run(&options, body, (void *)c, survivor, &killed_ns, &report);
    *latest_ns = 0;
    if (error != -EOWNERDEAD || report.failed_rank != c->victim || report.signal != SIGKILL) {
        snprintf(reason, COMM_REASON_BYTES, "launcher: error %d, rank %lld: %.150s", error, (long long)report.failed_rank, report.reason);
        return -1;
    }
    for (uint32_t r = 0; r < c->procs; r++) {
        const struct survivor *s = &survivor[r];
        uint64_t late_ns = s->noticed_ns > killed_ns ? s->noticed_ns - killed_ns : 0;
        if (r == c->victim)
            continue;
        *latest_ns = late_ns > *latest_ns ? late_ns : *latest_ns;
        if (s->error == -EOWNERDEAD && s->error_rank == c->victim && late_ns < 1000000000 && kill_case_text_right(s->text, c->victim, r))
            continue;
        snprintf(reason, COMM_REASON_BYTES, "survivor %u: error %d, blames rank %lld, after %.3f s: %.120s", r, s->error,
                 (long long)s->error_rank, (double)late_ns * 1e-9, s->text);
        return -1;
    }
    return 0;
}
