#include "model/network_model.h"
#include "model/network.h"
#include "model/network_rounds.h"
#include "model/nic_cost.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

/* Whether rounds can be summed up. */
static int has_rounds(const struct scenario *s)
{
    return s->job.kind == JOB_ALLGATHER && !s->channel && s->machine.levels != 2;
}

/* What there is no closed form for, and who has it. */
static int refuse(const struct scenario *s, const char *what, char *reason, size_t reason_bytes)
{
    snprintf(reason, reason_bytes, "%s: %sshmcoll sim has it", what,
             has_rounds(s) ? "--variant extended sums up its rounds, " : "");
    return -ENOTSUP;
}

static int closed_time(const struct scenario *s, double *out_s, char *reason, size_t reason_bytes)
{
    struct loggp loggp = network_loggp(s->machine.network);
    struct schedule schedule;
    uint64_t time_ps;
    char what[100];
    if (s->numbering)
        return refuse(s, "the model knows no mapping on a network", reason, reason_bytes);
    if (s->channel)
        return refuse(s, "the model knows no schedules over channels, only p2p", reason, reason_bytes);
    if (s->machine.ppn > 1 || s->machine.network->kind != NETWORK_LOGGP)
        return refuse(s, "the model knows no shared nodes and links, only loggp with a rank a node", reason, reason_bytes);
    int err = schedule_init_regions(&schedule, s->algorithm, s->job.procs, job_root(&s->job), scenario_region(s));
    if (!err)
        err = loggp_schedule_ps(&loggp, &schedule, job_size_bytes(&s->job), &time_ps);
    if (err == -ENOTSUP) {
        snprintf(what, sizeof what, "there is no closed form of %s on a network", s->algorithm->name);
        return refuse(s, what, reason, reason_bytes);
    }
    if (err)
        snprintf(reason, reason_bytes, "%llu bytes among %u ranks take longer than 53 days: use less, or a faster network",
                 (unsigned long long)job_size_bytes(&s->job), s->job.procs);
    else
        *out_s = (double)time_ps * 1e-12;
    return err == -EOVERFLOW ? -EINVAL : err;
}

static int rounds_time(const struct scenario *s, struct outcome *out)
{
    struct network_rounds sums;
    int err = network_rounds_sum(s, &sums, out->reason, sizeof out->reason);
    if (err)
        return err;
    out->time_s = (double)sums.time_ps * 1e-12;
    out->levels_counted = 1;
    out->messages_inside = sums.messages_inside;
    out->messages_between = sums.messages_between;
    out->bytes_inside = sums.bytes_inside;
    out->bytes_between = sums.bytes_between;
    return 0;
}

int network_model_time(const struct scenario *s, struct outcome *out)
{
    if (s->job.kind == JOB_P2P)
        return nic_scenario_s(s, &out->time_s, out->reason, sizeof out->reason);
    int err = closed_time(s, &out->time_s, out->reason, sizeof out->reason);
    if (err != -ENOTSUP || !has_rounds(s) || !s->variant || strcmp(s->variant, "extended"))
        return err;
    out->reason[0] = '\0';
    return rounds_time(s, out);
}
