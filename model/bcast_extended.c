/* The extended form: the pipelined broadcast as the longest path through its steps, in closed form.
 *
 * Think of a grid with a column for every fragment and a row for every rank. A path to the last reader's end starts at the
 * root's first copy, runs along a row (a rank's own work, fragment after fragment), may cross to a child's row once the
 * child is notified, and may go back from a reader that left set k to the root, which needs its room for set k + q.
 * All full sets cost alike, so the longest path is one of four:
 *
 *   filled    the root is slowest: its row to the last set, crossed there
 *   drained   a reader is: crossed in the first set, then that row
 *   lapped    the root waits for its room: floor((K-1)/q) times round through whole sets, the rest by the slowest row,
 *             ending as either of the first two
 *
 * Within a set of n fragments, the first and the last are copied with nobody beside, the others while both sides copy, at the
 * pace of the slowest of root, readers on the path, controllers and links. Latencies of the tree count once per crossing,
 * not once per fragment. K sets are never enumerated: O(p) time whatever m is. */
#include "model/bcast_copies.h"
#include "model/bcast_model.h"
#include "model/bcast_steps.h"
#include "model/step_clock.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

struct form {
    const struct scenario *scenario;
    const struct tree *tree;
    struct bcast_steps steps;
    struct bcast_copies full, last; /* a whole fragment, and the message's last one */
    uint64_t fragments, sets;       /* N, K */
    uint32_t set_fragments, last_set_fragments;
};

/* A reader's row, and what of the rows above it can hold it up. */
struct row {
    double alone_s, last_alone_s; /* copy-out of a full fragment and of the last one, nobody beside */
    double beside_s;              /* of a full fragment, with all others copying */
    double hidden_s;              /* of the notifications before it, behind the copy's begin */
    double slowest_s;             /* per fragment: the slowest reader from the root's child down to here */
    double leave_s;               /* A, once the copy before it has left the core */
    double opening_s;             /* per set: the most that WO and A cost there */
};

/* Rows are visited parent first. */
static void fill_row(const struct form *f, uint32_t v, struct row *rows)
{
    struct row *row = &rows[v];
    const struct row *parent = &rows[f->tree->parent[v]];
    int far = f->steps.far[v];
    row->alone_s = far ? f->full.far_s : f->full.near_alone_s;
    row->last_alone_s = far ? f->last.far_s : f->last.near_alone_s;
    row->beside_s = fmax(far ? f->full.far_s : f->full.near_beside_s, f->full.all_floor_s);
    row->hidden_s = fmin(f->steps.lag_s[v], f->full.out_ahead_s);
    row->slowest_s = f->steps.busy_s[v] - row->hidden_s + row->beside_s;
    row->leave_s = f->steps.leave_s[v] + f->full.out_tail_s;
    row->opening_s = f->steps.open_s[v] + row->leave_s;
    if (f->tree->parent[v] != 0) {
        row->slowest_s = fmax(row->slowest_s, parent->slowest_s);
        row->opening_s = fmax(row->opening_s, parent->opening_s);
    }
}

/* The root's work for one fragment of many. */
static double root_s(const struct form *f, const struct bcast_copies *c)
{
    return f->steps.busy_s[0] - fmin(f->steps.lag_s[0], c->in_ahead_s) + fmax(c->in_beside_s, c->all_floor_s) + c->in_tail_s;
}

/* From the root's start of a set of n fragments to v's last copy-out in it: either from the root's first copy, along the
 * rows and down the path, or from the set's opening along v's row. `last`: the set ends the message. */
static double crossing_s(const struct form *f, const struct row *row, uint32_t v, uint32_t n, int last)
{
    const struct bcast_steps *steps = &f->steps;
    const struct bcast_copies *final = last ? &f->last : &f->full;
    double tail_s = steps->pass_s[v] - row->hidden_s + (last ? row->last_alone_s : row->alone_s);
    double copied_s = (n == 1 ? final->in_alone_s : f->full.in_alone_s) + final->in_tail_s;
    if (n > 1)
        copied_s += (n - 2) * fmax(root_s(f, &f->full), row->slowest_s) + fmax(root_s(f, final), row->slowest_s);
    /* What readers share while they copy the set's last fragment is not fully used until the later half has come. */
    copied_s += fmax(steps->path_s[v] + tail_s, steps->path_mean_s + final->out_floor_s);
    double wait_s = steps->busy_s[v] - steps->pass_s[v];
    double opened_s = steps->open_all_s + wait_s + (n - 1) * row->slowest_s + tail_s;
    int watched = !last && f->scenario->params.sets == 1;
    double queue_s = watched ? steps->queue_watched_s[(int)steps->far[v]] : steps->queue_s[(int)steps->far[v]];
    return steps->claim_s + fmax(copied_s + queue_s, opened_s);
}

struct totals {
    double release_s; /* from the root's start of a full set until all readers have left it */
    double row_s;     /* a full set along the slowest row */
    double root_set_s;
};

static struct totals totals_of(const struct form *f, const struct row *rows)
{
    uint32_t n = f->set_fragments;
    struct totals t = {.root_set_s = f->steps.claim_s + n * root_s(f, &f->full)};
    t.row_s = t.root_set_s;
    for (uint32_t v = 1; v < f->steps.procs; v++) {
        t.release_s = fmax(t.release_s, crossing_s(f, &rows[v], v, n, 0) + rows[v].leave_s);
        t.row_s = fmax(t.row_s, n * rows[v].slowest_s + rows[v].opening_s);
    }
    return t;
}

/* From the root's start of a full set before the last to v's decrement in the last, crossing in the former and then along the
 * slowest row above v, which v leaves with its own last fragment. */
