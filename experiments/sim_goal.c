#include "experiments/sim_goal.h"
#include "experiments/goal_nodes.h"
#include "experiments/goal_trace.h"
#include "experiments/per_rank.h"
#include "experiments/rows.h"
#include "experiments/trace_stages.h"
#include "kernels/clock.h"
#include "model/formats/goal_read.h"
#include "model/formats/network_load.h"
#include "model/network.h"
#include "sim/goal_run.h"
#include "sim/sim_time.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

/* On this host: to read the program, and to run it. */
struct took {
    double read_s, run_s;
};

static int write_row(const struct settings *settings, const struct network *network, const struct goal_nodes *nodes,
                     const struct goal_program *program, const struct goal_outcome *outcome, const struct took *took)
{
    struct row_writer writer;
    struct row row;
    row_init(&row);
    snprintf(row.source, sizeof row.source, "sim");
    snprintf(row.algorithm, sizeof row.algorithm, "goal");
    network_format(network, row.network, sizeof row.network);
    row.procs = program->ranks;
    if (nodes) {
        snprintf(row.node, sizeof row.node, "%s", nodes->node.name);
        snprintf(row.placement, sizeof row.placement, "%s", settings->place);
        row.ppn = settings->ppn;
    }
    row.events = (int64_t)outcome->events;
    row.messages = (int64_t)outcome->messages;
    row.time_s = sim_s_from_ps(outcome->time_ps);
    row.wall_s = took->run_s;
    row.read_s = took->read_s;
    int code = row_writer_open(&writer, settings);
    if (code)
        return code;
    int full = row_writer_add(&writer, &row);
    code = row_writer_close(&writer);
    return full ? talk_fail(EXIT_UNABLE, "out of memory for rows: use --format csv or jsonl") : code;
}

static int write_per_rank(const char *path, const struct goal_program *program, const struct goal_outcome *outcome)
{
    struct per_rank all;
    if (per_rank_create(&all, program->ranks, NAN, 0))
        return talk_fail(EXIT_UNABLE, "out of memory for %u ranks: leave out --per-rank", program->ranks);
    for (uint32_t r = 0; r < program->ranks; r++) {
        const struct goal_spent *s = &outcome->spent[r];
        all.times[r].busy_s = sim_s_from_ps(s->busy_ps);
        all.times[r].wait_s = sim_s_from_ps(s->wait_ps);
        all.times[r].network_s = sim_s_from_ps(s->network_ps);
        all.times[r].contention_s = sim_s_from_ps(s->contention_ps);
        all.times[r].end_s = sim_s_from_ps(outcome->end_ps[r]);
    }
    int code = per_rank_write(&all, path);
    per_rank_destroy(&all);
    return code;
}

/* What it ran on, and what it came to. */
struct goal_ran {
    const struct settings *settings;
    const struct network *network;
    const struct goal_program *program;
    struct goal_network joined;
    struct goal_nodes *nodes; /* of several ranks; NULL: of one */
    struct sim_fabric fabric;
    struct goal_outcome outcome;
    struct took took;
};

/* 0, or an exit code. */
static int run(struct goal_ran *r)
{
    const struct settings *s = r->settings;
    char reason[300] = "";
    double start_s = clock_monotonic_s();
    int err = goal_run_over(r->program, &r->joined, s->per_rank || s->trace, &r->outcome, reason, sizeof reason);
    if (err == -ENOTSUP && r->nodes && *r->nodes->costs.costs.missing)
        sim_network_tell_missing(&r->nodes->costs, reason, sizeof reason);
    int wrong = err == -EDEADLK || err == -EMSGSIZE || err == -EOVERFLOW; /* the program, not the host */
    if (err)
        return talk_fail(wrong ? EXIT_USAGE : exit_code_of(err), "%s: %s", s->goal, reason);
    r->took.run_s = clock_monotonic_s() - start_s;
    talk_note(s->verbosity, 1, "ran %u tasks in %.3f s: %.2f M messages/s", r->program->tasks, r->took.run_s,
              r->took.run_s > 0 ? (double)r->outcome.messages / r->took.run_s * 1e-6 : 0);
    return 0;
}

