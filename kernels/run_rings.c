#include "kernels/run_rings.h"

#include "kernels/channels/endpoint_internal.h"

enum { RING_LEAST_BYTES = 4096, RING_MOST_BYTES = 1 << 30, FRAGMENT_LEAST_BYTES = 64 };

static uint64_t ring_bytes(const struct params *p)
{
    uint64_t bytes = RING_LEAST_BYTES;
    while (bytes < (uint64_t)p->fragment_bytes * p->slots)
        bytes *= 2;
    return bytes;
}

int run_rings_fit(const struct params *p)
{
    uint64_t bytes = (uint64_t)p->fragment_bytes * p->slots <= RING_MOST_BYTES ? ring_bytes(p) : 0;
    return p->fragment_bytes >= FRAGMENT_LEAST_BYTES && p->fragment_bytes <= bytes / 4;
}

int run_rings_create(struct run_rings *rings, struct launch_rank *self, const struct scenario *s, struct comm **comm)
{
    const struct node *node = s->machine.node;
    struct endpoint_config config = endpoint_config_default(self->procs, self->rank, channel_find("er"));
    config.ring_bytes = (uint32_t)ring_bytes(&s->params);
    config.fragment_bytes = s->params.fragment_bytes;
    config.domain_os = (int32_t)node->domain_os[node->core_domain[s->placement.core_of_rank[self->rank]]];
    config.op_start = s->conditions.op_start;
    config.dead_rank = launcher_dead_rank;
    config.dead_rank_context = self;
    int error = schedule_init(&rings->schedule, s->algorithm, s->job.procs, 0);
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
