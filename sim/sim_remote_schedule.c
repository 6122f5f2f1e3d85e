#include "sim/sim_remote_schedule.h"
#include "sim/sim_network.h"
#include "sim/sim_remote_p2p.h"
#include "sim/sim_time.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

enum { RECEIVES, SENDS, WAITS, PHASES };

static int gathers(const struct sim_remote_schedule *s)
{
    return s->schedule.algorithm->kind == SCHEDULE_ALLGATHER;
}

int sim_remote_schedule_places(const struct sim_remote_schedule *s, uint32_t rank)
{
    const struct numbering *n = s->numbering;
    int moved = n && n->remap == NUMBERING_REORDER && numbering_virtual(n, rank) != rank;
    return gathers(s) && (!s->in_place || moved) && !schedule_step_trades(n, rank, 0);
}

/* Where blocks that go together begin in the buffer of a virtual rank. */
static uint64_t place_of(const struct sim_remote_schedule *s, uint32_t virtual_rank, const struct schedule_blocks *blocks)
{
    struct schedule_blocks before = {0, 1, schedule_place(&s->schedule, virtual_rank, blocks->first)};
    return sim_cluster_bytes(&s->question, &before);
}

/* In the rank: all blocks at once, or each that is not where it belongs. */
static struct sim_remote_act move_of(const struct sim_remote_schedule *s, const struct schedule_step *step)
{
    struct sim_remote_act move = {.kind = SIM_REMOTE_MOVE, .bytes = s->question.size_bytes * s->schedule.procs, .warm = 1,
                                  .times = 1};
    if (step->op == SCHEDULE_PERMUTE) {
        move.bytes = s->question.size_bytes;
        move.times = (uint32_t)numbering_moves(s->numbering, s->schedule.procs, step->shift);
    }
    return move;
}

static void exchange(const struct sim_remote_schedule *s, uint32_t rank, uint32_t k, int sends, struct sim_remote_act *out)
{
    struct schedule_step step;
    schedule_step_numbered(&s->schedule, s->numbering, rank, k, &step);
    const struct schedule_blocks *blocks = sends ? &step.send : &step.receive;
    uint32_t peer = sends ? step.send_to : step.receive_from;
    if (step.op != SCHEDULE_EXCHANGE && !sends)
        *out = move_of(s, &step);
    if (step.op != SCHEDULE_EXCHANGE || peer == SCHEDULE_NONE)
        return;
    *out = (struct sim_remote_act){.kind = sends ? SIM_REMOTE_SEND : SIM_REMOTE_RECEIVE, .peer = peer};
    out->bytes = sim_cluster_bytes(&s->question, blocks);
    /* The block of a trade is the user's own. */
    out->place = sends && schedule_step_trades(s->numbering, rank, k)
                     ? s->question.size_bytes * s->schedule.procs
                     : place_of(s, numbering_virtual(s->numbering, rank), blocks);
    out->warm = sends && (k > 0 || s->own_warm || sim_remote_schedule_places(s, rank));
}

/* The own block to its place, then three acts a step; an act that has nothing to do waits for what there is. */
static void act(const void *context, uint32_t rank, uint32_t i, struct sim_remote_act *out)
{
    const struct sim_remote_schedule *s = context;
    uint32_t places = (uint32_t)sim_remote_schedule_places(s, rank), step = (i - places) / PHASES, phase = (i - places) % PHASES;
    *out = (struct sim_remote_act){.kind = SIM_REMOTE_WAIT};
    if (i < places)
        *out = (struct sim_remote_act){.kind = SIM_REMOTE_MOVE, .bytes = s->question.size_bytes, .times = 1};
    else if (step == schedule_steps_numbered(&s->schedule, s->numbering, rank))
        out->kind = SIM_REMOTE_OVER;
    else if (phase != WAITS)
        exchange(s, rank, step, phase == SENDS, out);
}

static uint64_t late_ps(const void *context, uint32_t rank)
{
    const struct sim_remote_schedule *s = context;
    return sim_cluster_start_ps(&s->question, rank);
}

struct sim_remote_program sim_remote_schedule_program(const struct sim_remote_schedule *s)
{
    uint64_t bytes = s->question.size_bytes * (gathers(s) ? s->schedule.procs + (s->numbering != NULL) : 1);
    return (struct sim_remote_program){.act = act, .late_ps = late_ps, .context = s, .buffer_bytes = bytes ? bytes : 1};
}

static int inside_create(struct sim_remote_schedule *s, const struct scenario *scenario, struct sim_remote_question *question,
                         char *reason, size_t reason_bytes)
{
    question->ppn = scenario->machine.ppn;
    if (question->ppn < 2)
        return 0;
    s->inside = malloc(sizeof *s->inside);
    if (!s->inside) {
        snprintf(reason, reason_bytes, "no memory for the costs of a node: use fewer ranks");
        return -ENOMEM;
    }
    int err = sim_network_costs_create(s->inside, scenario, reason, reason_bytes);
    question->inside = s->inside->nodes.inside;
    question->context = s->inside->nodes.context;
    return err;
}

int sim_remote_schedule_create(struct sim_remote_schedule *out, const struct scenario *scenario, char *reason,
                               size_t reason_bytes)
{
    struct sim_remote_question question;
    *out = (struct sim_remote_schedule){.in_place = scenario->job.kind == JOB_ALLGATHER && scenario->job.allgather.in_place,
                                        .numbering = scenario->numbering};
    out->question = (struct sim_cluster_question){.schedule = &out->schedule, .size_bytes = job_size_bytes(&scenario->job),
                                                  .skew_ps = sim_ps_from_s(scenario->conditions.skew_s)};
    int err = sim_remote_question_of(scenario, &question, reason, reason_bytes);
    if (!err && schedule_init_regions(&out->schedule, scenario->algorithm, scenario->job.procs, job_root(&scenario->job),
                                      scenario_region(scenario)))
        err = -EINVAL;
    err = err ? err : inside_create(out, scenario, &question, reason, reason_bytes);
    err = err ? err : sim_remote_create(&out->remote, &question, reason, reason_bytes);
    if (err)
        free(out->inside);
    return err;
}

void sim_remote_schedule_destroy(struct sim_remote_schedule *s)
{
    sim_remote_destroy(&s->remote);
    free(s->inside);
}

int sim_remote_schedule_call(struct sim_remote_schedule *s, uint64_t seed, struct trace_sink *sink, uint64_t *time_ps,
                             char *reason, size_t reason_bytes)
{
    struct sim_remote_program program = sim_remote_schedule_program(s);
    s->question.seed = seed;
    int err = sim_remote_call(&s->remote, &program, sink, time_ps, reason, reason_bytes);
    if (err == -ENOTSUP && s->inside)
        sim_network_tell_missing(s->inside, reason, reason_bytes);
    return err;
}
