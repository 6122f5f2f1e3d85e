#include "kernels/run_rank.h"

#include "kernels/allgather_lanes.h"
#include "kernels/placement.h"
#include "kernels/pool.h"
#include "kernels/run_buffers.h"
#include "kernels/run_messages.h"
#include "kernels/wait.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

enum {
    LEAD_NS = 10000,          /* from the agreement to the deadline: several hand-overs */
    LEAD_CROWDED_NS = 100000, /* a rank: until all of them have run once */
    PATIENCE_S = 20,          /* for the host to come back to the state asked for */
};

struct runner {
    struct launch_rank *self;
    const struct run_job *job;
    const struct scenario *scenario;
    struct run_common *common;
    struct comm *comm;
    struct run_messages messages; /* where ranks exchange messages: comm is theirs */
    struct pool pool;
    struct run_limits limits;
    unsigned char *warm;
    uint64_t random;
    uint64_t start_ns;
};

size_t run_times_bytes(const struct run_job *job)
{
    size_t bytes = sizeof(struct run_common) + (size_t)job->attempts_max * (job->scenario->job.procs + 1) * sizeof(uint64_t) +
                   (job->attempts_max / job->slice_attempts + 1) * sizeof(struct run_slice);
    return (bytes + 4095) / 4096 * 4096;
}

size_t run_common_bytes(const struct run_job *job)
{
    return run_times_bytes(job) + sizeof(struct probe_shared);
}

static int is_allgather(const struct scenario *s)
{
    return s->job.kind == JOB_ALLGATHER;
}

static void tell_stall(void *context, const struct comm_stall *stall)
{
    const struct scenario *scenario = context;
    scenario->conditions.stall_report(stall->text);
}

static struct comm_config run_config(const struct runner *r)
{
    const struct scenario *s = r->scenario;
    const struct node *node = s->machine.node;
    const struct params *p = &s->params;
    const struct protocol *carrier = is_allgather(s) && !s->algorithm ? companion_carrier(p->protocol) : p->protocol;
    struct comm_lane lane = {.protocol = carrier, .fragment_bytes = p->fragment_bytes, .slots = p->slots, .sets = p->sets,
                             .readers_most = p->readers_most, .tree = p->tree, .size_max_bytes = job_size_bytes(&s->job)};
    struct comm_config config = comm_config_of(r->self->procs, r->self->rank, &lane);
    config.copy_in = (int)s->conditions.copy_in - 1; /* the same order, COMM_COPY_AUTO first */
    config.copy_out = (int)s->conditions.copy_out - 1;
    config.huge_pages = s->conditions.huge_pages;
    config.control_pages = s->conditions.control_pages;
    config.area_bytes = r->job->area_bytes;
    config.without_peers = r->job->without_peers;
    config.domain_os = (int32_t)node->domain_os[node->core_domain[s->placement.core_of_rank[r->self->rank]]];
    config.llc_bytes = node->llc_bytes;
    config.op_start = s->conditions.op_start;
    config.delay_max_ns = s->conditions.delay_max_ns;
    config.seed = s->conditions.seed;
    config.dead_rank = launcher_dead_rank;
    config.dead_rank_context = r->self;
    config.stall_report_s = s->conditions.stall_report_s;
    config.stall = s->conditions.stall_report ? tell_stall : NULL;
    config.stall_context = (void *)r->scenario;
    return config;
}

size_t run_pool_bytes(const struct scenario *s)
{
    int cold = s->conditions.buffers == BUFFERS_COLD;
    return cold ? pool_size_bytes(s->machine.node->llc_bytes, run_slot_bytes(s), s->job.procs) : run_slot_bytes(s);
}

static int buffers_create(struct runner *r)
{
    const struct scenario *s = r->scenario;
    const struct node *node = s->machine.node;
    int cold = s->conditions.buffers == BUFFERS_COLD, error = 0;
    size_t bytes = r->job->area_bytes ? r->job->area_bytes : run_pool_bytes(s);
    if (s->conditions.buffer_domain >= 0)
        placement_prefer((int)node->domain_os[s->conditions.buffer_domain]);
    if (r->job->area_bytes)
        pool_adopt(&r->pool, comm_area(r->comm), bytes);
    else
        error = pool_create(&r->pool, bytes);
    if (s->conditions.buffer_domain >= 0)
        placement_prefer(-1);
    if (error)
        snprintf(r->self->message, COMM_REASON_BYTES, "no memory for %llu KiB of user buffers", (unsigned long long)bytes / 1024);
    else if (!cold)
        r->warm = pool_next(&r->pool, run_slot_bytes(s));
    return error;
}

