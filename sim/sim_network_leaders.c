/* Two levels over channels: what ranks of different nodes exchange goes through their interfaces, a rank a node. */
#include "sim/sim_network.h"
#include "sim/sim_remote_schedule.h"

#include "model/allgather_model.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

/* The same collective among nodes, of which each has the blocks of its ranks. */
static struct scenario among_nodes(const struct sim_network *n)
{
    struct scenario inner = *n->scenario;
    uint32_t nodes = n->schedule.procs;
    inner.machine.ppn = inner.machine.levels = 1;
    inner.machine.nodes = nodes;
    inner.params = (struct params){.fragment_bytes = ALLGATHER_MODEL_FRAGMENT_BYTES, .slots = ALLGATHER_MODEL_SLOTS, .sets = 1};
    if (inner.job.kind == JOB_ALLGATHER)
        inner.job.allgather.in_place = 1;
    else
        inner.job.bcast.root = n->schedule.root;
    inner.job.procs = nodes;
    job_size_set(&inner.job, n->question.size_bytes);
    return inner;
}

/* A call ahead makes what pairs need. */
int sim_network_leaders_create(struct sim_network *n, char *reason, size_t reason_bytes)
{
    struct scenario inner = among_nodes(n);
    struct sim_remote_schedule *leaders = malloc(sizeof *leaders);
    uint64_t unused_ps;
    if (!leaders) {
        snprintf(reason, reason_bytes, "no memory for the channels of %u nodes: use fewer", n->schedule.procs);
        return -ENOMEM;
    }
    int err = sim_remote_schedule_create(leaders, &inner, reason, reason_bytes);
    if (err) {
        free(leaders);
        return err;
    }
    n->leaders = leaders;
    leaders->own_warm = inner.job.kind == JOB_ALLGATHER && n->scenario->machine.ppn > 1; /* gathered just now */
    return sim_remote_schedule_call(leaders, 0, NULL, &unused_ps, reason, reason_bytes);
}

void sim_network_leaders_destroy(struct sim_network *n)
{
    if (n->leaders)
        sim_remote_schedule_destroy(n->leaders);
    free(n->leaders);
    n->leaders = NULL;
}

int sim_network_leaders_call(struct sim_network *n, uint64_t seed, struct trace_sink *sink, char *reason, size_t reason_bytes)
{
    struct sim_remote *remote = &n->leaders->remote;
    n->answer = (struct sim_cluster_answer){.time_ps = 0};
    remote->messages = remote->queue.popped = 0;
    int err = sim_remote_schedule_call(n->leaders, seed, sink, &n->answer.time_ps, reason, reason_bytes);
    for (uint32_t i = 0; i < n->schedule.procs && !err; i++)
        n->end_ps[i] = remote->endpoint[i].end_ps - remote->base_ps;
    n->answer.pops = remote->queue.popped;
    n->answer.messages = n->answer.messages_between = remote->messages;
    return err;
}

uint64_t sim_network_channel_bytes(const struct sim_network *n)
{
    return n->leaders ? sim_remote_memory_bytes(&n->leaders->remote) : 0;
}
