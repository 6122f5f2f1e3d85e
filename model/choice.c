#include "model/choice.h"
#include "model/bcast_cost.h"
#include "model/protocol/eager.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>

static const double TOLERANCE = 1e-3; /* no model is truer than that: a shorter queue is worth more */

/* Trees worth trying; up to two ranks they are all one. */
static const struct tree_shape shapes[] = {
    {TREE_FLAT, 0}, {TREE_KARY, 2}, {TREE_KNOMIAL, 2}, {TREE_CHAIN, 0}, {TREE_KARY, 4}, {TREE_KNOMIAL, 4},
};
enum { SHAPES = sizeof shapes / sizeof *shapes, FRAGMENT_LEAST_BYTES = 4096, SETS_MOST = 4 };

struct search {
    struct scenario scenario; /* with the candidate's parameters */
    const struct evaluator *evaluator;
    const struct choice_space *space;
    struct choice *choice;
    uint64_t budget_bytes, queue_bytes; /* of the best so far */
    double least_s;
    int err;
};

/* Judges the scenario as it stands. Candidates that make no sense are passed over; other failures end the search. */
static void judge(struct search *s, uint64_t queue_bytes)
{
    struct outcome outcome;
    int err = s->evaluator->evaluate(&s->scenario, NULL, &outcome);
    outcome_destroy(&outcome);
    if (err) {
        if (s->err == 0 && err != -EINVAL)
            s->err = err;
        snprintf(s->choice->reason, sizeof s->choice->reason, "%s", outcome.reason);
        return;
    }
    s->choice->candidates++;
    s->least_s = fmin(s->least_s, outcome.time_s);
    double enough_s = s->least_s * (1 + TOLERANCE);
    if (outcome.time_s > enough_s || (s->choice->time_s <= enough_s && queue_bytes >= s->queue_bytes))
        return;
    s->choice->params = s->scenario.params;
    s->choice->time_s = outcome.time_s;
    s->queue_bytes = queue_bytes;
}

static void judge_queue(struct search *s, uint32_t fragment_bytes, uint64_t slots, uint32_t sets)
{
    uint64_t queue_bytes = (uint64_t)fragment_bytes * slots;
    if (slots == 0 || slots > UINT32_MAX || slots % sets != 0 || queue_bytes > s->budget_bytes || s->err)
        return;
    s->scenario.params.fragment_bytes = fragment_bytes;
    s->scenario.params.slots = (uint32_t)slots;
    s->scenario.params.sets = sets;
    judge(s, queue_bytes);
}

/* Slots a set: doubling, up to as many as hold the message, and exactly that many. */
static void search_slots(struct search *s, uint32_t fragment_bytes, uint32_t sets)
{
    const struct params *fixed = &s->space->fixed;
    uint64_t size = s->scenario.job.bcast.size_bytes, fragments = size ? (size + fragment_bytes - 1) / fragment_bytes : 1;
    uint64_t whole = (fragments + sets - 1) / sets;
    if (fixed->slots) {
        judge_queue(s, fragment_bytes, fixed->slots, sets);
        return;
    }
    for (uint64_t n = 1; n < whole && n * sets * fragment_bytes <= s->budget_bytes; n *= 2)
        judge_queue(s, fragment_bytes, n * sets, sets);
    judge_queue(s, fragment_bytes, whole * sets, sets);
    uint64_t most = s->budget_bytes / fragment_bytes / sets;
    if (most < whole)
        judge_queue(s, fragment_bytes, most * sets, sets);
}

static void search_sets(struct search *s, uint32_t fragment_bytes)
{
    const struct params *fixed = &s->space->fixed;
    if (fixed->sets) {
        search_slots(s, fragment_bytes, fixed->sets);
        return;
    }
    for (uint32_t sets = 1; sets <= SETS_MOST; sets *= 2)
        search_slots(s, fragment_bytes, sets);
}

/* Fragments of 1, 1.5, 2, 3, ... pages up to the first that holds the message. */
static void search_fragments(struct search *s)
{
    if (s->space->fixed.fragment_bytes) {
        search_sets(s, s->space->fixed.fragment_bytes);
        return;
    }
    uint64_t size = s->scenario.job.bcast.size_bytes, most = s->budget_bytes < UINT32_MAX / 2 ? s->budget_bytes : UINT32_MAX / 2;
    for (uint64_t f = FRAGMENT_LEAST_BYTES; f <= most && !s->err; f *= 2) {
        search_sets(s, (uint32_t)f);
        if (f > FRAGMENT_LEAST_BYTES && f / 2 * 3 <= most && f < size)
            search_sets(s, (uint32_t)(f / 2 * 3));
        if (f >= size)
            break;
    }
}

/* The short path needs no queue; its scenario still wants sound parameters. */
static void judge_eager(struct search *s)
{
    const struct params *fixed = &s->space->fixed;
    s->scenario.params.protocol = &protocol_eager;
    s->scenario.params.fragment_bytes = fixed->fragment_bytes ? fixed->fragment_bytes : FRAGMENT_LEAST_BYTES;
    s->scenario.params.sets = fixed->sets ? fixed->sets : 1;
    s->scenario.params.slots = fixed->slots ? fixed->slots : s->scenario.params.sets;
    judge(s, 0);
}

static void search_protocols(struct search *s, struct tree_shape tree)
{
    const struct protocol *fixed = s->space->fixed.protocol;
    s->scenario.params.tree = tree;
    if (fixed == &protocol_eager || (!fixed && s->scenario.job.bcast.size_bytes <= EAGER_FIRST_LINE_BYTES))
        judge_eager(s);
    if (fixed == &protocol_eager || s->err)
        return;
    s->scenario.params.protocol = fixed ? fixed : &protocol_pipelined;
    search_fragments(s);
}

int choice_bcast_search(const struct scenario *scenario, const struct evaluator *evaluator, const char *variant,
                        const struct choice_space *space, struct choice *out)
{
    *out = (struct choice){.time_s = INFINITY};
    struct search s = {.scenario = *scenario, .evaluator = evaluator, .space = space, .choice = out, .least_s = INFINITY};
    if (!scenario->machine.node) {
        snprintf(out->reason, sizeof out->reason, "no node given");
        return -EINVAL;
    }
    s.budget_bytes = space->budget_bytes ? space->budget_bytes : bcast_cost_budget_bytes(scenario->machine.node);
    s.scenario.variant = variant;
    int alike = scenario->job.procs <= 2;
    for (int i = 0; i < (space->tree_fixed || alike ? 1 : SHAPES) && !s.err; i++)
        search_protocols(&s, space->tree_fixed ? space->fixed.tree : shapes[i]);
    if (s.err || out->candidates)
        return s.err;
    if (!out->reason[0])
        snprintf(out->reason, sizeof out->reason, "no queue fits a budget of %llu bytes", (unsigned long long)s.budget_bytes);
    return -EINVAL;
}

int choice_bcast(const struct scenario *scenario, const char *by, struct params *out)
{
    struct choice choice;
    const struct choice_space everything = {0};
    int err = choice_bcast_search(scenario, &evaluator_model, by, &everything, &choice);
    if (!err)
        *out = choice.params;
    return err;
}
