#include "kill_case.h"

#include "kernels/clock.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

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

struct common {
    uint64_t killed_ns;
    _Atomic uint32_t ready;
};

static struct comm_config config_of(const struct kill_case *c, uint32_t rank)
{
    struct comm_config config = comm_config_default(c->procs, rank);
    struct comm_lane lane = config.lane[1];
    const struct protocol *p = c->protocol;
    if (!p) {
        config.lane[1].slots = 4;
        return config;
    }
    lane.protocol = p;
    if (p->preset.fragment_bytes) {
        lane.fragment_bytes = p->preset.fragment_bytes;
        lane.slots = p->preset.slots;
        lane.sets = p->preset.sets;
        lane.tree = p->preset.tree;
    }
    lane.size_max_bytes = c->size_bytes;
    return comm_config_of(c->procs, rank, &lane);
}

static int body(struct launch_rank *self, void *argument)
{
    const struct kill_case *c = argument;
    struct survivor *mine = self->result;
    struct common *common = self->common;
    struct comm_config config = config_of(c, self->rank);
    struct comm *comm;
    int error = comm_create(&config, &self->bootstrap, &comm, self->message);
    if (error)
        return error;
    unsigned char *buffer = malloc(c->size_bytes * (c->allgather ? self->procs : 1) + 1);
    common->ready++;
    while (common->ready < self->procs) /* nobody dies while another is still creating */
        usleep(200);
    if (self->rank == c->victim) {
        common->killed_ns = clock_monotonic_ns() + c->delay_ns;
        arm(c->delay_ns);
    }
    for (uint32_t call = 0; !error; call++)
        error = c->allgather ? comm_allgather(comm, NULL, buffer, c->size_bytes)
                             : comm_bcast(comm, buffer, c->size_bytes, call % self->procs);
    mine->noticed_ns = clock_monotonic_ns();
    mine->error = error;
    mine->error_rank = comm_error_rank(comm);
    snprintf(self->message, COMM_REASON_BYTES, "%s", comm_error_string(comm));
    snprintf(mine->text, sizeof mine->text, "%s", comm_error_string(comm));
    free(buffer);
    comm_destroy(comm);
    return error;
}

int kill_case_text_right(const char *collective, const char *text, uint32_t victim, uint32_t survivor)
{
    char begin[80];
    int n = snprintf(begin, sizeof begin, "%s: rank %u died; rank %u was at ", collective, victim, survivor);
    return strncmp(text, begin, (size_t)n) == 0 && text[n] >= 'A' && text[n] <= 'Z';
}

int kill_case_run(const struct kill_case *c, char *reason, uint64_t *latest_ns)
{
    struct launch_options options = {.procs = c->procs, .timeout_s = 30, .result_bytes = sizeof(struct survivor), .common_bytes = sizeof(struct common)};
    struct survivor survivor[KILL_PROCS_MAX];
    struct launch_report report;
    struct common common;
    int error = launcher_run(&options, body, (void *)c, survivor, &common, &report);
    *latest_ns = 0;
    if (error != -EOWNERDEAD || report.failed_rank != c->victim || report.signal != SIGKILL) {
        snprintf(reason, COMM_REASON_BYTES, "launcher: error %d, rank %lld: %.150s", error, (long long)report.failed_rank, report.reason);
        return -1;
    }
    for (uint32_t r = 0; r < c->procs; r++) {
        const struct survivor *s = &survivor[r];
        uint64_t late_ns = s->noticed_ns > common.killed_ns ? s->noticed_ns - common.killed_ns : 0;
        if (r == c->victim)
            continue;
        *latest_ns = late_ns > *latest_ns ? late_ns : *latest_ns;
        int told = kill_case_text_right(c->allgather ? "allgather" : "broadcast", s->text, c->victim, r);
        if (s->error == -EOWNERDEAD && s->error_rank == c->victim && late_ns < 1000000000 && told)
            continue;
        snprintf(reason, COMM_REASON_BYTES, "survivor %u: error %d, blames rank %lld, after %.3f s: %.120s", r, s->error,
                 (long long)s->error_rank, (double)late_ns * 1e-9, s->text);
        return -1;
    }
    return 0;
}
