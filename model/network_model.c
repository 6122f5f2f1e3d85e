#include "model/network_model.h"
#include "model/network.h"
#include "model/nic_cost.h"

#include <errno.h>
#include <stdio.h>

int network_model_time(const struct scenario *s, double *out_s, char *reason, size_t reason_bytes)
{
    struct loggp loggp = network_loggp(s->machine.network);
    struct schedule schedule;
    uint64_t time_ps;
    if (s->job.kind == JOB_P2P)
        return nic_scenario_s(s, out_s, reason, reason_bytes);
    if (s->machine.ppn > 1 || s->machine.network->kind != NETWORK_LOGGP) {
        snprintf(reason, reason_bytes, "the model knows no shared nodes and links, only loggp with a rank a node: shmcoll sim has it");
        return -ENOTSUP;
    }
    int err = schedule_init(&schedule, s->algorithm, s->job.procs, job_root(&s->job));
    if (!err)
        err = loggp_schedule_ps(&loggp, &schedule, job_size_bytes(&s->job), &time_ps);
    if (err == -ENOTSUP)
        snprintf(reason, reason_bytes, "there is no closed form of %s on a network: shmcoll sim has it", s->algorithm->name);
    else if (err)
        snprintf(reason, reason_bytes, "%llu bytes among %u ranks take longer than 53 days: use less, or a faster network",
                 (unsigned long long)job_size_bytes(&s->job), s->job.procs);
    else
        *out_s = (double)time_ps * 1e-12;
    return err == -EOVERFLOW ? -EINVAL : err;
}
