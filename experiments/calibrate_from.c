#include "experiments/calibrate_from.h"

#include "experiments/fit_node.h"
#include "experiments/scenario_build.h"
#include "experiments/statistics.h"
#include "model/formats/node_yaml.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Rows further off than this are not explained. */
static const double UNEXPLAINED = 0.25;

struct fitting {
    struct settings settings;
    struct scenario_grid grid;
    struct scenario scenario;
    struct fit_rows rows;
    struct fit_problem problem;
    struct fit_result result;
    int *use;
    double *time_s;
    char reason[FIT_REASON_BYTES];
};

static int read_rows(struct fitting *f)
{
    const char *from = f->settings.from;
    uint32_t procs = f->settings.procs.count ? (uint32_t)f->settings.procs.value[0] : 0;
    f->settings.procs.count = 1; /* the scenario's own, for which each row's is put in */
    FILE *file = strcmp(from, "-") ? fopen(from, "r") : stdin;
    if (!file)
        return talk_fail(exit_code_of_input(-errno), "calibrate: cannot read %s: %s; check the path", from, strerror(errno));
    int err = fit_rows_read(file, from, procs, &f->rows, f->reason, sizeof f->reason);
    if (file != stdin)
        fclose(file);
    return err ? talk_fail(exit_code_of_input(err), "calibrate: %s", f->reason) : 0;
}

static int in_list(const struct size_list *list, uint64_t value)
{
    for (size_t i = 0; i < list->count; i++)
        if (list->value[i] == value)
            return 1;
    return list->count == 0;
}

/* The scenario all rows have in common; grid and rows are there. */
static int set_problem(struct fitting *f)
{
    size_t used = 0;
    f->use = calloc(f->rows.count, sizeof *f->use);
    f->time_s = calloc(f->rows.count, sizeof *f->time_s);
    if (!f->use || !f->time_s)
        return talk_fail(EXIT_UNABLE, "calibrate: no memory for %zu rows", f->rows.count);
    for (size_t i = 0; i < f->rows.count; i++)
        used += f->use[i] = in_list(&f->settings.fit_procs, f->rows.row[i].procs);
    if (!used)
        return talk_fail(EXIT_USAGE, "calibrate: no row of %s is of --fit-procs: give numbers of ranks that it has",
                         f->settings.from);
    fit_node_complete(&f->grid.node);
    int code = scenario_grid_get(&f->grid, 0, &f->scenario);
    if (!f->settings.fragment.count && f->scenario.params.protocol && !(f->scenario.params.protocol->uses & PROTOCOL_SLOTS))
        f->scenario.params.fragment_bytes = 0; /* each row's message at once */
    f->problem = (struct fit_problem){&f->scenario, f->rows.row, f->use, f->rows.count, f->settings.mean || f->rows.mean,
                                      quantity_unknown()};
    if (!isnan(f->settings.late_s))
        f->problem.late_ns = quantity_of(f->settings.late_s * 1e9, "given");
    else if (!f->settings.no_fit)
        f->problem.late_ns = quantity_of(50, "assumed: where a search begins");
    return code;
}

static double error_of(const struct fitting *f, size_t i)
{
    return f->time_s[i] / f->rows.row[i].time_s - 1;
}

/* Errors of the rows that were fitted to, or of the others. */
static void errors_print(const struct fitting *f, int used, const char *name)
{
    double *error = calloc(f->rows.count, sizeof *error);
    struct statistics s;
    size_t n = 0;
    for (size_t i = 0; error && i < f->rows.count; i++)
        if ((f->use[i] != 0) == used)
            error[n++] = fabs(error_of(f, i));
    if (error && n && statistics_of(error, n, &s) == 0)
        printf("%-22s %6zu rows, |error| of time: median %.1f%%, p90 %.1f%%, max %.1f%%\n", name, n, 100 * s.median, 100 * s.p90,
               100 * s.max);
    free(error);
}

static void estimates_print(const struct fitting *f)
{
    for (size_t i = 0; i < f->result.estimates; i++) {
        const struct fit_estimate *e = &f->result.estimate[i];
        printf("%-28s %12.5g  [%.5g, %.5g] %s%s\n", e->parameter->name, e->value, e->low, e->high, e->parameter->unit,
               e->determined ? "" : "  these rows do not determine it");
    }
    for (const struct fit_parameter *p = fit_parameters; p->name && f->result.estimates; p++) {
        size_t i = 0;
        while (i < f->result.estimates && f->result.estimate[i].parameter != p)
            i++;
        if (i == f->result.estimates)
            printf("%-28s not fitted: known, or no row depends on it\n", p->name);
    }
}

