#include "experiments/goal_trace.h"
#include "experiments/command.h"
#include "experiments/trace_json.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

/* Threads of a rank: processors, then NICs that send, then those that receive. */
enum unit { UNIT_CPU, UNIT_OUT = GOAL_UNITS_MAX, UNIT_IN = 2 * GOAL_UNITS_MAX };

struct tracing {
    FILE *out;
    const struct goal_program *program;
    const struct goal_network *joined;
    const struct loggp *network; /* of it */
    const struct goal_outcome *outcome;
};

static void print_unit(const struct tracing *t, uint32_t rank, const char *kind, uint32_t number, uint32_t tid)
{
    char name[40];
    snprintf(name, sizeof name, "%s %u", kind, number);
    trace_json_print_track(t->out, rank, tid, name);
}

static void print_units(const struct tracing *t)
{
    const struct goal_program *p = t->program;
    for (uint32_t r = 0; r < p->ranks; r++) {
        fprintf(t->out, "%s{\"name\":\"process_name\",\"ph\":\"M\",\"pid\":%u,\"args\":{\"name\":\"rank %u\"}}", r ? ",\n" : "",
                r, r);
        for (uint32_t i = 0; i < p->cpus; i++)
            print_unit(t, r, "cpu", i, UNIT_CPU + i);
        for (uint32_t i = 0; i < p->nics; i++) {
            print_unit(t, r, "NIC sends", i, UNIT_OUT + i);
            print_unit(t, r, "NIC receives", i, UNIT_IN + i);
        }
    }
}

static void print_slice(const struct tracing *t, uint32_t rank, uint32_t tid, const char *name, const struct goal_task *task,
                        uint64_t start_ps, uint64_t end_ps)
{
    if (end_ps == start_ps)
        return;
    fprintf(t->out, ",\n{\"name\":\"%s\",\"ph\":\"X\",\"pid\":%u,\"tid\":%u,", name, rank, tid);
    trace_json_print_span(t->out, start_ps, end_ps);
    fputs(",\"args\":{", t->out);
    if (task->kind != GOAL_CALC)
        fprintf(t->out, "\"bytes\":%" PRIu64 ",", task->size);
    fprintf(t->out, "\"line\":%u}}", task->line);
}

/* The message as it comes in: of the NIC as its last byte is there. */
static void print_receive(const struct tracing *t, uint32_t rank, uint32_t i)
{
    const struct goal_task task = goal_program_task(t->program, rank, i);
    const struct goal_times *times = t->outcome->times;
    uint32_t send = times[i].match;
    char name[40];
    uint32_t from = task.peer != GOAL_ANY ? task.peer : goal_program_rank_of(t->program, send);
    snprintf(name, sizeof name, "from %u", from);
    struct sim_cluster_cost cost = {.receive_ps = t->network->overhead_ps};
    int inside = goal_network_inside(t->joined, from, rank);
    uint64_t bytes = goal_program_step(t->program, from, send)->size;
    if (inside && t->joined->inside(t->joined->context, from, rank, bytes, &cost))
        return;
    print_slice(t, rank, UNIT_CPU + task.cpu, name, &task, times[i].end_ps - cost.receive_ps, times[i].end_ps);
    if (inside)
        return;
    uint64_t stream_ps = loggp_stream_ps(t->network, bytes);
    print_slice(t, rank, UNIT_IN + task.nic, name, &task, times[i].last_byte_ps - stream_ps, times[i].last_byte_ps);
}

static void print_send(const struct tracing *t, uint32_t rank, uint32_t i)
{
    const struct goal_task task = goal_program_task(t->program, rank, i);
    const struct goal_times *times = &t->outcome->times[i];
    char name[40];
    snprintf(name, sizeof name, "to %u", task.peer);
    print_slice(t, rank, UNIT_CPU + task.cpu, name, &task, times->begin_ps, times->end_ps);
    if (goal_network_inside(t->joined, rank, task.peer))
        return;
    uint64_t out_ps = times->begin_ps + t->network->gap_ps + loggp_stream_ps(t->network, task.size);
    print_slice(t, rank, UNIT_OUT + task.nic, name, &task, times->begin_ps, out_ps);
}

static void print_tasks(const struct tracing *t)
{
    const struct goal_program *p = t->program;
    for (uint32_t r = 0; r < p->ranks; r++)
        for (uint32_t k = 0; k < p->of_rank[r].count; k++) {
            uint32_t i = p->of_rank[r].first + k;
            const struct goal_times *times = &t->outcome->times[i];
            const struct goal_task task = goal_program_task(p, r, i);
            if (task.kind == GOAL_CALC)
                print_slice(t, r, UNIT_CPU + task.cpu, "calc", &task, times->begin_ps, times->end_ps);
            else
                (task.kind == GOAL_SEND ? print_send : print_receive)(t, r, i);
        }
}

int goal_trace_write(const char *path, const struct goal_program *program, const struct goal_network *network,
                     const struct goal_outcome *outcome)
{
    FILE *out = fopen(path, "w");
    if (!out)
        return talk_fail(EXIT_FAILED, "cannot write %s: %s; choose another path", path, strerror(errno));
    struct tracing tracing = {out, program, network, &network->loggp, outcome};
    fputs("{\"displayTimeUnit\":\"ns\",\"traceEvents\":[\n", out);
    print_units(&tracing);
    print_tasks(&tracing);
    fputs("\n]}\n", out);
    int failed = ferror(out);
    return fclose(out) || failed ? talk_fail(EXIT_FAILED, "cannot write %s: is there room?", path) : 0;
}
