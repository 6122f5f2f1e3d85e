#include "fault_case.h"

#include "../kernels/kill_case.h"
#include "../kernels/leftovers.h"
#include "../kernels/watched_launch.h"
#include "kernels/clock.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { DAWDLE_NS = 20000, GRACE_S = 120 };

/* The launcher's common memory. */
struct common {
    uint64_t killed_ns;
    _Atomic uint32_t ready;
    struct fault_census census; /* of the victim */
};

struct visitor {
    const struct fault_case *c;
    struct common *common;
    int is_victim;
};

static enum fault_verdict visit(void *context, uint32_t call, uint32_t number, const struct step *step)
{
    struct visitor *v = context;
    const struct fault_case *c = v->c;
    if (!v->is_victim) {
        nanosleep(&(struct timespec){.tv_nsec = DAWDLE_NS}, NULL);
        return FAULT_NONE;
    }
    struct fault_census *census = &v->common->census;
    if (call < FAULT_CALLS && number < FAULT_STEPS_MAX) {
        census->step[call][number].op = step->op;
        census->step[call][number].name = step->name;
        census->count[call] = number + 1;
    }
    if (c->verdict == FAULT_NONE || call != c->call || number != c->step)
        return FAULT_NONE;
    v->common->killed_ns = clock_monotonic_ns();
    return c->verdict;
}

/* A kill is waited for by going on; without one, or where the victim got past its step, there is an end. */
static int calls_run(const struct fault_case *c, struct comm *comm, uint32_t rank, void *buffer)
{
    int error = 0, ends = c->verdict == FAULT_NONE || rank == c->victim;
    for (uint32_t call = 0; !error && (!ends || call < FAULT_CALLS); call++)
        error = c->allgather ? comm_allgather(comm, NULL, buffer, c->size_bytes)
                             : comm_bcast(comm, buffer, c->size_bytes, (c->victim + call) % c->procs);
    return error;
}

static int body(struct launch_rank *self, void *argument)
{
    const struct fault_case *c = argument;
    struct survivor *mine = self->result;
    struct comm_config config = comm_config_of(self->procs, self->rank, &c->lane);
    struct visitor visitor = {c, self->common, self->rank == c->victim};
    struct comm *comm;
    config.area_bytes = c->area_bytes;
    config.seed = c->step;
    int error = comm_create(&config, &self->bootstrap, &comm, self->message);
    if (error)
        return error;
    void *own = malloc(c->size_bytes * c->procs);
    visitor.common->ready++;
    while (visitor.common->ready < self->procs) /* nobody dies while another is still creating */
        usleep(100);
    comm->fault = (struct fault_point){visit, &visitor};
    error = comm->lane[0].protocol != c->lane.protocol ? -ENOTSUP
                                                       : calls_run(c, comm, self->rank, c->area_bytes ? comm_area(comm) : own);
    mine->noticed_ns = clock_monotonic_ns();
    mine->error = error;
    mine->error_rank = comm_error_rank(comm);
    snprintf(mine->text, sizeof mine->text, "%s", comm_error_string(comm));
    snprintf(self->message, COMM_REASON_BYTES, "%s%s", comm_error_string(comm), error == -ENOTSUP ? comm_note(comm) : "");
    free(own);
    comm_destroy(comm);
    return error;
}

static int launch(const struct fault_case *c, struct survivor *survivor, struct common *common, struct launch_report *report)
{
    struct launch_options options = {.procs = c->procs, .timeout_s = HANGS_S, .grace_s = GRACE_S,
                                     .result_bytes = sizeof *survivor, .common_bytes = sizeof *common};
    return launcher_run(&options, body, (void *)c, survivor, common, report);
}

int fault_case_census(const struct fault_case *c, struct fault_census *census, char *reason)
{
    struct survivor survivor[FAULT_PROCS_MAX];
    struct launch_report report;
    struct common common;
    struct fault_case quiet = *c;
    quiet.verdict = FAULT_NONE;
    int error = launch(&quiet, survivor, &common, &report);
    *census = common.census;
    for (uint32_t call = 0; call < FAULT_CALLS && !error; call++)
        if (census->count[call] == 0 || census->count[call] == FAULT_STEPS_MAX)
            error = -ERANGE;
    if (error)
        snprintf(reason, COMM_REASON_BYTES, "%s",
                 error == -ERANGE ? "more steps than the test has room for, or none" : report.reason);
    return error;
}

enum fault_end fault_case_kill(const struct fault_case *c, char *reason, uint64_t *latest_ns)
{
    struct survivor survivor[FAULT_PROCS_MAX];
    struct launch_report report;
    struct common common;
    struct leftovers before = leftovers_count();
    int error = launch(c, survivor, &common, &report);
    const char *left = leftovers_find(before);
    *latest_ns = 0;
    if (common.killed_ns == 0 && error == -EPIPE && !left && common.census.count[c->call] <= c->step)
        return FAULT_MISSED;
    if (left || error != -EOWNERDEAD || report.failed_rank != c->victim || report.signal != SIGKILL) {
        snprintf(reason, COMM_REASON_BYTES, "launcher: error %d, rank %lld, left behind: %s: %.100s", error,
                 (long long)report.failed_rank, left ? left : "nothing", report.reason);
        return FAULT_BROKEN;
    }
    for (uint32_t r = 0; r < c->procs; r++)
        if (r != c->victim && !survivor_right(&survivor[r], c->allgather ? "allgather" : "broadcast", c->victim, r,
                                              common.killed_ns, reason, latest_ns))
            return FAULT_BROKEN;
    return FAULT_SURVIVED;
}
