/* The evaluator `run`: the collective for real, on the cores of this host. */
#include "kernels/placement.h"
#include "kernels/run_buffers.h"
#include "kernels/run_messages.h"
#include "kernels/run_rank.h"
#include "kernels/run_statistics.h"
#include "model/choice.h"
#include "model/protocol/eager.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SLICE_BYTES = 32 << 20, SLICE_LEAST = 3, SLICE_MOST = 40, ATTEMPTS_A_REP = 4 };
enum { WARMUP_DEFAULT = 5, REPS_DEFAULT = 31, REPS_MAX = 1000000, TIMEOUT_S = 600 };

static int refuse(struct outcome *out, int error, const char *reason)
{
    snprintf(out->reason, sizeof out->reason, "%.*s", (int)sizeof out->reason - 1, reason);
    return error;
}

/* What scenario_check cannot know: whether this host and these kernels can do it. */
static int check_host(const struct scenario *s, struct outcome *out)
{
    uint64_t allowed[PLACEMENT_MASK_WORDS];
    int by_messages = scenario_by_messages(s);
    if (by_messages && !run_messages_fit(s))
        return refuse(out, -ENOTSUP, "rings take fragments of 64 bytes to a quarter of their slots, of 1 GiB at most");
    if (by_messages && (s->conditions.buffer_memory == BUFFER_MEMORY_SHARED || s->conditions.huge_pages ||
                         s->conditions.copy_in != COPYING_AUTO || s->conditions.copy_out != COPYING_AUTO))
        return refuse(out, -ENOTSUP, "messages have no shared buffers, huge pages or copy routines to choose");
    if (s->job.kind == JOB_ALLGATHER && s->conditions.control_pages)
        return refuse(out, -ENOTSUP, "allgather needs the packed layout: leave control pages out");
    if (s->params.protocol == &protocol_eager && s->conditions.control_pages)
        return refuse(out, -ENOTSUP, "the eager protocol needs the packed layout: leave control pages out");
    if (s->conditions.buffer_memory == BUFFER_MEMORY_SHARED && s->conditions.buffer_domain >= 0)
        return refuse(out, -ENOTSUP, "buffers in the segment lie on their ranks' own domains: leave the buffers' domain out");
    if (s->job.procs > COMM_PROCS_MAX)
        return refuse(out, -ENOTSUP, "more ranks than a run supports: 65534 at most");
    if (s->conditions.reps > REPS_MAX)
        return refuse(out, -ENOTSUP, "more repetitions than a run supports: 1000000 at most");
    _Static_assert(COMM_PROCS_MAX == 65534 && REPS_MAX == 1000000, "as the lines above say");
    if (placement_allowed(allowed))
        return refuse(out, -ENOTSUP, "cannot find out which cpus this process may use");
    for (uint32_t r = 0; r < s->job.procs; r++) {
        uint32_t cpu = s->machine.node->core_os[s->placement.core_of_rank[r]];
        if (cpu < PLACEMENT_MASK_WORDS * 64 && (allowed[cpu / 64] >> cpu % 64 & 1))
            continue;
        snprintf(out->reason, sizeof out->reason,
                 "rank %u belongs on cpu %u, which this process may not use: run needs the host's own node", r, cpu);
        return -ENOTSUP;
    }
    return 0;
}

/* Seconds from the deadline to the last end, a message, of every attempt that counts; and to the mean of all ranks' ends. */
static size_t samples_collect(struct run_common *common, const struct run_job *job, double *samples_s, double *means_s,
                              uint64_t *dropped)
{
    size_t n = 0;
    uint32_t done = word_load_relaxed(&common->round), procs = job->scenario->job.procs;
    double state_ns = run_state_ns(common, job), messages = run_messages_of(job->scenario);
    *dropped = 0;
    for (uint32_t i = 0; i < done && n < job->reps; i++) {
        const uint64_t *end = run_end_ticks(common, job, i);
        uint64_t last = 0, begin = common->deadline_ticks[i], sum = 0;
        for (uint32_t r = 0; r < procs; r++) {
            last = end[r] > last ? end[r] : last;
            sum += end[r] > begin ? end[r] - begin : 0;
        }
        if (run_attempt_counts(common, job, i, state_ns) && last >= begin) {
            means_s[n] = clock_ns(&job->clock, sum / procs) * 1e-9 / messages;
            samples_s[n++] = clock_ns(&job->clock, last - begin) * 1e-9 / messages;
        } else {
            *dropped += i >= job->warmup;
        }
    }
    return n;
}