static int by_procs(const void *a, const void *b)
{
    const struct fit_row *x = *(const struct fit_row *const *)a, *y = *(const struct fit_row *const *)b;
    int procs = (x->procs > y->procs) - (x->procs < y->procs);
    return procs ? procs : (x->size_bytes > y->size_bytes) - (x->size_bytes < y->size_bytes);
}

/* A line for each number of ranks: its sizes and how far off. */
static void unexplained_print(const struct fitting *f)
{
    const struct fit_row **off = calloc(f->rows.count, sizeof *off);
    size_t n = 0;
    char size[32];
    for (size_t i = 0; off && i < f->rows.count; i++)
        if (!(fabs(error_of(f, i)) <= UNEXPLAINED))
            off[n++] = &f->rows.row[i];
    if (n == 0) {
        printf("all rows explained to %.0f%%\n", 100 * UNEXPLAINED);
        free(off);
        return;
    }
    qsort(off, n, sizeof *off, by_procs);
    printf("cannot explain %zu of %zu rows, off by more than %.0f%%:", n, f->rows.count, 100 * UNEXPLAINED);
    for (size_t i = 0; i < n; i++) {
        if (i == 0 || off[i]->procs != off[i - 1]->procs)
            printf("\n  procs %u:", off[i]->procs);
        double error = error_of(f, (size_t)(off[i] - f->rows.row));
        printf(" %s (%+.0f%%)", size_format(off[i]->size_bytes, size, sizeof size), 100 * error);
    }
    printf("\n");
    free(off);
}

static void rows_print(const struct fitting *f)
{
    printf("%6s %12s %14s %14s %8s %s\n", "procs", "size_bytes", "measured_us", "simulated_us", "error", "fitted");
    for (size_t i = 0; i < f->rows.count; i++)
        printf("%6u %12llu %14.3f %14.3f %+7.1f%% %s\n", f->rows.row[i].procs, (unsigned long long)f->rows.row[i].size_bytes,
               f->rows.row[i].time_s * 1e6, f->time_s[i] * 1e6, 100 * error_of(f, i), f->use[i] ? "yes" : "no");
}

static int fit(struct fitting *f)
{
    char source[QUANTITY_SOURCE_BYTES];
    const char *file = strrchr(f->settings.from, '/');
    snprintf(source, sizeof source, "fitted to %.60s", file ? file + 1 : f->settings.from);
    int err = f->settings.no_fit ? 0 : fit_node(&f->grid.node, &f->problem, source, &f->result, f->reason);
    err = err ? err : fit_node_predict(&f->grid.node, &f->problem, f->time_s, f->reason);
    return err ? talk_fail(err == -EINVAL ? EXIT_USAGE : exit_code_of(err), "calibrate: %s", f->reason) : 0;
}

static int report(struct fitting *f)
{
    if (f->settings.verbosity > 0)
        rows_print(f);
    estimates_print(f);
    errors_print(f, 1, f->settings.no_fit ? "predicted" : "fitted");
    errors_print(f, 0, "predicted");
    unexplained_print(f);
    if (!f->settings.output)
        return 0;
    int err = node_yaml_write(f->settings.output, &f->grid.node, f->reason, sizeof f->reason);
    return err ? talk_fail(exit_code_of(err), "calibrate: %s", f->reason) : 0;
}

int calibrate_from(const struct settings *settings)
{
    struct fitting f = {.settings = *settings};
    if (settings->positional_count)
        return talk_fail(EXIT_USAGE, "unexpected word '%s': options begin with --", settings->positional[0]);
    if (settings->collective && strcmp(settings->collective, "bcast"))
        return talk_fail(EXIT_USAGE, "calibrate --from: --collective: only bcast can be fitted to, not %s", settings->collective);
    f.settings.positional[f.settings.positional_count++] = "bcast";
    int code = read_rows(&f);
    if (code)
        return code;
    code = scenario_grid_create(&f.settings, &f.grid);
    if (!code) {
        code = set_problem(&f);
        code = code ? code : fit(&f);
        code = code ? code : report(&f);
        scenario_grid_destroy(&f.grid);
    }
    fit_rows_destroy(&f.rows);
    free(f.use);
    free(f.time_s);
    return code;
}
