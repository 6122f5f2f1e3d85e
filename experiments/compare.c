/* shmcoll compare: every evaluator side by side, with errors relative to what was run. */
#include "experiments/compare.h"
#include "experiments/best_regret.h"
#include "experiments/evaluate.h"
#include "experiments/regret.h"
#include "experiments/scenario_build.h"
#include "experiments/statistics.h"
#include "kernels/clock.h"
#include "model/bcast_model.h"

#include <stdlib.h>
#include <string.h>

/* What is put side by side; the variant distinguishes the two forms of the model. */
static const struct contender {
    const char *source, *variant, *label;
} contenders[COMPARE_CONTENDERS] = {
    {"model", "paper", "paper"},
    {"model", "extended", "extended"},
    {"sim", "", "sim"},
    {"run", "", "run"},
};
enum { RUN = COMPARE_CONTENDERS - 1, TREE_WIDTH = 9, WAY_WIDTH = 22 };

/* Whether running here says anything about the node: presets and descriptions are other machines. */
int compare_node_is_here(const char *node)
{
    size_t length = strlen(node);
    return strcmp(node, "host") == 0 || (length > 5 && strcmp(node + length - 5, ".yaml") == 0) ||
           (length > 4 && strcmp(node + length - 4, ".yml") == 0);
}

static int contender_used(const struct contender *c, const struct settings *settings)
{
    if (!evaluator_find(c->source))
        return 0;
    if (strcmp(c->variant, "paper") == 0 && settings_collective(settings) != JOB_BCAST)
        return 0; /* the paper has no form of others */
    if (strcmp(c->source, "run") == 0)
        return compare_node_is_here(settings->node);
    return strcmp(c->source, "model") || !settings->variant || strcmp(settings->variant, c->variant) == 0;
}

/* m t of the paper's form: what is left of the time beyond it is where a model earns its keep. NAN if unknown. */
static double copy_part_s(const struct scenario *scenario)
{
    char reason[200];
    struct tree tree;
    struct bcast_costs costs;
    if (scenario->job.kind != JOB_BCAST || scenario_tree_create(scenario, &tree))
        return NAN;
    int error = bcast_model_costs(scenario, &tree, &costs, reason, sizeof reason);
    tree_destroy(&tree);
    return error ? NAN : (double)scenario->job.bcast.size_bytes * costs.t_s_per_byte;
}

static void set_errors(struct compare_point *point, double copy_s)
{
    if (!point->has[RUN])
        return;
    double run_s = point->row[RUN].time_s;
    for (int c = 0; c < RUN; c++) {
        if (!point->has[c])
            continue;
        point->row[c].error = (point->row[c].time_s - run_s) / run_s;
        point->row[c].error_above_copy = (point->row[c].time_s - run_s) / fabs(run_s - copy_s);
    }
}

/* The hand-over of a calibrated host: predictions are for the state it was calibrated in. 0 on other nodes. */
static double calibrated_state_ns(const struct scenario *scenario)
{
    const uint32_t *core = scenario->placement.core_of_rank;
    double handover_ns = scenario->job.procs > 1 ? node_handover_ns(scenario->machine.node, core[0], core[1]) : NAN;
    return handover_ns > 0 ? handover_ns : 0;
}

/* For the host to come back to the state it was calibrated in, seconds: for all points together, for one at most, and at
 * least. */
static const double PATIENCE_ALL_S = 40, PATIENCE_MOST_S = 20, PATIENCE_LEAST_S = 0.5;

/* A contender that cannot do a scenario leaves a gap; what it said is one line on standard error. *patience_s is what waiting for
 * the host's state may still take, and becomes less. */
static int evaluate_point(const struct scenario *scenario, const struct settings *settings, double *patience_s,
                          struct compare_point *point)
{
    memset(point->has, 0, sizeof point->has);
    for (int c = 0; c < COMPARE_CONTENDERS; c++) {
        struct scenario own = *scenario;
        if (!contender_used(&contenders[c], settings))
            continue;
        own.variant = contenders[c].variant;
        own.conditions.state_ns = calibrated_state_ns(scenario);
        own.conditions.state_patience_s = fmin(PATIENCE_MOST_S, fmax(PATIENCE_LEAST_S, *patience_s));
        uint64_t start_ns = clock_monotonic_ns();
        int code = evaluate_row(evaluator_find(contenders[c].source), &own, NULL, &point->row[c], NULL);
        if (c == RUN) /* what a run in the right state takes is about its time limit */
            *patience_s -= fmax(0, 1e-9 * (double)(clock_monotonic_ns() - start_ns) - 2 * own.conditions.time_limit_s);
        if (code && code != EXIT_UNABLE)
            return code;
        point->has[c] = code == 0;
    }
    set_errors(point, copy_part_s(scenario));
    return 0;
}

