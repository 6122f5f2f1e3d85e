#include "model/bcast_steps.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/* What create() works with. */
struct source {
    const struct scenario *scenario;
    const struct node *node;
    const struct tree *tree;
    struct bcast_steps *steps;
};

double bcast_steps_handover_s(const struct scenario *scenario, const struct tree *tree, uint32_t v, uint32_t w)
{
    uint32_t root = scenario->job.bcast.root;
    const uint32_t *core = scenario->placement.core_of_rank;
    return node_handover_ns(scenario->machine.node, core[tree_rank(tree, root, v)], core[tree_rank(tree, root, w)]) * 1e-9;
}

static double handover_s(const struct source *s, uint32_t v, uint32_t w)
{
    return bcast_steps_handover_s(s->scenario, s->tree, v, w);
}

static uint32_t core_of(const struct source *s, uint32_t v)
{
    return s->scenario->placement.core_of_rank[tree_rank(s->tree, s->scenario->job.bcast.root, v)];
}

static uint32_t child_count(const struct tree *tree, uint32_t v)
{
    return tree->first[v + 1] - tree->first[v];
}

/* store_ns for the nearest line, in proportion for a farther one. */
double bcast_steps_gap_s(const struct scenario *scenario, const struct tree *tree, uint32_t v, uint32_t w)
{
    const struct node *node = scenario->machine.node;
    double fetch_s = bcast_steps_handover_s(scenario, tree, v, w), near_ns = NAN;
    for (int c = HANDOVER_CLASS_COUNT - 1; c > HANDOVER_SAME_CORE; c--)
        near_ns = quantity_or(&node->handover_ns[c], near_ns);
    return quantity_known(&node->store_ns) && near_ns > 0 ? fetch_s * node->store_ns.value / near_ns : fetch_s;
}

static double store_gap_s(const struct source *s, uint32_t v, uint32_t child)
{
    return bcast_steps_gap_s(s->scenario, s->tree, v, child);
}

static void fill_described(const struct source *s)
{
    struct bcast_steps *steps = s->steps;
    double atomic_s = quantity_or(&s->node->atomic_ns, 0) * 1e-9, step = steps->step_s;
    for (uint32_t v = 0; v < steps->procs; v++) {
        double wait = v ? handover_s(s, s->tree->parent[v], v) + step : 0;
        steps->path_s[v] += wait;   /* the parent has left there when it told v */
        double busy = v ? step : 0; /* a reader resets its control block first */
        for (uint32_t i = 0; i < child_count(s->tree, v); i++) {
            const uint32_t *child = &s->tree->child[s->tree->first[v] + i];
            double gap = i ? store_gap_s(s, v, child[-1]) : 0;
            busy += step + gap;
            steps->lag_s[v] += gap;
            steps->path_s[*child] = steps->path_s[v] + busy;
        }
        steps->pass_s[v] = busy;
        /* A reader that keeps others waiting comes after the notification, and only fetches it. */
        steps->busy_s[v] = (v ? handover_s(s, s->tree->parent[v], v) * node_fetch_share(s->node) + step : 0) + busy;
        steps->open_s[v] = v ? handover_s(s, 0, v) + step : 0;
        steps->leave_s[v] = v ? handover_s(s, 0, v) + atomic_s + step : 0;
    }
    if (steps->procs > 1)
        steps->claim_s = handover_s(s, steps->procs - 1, 0) + 3 * step + store_gap_s(s, 0, steps->procs - 1);
    steps->call_s = quantity_or(&s->node->call_ns, 0) * 1e-9;
}

static void fill_paper(const struct source *s)
{
    const struct paper_costs *paper = &s->node->paper;
    struct bcast_steps *steps = s->steps;
    for (uint32_t v = 1; v < steps->procs; v++) {
        steps->path_s[v] = steps->path_s[s->tree->parent[v]] + paper->t_w_s.value;
        steps->busy_s[v] = paper->t_w_s.value;
        steps->open_s[v] = paper->t_wo_s.value;
        steps->leave_s[v] = paper->t_a_s.value;
    }
}

static void sort_by_path(struct bcast_steps *steps)
{
    for (uint32_t v = 0; v < steps->procs; v++) {
        uint32_t i = v; /* insertion: virtual ranks come nearly sorted */
        for (; i > 1 && steps->path_s[steps->order[i - 1]] > steps->path_s[v]; i--)
            steps->order[i] = steps->order[i - 1];
        steps->order[i] = v;
    }
}

/* Readers that were told together end together and queue up at the set's counter; those far from the root copy longer and
 * come when the others have left. A root that waits asks for the line as soon as a decrement takes it, and has its turn before
 * readers that come later than that. */
