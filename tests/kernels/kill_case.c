#include "kill_case.h"

#include "leftovers.h"
#include "watched_launch.h"

#include "kernels/allgather_schedule.h"
#include "kernels/clock.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { GRACE_S = 120, TRIES = 5, TAG = 1 };

struct common {
    uint64_t killed_ns;
    _Atomic uint32_t ready;
};

/* One rank: it has a communicator or an endpoint. */
struct rank {
    const struct kill_case *c;
    struct launch_rank *self;
    struct comm *comm;
    struct endpoint *e;
    unsigned char *memory; /* a block, and after it one of each rank */
    uint64_t random;
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

/* ---- calls of a communicator ---- */

static struct comm_config comm_config_for(const struct kill_case *c, uint32_t rank)
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

static int comm_calls(struct rank *r)
{
    const struct kill_case *c = r->c;
    int error = 0;
    for (uint32_t call = 0; !error; call++)
        error = c->allgather ? comm_allgather(r->comm, NULL, r->memory, c->size_bytes)
                             : comm_bcast(r->comm, r->memory, c->size_bytes, call % c->procs);
    return error;
}

/* ---- messages ---- */

static uint32_t draw(struct rank *r, uint32_t below)
{
    r->random = r->random * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)((r->random >> 33) % below);
}

static uint32_t channel_count(void)
{
    uint32_t n = 0;
    while (channel_table[n])
        n++;
    return n;
}

static struct endpoint_config endpoint_config_for(const struct kill_case *c, uint32_t rank)
{
    struct endpoint_config config = endpoint_config_default(c->procs, rank, c->channel);
    for (uint32_t i = 0, n = 1; c->moving && channel_table[i]; i++)
        if (channel_table[i] != c->channel)
            config.channel[n++] = channel_table[i];
    return config;
}

static int finish(struct rank *r, struct transfer *t)
{
    int happened = 0;
    if (!r->c->polling)
        return endpoint_wait(r->e, t);
    while (!transfer_done(t) && happened >= 0) {
        happened = endpoint_progress(r->e);
        if (happened == 0)
            usleep(50);
    }
    return happened < 0 ? happened : t->error;
}

/* A message to and from everyone. */
static int exchange(struct rank *r)
{
    struct transfer send[KILL_PROCS_MAX], receive[KILL_PROCS_MAX];
    uint64_t bytes = r->c->size_bytes;
    uint32_t rank = r->self->rank, procs = r->c->procs, channels = channel_count();
    int error = 0;
    for (uint32_t p = 0; p < procs && !error; p++) {
        if (p == rank)
            continue;
        if (r->c->moving)
            endpoint_channel_set(r->e, p, channel_table[draw(r, channels)]);
        error = endpoint_receive(r->e, p, TAG, r->memory + (1 + p) * bytes, bytes, &receive[p]);
        if (!error)
            error = endpoint_send(r->e, p, TAG, r->memory, bytes, &send[p]);
    }
    for (uint32_t p = 0; p < procs && !error; p++) {
        error = p == rank ? 0 : finish(r, &receive[p]);
        if (!error && p != rank)
            error = finish(r, &send[p]);
    }
    return error;
}

static int messages(struct rank *r)
{
    const struct kill_case *c = r->c;
    struct schedule schedule;
    int error = c->algorithm ? schedule_init(&schedule, c->algorithm, c->procs, 0) : 0;
    while (!error)
        error = c->algorithm ? allgather_schedule_run(r->e, r->memory, r->memory + c->size_bytes, c->size_bytes, &schedule, NULL)
                             : exchange(r);
    return error;
}

/* ---- one rank ---- */

static int open_comm_or_endpoint(struct rank *r)
{
    struct launch_rank *self = r->self;
    if (r->c->channel) {
        struct endpoint_config config = endpoint_config_for(r->c, self->rank);
        return endpoint_create(&config, &self->bootstrap, &r->e, self->message);
    }
    struct comm_config config = comm_config_for(r->c, self->rank);
    return comm_create(&config, &self->bootstrap, &r->comm, self->message);
}

static int stand_ready(struct rank *r)
{
    const struct kill_case *c = r->c;
    struct common *common = r->self->common;
    int error = open_comm_or_endpoint(r);
    r->memory = calloc(1 + c->procs, c->size_bytes + 1);
    if (error || !r->memory)
        return error ? error : -ENOMEM;
    common->ready++;
    while (common->ready < c->procs) /* nobody dies while another is still creating */
        usleep(200);
    if (r->self->rank == c->victim) {
        common->killed_ns = clock_monotonic_ns() + c->delay_ns;
        arm(c->delay_ns);
    }
    return 0;
}