/* Median over the slices that count of the double at `offset` in each; NAN if none has it. */
static double slices_median(struct run_common *common, const struct run_job *job, size_t offset)
{
    const struct run_slice *slices = run_slices(common, job);
    double state_ns = run_state_ns(common, job), median = NAN;
    double *values = malloc((common->slices + 1) * sizeof *values);
    size_t n = 0;
    for (uint32_t i = 0; values && i < common->slices; i++) {
        double value;
        memcpy(&value, (const char *)&slices[i] + offset, sizeof value);
        if (run_slice_in_state(&slices[i], state_ns) && !isnan(value) && value > 0)
            values[n++] = value;
    }
    if (n > 0) {
        run_sort(values, n);
        median = run_summary_of(values, n).median;
    }
    free(values);
    return median;
}

/* The better copy routine makes the limit. */
static double least_median_s(struct run_common *common, const struct run_job *job, size_t offset)
{
    double least = NAN;
    for (size_t routine = 0; routine < COPY_ROUTINE_COUNT; routine++)
        least = fmin(least, slices_median(common, job, offset + routine * sizeof(double)));
    return least * 1e-9;
}

static void fill_limits(struct run_common *common, const struct run_job *job, struct outcome *out)
{
    out->memcpy_cold_s = least_median_s(common, job, offsetof(struct run_slice, memcpy_cold_ns));
    out->copy_bound_s = least_median_s(common, job, offsetof(struct run_slice, copy_bound_ns));
    out->handover_ns = slices_median(common, job, offsetof(struct run_slice, before_ns));
}

static int fill_times(struct run_common *common, const struct run_job *job, struct outcome *out)
{
    double *samples = malloc(job->reps * sizeof *samples), *sorted = malloc(job->reps * sizeof *sorted);
    double *means = malloc(job->reps * sizeof *means);
    int room = samples && sorted && means;
    size_t n = room ? samples_collect(common, job, samples, means, &out->reps_dropped) : 0;
    if (n > 0) {
        memcpy(sorted, samples, n * sizeof *sorted);
        run_sort(sorted, n);
        run_sort(means, n);
        struct run_summary summary = run_summary_of(sorted, n);
        out->samples_s = samples;
        out->sample_count = n;
        out->time_s = summary.median;
        out->time_min_s = summary.min;
        out->time_p99_s = summary.p99;
        out->ci_low_s = summary.ci_low;
        out->ci_high_s = summary.ci_high;
        out->time_mean_s = run_summary_of(means, n).median;
    } else {
        free(samples);
    }
    free(sorted);
    free(means);
    if (!room)
        return refuse(out, -ENOMEM, "out of memory");
    return n ? 0
             : refuse(out, -EAGAIN,
                      "no repetition counts: ranks came late, or the host's hand-over was never the one calibrated; "
                      "calibrate again, or wait until the host is quiet");
}

static void fill_audit(const struct run_result *result, uint32_t procs, struct outcome *out)
{
    out->audited = 1;
    for (uint32_t r = 0; r < procs; r++) {
        out->audited &= result[r].audited;
        out->audit_pages += result[r].audit.pages;
        out->audit_pages_misplaced += result[r].audit.pages_misplaced;
    }
}

static uint32_t cpus_used(const struct scenario *s)
{
    uint32_t n = 0;
    for (uint32_t r = 0; r < s->job.procs; r++) {
        uint32_t before = 0;
        while (before < r && s->placement.core_of_rank[before] != s->placement.core_of_rank[r])
            before++;
        n += before == r;
    }
    return n;
}

/* What came of the parameters asked for: all ranks tell the same. */
static void fill_ran(const struct scenario *s, const struct run_result *result, const struct launch_report *report,
                     struct outcome *out)
{
    const struct comm_lane *ran = &result->ran;
    if (ran->protocol != s->params.protocol)
        out->ran = (struct params){.protocol = ran->protocol, .fragment_bytes = ran->fragment_bytes, .slots = ran->slots,
                                   .sets = ran->sets, .tree = ran->tree, .readers_most = ran->readers_most};
    snprintf(out->note, sizeof out->note, "%s%s%s", report->note, report->note[0] && result->note[0] ? "; " : "", result->note);
    uint32_t cpus = cpus_used(s);
    size_t used = strlen(out->note);
    if (cpus < s->job.procs)
        snprintf(out->note + used, sizeof out->note - used, "%s%u ranks share %u cpus: who waits yields at once",
                 used ? "; " : "", s->job.procs, cpus);
}