static double queue_of(const struct source *s, int far, int watched)
{
    struct bcast_steps *steps = s->steps;
    double atomic_s = quantity_or(&s->node->atomic_ns, 0) * 1e-9, free_s = 0, begun_s = 0, alone_s = 0;
    for (uint32_t i = 1, before = 0; i < steps->procs; i++) {
        uint32_t v = steps->order[i];
        if (steps->far[v] != far)
            continue;
        if (watched && before && steps->path_s[v] > begun_s) {
            free_s += handover_s(s, before, 0);
            before = 0;
        }
        begun_s = fmax(free_s, steps->path_s[v]);
        free_s = begun_s + handover_s(s, before, v) + atomic_s;
        alone_s = fmax(alone_s, steps->path_s[v] + steps->leave_s[v]);
        before = v;
    }
    return fmax(free_s + steps->step_s - alone_s, 0);
}

/* A set's opening is loaded by all; a line already fetched into a reader's cache is near for the next one there. */
static void fill_opening(const struct source *s)
{
    struct bcast_steps *steps = s->steps;
    for (uint32_t i = 1; i < steps->procs; i++) {
        uint32_t v = steps->order[i], before = i > 1 ? steps->order[i - 1] : 0;
        steps->open_all_s += fmin(handover_s(s, 0, v), handover_s(s, before, v));
    }
    steps->open_all_s += steps->step_s;
}

static void fill_meetings(const struct source *s)
{
    struct bcast_steps *steps = s->steps;
    for (uint32_t v = 1; v < steps->procs; v++) {
        steps->path_max_s = fmax(steps->path_max_s, steps->path_s[v]);
        steps->path_mean_s += steps->path_s[v] / (steps->procs - 1);
        steps->open_max_s = fmax(steps->open_max_s, steps->open_s[v]);
        steps->leave_max_s = fmax(steps->leave_max_s, steps->leave_s[v]);
        steps->far[v] = s->node->core_domain[core_of(s, v)] != s->node->core_domain[core_of(s, 0)];
    }
    steps->open_all_s = s->node->contention_free ? steps->open_max_s : 0;
    if (s->node->contention_free)
        return;
    fill_opening(s);
    for (int far = 0; far < 2; far++) {
        steps->queue_s[far] = queue_of(s, far, 0);
        steps->queue_watched_s[far] = queue_of(s, far, 1);
    }
}

static int costs_known(const struct source *s, char *reason, size_t reason_bytes)
{
    const struct node *node = s->node;
    const struct paper_costs *p = &node->paper;
    if (node->contention_free && (!quantity_known(&p->t_s_per_byte) || !quantity_known(&p->t_w_s) ||
                                  !quantity_known(&p->t_wo_s) || !quantity_known(&p->t_a_s))) {
        snprintf(reason, reason_bytes, "node %s is contention-free but lacks one of t, t_w, t_wo, t_A", node->name);
        return -ENOTSUP;
    }
    for (uint32_t v = 1; !node->contention_free && v < s->steps->procs; v++)
        if (isnan(handover_s(s, s->tree->parent[v], v))) {
            snprintf(reason, reason_bytes, "node %s does not say what a line hand-over costs; calibrate it", node->name);
            return -ENOTSUP;
        }
    return 0;
}

int bcast_steps_create(const struct scenario *scenario, const struct tree *tree, struct bcast_steps *out, char *reason,
                       size_t reason_bytes)
{
    uint32_t procs = scenario->job.procs;
    struct bcast_steps steps = {.procs = procs};
    struct source s = {scenario, scenario->machine.node, tree, &steps};
    int err = costs_known(&s, reason, reason_bytes);
    if (err)
        return err;
    double *block = calloc((size_t)procs * 6, sizeof *block);
    steps.order = calloc(procs, sizeof *steps.order);
    steps.far = calloc(procs, 1);
    if (!block || !steps.order || !steps.far) {
        free(block);
        free(steps.order);
        free(steps.far);
        snprintf(reason, reason_bytes, "no memory for the costs of %u ranks", procs);
        return -ENOMEM;
    }
    steps.path_s = block;
    steps.busy_s = block + procs;
    steps.open_s = block + 2 * (size_t)procs;
    steps.leave_s = block + 3 * (size_t)procs;
    steps.pass_s = block + 4 * (size_t)procs;
    steps.lag_s = block + 5 * (size_t)procs;
    steps.step_s = s.node->contention_free ? 0 : quantity_or(&s.node->step_ns, 0) * 1e-9;
    if (s.node->contention_free)
        fill_paper(&s);
    else
        fill_described(&s);
    sort_by_path(&steps);
    fill_meetings(&s);
    *out = steps;
    return 0;
}

void bcast_steps_destroy(struct bcast_steps *steps)
{
    free(steps->path_s);
    free(steps->order);
    free(steps->far);
    *steps = (struct bcast_steps){0};
}