/* Over shared links the trace is written as the program runs. */
static int run_traced(struct goal_ran *r)
{
    struct trace_stages trace;
    char title[256], name[ROW_TEXT_BYTES];
    FILE *out = fopen(r->settings->trace, "w");
    if (!out)
        return talk_fail(EXIT_FAILED, "cannot write %s: %s; choose another path", r->settings->trace, strerror(errno));
    snprintf(title, sizeof title, "%s, %s", network_format(r->network, name, sizeof name), r->settings->goal);
    int code = trace_stages_begin(&trace, out, title, r->program->ranks), error = 0;
    if (!code) {
        r->joined.sink = &trace.sink;
        code = run(r);
        error = trace_stages_end(&trace);
    }
    if ((fclose(out) || error) && !code) {
        goal_outcome_destroy(&r->outcome);
        code = talk_fail(EXIT_FAILED, "cannot write %s: is there room?", r->settings->trace);
    }
    return code;
}

static int run_and_write(struct goal_ran *r)
{
    const struct settings *s = r->settings;
    int staged = s->trace && r->joined.fabric, code = staged ? run_traced(r) : run(r);
    if (code)
        return code;
    code = s->per_rank ? write_per_rank(s->per_rank, r->program, &r->outcome) : 0;
    if (!code && s->trace && !staged)
        code = goal_trace_write(s->trace, r->program, &r->joined, &r->outcome);
    if (!code)
        code = write_row(s, r->network, r->nodes, r->program, &r->outcome, &r->took);
    goal_outcome_destroy(&r->outcome);
    return code;
}

/* Makes the links that the network's ranks share. */
static int run_on_network(struct goal_ran *r)
{
    char reason[300] = "";
    r->joined.loggp = network_loggp(r->network);
    if (r->network->kind == NETWORK_LOGGP)
        return run_and_write(r);
    uint32_t nodes = (r->program->ranks - 1) / r->settings->ppn + 1;
    int err = sim_fabric_create(&r->fabric, r->network, nodes, reason, sizeof reason);
    if (err)
        return talk_fail(err == -EINVAL ? EXIT_USAGE : exit_code_of(err), "%s", reason);
    r->joined.fabric = &r->fabric;
    int code = r->nodes ? goal_nodes_share_memory(r->nodes, &r->fabric) : 0;
    if (r->nodes) {
        r->joined.memories = r->nodes->costs.nodes.memories;
        r->joined.nic_class = r->nodes->costs.nodes.nic_class;
    }
    code = code ? code : run_and_write(r);
    sim_fabric_destroy(&r->fabric);
    return code;
}

static int run_on_nodes(struct goal_ran *r)
{
    struct goal_nodes nodes;
    r->joined.ppn = r->settings->ppn;
    if (r->settings->ppn < 2)
        return run_on_network(r);
    int code = goal_nodes_create(&nodes, r->settings, r->network, r->program->ranks);
    if (code)
        return code;
    r->nodes = &nodes;
    r->joined.inside = nodes.costs.nodes.inside;
    r->joined.context = nodes.costs.nodes.context;
    code = run_on_network(r);
    goal_nodes_destroy(&nodes);
    return code;
}

int sim_goal(const struct settings *settings)
{
    struct network network;
    struct goal_program program;
    char reason[300] = "";
    if (settings->positional_count)
        return talk_fail(EXIT_USAGE, "--goal stands for the collective: leave out %s", settings->positional[0]);
    const char *beside = settings_given_beside(
        settings, settings->ppn > 1 ? "goal network ppn node place buffers trace per-rank format output rows verbose quiet"
                                    : "goal network trace per-rank format output rows verbose quiet");
    if (beside)
        return talk_fail(EXIT_USAGE, "--goal says what ranks do, each on a node of the --network: leave out --%s", beside);
    if (network_load(settings->network ? settings->network : "loggp", &network, reason, sizeof reason))
        return talk_fail(EXIT_USAGE, "--network: %s", reason);
    double start_s = clock_monotonic_s();
    int err = goal_read_file(settings->goal, &program, reason, sizeof reason);
    if (err)
        return talk_fail(exit_code_of_input(err), "%s", reason);
    struct goal_ran ran = {
        .settings = settings, .network = &network, .program = &program, .took = {.read_s = clock_monotonic_s() - start_s}};
    talk_note(settings->verbosity, 1, "read %u tasks of %u ranks in %.3f s", program.tasks, program.ranks, ran.took.read_s);
    int code = run_on_nodes(&ran);
    goal_program_destroy(&program);
    return code;
}
