/* The stall watchdog, of communicators and of endpoints: a rank sleeps (SIGSTOP), the others say that they wait for it, and the
 * call goes on when it wakes. */
#include "small_lane.h"
#include "watched_launch.h"

#include "kernels/allgather_schedule.h"
#include "kernels/launcher.h"
#include "kernels/verify.h"

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

enum { PROCS = 3, SLEEPER = 1, CALLS = 3, SLEEP_CALL = 1, REPORTS = 2 };
#define STALL_S 0.05

struct stall_case {
    const struct protocol *protocol;
    uint32_t root;
};

/* Of the launcher: who wakes the sleeper needs its number; a report of each rank. */
struct common {
    _Atomic int32_t sleeper_pid;
    _Atomic int asleep; /* what a busy host makes ranks say before and after, or of calls before, is not judged */
    struct comm_stall last[PROCS];
    struct endpoint_stall message[PROCS];
    _Atomic uint32_t reports[PROCS];
    _Atomic uint32_t given_up; /* ranks whose wait came to its limit */
};

struct listener {
    uint32_t rank;
    int (*is_named)(const struct common *common, uint32_t rank); /* the sleeper, or who waits for it, by the rank's last report */
    int all; /* every other rank will wait for the sleeper */
    struct common *common;
};

/* A rank that has said it often enough wakes the sleeper; where all will wait for it, once all name it. On a busy host ranks wait
 * for each other first, and say that. */
static void told(const struct listener *l)
{
    uint32_t reports = ++l->common->reports[l->rank], others = 0;
    for (uint32_t r = 0; r < PROCS; r++)
        others += r != SLEEPER && (l->common->reports[r] < REPORTS || !l->is_named(l->common, r));
    if (reports >= REPORTS && !(l->all && others))
        l->common->asleep = 0;
}

/* Again and again: the sleeper may have been about to stop when it was woken first. */
static void wake(const struct common *common)
{
    if (!common->asleep)
        kill(common->sleeper_pid, SIGCONT);
}

static void listen(void *context, const struct comm_stall *stall)
{
    struct listener *l = context;
    if (l->common->asleep && stall->call >= SLEEP_CALL) {
        l->common->last[l->rank] = *stall;
        told(l);
    }
    wake(l->common);
}

static void listen_to_messages(void *context, const struct endpoint_stall *stall)
{
    struct listener *l = context;
    if (l->common->asleep) {
        l->common->message[l->rank] = *stall;
        told(l);
    }
    wake(l->common);
}

static void fall_asleep(struct common *common)
{
    common->asleep = 1;
    raise(SIGSTOP);
}

static int calls_run(struct launch_rank *self, struct comm *comm, const struct stall_case *c, uint64_t size)
{
    unsigned char *buffer = malloc(size);
    int error = 0;
    for (uint32_t call = 0; call < CALLS && !error; call++) {
        uint64_t key = verify_key(call, c->root);
        (self->rank == c->root ? verify_fill : verify_poison)(buffer, size, key);
        if (self->rank == SLEEPER && call == SLEEP_CALL)
            fall_asleep(self->common);
        error = comm_bcast(comm, buffer, size, c->root);
        if (!error && verify_check(buffer, size, key) >= 0)
            error = -EBADMSG;
    }
    free(buffer);
    return error;
}

/* Whom a rank waits for, whom that one waits for, and so on: ends at the sleeper. */
static int leads_to_sleeper(const struct common *common, uint32_t rank)
{
    int64_t at = rank;
    for (uint32_t hops = 0; hops < PROCS && at >= 0 && at != SLEEPER; hops++)
        at = common->reports[at] ? common->last[at].awaited : -1;
    return at == SLEEPER;
}