/* The buffers of the next attempt, prepared; cold ones leave the caches again. */
static struct run_places buffers_prepare(struct runner *r, uint32_t attempt)
{
    const struct scenario *s = r->scenario;
    unsigned char *slot = r->warm ? r->warm : pool_next(&r->pool, run_slot_bytes(s));
    struct run_places places = run_places_of(s, r->self->rank, slot);
    if (!s->conditions.no_verify)
        run_places_fill(s, r->self->rank, &places, attempt);
    if (!r->warm)
        pool_chill(&r->pool, slot, run_slot_bytes(s));
    return places;
}

static int buffers_check(const struct runner *r, const struct run_places *places, uint32_t attempt)
{
    const struct scenario *s = r->scenario;
    int64_t wrong = s->conditions.no_verify ? -1 : run_places_wrong(s, r->self->rank, places, attempt);
    if (wrong < 0)
        return 0;
    snprintf(r->self->message, COMM_REASON_BYTES, "rank %u, repetition %u: wrong data at byte %lld of %llu", r->self->rank,
             attempt, (long long)wrong, (unsigned long long)(job_message_bytes(&s->job) * places->count));
    return -EBADMSG;
}

double run_state_ns(struct run_common *common, const struct run_job *job)
{
    double wanted_ns = job->scenario->conditions.state_ns;
    return wanted_ns > 0 ? wanted_ns : run_slice_common_state_ns(run_slices(common, job), common->slices);
}

int run_attempt_counts(struct run_common *common, const struct run_job *job, uint32_t attempt, double state_ns)
{
    const uint64_t *end = run_end_ticks(common, job, attempt);
    if (attempt < job->warmup || !run_slice_in_state(&run_slices(common, job)[attempt / job->slice_attempts], state_ns))
        return 0;
    for (uint32_t rank = 0; rank < job->scenario->job.procs; rank++)
        if (end[rank] == 0)
            return 0;
    return 1;
}

/* Attempts before `attempt` that count. */
static uint32_t good_attempts(const struct runner *r, uint32_t attempt)
{
    double state_ns = run_state_ns(r->common, r->job);
    uint32_t good = 0;
    for (uint32_t i = 0; i < attempt; i++)
        good += (uint32_t)run_attempt_counts(r->common, r->job, i, state_ns);
    return good;
}

static double patience_s(const struct scenario *s)
{
    return s->conditions.state_patience_s > 0 ? s->conditions.state_patience_s : PATIENCE_S;
}

/* Rank 0, between slices: enough, or out of time. Only for the state it was told to does a run wait longer. */
static void decide_stop(struct runner *r, uint32_t attempt)
{
    double limit_s = r->scenario->conditions.time_limit_s;
    double spent_s = (double)(clock_monotonic_ns() - r->start_ns) * 1e-9;
    int out_of_time = limit_s > 0 && spent_s > limit_s;
    if (attempt < r->job->warmup + r->job->reps && !out_of_time)
        return;
    uint32_t good = good_attempts(r, attempt);
    if (good >= r->job->reps || (out_of_time && (good > 0 || spent_s > patience_s(r->scenario))))
        word_store_relaxed(&r->common->stop_at, attempt); /* the barrier publishes it */
}

/* Rank 0 sets the deadline when all have arrived; the others learn it. */
static int agree_deadline(struct runner *r, uint32_t attempt, uint64_t *deadline)
{
    struct run_common *c = r->common;
    if (r->self->rank == 0) {
        double lead_ns = launcher_crowded(r->self) ? (double)LEAD_CROWDED_NS * r->self->procs : LEAD_NS;
        c->deadline_ticks[attempt] = clock_ticks(&r->job->clock) + clock_ticks_of_ns(&r->job->clock, lead_ns);
        word_store_release(&c->round, attempt + 1); /* R7: the deadline is written; pairs with A1 in the wait below */
        launcher_wake(r->self, &c->round);
    } else {
        int error = launcher_wait(r->self, &c->round, STEP_WAIT_GE, attempt + 1);
        if (error)
            return error;
    }
    *deadline = c->deadline_ticks[attempt];
    return 0;
}

static uint64_t skew_ticks(struct runner *r)
{
    double skew_s = r->scenario->conditions.skew_s;
    if (skew_s <= 0)
        return 0;
    r->random = r->random * 6364136223846793005u + 1442695040888963407u;
    return clock_ticks_of_ns(&r->job->clock, skew_s * 1e9 * (double)(r->random >> 11) * 0x1p-53);
}

static int collective_run(struct runner *r, uint32_t attempt, const struct run_places *p)
{
    const struct scenario *s = r->scenario;
    uint64_t size = job_size_bytes(&s->job);
    if (scenario_by_messages(s))
        return run_messages_repeat(&r->messages, p);
    return is_allgather(s) ? comm_allgather(r->comm, p->send, p->receive, size)
                           : comm_bcast(r->comm, p->receive, size, run_root_of(s, attempt));
}

