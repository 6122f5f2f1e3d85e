#include "sim/goal_state.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

void goal_state_destroy(struct goal_state *run)
{
    sim_radix_destroy(&run->queue);
    goal_match_destroy(&run->match);
    goal_flight_destroy(&run->flight);
    goal_copies_destroy(&run->copies);
    free(run->rank_of);
    free(run->waits);
    free(run->stamp_ps);
    free(run->receive_ps);
    free(run->cpu_ps);
    free(run->out_ps);
    free(run->in_ps);
}

int goal_state_create(struct goal_state *run, const struct goal_network *network, int want_times)
{
    const struct goal_program *p = run->program;
    size_t tasks = (size_t)p->tasks + 1, ranks = p->ranks;
    run->rank_of = malloc(tasks * sizeof *run->rank_of);
    run->waits = malloc(tasks * sizeof *run->waits);
    run->stamp_ps = calloc(tasks, sizeof *run->stamp_ps);
    run->receive_ps = network->ppn > 1 ? calloc(tasks, sizeof *run->receive_ps) : NULL;
    run->cpu_ps = calloc(ranks * p->cpus, sizeof *run->cpu_ps);
    run->out_ps = calloc(ranks * p->nics, sizeof *run->out_ps);
    run->in_ps = calloc(ranks * p->nics, sizeof *run->in_ps);
    run->out.end_ps = calloc(ranks, sizeof *run->out.end_ps);
    run->out.times = want_times ? malloc(tasks * sizeof *run->out.times) : NULL;
    run->out.spent = want_times ? calloc(ranks, sizeof *run->out.spent) : NULL;
    if (!run->rank_of || !run->waits || !run->stamp_ps || !run->cpu_ps || !run->out_ps || !run->in_ps || !run->out.end_ps ||
        (network->ppn > 1 && !run->receive_ps) || (want_times && (!run->out.times || !run->out.spent)))
        return -ENOMEM;
    for (uint32_t r = 0; r < p->ranks; r++)
        for (uint32_t k = 0; k < p->of_rank[r].count; k++) {
            run->rank_of[p->of_rank[r].first + k] = r;
            run->waits[p->of_rank[r].first + k] = goal_program_steps(p, r)[k].waits;
        }
    if (want_times)
        memset(run->out.times, 0xff, tasks * sizeof *run->out.times);
    int err = goal_match_create(&run->match, p, run->rank_of);
    sim_radix_create(&run->queue);
    err = err ? err
              : goal_flight_create(&run->flight, network->fabric, network->sink, &network->loggp,
                                   network->ppn > 1 ? network->ppn : 1, p->tasks);
    return err ? err : goal_copies_create(&run->copies, network->memories, ranks * p->cpus, p->tasks);
}