static int body(struct launch_rank *self, void *argument)
{
    const struct stall_case *c = argument;
    struct common *common = self->common;
    struct listener listener = {self->rank, leads_to_sleeper, c->root == SLEEPER, common};
    struct comm_lane lane;
    uint64_t size;
    if (small_lane_make(c->protocol, &lane, &size))
        return -EINVAL;
    struct comm_config config = comm_config_of(self->procs, self->rank, &lane);
    struct comm *comm;
    config.stall_report_s = STALL_S;
    config.stall = listen;
    config.stall_context = &listener;
    if (self->rank == SLEEPER)
        common->sleeper_pid = getpid();
    int error = comm_create(&config, &self->bootstrap, &comm, self->message);
    if (error)
        return error;
    error = calls_run(self, comm, c, size);
    snprintf(self->message, COMM_REASON_BYTES, "%s", comm_error_string(comm));
    if (!error) /* so that nobody leaves before all have been woken: a short message is not waited for by its root */
        error = launcher_barrier(self);
    comm_destroy(comm);
    return error;
}

/* Every rank that waited says so, for the protocol, the call and a word; with `all`, each names the sleeper or who waits for
 * it. */
static void reports_right(const struct common *common, const struct stall_case *c, int all)
{
    uint32_t told = 0, named = 0;
    for (uint32_t r = 0; r < PROCS; r++) {
        const struct comm_stall *s = &common->last[r];
        if (r == SLEEPER || common->reports[r] == 0)
            continue;
        told++;
        named += (uint32_t)leads_to_sleeper(common, r);
        assert_int_equal(s->rank, r);
        assert_string_equal(s->protocol, c->protocol->name);
        assert_true(s->waited_s >= STALL_S);
        assert_true(s->call == SLEEP_CALL || s->call == SLEEP_CALL + 1);
        assert_true(s->step[0] >= 'A' && s->step[0] <= 'Z' && s->word[0] >= 'a');
        assert_non_null(strstr(s->text, s->word));
        assert_non_null(strstr(s->text, s->step));
    }
    if (told == 0 || (all && named != PROCS - 1))
        fail_msg("%s, root %u: %u ranks told of a stall, %u named rank %d; rank 0 said '%s'", c->protocol->name, c->root, told,
                 named, SLEEPER, common->last[0].text);
}

static void sleeper_is_named(void **state)
{
    (void)state;
    for (const struct protocol *const *p = protocol_table; *p; p++)
        for (uint32_t root = 0; root <= SLEEPER; root++) {
            struct launch_options options = {.procs = PROCS, .timeout_s = HANGS_S, .common_bytes = sizeof(struct common)};
            struct stall_case c = {*p, root};
            struct launch_report report;
            struct common common;
            int is_short = ((*p)->uses & PROTOCOL_LINES) && !((*p)->uses & PROTOCOL_SLOTS);
            if (is_short && root != SLEEPER)
                continue; /* nobody waits for a reader of lines for a good while: nothing to report, and nobody would wake it */
            int error = launcher_run(&options, body, &c, NULL, &common, &report);
            if (error)
                fail_msg("%s, root %u: %d %s", (*p)->name, root, error, report.reason);
            reports_right(&common, &c, root == SLEEPER);
            if (root == SLEEPER)
                print_message("%s\n", common.last[0].text);
        }
}

/* ---- endpoints ---- */

enum { BLOCK_BYTES = 20000 };

static int gathers_run(struct launch_rank *self, struct endpoint *e)
{
    unsigned char *all = malloc(PROCS * BLOCK_BYTES);
    struct schedule ring;
    int error = schedule_init(&ring, &schedule_ring, PROCS, 0);
    for (uint32_t call = 0; call < CALLS && !error; call++) {
        verify_fill(all + self->rank * BLOCK_BYTES, BLOCK_BYTES, verify_key(call, self->rank));
        if (self->rank == SLEEPER && call == SLEEP_CALL)
            fall_asleep(self->common);
        error = allgather_schedule_run(e, NULL, all, BLOCK_BYTES, &ring, NULL);
        for (uint32_t r = 0; r < PROCS && !error; r++)
            error = verify_check(all + r * BLOCK_BYTES, BLOCK_BYTES, verify_key(call, r)) < 0 ? 0 : -EBADMSG;
    }
    free(all);
    return error;
}

/* In a ring each waits for the one before it, the first of them for the sleeper; or for it to take what there is no room for. */
static int waits_in_ring(const struct common *common, uint32_t rank)
{
    const struct endpoint_stall *s = &common->message[rank];
    return s->peer == (s->sends ? SLEEPER : (rank + PROCS - 1) % PROCS);
}

