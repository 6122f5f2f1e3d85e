#include "model/allgather_model.h"

#include "model/channel/channel_way.h"
#include "model/step_clock.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>

static int time_by(const struct scenario *s, const struct schedule_algorithm *algorithm, struct schedule_answer *out,
                   char *reason, size_t reason_bytes)
{
    struct schedule schedule;
    struct schedule_question question = {
        .node = s->machine.node,
        .core_of_rank = s->placement.core_of_rank,
        .schedule = &schedule,
        .numbering = s->numbering,
        .block_bytes = s->job.allgather.block_bytes,
        .cold = s->conditions.buffers == BUFFERS_COLD,
        .in_place = s->job.allgather.in_place,
    };
    int err = channel_way_of(s, &question.way, reason, reason_bytes);
    if (!err)
        err = schedule_init_regions(&schedule, algorithm, s->job.procs, 0, scenario_region(s));
    return err ? err : schedule_cost(&question, out, reason, reason_bytes);
}

/* A rank that is alone moves its block. */
static int time_alone(const struct scenario *s, struct schedule_answer *out, char *reason, size_t reason_bytes)
{
    struct message_costs costs;
    message_costs_init(&costs, s->machine.node, &(struct message_way){.fragment_bytes = 1, .queue_bytes = 1});
    out->time_s = out->copy_s = message_move_s(&costs, s->job.allgather.block_bytes, s->conditions.buffers == BUFFERS_COLD);
    if (!costs.missing[0])
        return 0;
    snprintf(reason, reason_bytes, "node %s does not say what a %s costs; calibrate it", s->machine.node->name, costs.missing);
    return -ENOTSUP;
}

static int time_by_steps(const struct scenario *s, struct schedule_answer *out, char *reason, size_t reason_bytes)
{
    struct bcast_prediction prediction;
    int err = step_clock_time(s, NULL, &prediction, reason, reason_bytes);
    out->time_s = prediction.time_s;
    out->copy_s = prediction.copy_s;
    return err;
}

int allgather_model_time(const struct scenario *scenario, struct schedule_answer *out, char *reason, size_t reason_bytes)
{
    if (scenario->algorithm)
        return time_by(scenario, scenario->algorithm, out, reason, reason_bytes);
    *out = (struct schedule_answer){.latency_s = NAN, .limit_s = NAN};
    return scenario->job.procs == 1 ? time_alone(scenario, out, reason, reason_bytes)
                                    : time_by_steps(scenario, out, reason, reason_bytes);
}

int allgather_model_fastest(const struct scenario *scenario, const struct schedule_algorithm **out, char *reason,
                            size_t reason_bytes)
{
    const struct schedule_algorithm *fastest = NULL;
    double least_s = INFINITY;
    uint32_t region = scenario_region(scenario);
    for (const struct schedule_algorithm *const *a = schedule_table; *a; a++) {
        struct schedule_answer answer;
        int is_bruck = *a == &schedule_locality_bruck && region == 1; /* by another name */
        if ((*a)->kind != SCHEDULE_ALLGATHER || is_bruck || !schedule_valid(*a, scenario->job.procs))
            continue;
        int err = time_by(scenario, *a, &answer, reason, reason_bytes);
        if (err)
            return err;
        if (answer.time_s < least_s) {
            least_s = answer.time_s;
            fastest = *a;
        }
    }
    *out = fastest;
    return 0;
}