static int point_present(const struct compare_point *points, size_t count, int contender)
{
    for (size_t i = 0; i < count; i++)
        if (points[i].has[contender])
            return 1;
    return 0;
}

/* How the bytes move beside the tree, where there is one; the algorithm and what it goes over where there is none. */
static const char *way_format(const struct row *row, char *text, size_t bytes)
{
    if (row->tree[0])
        snprintf(text, bytes, "%s", row->tree);
    else
        snprintf(text, bytes, "%s%s%s", row->pattern[0] ? row->pattern : row->algorithm, *row->protocol ? " " : "",
                 row->protocol);
    return text;
}

static void print_head(FILE *file, const struct compare_point *points, size_t count, const int *present)
{
    const struct row *first = NULL;
    for (int c = 0; c < COMPARE_CONTENDERS && !first; c++)
        first = count && points[0].has[c] ? &points[0].row[c] : NULL;
    if (first)
        fprintf(file, "node %s, placement %s, buffers %s; times in us%s\n", first->node, first->placement, first->buffers,
                present[RUN] ? ", errors against run" : "");
    int tree = first && first->tree[0];
    fprintf(file, "%6s %6s %6s %3s %5s %-*s", "size", "f", "s", "q", "procs", tree ? TREE_WIDTH : WAY_WIDTH,
            tree ? "tree" : "way");
    for (int c = 0; c < RUN; c++)
        if (present[c])
            fprintf(file, " %11s%s", contenders[c].label, present[RUN] ? "   error" : "");
    fprintf(file, present[RUN] ? " %11s %23s %11s\n" : "\n", "run", "95 % interval", "memcpy");
}

static void print_point(FILE *file, const struct compare_point *point, const int *present)
{
    const struct row *any = NULL;
    char size[24], fragment[24], slots[24], sets[24], way[2 * ROW_WORD_BYTES];
    for (int c = 0; c < COMPARE_CONTENDERS; c++)
        any = point->has[c] ? &point->row[c] : any;
    if (!any)
        return;
    int queue = any->slots != ROW_ABSENT;
    snprintf(slots, sizeof slots, "%lld", (long long)any->slots);
    snprintf(sets, sizeof sets, "%lld", (long long)any->sets);
    fprintf(file, "%6s %6s %6s %3s %5d %-*s", size_format((uint64_t)any->size_bytes, size, sizeof size),
            queue ? size_format((uint64_t)any->fragment_bytes, fragment, sizeof fragment) : "-", queue ? slots : "-",
            any->sets != ROW_ABSENT ? sets : "-", (int)any->procs, any->tree[0] ? TREE_WIDTH : WAY_WIDTH,
            way_format(any, way, sizeof way));
    for (int c = 0; c < RUN; c++) {
        if (!present[c])
            continue;
        if (point->has[c])
            fprintf(file, " %11.3f", point->row[c].time_s * 1e6);
        else
            fprintf(file, " %11s", "-");
        if (present[RUN] && point->has[c] && point->has[RUN])
            fprintf(file, " %+6.1f%%", point->row[c].error * 100);
        else if (present[RUN])
            fprintf(file, " %7s", "-");
    }
    if (point->has[RUN]) {
        const struct row *run = &point->row[RUN];
        fprintf(file, " %11.3f %11.3f %11.3f %11.3f", run->time_s * 1e6, run->ci_low_s * 1e6, run->ci_high_s * 1e6,
                run->memcpy_cold_s * 1e6);
    }
    fputc('\n', file);
}

/* Median, p90 and largest of |error| over the points, in both measures. */
static int print_summary(FILE *file, const struct compare_point *points, size_t count)
{
    double *total = malloc(2 * count * sizeof *total), *above = total + count;
    if (!total)
        return talk_fail(EXIT_UNABLE, "out of memory for the summary");
    fprintf(file, "%-10s %6s  %-26s  %s\n", "|error|", "points", "of time: median p90 max", "of time - m t: median p90 max");
    for (int c = 0; c < RUN; c++) {
        struct statistics t, a;
        size_t n = 0, m = 0;
        for (size_t i = 0; i < count; i++)
            if (points[i].has[c] && points[i].has[RUN]) {
                total[n++] = fabs(points[i].row[c].error);
                if (isfinite(points[i].row[c].error_above_copy))
                    above[m++] = fabs(points[i].row[c].error_above_copy);
            }
        if (statistics_of(total, n, &t))
            continue;
        fprintf(file, "%-10s %6zu  %7.1f%% %7.1f%% %7.1f%%", contenders[c].label, n, t.median * 100, t.p90 * 100, t.max * 100);
        if (statistics_of(above, m, &a) == 0)
            fprintf(file, "  %7.1f%% %7.1f%% %7.1f%%", a.median * 100, a.p90 * 100, a.max * 100);
        fputc('\n', file);
    }
    free(total);
    return 0;
}

