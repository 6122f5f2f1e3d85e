#include "experiments/regret.h"
#include "experiments/evaluate.h"
#include "experiments/statistics.h"

#include <stdlib.h>
#include <string.h>

enum { ROUNDS = 9, CHOOSERS = COMPARE_CONTENDERS + 1, RUN = COMPARE_CONTENDERS - 1, HABIT = RUN, CHANCE = RUN + 1 };

/* In the order of the contenders; what run would choose is what all are held against. */
static const char *const chooser_names[CHOOSERS] = {"paper", "extended", "sim", "8K x 8", "random"};

struct choice {
    struct params params;
    int made;
    double regret, low, high; /* median of the rounds, its interval */
};

static int same_group(const struct row *a, const struct row *b)
{
    return a->size_bytes == b->size_bytes && a->procs == b->procs && strcmp(a->tree, b->tree) == 0;
}

/* The point of [first, end) a contender predicts to be fastest; `end` if it said nothing. */
static size_t fastest(const struct compare_point *points, size_t first, size_t end, int contender)
{
    size_t best = end;
    for (size_t i = first; i < end; i++)
        if (points[i].has[contender] && (best == end || points[i].row[contender].time_s < points[best].row[contender].time_s))
            best = i;
    return best;
}

static uint64_t random_next(uint64_t *state)
{
    uint64_t z = *state += UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
    return z ^ z >> 31;
}

static int same_queue(const struct params *a, const struct params *b)
{
    return a->protocol == b->protocol && a->fragment_bytes == b->fragment_bytes && a->slots == b->slots && a->sets == b->sets;
}

static int run_s(const struct scenario *scenario, const struct params *params, double *time_s)
{
    struct scenario own = *scenario;
    struct row row;
    own.params = *params;
    int code = evaluate_row(evaluator_find("run"), &own, NULL, &row, NULL);
    *time_s = row.time_s;
    return code;
}

/* Runs choice and best by turns, each first every other time. */
static int measure(const struct scenario *scenario, const struct params *best, struct choice *choice)
{
    double ratios[ROUNDS];
    struct statistics s;
    if (same_queue(best, &choice->params)) {
        choice->regret = choice->low = choice->high = 0;
        return 0;
    }
    for (int round = 0; round < ROUNDS; round++) {
        double best_s, choice_s;
        int choice_first = round % 2, code = choice_first ? run_s(scenario, &choice->params, &choice_s) : 0;
        code = code ? code : run_s(scenario, best, &best_s);
        if (!code && !choice_first)
            code = run_s(scenario, &choice->params, &choice_s);
        if (code)
            return code;
        ratios[round] = choice_s / best_s - 1;
    }
    if (statistics_of(ratios, ROUNDS, &s))
        return talk_fail(EXIT_UNABLE, "out of memory for the regret");
    choice->regret = s.median;
    choice->low = s.ci_low;
    choice->high = s.ci_high;
    return 0;
}

/* Fills the choices of one group; 0, or an exit code. */
static int choose(struct scenario_grid *grid, const struct compare_point *points, size_t first, size_t end, uint64_t *random,
                  struct choice *choices)
{
    struct scenario scenario;
    memset(choices, 0, CHOOSERS * sizeof *choices);
    for (int c = 0; c < CHOOSERS; c++) {
        size_t at = c < RUN ? fastest(points, first, end, c) : first + random_next(random) % (end - first);
        if (at == end)
            continue;
        int code = scenario_grid_get(grid, at, &scenario);
        if (code)
            return code;
        choices[c].params = scenario.params;
        choices[c].made = 1;
    }
    choices[HABIT].params.fragment_bytes = 8192;
    choices[HABIT].params.slots = 8;
    choices[HABIT].params.sets = 1;
    choices[HABIT].params.protocol = &protocol_pipelined;
    return 0;
}

static void print_choice(FILE *file, const struct scenario *scenario, const struct params *best, const char *name,
                         const struct choice *choice)
{
    char size[24], fragment[24], best_fragment[24];
    fprintf(file, "%6s  %-9s %6s %6u %3u   %6s %6u %3u   %+7.1f%%  %+7.1f%% .. %+.1f%%\n",
            size_format(scenario->job.bcast.size_bytes, size, sizeof size), name,
            size_format(choice->params.fragment_bytes, fragment, sizeof fragment), choice->params.slots, choice->params.sets,
            size_format(best->fragment_bytes, best_fragment, sizeof best_fragment), best->slots, best->sets, choice->regret * 100,
            choice->low * 100, choice->high * 100);
}

static int report_group(FILE *file, struct scenario_grid *grid, const struct compare_point *points, size_t first, size_t end,
                        uint64_t *random, double *regrets)
{
    struct choice choices[CHOOSERS];
    struct scenario scenario;
    size_t best = fastest(points, first, end, RUN);
    int code = choose(grid, points, first, end, random, choices);
    code = code ? code : scenario_grid_get(grid, best, &scenario);
    /* A round is a quarter of a point: there are many, and they are compared with one another. */
    scenario.conditions.time_limit_s /= 4;
    for (int c = 0; c < CHOOSERS && !code; c++) {
        regrets[c] = NAN;
        if (!choices[c].made)
            continue;
        code = measure(&scenario, &scenario.params, &choices[c]);
        if (code)
            break;
        regrets[c] = choices[c].regret;
        print_choice(file, &scenario, &scenario.params, chooser_names[c], &choices[c]);
    }
    return code;
}

static void print_summary(FILE *file, const double (*regrets)[CHOOSERS], size_t groups, double *scratch)
{
    fprintf(file, "\n%-9s %14s %9s\n", "chooser", "median regret", "worst");
    for (int c = 0; c < CHOOSERS; c++) {
        struct statistics s;
        size_t n = 0;
        for (size_t g = 0; g < groups; g++)
            if (!isnan(regrets[g][c]))
                scratch[n++] = regrets[g][c];
        if (statistics_of(scratch, n, &s) == 0)
            fprintf(file, "%-9s %+13.1f%% %+8.1f%%\n", chooser_names[c], s.median * 100, s.max * 100);
    }
}

int regret_report(FILE *file, struct scenario_grid *grid, const struct compare_point *points)
{
    double(*regrets)[CHOOSERS] = calloc(grid->count, sizeof *regrets), *scratch = calloc(grid->count, sizeof *scratch);
    uint64_t random = grid->settings->seed;
    size_t groups = 0;
    int code = regrets && scratch ? 0 : talk_fail(EXIT_UNABLE, "out of memory for the regret");
    if (!code)
        fprintf(file, "%6s  %-9s %6s %6s %3s   %6s %6s %3s   %8s  %s\n", "size", "chooser", "f", "s", "q", "best f", "s", "q",
                "regret", "95 % interval");
    for (size_t first = 0, end; first < grid->count && !code; first = end) {
        for (end = first + 1; end < grid->count && same_group(&points[first].row[RUN], &points[end].row[RUN]);)
            end++;
        if (fastest(points, first, end, RUN) == end)
            continue;
        code = report_group(file, grid, points, first, end, &random, regrets[groups]);
        groups++;
    }
    if (!code)
        print_summary(file, (const double(*)[CHOOSERS])regrets, groups, scratch);
    free(regrets);
    free(scratch);
    return code;
}
