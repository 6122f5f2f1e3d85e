#include "experiments/sim_goal.h"
#include "experiments/goal_trace.h"
#include "experiments/per_rank.h"
#include "experiments/rows.h"
#include "model/formats/goal_read.h"
#include "model/formats/network_load.h"
#include "model/network.h"
#include "sim/goal_run.h"
#include "sim/sim_time.h"

#include <errno.h>
#include <stdio.h>
#include <time.h>

static double now_s(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

/* On this host: to read the program, and to run it. */
struct took {
    double read_s, run_s;
};

static int write_row(const struct settings *settings, const struct network *network, const struct goal_program *program,
                     const struct goal_outcome *outcome, const struct took *took)
{
    struct row_writer writer;
    struct row row;
    row_init(&row);
    snprintf(row.source, sizeof row.source, "sim");
    snprintf(row.algorithm, sizeof row.algorithm, "goal");
    network_format(network, row.network, sizeof row.network);
    row.procs = program->ranks;
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

static int write_beside(const struct settings *s, const struct goal_program *program, const struct loggp *loggp,
                        const struct goal_outcome *outcome)
{
    int code = s->per_rank ? write_per_rank(s->per_rank, program, outcome) : 0;
    return code || !s->trace ? code : goal_trace_write(s->trace, program, loggp, outcome);
}

static int run(const struct settings *settings, const struct network *network, const struct goal_program *program,
               struct took *took)
{
    struct loggp loggp = network_loggp(network);
    struct goal_outcome outcome;
    char reason[300] = "";
    double start_s = now_s();
    int err = goal_run(program, &loggp, settings->per_rank || settings->trace, &outcome, reason, sizeof reason);
    int wrong = err == -EDEADLK || err == -EMSGSIZE || err == -EOVERFLOW; /* the program, not the host */
    if (err)
        return talk_fail(wrong ? EXIT_USAGE : exit_code_of(err), "%s: %s", settings->goal, reason);
    took->run_s = now_s() - start_s;
    talk_note(settings->verbosity, 1, "ran %u tasks in %.3f s: %.2f M messages/s", program->tasks, took->run_s,
              took->run_s > 0 ? (double)outcome.messages / took->run_s * 1e-6 : 0);
    int code = write_beside(settings, program, &loggp, &outcome);
    if (!code)
        code = write_row(settings, network, program, &outcome, took);
    goal_outcome_destroy(&outcome);
    return code;
}

int sim_goal(const struct settings *settings)
{
    struct network network;
    struct goal_program program;
    char reason[300] = "";
    if (settings->positional_count)
        return talk_fail(EXIT_USAGE, "--goal stands for the collective: leave out %s", settings->positional[0]);
    if (network_load(settings->network ? settings->network : "loggp", &network, reason, sizeof reason))
        return talk_fail(EXIT_USAGE, "--network: %s", reason);
    if (network.kind != NETWORK_LOGGP)
        return talk_fail(EXIT_USAGE, "--network: GOAL programs are run without contention, which %s has: use loggp", network.name);
    if (settings->ppn != 1 || settings->levels != 1)
        return talk_fail(EXIT_USAGE, "--ppn and --levels are not of --goal, whose ranks are on a node each: leave them out");
    double start_s = now_s();
    int err = goal_read_file(settings->goal, &program, reason, sizeof reason);
    if (err)
        return talk_fail(exit_code_of(err), "%s", reason);
    struct took took = {.read_s = now_s() - start_s};
    talk_note(settings->verbosity, 1, "read %u tasks of %u ranks in %.3f s", program.tasks, program.ranks, took.read_s);
    int code = run(settings, &network, &program, &took);
    goal_program_destroy(&program);
    return code;
}
