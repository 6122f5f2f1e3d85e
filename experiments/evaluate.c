/* shmcoll model, sim and run: one evaluator over every scenario that was asked for. */
#include "experiments/evaluate.h"
#include "experiments/per_rank.h"
#include "experiments/points.h"
#include "experiments/scenario_build.h"
#include "experiments/sim_goal.h"
#include "experiments/statistics.h"
#include "experiments/trace_json.h"
#include "experiments/trace_stages.h"
#include "model/channel.h"
#include "model/network.h"

#include <errno.h>
#include <string.h>

const char *evaluate_variant(const struct settings *settings, const struct network *network, const struct node *node)
{
    if (settings->variant || network)
        return settings->variant ? settings->variant : "";
    return node->contention_free ? "paper" : "extended";
}

/* What an evaluator left out and its samples tell. */
static void complete(struct outcome *outcome)
{
    struct statistics s;
    if (outcome->sample_count < 2 || statistics_of(outcome->samples_s, outcome->sample_count, &s))
        return;
    outcome->time_min_s = isnan(outcome->time_min_s) ? s.min : outcome->time_min_s;
    outcome->time_p99_s = isnan(outcome->time_p99_s) ? s.p99 : outcome->time_p99_s;
    if (isnan(outcome->ci_low_s) || isnan(outcome->ci_high_s)) {
        outcome->ci_low_s = s.ci_low;
        outcome->ci_high_s = s.ci_high;
    }
}

int evaluate_row(const struct evaluator *evaluator, const struct scenario *scenario, struct trace_sink *sink, struct row *row,
                 struct outcome *outcome)
{
    struct outcome own, *o = outcome ? outcome : &own;
    outcome_init(o);
    int error = evaluator->evaluate(scenario, sink, o), code = 0;
    if (error) {
        code = talk_fail(exit_code_of(error), "%s: %s", evaluator->name, *o->reason ? o->reason : strerror(-error));
        outcome_destroy(o);
        return code;
    }
    complete(o);
    row_init(row);
    row_set_scenario(row, evaluator->name, scenario);
    row_set_outcome(row, o);
    if (o->verified == 0)
        code = talk_fail(EXIT_WRONG_DATA,
                         "%s: received bytes are wrong at %llu bytes, f=%u, s=%u, q=%u: please report this with --seed %llu",
                         evaluator->name, (unsigned long long)job_size_bytes(&scenario->job), scenario->params.fragment_bytes,
                         scenario->params.slots, scenario->params.sets, (unsigned long long)scenario->conditions.seed);
    if (!outcome)
        outcome_destroy(o);
    return code;
}

/* What a trace is written by: steps of one node, or what passes between many. */
struct trace {
    struct trace_json json;
    struct trace_stages stages;
    int staged;
    struct trace_sink *sink;
};

static int trace_begin(struct trace *trace, FILE *out, const struct scenario *scenario)
{
    char title[128];
    const struct network *network = scenario->machine.network;
    const char *way = scenario_by_messages(scenario) ? scenario_channel(scenario)->name
                      : network                      ? scenario->algorithm->name
                                                     : scenario->params.protocol->name;
    snprintf(title, sizeof title, "%s, %s, %llu bytes", network ? network->name : scenario->machine.node->name, way,
             (unsigned long long)job_size_bytes(&scenario->job));
    trace->staged = network != NULL;
    trace->sink = trace->staged ? &trace->stages.sink : &trace->json.sink;
    if (!trace->staged) {
        trace_json_begin(&trace->json, out, title, scenario->job.procs, job_root(&scenario->job));
        return 0;
    }
    return trace_stages_begin(&trace->stages, out, title, scenario->job.procs);
}

static int trace_end(struct trace *trace)
{
    return trace->staged ? trace_stages_end(&trace->stages) : trace_json_end(&trace->json);
}

/* One simulation, its steps in a file beside its row. */
static int evaluate_traced(const struct evaluator *evaluator, const struct scenario *scenario, const char *path,
                           struct per_rank *ranks, struct row *row)
{
    struct trace trace;
    FILE *out = fopen(path, "w");
    if (!out)
        return talk_fail(EXIT_FAILED, "cannot write %s: %s; choose another path", path, strerror(errno));
    int code = trace_begin(&trace, out, scenario), error = 0;
    if (!code) {
        if (ranks)
            ranks->next = trace.sink;
        code = evaluate_row(evaluator, scenario, ranks ? &ranks->sink : trace.sink, row, NULL);
        error = trace_end(&trace);
    }
    if ((fclose(out) != 0 || error) && code == 0)
        code = talk_fail(EXIT_FAILED, "cannot write %s: is there room?", path);
    return code;
}