/* Names the term of the paper's form that its error goes with: the share of the time it makes up is ranked against the error. */
static void print_failing_term(FILE *file, const struct compare_point *points, size_t count)
{
    enum { TERMS = 4, LEAST_POINTS = 8 };
    static const char *const names[TERMS] = {"sets (t_wo + t_A each)", "fill ([m/b] t_c)", "notification ([m/f] t_w)",
                                             "copy (m t)"};
    double *columns = malloc((TERMS + 1) * count * sizeof *columns), *error = columns, strongest = 0;
    size_t n = 0;
    int named = -1;
    for (size_t i = 0; columns && i < count; i++) {
        const struct row *paper = &points[i].row[0];
        if (!points[i].has[0] || !points[i].has[RUN] || isnan(paper->term_copy_s))
            continue;
        const double terms[TERMS] = {paper->term_sets_s, paper->term_fill_s, paper->term_notify_s, paper->term_copy_s};
        error[n] = paper->error;
        for (int t = 0; t < TERMS; t++)
            columns[(size_t)(t + 1) * count + n] = terms[t] / paper->time_s;
        n++;
    }
    for (int t = 0; t < TERMS && n >= LEAST_POINTS; t++) {
        double tau = statistics_kendall_tau(columns + (size_t)(t + 1) * count, error, n);
        if (tau > strongest) {
            strongest = tau;
            named = t;
        }
    }
    if (named >= 0)
        fprintf(file,
                "the paper's form errs upwards with its term for %s: Kendall's tau %+.2f of the term's share and the error\n",
                names[named], strongest);
    free(columns);
}

int compare_print(FILE *file, const struct compare_point *points, size_t count)
{
    int present[COMPARE_CONTENDERS];
    for (int c = 0; c < COMPARE_CONTENDERS; c++)
        present[c] = point_present(points, count, c);
    print_head(file, points, count, present);
    for (size_t i = 0; i < count; i++)
        print_point(file, &points[i], present);
    if (!present[RUN])
        return 0;
    fputc('\n', file);
    int code = print_summary(file, points, count);
    print_failing_term(file, points, count);
    return code;
}

static int compare_grid(struct scenario_grid *grid, struct compare_point *points, struct row_writer *writer)
{
    double patience_s = PATIENCE_ALL_S;
    for (size_t i = 0; i < grid->count; i++) {
        struct scenario scenario;
        int code = scenario_grid_get(grid, i, &scenario);
        code = code ? code : evaluate_point(&scenario, grid->settings, &patience_s, &points[i]);
        if (code)
            return code;
        for (int c = 0; c < COMPARE_CONTENDERS; c++)
            if (points[i].has[c])
                row_writer_stream(writer, &points[i].row[c]);
        talk_note(grid->settings->verbosity, 1, "%zu of %zu points", i + 1, grid->count);
    }
    int code = writer->format == FORMAT_TABLE ? compare_print(writer->file, points, grid->count) : 0;
    if (code || !grid->settings->regret)
        return code;
    FILE *file = writer->format == FORMAT_TABLE ? writer->file : stderr; /* rows stay rows */
    fputc('\n', file);
    return regret_report(file, grid, points);
}

static int compare_settings(const struct settings *settings)
{
    struct scenario_grid grid;
    struct row_writer writer;
    if (settings->regret && !compare_node_is_here(settings->node))
        return talk_fail(EXIT_USAGE, "--regret measures on this host: give --node host or its node file, not %s", settings->node);
    enum job_kind kind = settings_collective(settings);
    int best = strcmp(settings->protocol, "best") == 0;
    if (settings->regret && kind != JOB_BCAST && !(kind == JOB_ALLGATHER && best && settings->algorithm.count == 0))
        return talk_fail(EXIT_UNABLE, "--regret is of bcast, and of allgather with --protocol best: leave it out");
    int code = scenario_grid_create(settings, &grid);
    if (code)
        return code;
    if (settings->regret && best) {
        code = best_regret_report(stdout, &grid);
        scenario_grid_destroy(&grid);
        return code;
    }
    struct compare_point *points = calloc(grid.count, sizeof *points);
    code = points ? row_writer_open(&writer, settings)
                  : talk_fail(EXIT_UNABLE, "out of memory for %zu points: use shorter lists", grid.count);
    if (code == 0) {
        code = compare_grid(&grid, points, &writer);
        int closed = row_writer_close(&writer);
        code = code ? code : closed;
    }
    free(points);
    scenario_grid_destroy(&grid);
    return code;
}

int command_compare(int argc, char **argv)
{
    struct settings settings;
    int code = options_parse(argc, argv, &settings);
    return code >= 0 ? code : compare_settings(&settings);
}