static double drained_s(const struct form *f, const struct row *row, uint32_t v)
{
    double waits_s = f->steps.busy_s[v] - row->hidden_s;
    double whole_set_s = crossing_s(f, row, v, f->set_fragments, 0) - (waits_s + row->beside_s) + row->slowest_s + row->leave_s;
    double last_set_s = f->steps.open_s[v] + (f->last_set_fragments - 1) * row->slowest_s + waits_s + row->last_alone_s;
    return whole_set_s + last_set_s + row->leave_s;
}

/* Longest path that ends with v's last decrement; K >= 1 sets. */
static double reader_end_s(const struct form *f, const struct totals *t, const struct row *row, uint32_t v)
{
    uint64_t sets = f->sets, q = f->scenario->params.sets;
    double last_s = crossing_s(f, row, v, f->last_set_fragments, 1) + row->leave_s;
    double laps = (double)((sets - 1) / q), rest = (double)((sets - 1) % q);
    double end_s = (double)(sets - 1) * t->root_set_s + last_s;
    if (laps > 0)
        end_s = fmax(end_s, laps * t->release_s + rest * t->row_s + last_s);
    if (sets == 1)
        return end_s;
    double row_set_s = fmax(t->root_set_s, f->set_fragments * row->slowest_s + row->opening_s), tail_s = drained_s(f, row, v);
    end_s = fmax(end_s, tail_s + (double)(sets - 2) * row_set_s);
    laps = (double)((sets - 2) / q), rest = (double)((sets - 2) % q);
    return laps > 0 ? fmax(end_s, tail_s + laps * t->release_s + rest * t->row_s) : end_s;
}

static double time_s(const struct form *f, struct row *rows)
{
    for (uint32_t v = 1; v < f->steps.procs; v++)
        fill_row(f, v, rows);
    struct totals t = totals_of(f, rows);
    double end_s = 0;
    for (uint32_t v = 1; v < f->steps.procs; v++)
        end_s = fmax(end_s, reader_end_s(f, &t, &rows[v], v));
    return f->steps.call_s + end_s;
}

/* Everybody copies every fragment; the rest of the time is waiting. */
static void report(const struct form *f, const struct row *rows, struct bcast_prediction *out)
{
    double whole = (double)(f->fragments - 1);
    out->copy_s = whole * f->full.in_beside_s + f->last.in_alone_s;
    for (uint32_t v = 1; v < f->steps.procs; v++)
        out->copy_s += whole * rows[v].beside_s + rows[v].last_alone_s;
    out->wait_s = fmax(f->steps.procs * out->time_s - out->copy_s, 0);
}

static void cut(struct form *f)
{
    const struct params *p = &f->scenario->params;
    uint64_t size = f->scenario->job.bcast.size_bytes;
    f->fragments = (size + p->fragment_bytes - 1) / p->fragment_bytes;
    f->set_fragments = p->slots / p->sets;
    f->sets = (f->fragments + f->set_fragments - 1) / f->set_fragments;
    f->last_set_fragments = (uint32_t)(f->fragments - (f->sets - 1) * f->set_fragments);
}

static int copies_of(struct form *f, char *reason, size_t reason_bytes)
{
    uint64_t size = f->scenario->job.bcast.size_bytes, whole = f->scenario->params.fragment_bytes;
    int err = bcast_copies_of(f->scenario, whole < size ? whole : size, &f->full, reason, reason_bytes);
    return err ? err : bcast_copies_of(f->scenario, size - (f->fragments - 1) * whole, &f->last, reason, reason_bytes);
}

static int evaluate(struct form *f, struct bcast_prediction *out, char *reason, size_t reason_bytes)
{
    struct row *rows = calloc(f->steps.procs, sizeof *rows);
    if (!rows) {
        snprintf(reason, reason_bytes, "no memory for the rows of %u ranks", f->steps.procs);
        return -ENOMEM;
    }
    int err = copies_of(f, reason, reason_bytes);
    if (!err) {
        out->time_s = time_s(f, rows);
        report(f, rows, out);
    }
    free(rows);
    return err;
}

/* The closed forms know ranks that all run at once. */
static int cores_shared(const struct scenario *s)
{
    for (uint32_t i = 1; !s->machine.node->contention_free && i < s->job.procs && i < s->machine.node->cores + 1; i++)
        for (uint32_t j = 0; j < i; j++)
            if (s->placement.core_of_rank[i] == s->placement.core_of_rank[j])
                return 1;
    return 0;
}

int bcast_model_extended(const struct scenario *scenario, const struct tree *tree, struct bcast_prediction *out, char *reason,
                         size_t reason_bytes)
{
    int closed = !cores_shared(scenario);
    if (scenario->params.protocol == &protocol_eager && closed)
        return bcast_model_eager(scenario, tree, out, reason, reason_bytes);
    if (scenario->params.protocol != &protocol_pipelined || !closed)
        return step_clock_time(scenario, tree, out, reason, reason_bytes);
    struct bcast_prediction prediction = {0};
    struct form form = {.scenario = scenario, .tree = tree};
    int err = bcast_model_costs(scenario, tree, &prediction.costs, reason, reason_bytes);
    if (err)
        return err;
    if (scenario->job.bcast.size_bytes > 0 && scenario->job.procs > 1) {
        err = bcast_steps_create(scenario, tree, &form.steps, reason, reason_bytes);
        if (err)
            return err;
        cut(&form);
        err = evaluate(&form, &prediction, reason, reason_bytes);
        bcast_steps_destroy(&form.steps);
    }
    if (!err)
        *out = prediction;
    return err;
}
