#include "kernels/run_rings.h"

#include "kernels/channels/endpoint_internal.h"
#include "model/channel/channel_shape.h"

int run_rings_fit(const struct params *p)
{
    struct channel_shape shape;
    return channel_shape_of(&channel_kind_er, p->fragment_bytes, p->slots, &shape) == 0;
}

int run_rings_create(struct run_rings *rings, struct launch_rank *self, const struct scenario *s, struct comm **comm)
{
    const struct node *node = s->machine.node;
    struct endpoint_config config = endpoint_config_default(self->procs, self->rank, channel_find("er"));
    struct channel_shape shape;
    int error = channel_shape_of(&channel_kind_er, s->params.fragment_bytes, s->params.slots, &shape);
    if (error)
        return error;
    config.ring_bytes = shape.ring_bytes;
    config.fragment_bytes = shape.fragment_bytes;
    config.domain_os = (int32_t)node->domain_os[node->core_domain[s->placement.core_of_rank[self->rank]]];
    config.op_start = s->conditions.op_start;
    config.dead_rank = launcher_dead_rank;
    config.dead_rank_context = self;
    error = schedule_init(&rings->schedule, s->algorithm, s->job.procs, 0);
    if (!error)
        error = endpoint_create(&config, &self->bootstrap, &rings->endpoint, self->message);
    *comm = error ? NULL : rings->endpoint->comm;
    return error;
}

void run_rings_destroy(struct run_rings *rings)
{
    endpoint_destroy(rings->endpoint);
}

int run_rings_gather(struct run_rings *rings, const void *send, void *receive, uint64_t block_bytes)
{
    return allgather_schedule_run(rings->endpoint, send, receive, block_bytes, &rings->schedule, NULL);
}
