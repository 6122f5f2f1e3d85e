/* The evaluator `run`: the broadcast for real, on the cores of this host. */
#include "kernels/placement.h"
#include "kernels/run_rank.h"
#include "kernels/run_statistics.h"
#include "model/protocol/eager.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

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
    if (s->params.protocol == &protocol_eager && s->conditions.control_pages)
        return refuse(out, -ENOTSUP, "the eager protocol needs the packed layout: leave control pages out");
    if (s->job.procs > COMM_PROCS_MAX || s->conditions.reps > REPS_MAX)
        return refuse(out, -ENOTSUP, "more ranks or repetitions than a run supports");
    if (placement_allowed(allowed))
        return refuse(out, -ENOTSUP, "cannot find out which cpus this process may use");
    for (uint32_t r = 0; r < s->job.procs; r++) {
        uint32_t cpu = s->machine.node->core_os[s->placement.core_of_rank[r]];
        if (cpu < PLACEMENT_MASK_WORDS * 64 && (allowed[cpu / 64] >> cpu % 64 & 1))
            continue;
        snprintf(out->reason, sizeof out->reason, "rank %u belongs on cpu %u, which this process may not use: run needs the host's own node",
                 r, cpu);
        return -ENOTSUP;
    }
    return 0;
}

/* Seconds from the deadline to the last end, of every attempt that counts. */
static size_t samples_collect(struct run_common *common, const struct run_job *job, double *samples_s)
{
    size_t n = 0;
    uint32_t done = word_load_relaxed(&common->round);
    for (uint32_t i = job->warmup; i < done; i++) {
        const uint64_t *end = run_end_ticks(common, job, i);
        uint64_t last = 0;
        int late = 0;
        for (uint32_t r = 0; r < job->scenario->job.procs; r++) {
            late |= end[r] == 0;
            last = end[r] > last ? end[r] : last;
        }
        if (!late && last >= common->deadline_ticks[i] && n < job->reps)
            samples_s[n++] = clock_ns(&job->clock, last - common->deadline_ticks[i]) * 1e-9;
    }
    return n;
}

static int fill_times(struct run_common *common, const struct run_job *job, struct outcome *out)
{
    double *samples = malloc(job->reps * sizeof *samples), *sorted = malloc(job->reps * sizeof *sorted);
    size_t n = samples && sorted ? samples_collect(common, job, samples) : 0;
    if (n == 0) {
        free(samples);
        free(sorted);
        return samples && sorted ? refuse(out, -EAGAIN, "ranks were late for every repetition: is the host overloaded?")
                                 : refuse(out, -ENOMEM, "out of memory");
    }
    for (size_t i = 0; i < n; i++)
        sorted[i] = samples[i];
    run_sort(sorted, n);
    struct run_summary summary = run_summary_of(sorted, n);
    free(sorted);
    out->samples_s = samples;
    out->sample_count = n;
    out->time_s = summary.median;
    out->time_min_s = summary.min;
    out->time_p99_s = summary.p99;
    out->ci_low_s = summary.ci_low;
    out->ci_high_s = summary.ci_high;
    return 0;
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

static int run(const struct run_job *job, uint32_t *cpu_os, struct run_result *result, struct run_common *common, struct outcome *out)
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
    fill_audit(result, s->job.procs, out);
    out->memcpy_cold_s = result[0].memcpy_cold_s;
    out->copy_bound_s = result[0].copy_bound_s;
    out->handover_ns = result[0].handover_ns;
    return fill_times(common, job, out);
}

static int evaluate(const struct scenario *s, struct trace_sink *sink, struct outcome *out)
{
    (void)sink; /* a run is timed, not traced: tracing would change it */
    int error = scenario_check(s, out->reason, sizeof out->reason);
    if (!error)
        error = check_host(s, out);
    if (error)
        return error;
    uint64_t begin_ns = clock_monotonic_ns();
    struct run_job job = {.scenario = s, .clock = clock_create()};
    job.warmup = s->conditions.warmup ? s->conditions.warmup : WARMUP_DEFAULT;
    job.reps = s->conditions.reps ? s->conditions.reps : REPS_DEFAULT;
    job.attempts_max = job.warmup + job.reps + job.reps / 4 + 16;
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
