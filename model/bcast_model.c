#include "model/bcast_model.h"
#include "model/bcast_copies.h"
#include "model/bcast_steps.h"

#include <errno.h>
#include <math.h>

static int overlaps(const struct scenario *s)
{
    return s->params.slots > 1 && s->job.bcast.size_bytes > s->params.fragment_bytes;
}

/* Copies of one fragment, or of the message if it is shorter, per byte; the slowest reader counts. */
static int copy_rate(const struct scenario *s, const struct bcast_steps *steps, double *s_per_byte, char *reason,
                     size_t reason_bytes)
{
    uint64_t size = s->job.bcast.size_bytes, bytes = size && size < s->params.fragment_bytes ? size : s->params.fragment_bytes;
    struct bcast_copies c;
    int err = bcast_copies_of(s, bytes, &c, reason, reason_bytes);
    if (err)
        return err;
    double out_alone_s = 0, out_beside_s = 0;
    for (uint32_t v = 1; v < steps->procs; v++) {
        out_alone_s = fmax(out_alone_s, steps->far[v] ? c.far_s : c.near_alone_s);
        out_beside_s = fmax(out_beside_s, steps->far[v] ? c.far_s : c.near_beside_s);
    }
    *s_per_byte = (overlaps(s) ? fmax(c.in_beside_s, out_beside_s) : (c.in_alone_s + out_alone_s) / 2) / (double)bytes;
    return 0;
}

static int costs_of(const struct scenario *s, const struct bcast_steps *steps, struct bcast_costs *out, char *reason,
                    size_t reason_bytes)
{
    const struct paper_costs *paper = &s->machine.node->paper;
    if (s->machine.node->contention_free) {
        *out = (struct bcast_costs){paper->t_s_per_byte.value, paper->t_w_s.value, paper->t_wo_s.value, paper->t_a_s.value};
        return 0;
    }
    struct bcast_costs costs = {0, steps->path_max_s, steps->open_max_s, steps->leave_max_s};
    int err = copy_rate(s, steps, &costs.t_s_per_byte, reason, reason_bytes);
    if (!err)
        *out = costs;
    return err;
}

static int costs_derived(const struct scenario *s, const struct tree *tree, struct bcast_costs *out, char *reason,
                         size_t reason_bytes)
{
    struct bcast_steps steps;
    int err = bcast_steps_create(s, tree, &steps, reason, reason_bytes);
    if (err)
        return err;
    err = costs_of(s, &steps, out, reason, reason_bytes);
    bcast_steps_destroy(&steps);
    return err;
}

int bcast_model_costs(const struct scenario *scenario, const struct tree *tree, struct bcast_costs *out, char *reason,
                      size_t reason_bytes)
{
    const struct paper_costs *paper = &scenario->machine.node->paper;
    int err = costs_derived(scenario, tree, out, reason, reason_bytes);
    int stated = quantity_known(&paper->t_s_per_byte) && quantity_known(&paper->t_w_s) && quantity_known(&paper->t_wo_s) &&
                 quantity_known(&paper->t_a_s);
    if (err != -ENOTSUP || !stated)
        return err;
    *out = (struct bcast_costs){paper->t_s_per_byte.value, paper->t_w_s.value, paper->t_wo_s.value, paper->t_a_s.value};
    return 0;
}

/* All ranks copy the message once; what else they do, they wait. */
static void share_out(const struct scenario *s, double copy_each_s, struct bcast_prediction *out)
{
    out->copy_s = s->job.procs > 1 ? s->job.procs * copy_each_s : 0;
    out->wait_s = fmax(s->job.procs * out->time_s - out->copy_s, 0);
}

int bcast_model_paper(const struct scenario *scenario, const struct tree *tree, struct bcast_prediction *out, char *reason,
                      size_t reason_bytes)
{
    const struct params *p = &scenario->params;
    uint64_t size = scenario->job.bcast.size_bytes;
    if (p->protocol == &protocol_eager)
        return bcast_model_eager(scenario, tree, out, reason, reason_bytes);
    struct bcast_prediction prediction = {0};
    int err = bcast_model_costs(scenario, tree, &prediction.costs, reason, reason_bytes);
    if (err)
        return err;
    if (scenario->job.procs > 1)
        prediction.time_s = bcast_cost_s(&prediction.costs, size, p->fragment_bytes, p->slots, p->sets);
    share_out(scenario, (double)size * prediction.costs.t_s_per_byte, &prediction);
    *out = prediction;
    return 0;
}

static double handover_or_paper_s(const struct scenario *s, const struct tree *tree, uint32_t v)
{
    const struct node *node = s->machine.node;
    return node->contention_free ? node->paper.t_w_s.value : bcast_steps_handover_s(s, tree, tree->parent[v], v);
}

/* Adds v's own part to the time its line was seen, and sets its children's times. Per child: the test of its acknowledgement,
 * which stays in the cache; the payload, which takes the line from the child; the store behind it. */
static double eager_rank_s(const struct scenario *s, const struct tree *tree, const struct bcast_steps *steps, uint32_t v,
                           const struct bcast_copies *c, double *seen_s)
{
    double at_s = seen_s[v];
    for (uint32_t i = tree->first[v]; i < tree->first[v + 1]; i++) {
        uint32_t child = tree->child[i];
        double gap_s = s->machine.node->contention_free ? 0 : bcast_steps_gap_s(s, tree, v, child);
        at_s += 2 * steps->step_s + (v ? steps->step_s : c->in_alone_s) + gap_s;
        seen_s[child] = at_s + handover_or_paper_s(s, tree, child) + steps->step_s;
    }
    return at_s + (v ? c->near_alone_s - c->out_tail_s : 0); /* the line has come with the wait */
}

int bcast_model_eager(const struct scenario *scenario, const struct tree *tree, struct bcast_prediction *out, char *reason,
                      size_t reason_bytes)
{
    struct bcast_prediction prediction = {0};
    struct bcast_steps steps;
    struct bcast_copies copies;
    uint64_t size = scenario->job.bcast.size_bytes;
    int err = bcast_steps_create(scenario, tree, &steps, reason, reason_bytes);
    if (err)
        return err;
    err = bcast_copies_of(scenario, size, &copies, reason, reason_bytes);
    for (uint32_t v = 0; v < steps.procs && !err && size && steps.procs > 1; v++)
        prediction.time_s =
            fmax(prediction.time_s, steps.call_s + eager_rank_s(scenario, tree, &steps, v, &copies, steps.path_s));
    bcast_steps_destroy(&steps);
    if (err)
        return err;
    share_out(scenario, (copies.in_alone_s + copies.near_alone_s) / 2, &prediction);
    *out = prediction;
    return 0;
}