static int run(const struct run_job *job, uint32_t *cpu_os, struct run_result *result, struct run_common *common,
               struct outcome *out)
{
    const struct scenario *s = job->scenario;
    struct launch_report report;
    struct launch_options options = {.procs = s->job.procs, .backend = s->conditions.backend, .cpu_os = cpu_os,
                                     .timeout_s = TIMEOUT_S + s->conditions.time_limit_s,
                                     .result_bytes = sizeof *result, .common_bytes = run_common_bytes(job)};
    for (uint32_t r = 0; r < s->job.procs; r++)
        cpu_os[r] = s->machine.node->core_os[s->placement.core_of_rank[r]];
    int error = launcher_run(&options, run_rank_body, (void *)job, result, common, &report);
    if (error) {
        out->verified = error == -EBADMSG ? 0 : -1;
        return refuse(out, error, report.reason);
    }
    out->verified = s->conditions.no_verify ? -1 : 1;
    fill_ran(s, result, &report, out);
    fill_audit(result, s->job.procs, out);
    fill_limits(common, job, out);
    return fill_times(common, job, out);
}

/* Few enough that the host seldom moves within a slice, enough that looking costs little. */
static uint32_t slice_attempts(uint64_t size_bytes)
{
    uint64_t affordable = SLICE_BYTES / (size_bytes + 1);
    return affordable < SLICE_LEAST ? SLICE_LEAST : affordable > SLICE_MOST ? SLICE_MOST : (uint32_t)affordable;
}

/* Where the node's costs are known, the model says how messages go best should others' memory be out of reach. */
static struct comm_lane without_peers(const struct scenario *s)
{
    struct choice_space space = {.fixed = {.protocol = &protocol_counted}};
    struct choice choice;
    int peers = s->job.kind == JOB_BCAST && (s->params.protocol->uses & PROTOCOL_PEERS);
    if (!peers || choice_bcast_search(s, &evaluator_model, "extended", &space, &choice))
        return (struct comm_lane){.protocol = NULL};
    const struct params *p = &choice.params;
    return (struct comm_lane){.protocol = p->protocol, .fragment_bytes = p->fragment_bytes, .slots = p->slots, .sets = p->sets,
                              .tree = p->tree, .size_max_bytes = UINT64_MAX};
}

static int evaluate(const struct scenario *s, struct trace_sink *sink, struct outcome *out)
{
    (void)sink; /* a run is timed, not traced: tracing would change it */
    int error = scenario_check(s, out->reason, sizeof out->reason);
    if (!error && s->machine.network) {
        snprintf(out->reason, sizeof out->reason, "runs are on this host, not on a network");
        return -ENOTSUP;
    }
    if (!error)
        error = check_host(s, out);
    if (error)
        return error;
    uint64_t begin_ns = clock_monotonic_ns();
    struct run_job job = {.scenario = s, .clock = clock_create()};
    job.warmup = s->conditions.warmup ? s->conditions.warmup : WARMUP_DEFAULT;
    job.reps = s->conditions.reps ? s->conditions.reps : REPS_DEFAULT;
    job.slice_attempts = slice_attempts(job_message_bytes(&s->job) * run_messages_of(s));
    job.attempts_max = job.warmup + ATTEMPTS_A_REP * job.reps + 4 * job.slice_attempts;
    job.without_peers = without_peers(s);
    if (s->conditions.buffer_memory == BUFFER_MEMORY_SHARED)
        job.area_bytes = run_pool_bytes(s);
    uint32_t *cpu_os = calloc(s->job.procs, sizeof *cpu_os);
    struct run_result *result = calloc(s->job.procs, sizeof *result);
    size_t common_bytes = (run_common_bytes(&job) + 4095) / 4096 * 4096;
    struct run_common *common = aligned_alloc(4096, common_bytes);
    error = cpu_os && result && common ? run(&job, cpu_os, result, common, out) : refuse(out, -ENOMEM, "out of memory");
    free(cpu_os);
    free(result);
    free(common);
    out->wall_s = (double)(clock_monotonic_ns() - begin_ns) * 1e-9;
    return error;
}

const struct evaluator evaluator_run = {.name = "run", .evaluate = evaluate};