static int attempt_run(struct runner *r, uint32_t attempt, const struct run_places *places)
{
    const struct clock *clock = &r->job->clock;
    uint64_t deadline;
    int crowded = launcher_crowded(r->self);
    int error = agree_deadline(r, attempt, &deadline);
    if (error)
        return error;
    uint64_t skew = skew_ticks(r);
    int late = !crowded && clock_ticks(clock) >= deadline;
    wait_deadline(clock, deadline + skew, crowded);
    error = collective_run(r, attempt, places);
    uint64_t end = clock_ticks(clock);
    run_end_ticks(r->common, r->job, attempt)[r->self->rank] = late ? 0 : end;
    if (error)
        snprintf(r->self->message, COMM_REASON_BYTES, "%s", comm_error_string(r->comm));
    return error;
}

/* One attempt, prepared, timed and checked. */
static int attempt(struct runner *r, uint32_t i)
{
    struct run_places places = buffers_prepare(r, i);
    int error = launcher_barrier(r->self);
    if (!error)
        error = attempt_run(r, i, &places);
    return error ? error : buffers_check(r, &places, i);
}

static int slice_run(struct runner *r, uint32_t first)
{
    uint32_t last = first + r->job->slice_attempts < r->job->attempts_max ? first + r->job->slice_attempts : r->job->attempts_max;
    struct run_slice *slice = &run_slices(r->common, r->job)[first / r->job->slice_attempts];
    uint64_t patience_ns = (uint64_t)(patience_s(r->scenario) * 1e9);
    int error = run_slice_begin(&r->limits, r->scenario->conditions.state_ns, r->start_ns + patience_ns, slice);
    for (uint32_t i = first; i < last && !error; i++)
        error = attempt(r, i);
    if (!error)
        error = run_slice_end(&r->limits, slice);
    if (r->self->rank == 0)
        r->common->slices++;
    return error;
}

static int slices_run(struct runner *r)
{
    r->start_ns = clock_monotonic_ns();
    for (uint32_t first = 0; first < r->job->attempts_max; first += r->job->slice_attempts) {
        int error = first > 0 ? launcher_barrier(r->self) : 0; /* all have written when they ended */
        if (error)
            return error;
        if (r->self->rank == 0 && first > 0)
            decide_stop(r, first);
        error = launcher_barrier(r->self);
        if (error || first >= word_load_relaxed(&r->common->stop_at))
            return error;
        error = slice_run(r, first);
        if (error)
            return error;
    }
    return 0;
}

static int attempts_run(struct runner *r)
{
    const struct scenario *s = r->scenario;
    struct probe_shared *shared = (struct probe_shared *)(void *)((char *)r->self->common + run_times_bytes(r->job));
    int error = run_limits_create(&r->limits, r->self, &r->job->clock, s->machine.node->llc_bytes, &s->job, shared,
                                  !s->conditions.no_limits);
    if (error) {
        snprintf(r->self->message, COMM_REASON_BYTES, "no memory for the buffers of the limits");
        return error;
    }
    error = slices_run(r);
    run_limits_destroy(&r->limits);
    return error;
}

static struct comm_lane ran_of(const struct comm *comm, const struct job *job)
{
    struct comm_lane ran = *comm_lane_of(comm, job_size_bytes(job));
    if (job->kind == JOB_ALLGATHER)
        ran.protocol = companion_of(comm, job->allgather.block_bytes);
    return ran;
}

int run_rank_body(struct launch_rank *self, void *argument)
{
    const struct run_job *job = argument;
    struct runner r = {.self = self, .job = job, .scenario = job->scenario, .common = self->common};
    struct run_result *result = self->result;
    struct comm_config config = run_config(&r);
    r.random = (job->scenario->conditions.seed + 1) * 0x9e3779b97f4a7c15u + self->rank;
    if (self->rank == 0)
        word_store_relaxed(&r.common->stop_at, UINT32_MAX); /* comm_create publishes it */
    self->stall_report_s = job->scenario->conditions.stall_report_s;
    self->stall = job->scenario->conditions.stall_report;
    int by_messages = scenario_by_messages(job->scenario);
    int error = by_messages ? run_messages_create(&r.messages, self, job->scenario, &r.comm)
                            : comm_create(&config, &self->bootstrap, &r.comm, self->message);
    if (error)
        return error;
    if (!by_messages) /* nothing takes the place of a channel */
        result->ran = ran_of(r.comm, &job->scenario->job);
    snprintf(result->note, sizeof result->note, "%s", comm_note(r.comm));
    result->audited =
        (by_messages ? endpoint_audit(r.messages.endpoint, &result->audit) : comm_audit(r.comm, &result->audit)) == 0;
    error = buffers_create(&r);
    if (!error)
        error = attempts_run(&r);
    pool_destroy(&r.pool);
    if (by_messages)
        run_messages_destroy(&r.messages);
    else
        comm_destroy(r.comm);
    return error;
}