static int body(struct launch_rank *self, void *argument)
{
    struct rank r = {.c = argument, .self = self, .random = self->rank};
    struct survivor *mine = self->result;
    int error = stand_ready(&r);
    if (error)
        return error;
    error = r.e ? messages(&r) : comm_calls(&r);
    mine->noticed_ns = clock_monotonic_ns();
    mine->error = error;
    mine->error_rank = r.e ? endpoint_error_rank(r.e) : comm_error_rank(r.comm);
    snprintf(mine->text, sizeof mine->text, "%s", r.e ? endpoint_error_string(r.e) : comm_error_string(r.comm));
    memcpy(self->message, mine->text, COMM_REASON_BYTES);
    endpoint_destroy(r.e);
    comm_destroy(r.comm);
    free(r.memory);
    return error;
}

/* ---- what must hold ---- */

static int told(const char *text, const char *collective, uint32_t victim, uint32_t rank)
{
    char words[80];
    snprintf(words, sizeof words, "rank %u died", victim);
    if (!collective)
        return strstr(text, words) != NULL;
    int n = snprintf(words, sizeof words, "%s: rank %u died; rank %u was at ", collective, victim, rank);
    return strncmp(text, words, (size_t)n) == 0 && text[n] >= 'A' && text[n] <= 'Z';
}

int survivor_right(const struct survivor *s, const char *collective, uint32_t victim, uint32_t rank, uint64_t killed_ns,
                   char *reason, uint64_t *latest_ns)
{
    uint64_t late_ns = s->noticed_ns > killed_ns ? s->noticed_ns - killed_ns : 0;
    *latest_ns = late_ns > *latest_ns ? late_ns : *latest_ns;
    if (s->error == -EOWNERDEAD && s->error_rank == victim && told(s->text, collective, victim, rank))
        return 1;
    snprintf(reason, COMM_REASON_BYTES, "survivor %u: error %d, blames rank %lld, after %.3f s: %.120s", rank, s->error,
             (long long)s->error_rank, (double)late_ns * 1e-9, s->text);
    return 0;
}

static int run_once(const struct kill_case *c, char *reason, uint64_t *latest_ns)
{
    struct launch_options options = {.procs = c->procs, .timeout_s = HANGS_S, .grace_s = GRACE_S,
                                     .result_bytes = sizeof(struct survivor), .common_bytes = sizeof(struct common)};
    struct survivor survivor[KILL_PROCS_MAX];
    struct launch_report report;
    struct common common;
    struct leftovers before = leftovers_count();
    int error = launcher_run(&options, body, (void *)c, survivor, &common, &report), right = 1;
    const char *left = leftovers_find(before), *collective = c->channel ? NULL : c->allgather ? "allgather" : "broadcast";
    *latest_ns = 0;
    if (left || error != -EOWNERDEAD || report.failed_rank != c->victim || report.signal != SIGKILL) {
        snprintf(reason, COMM_REASON_BYTES, "launcher: error %d, rank %lld, left behind: %s: %.150s", error,
                 (long long)report.failed_rank, left ? left : "nothing", report.reason);
        return -1;
    }
    for (uint32_t r = 0; r < c->procs && right; r++)
        right = r == c->victim || survivor_right(&survivor[r], collective, c->victim, r, common.killed_ns, reason, latest_ns);
    return right ? 0 : -1;
}

int kill_case_run(const struct kill_case *c, char *reason, uint64_t *latest_ns)
{
    for (int tries = 0; tries < TRIES; tries++) {
        int error = run_once(c, reason, latest_ns);
        if (error || *latest_ns < KILL_LATE_NS)
            return error;
    }
    snprintf(reason, COMM_REASON_BYTES, "the last survivor knew after %.3f s, and as late each of %d times",
             (double)*latest_ns * 1e-9, TRIES);
    return -1;
}

const char *kill_case_format(const struct kill_case *c, char *text, size_t text_bytes)
{
    const char *what = c->algorithm ? c->algorithm->name : c->channel ? "messages" : c->allgather ? "allgather" : "broadcast";
    const char *by = c->channel ? channel_name(c->channel) : c->protocol ? c->protocol->name : "default lanes";
    snprintf(text, text_bytes, "%s by %s%s%s p=%u victim=%u size=%llu delay=%llu ns", what, by, c->moving ? " moving" : "",
             c->polling ? " polling" : "", c->procs, c->victim, (unsigned long long)c->size_bytes,
             (unsigned long long)c->delay_ns);
    return text;
}
