/* The closed forms as an evaluator: variant "paper" (also "" and NULL) and "extended"; and Allgathers, by schedule or protocol;
 * messages over channels. */
#include "model/allgather_model.h"
#include "model/bcast_cost.h"
#include "model/bcast_model.h"
#include "model/message_model.h"
#include "model/channel.h"
#include "model/network_model.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

static double clock_s(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static int has_closed_form(const struct protocol *protocol)
{
    return protocol == &protocol_pipelined || protocol == &protocol_eager;
}

static int supports(const struct scenario *s, char *reason, size_t reason_bytes)
{
    int err = scenario_check(s, reason, reason_bytes);
    if (err)
        return err;
    if (s->machine.nodes > 1 && !s->machine.network) {
        snprintf(reason, reason_bytes, "the model is for one node, not for %u", s->machine.nodes);
        return -ENOTSUP;
    }
    return 0;
}

/* Where the queue could be better: f* and s* for the bytes it has. */
static void report_optimum(const struct scenario *s, const struct bcast_costs *costs, struct outcome *out)
{
    uint64_t buffer_bytes = (uint64_t)s->params.fragment_bytes * s->params.slots;
    out->fragment_opt_bytes = bcast_cost_fragment_opt_bytes(costs, s->job.bcast.size_bytes, buffer_bytes);
    out->slots_opt = (double)buffer_bytes / out->fragment_opt_bytes;
}

/* What the form's time is made of, so that a wrong one can be named. */
static void report_terms(const struct scenario *s, const struct bcast_costs *costs, struct outcome *out)
{
    struct bcast_cost_terms terms;
    const struct params *p = &s->params;
    if (bcast_cost_terms(costs, s->job.bcast.size_bytes, p->fragment_bytes, p->slots, p->sets, &terms))
        return;
    out->term_sets_s = terms.sets_s;
    out->term_fill_s = terms.fill_s;
    out->term_notify_s = terms.notify_s;
    out->term_copy_s = terms.copy_s;
}

/* A core that does not copy waits. */
static void report_work(const struct scenario *s, double time_s, double copy_s, struct outcome *out)
{
    out->time_s = time_s;
    out->copy_s = copy_s;
    out->wait_s = fmax(s->job.procs * time_s - copy_s, 0);
}

/* Whatever the variant: S1 has no Allgather. */
static int evaluate_allgather(const struct scenario *s, struct outcome *out)
{
    struct schedule_answer answer;
    int err = allgather_model_time(s, &answer, out->reason, sizeof out->reason);
    if (err)
        return err;
    report_work(s, answer.time_s, answer.copy_s, out);
    return 0;
}

static int evaluate_p2p(const struct scenario *s, struct outcome *out)
{
    struct message_answer answer;
    int err = message_model_time(s, &answer, out->reason, sizeof out->reason);
    if (err)
        return err;
    report_work(s, answer.time_s, answer.copy_s, out);
    return 0;
}

static int evaluate_tree(const struct scenario *s, const struct tree *tree, struct outcome *out)
{
    int extended = s->variant && strcmp(s->variant, "extended") == 0;
    struct bcast_prediction prediction;
    if (!has_closed_form(s->params.protocol) && !extended) {
        snprintf(out->reason, sizeof out->reason, "the paper has no form for protocol %s: --variant extended steps through it",
                 s->params.protocol->name);
        return -ENOTSUP;
    }
    int err = extended ? bcast_model_extended(s, tree, &prediction, out->reason, sizeof out->reason)
                       : bcast_model_paper(s, tree, &prediction, out->reason, sizeof out->reason);
    if (err)
        return err;
    out->time_s = prediction.time_s;
    out->time_mean_s = prediction.time_mean_s > 0 ? prediction.time_mean_s : NAN;
    out->copy_s = prediction.copy_s;
    out->wait_s = prediction.wait_s;
    if (s->params.protocol == &protocol_pipelined && s->job.procs > 1) {
        report_optimum(s, &prediction.costs, out);
        if (!extended)
            report_terms(s, &prediction.costs, out);
    }
    return 0;
}

static int evaluate_job(const struct scenario *scenario, struct outcome *out)
{
    int err = supports(scenario, out->reason, sizeof out->reason);
    if (err)
        return err;
    const char *variant = scenario->variant ? scenario->variant : "";
    if (strcmp(variant, "") != 0 && strcmp(variant, "paper") != 0 && strcmp(variant, "extended") != 0) {
        snprintf(out->reason, sizeof out->reason, "no variant \"%s\" of the model: paper or extended", variant);
        return -EINVAL;
    }
    if (scenario->machine.network)
        return network_model_time(scenario, out);
    if (scenario->job.kind != JOB_BCAST)
        return (scenario->job.kind == JOB_P2P ? evaluate_p2p : evaluate_allgather)(scenario, out);
    struct tree tree;
    err = scenario_tree_create(scenario, &tree);
    if (err) {
        snprintf(out->reason, sizeof out->reason, "no memory for the tree of %u ranks", scenario->job.procs);
        return err;
    }
    err = evaluate_tree(scenario, &tree, out);
    tree_destroy(&tree);
    return err;
}

static int evaluate(const struct scenario *scenario, struct trace_sink *sink, struct outcome *out)
{
    (void)sink;
    double start_s = clock_s();
    outcome_init(out);
    int err = evaluate_job(scenario, out);
    out->wall_s = clock_s() - start_s;
    return err;
}

const struct evaluator evaluator_model = {.name = "model", .evaluate = evaluate};