/* One simulation, with what its ranks did in a file, and its steps in another if asked for. */
static int evaluate_ranks(const struct evaluator *evaluator, const struct scenario *scenario, const struct settings *settings,
                          struct row *row)
{
    struct per_rank ranks;
    /* Channels tell of copies, and of one kind of waiting. */
    int levels = scenario->machine.network && scenario->machine.levels == 2;
    int networked = scenario->machine.network && !scenario->channel && scenario->job.kind != JOB_P2P;
    if (per_rank_create(&ranks, scenario->job.procs, networked && !levels ? NAN : 0, networked ? 0 : NAN))
        return talk_fail(EXIT_UNABLE, "out of memory for %u ranks: leave out --per-rank", scenario->job.procs);
    int code = settings->trace ? evaluate_traced(evaluator, scenario, settings->trace, &ranks, row)
                               : evaluate_row(evaluator, scenario, &ranks.sink, row, NULL);
    if (!code)
        code = per_rank_write(&ranks, settings->per_rank);
    per_rank_destroy(&ranks);
    return code;
}

/* With -v, what the host forbids and what took its place. */
static int evaluate_told(const struct evaluator *evaluator, const struct scenario *scenario, const struct settings *settings,
                         struct row *row)
{
    struct outcome outcome;
    int code = evaluate_row(evaluator, scenario, NULL, row, &outcome);
    if (code && code != EXIT_WRONG_DATA)
        return code;
    if (*outcome.note)
        talk_note(settings->verbosity, 1, "%s: %s", evaluator->name, outcome.note);
    outcome_destroy(&outcome);
    return code;
}

struct grid_question {
    struct scenario_grid *grid;
    const struct evaluator *evaluator;
};

static int evaluate_point(void *context, size_t point, struct row *row)
{
    const struct grid_question *q = context;
    struct scenario scenario;
    const struct settings *s = q->grid->settings;
    int code = scenario_grid_get(q->grid, point, &scenario);
    if (code)
        return code;
    if (strcmp(q->evaluator->name, "model") == 0)
        scenario.variant = evaluate_variant(s, scenario.machine.network, &q->grid->node);
    if (s->per_rank)
        return evaluate_ranks(q->evaluator, &scenario, s, row);
    return s->trace ? evaluate_traced(q->evaluator, &scenario, s->trace, NULL, row)
                    : evaluate_told(q->evaluator, &scenario, s, row);
}

/* Simulations do not disturb each other, as runs would; what -v tells stands between rows only if there is one process. */
static uint32_t jobs_of(const struct grid_question *q)
{
    const struct settings *s = q->grid->settings;
    if (strcmp(q->evaluator->name, "sim") || s->verbosity > 0 || s->trace || s->per_rank)
        return 1;
    return s->jobs ? s->jobs : points_jobs_default();
}

static int evaluate_points(struct grid_question *q, struct points *points, struct row_writer *writer)
{
    int worst = 0;
    for (size_t i = 0; i < q->grid->count; i++) {
        struct row row;
        int code = points_next(points, i, &row) ? evaluate_point(q, i, &row) : 0;
        if (code && code != EXIT_WRONG_DATA)
            return code;
        worst = code ? code : worst;
        if (row_writer_add(writer, &row))
            return talk_fail(EXIT_UNABLE, "out of memory for rows: use --format csv or jsonl");
    }
    return worst;
}

static int evaluate_grid(struct scenario_grid *grid, const struct evaluator *evaluator, struct row_writer *writer)
{
    struct grid_question question = {grid, evaluator};
    struct points points;
    if (grid->settings->trace && grid->count > 1)
        return talk_fail(EXIT_USAGE, "--trace shows one simulation, here are %zu: give one value each", grid->count);
    if (grid->settings->per_rank && grid->count > 1)
        return talk_fail(EXIT_USAGE, "--per-rank shows one simulation, here are %zu: give one value each", grid->count);
    points_begin(&points, jobs_of(&question), grid->count, evaluate_point, &question);
    int code = evaluate_points(&question, &points, writer);
    points_end(&points);
    return code;
}

static int evaluate_command(int argc, char **argv)
{
    struct settings settings;
    struct scenario_grid grid;
    struct row_writer writer;
    const struct evaluator *evaluator = evaluator_find(argv[0]);
    int code = options_parse(argc, argv, &settings);
    if (code >= 0)
        return code;
    if (settings.goal)
        return sim_goal(&settings);
    code = scenario_grid_create(&settings, &grid);
    if (code)
        return code;
    code = row_writer_open(&writer, &settings);
    if (code == 0) {
        code = evaluate_grid(&grid, evaluator, &writer);
        int closed = row_writer_close(&writer);
        code = code ? code : closed;
    }
    scenario_grid_destroy(&grid);
    return code;
}

int command_model(int argc, char **argv)
{
    return evaluate_command(argc, argv);
}

int command_sim(int argc, char **argv)
{
    return evaluate_command(argc, argv);
}

int command_run(int argc, char **argv)
{
    return evaluate_command(argc, argv);
}