static int message_body(struct launch_rank *self, void *argument)
{
    struct common *common = self->common;
    struct listener listener = {self->rank, waits_in_ring, 1, common};
    struct endpoint_config config = endpoint_config_default(self->procs, self->rank, argument);
    struct endpoint *e;
    config.stall_report_s = STALL_S;
    config.stall = listen_to_messages;
    config.stall_context = &listener;
    if (self->rank == SLEEPER)
        common->sleeper_pid = getpid();
    int error = endpoint_create(&config, &self->bootstrap, &e, self->message);
    if (error)
        return error;
    error = gathers_run(self, e);
    snprintf(self->message, COMM_REASON_BYTES, "%s", endpoint_error_string(e));
    if (!error)
        error = launcher_barrier(self);
    endpoint_destroy(e);
    return error;
}

static void sleeper_is_named_by_messages(void **state)
{
    (void)state;
    for (const struct channel *const *channel = channel_table; *channel; channel++) {
        struct launch_options options = {.procs = PROCS, .timeout_s = HANGS_S, .common_bytes = sizeof(struct common)};
        struct launch_report report;
        struct common common;
        int error = launcher_run(&options, message_body, (void *)(uintptr_t)*channel, NULL, &common, &report);
        if (error)
            fail_msg("%s: %d %s", channel_name(*channel), error, report.reason);
        for (uint32_t r = (SLEEPER + 1) % PROCS; r != SLEEPER; r = (r + 1) % PROCS) {
            const struct endpoint_stall *s = &common.message[r];
            if (common.reports[r] == 0 || s->rank != r || !waits_in_ring(&common, r) || s->waited_s < STALL_S ||
                s->tag < ALLGATHER_SCHEDULE_TAG || !strstr(s->text, s->sends ? "to be taken by rank" : "from rank"))
                fail_msg("%s: rank %u told %u times, at last '%s'", channel_name(*channel), r, common.reports[r], s->text);
        }
        assert_int_equal(common.reports[SLEEPER], 0);
        print_message("%s: %s\n", channel_name(*channel), common.message[SLEEPER + 1].text);
    }
}

/* ---- both ---- */

static void count(void *context, const struct comm_stall *stall)
{
    struct common *common = context;
    common->reports[stall->rank]++;
}

/* Without the option nobody is told, and a limit turns the stall into an error on every rank that waits. */
static int limited_body(struct launch_rank *self, void *argument)
{
    struct comm_config config = comm_config_default(self->procs, self->rank);
    struct comm *comm;
    struct common *common = self->common;
    char byte = 0;
    (void)argument;
    config.stall = count;
    config.stall_context = common;
    config.wait_limit_s = 0.1;
    int error = comm_create(&config, &self->bootstrap, &comm, self->message);
    if (error)
        return error;
    while (self->rank == SLEEPER && common->given_up < PROCS - 1)
        usleep(1000);
    error = comm_bcast(comm, &byte, 1, SLEEPER);
    common->given_up++;
    int right = error == -ETIMEDOUT && (self->rank != 0 || strstr(comm_error_string(comm), "was at W for rank 1"));
    snprintf(self->message, COMM_REASON_BYTES, "error %d: %s", error, comm_error_string(comm));
    comm_destroy(comm);
    return right || (self->rank == SLEEPER && error == 0) ? 0 : -EBADMSG;
}

static void limit_ends_a_wait(void **state)
{
    (void)state;
    struct launch_options options = {.procs = PROCS, .timeout_s = HANGS_S, .common_bytes = sizeof(struct common)};
    struct launch_report report;
    struct common common;
    if (launcher_run(&options, limited_body, NULL, NULL, &common, &report))
        fail_msg("rank %lld: %s", (long long)report.failed_rank, report.reason);
    for (uint32_t r = 0; r < PROCS; r++)
        assert_int_equal(common.reports[r], 0);
}

int main(void)
{
    if (!backend_runs(BACKEND_PROCS))
        return 77; /* all of this is about processes */
    const struct CMUnitTest tests[] = {cmocka_unit_test(sleeper_is_named), cmocka_unit_test(sleeper_is_named_by_messages),
                                       cmocka_unit_test(limit_ends_a_wait)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
