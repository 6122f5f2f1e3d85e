#include "model/shared_read.h"

#include <math.h>

struct readers {
    uint32_t near, far; /* on the root's socket, and elsewhere */
};

static struct readers readers_of(const struct scenario *s)
{
    const uint32_t *core = s->placement.core_of_rank, *socket = s->machine.node->core_socket;
    uint32_t root = s->job.bcast.root;
    struct readers readers = {0, 0};
    for (uint32_t r = 0; r < s->job.procs; r++) {
        int near = socket[core[r]] == socket[core[root]];
        readers.near += r != root && near;
        readers.far += !near;
    }
    return readers;
}

static int knows(const struct scenario *s)
{
    const struct node *node = s->machine.node;
    if (readers_of(s).far > 0)
        return quantity_known(&node->contested_s_per_byte);
    return quantity_known(&node->fresh_s_per_byte) || quantity_known(&node->slice_s_per_byte);
}

int shared_read_applies(const struct scenario *s)
{
    int from_root = s->job.kind == JOB_BCAST && s->params.protocol &&
                    (s->params.protocol == &protocol_shared_source || s->params.protocol == &protocol_single_copy);
    return from_root && s->params.readers_most == 0 && s->conditions.buffers == BUFFERS_WARM && knows(s);
}

/* A last-level cache has one a core. */
static double slices(const struct scenario *s)
{
    const struct node *node = s->machine.node;
    uint32_t cache = node->core_cache[s->placement.core_of_rank[s->job.bcast.root]], cores = 0;
    for (uint32_t c = 0; c < node->cores; c++)
        cores += node->core_cache[c] == cache;
    return cores;
}

/* What the writer's first-level cache has of the message, share. */
static double fresh_share(const struct node *node, uint64_t size_bytes)
{
    return size_bytes <= node->l1_bytes ? 1 : (double)node->l1_bytes / (double)size_bytes;
}

/* The greater of both; about equal ones hinder each other. */
static double slower_s(double a_s, double b_s)
{
    return pow(pow(a_s, 4) + pow(b_s, 4), 0.25);
}

double shared_read_s(const struct scenario *s, uint64_t bytes, double alone_s)
{
    const struct node *node = s->machine.node;
    struct readers readers = readers_of(s);
    double served_s = (double)bytes * readers.near * quantity_or(&node->slice_s_per_byte, 0) / slices(s);
    double crowd_s = slower_s(alone_s, served_s);
    double fresh_s = fmax((double)bytes * quantity_or(&node->fresh_s_per_byte, 0), crowd_s);
    double share = fresh_share(node, s->job.bcast.size_bytes);
    double lone = readers.far == 1 ? 1 + quantity_or(&node->lone_slowdown, 0) : 1;
    return readers.far ? (double)bytes * node->contested_s_per_byte.value * lone : share * fresh_s + (1 - share) * crowd_s;
}
