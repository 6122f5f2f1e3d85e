#include "sim/goal_limits.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>

/* Processors or NICs of all ranks: 1 GiB of times. */
enum { UNITS_MAX = 1 << 27 };
/* Of a message within a node, which takes no days. */
static const uint64_t inside_most_bytes = UINT64_C(1) << 44;

/* Of a message alone, in full. */
static unsigned __int128 most_ps(const struct goal_network *network, uint64_t bytes)
{
    const struct loggp *n = &network->loggp;
    const struct sim_fabric *f = network->fabric;
    unsigned __int128 fixed_ps = 2 * (unsigned __int128)n->overhead_ps + n->latency_ps + n->gap_ps + n->receiver_gap_ps;
    unsigned __int128 byte_fs = 2 * (unsigned __int128)n->byte_fs;
    if (f) {
        byte_fs += 2 * f->tree.levels * (unsigned __int128)f->link_byte_fs;
        fixed_ps += 2 * f->tree.levels * ((unsigned __int128)f->switch_ps + 1);
    }
    return fixed_ps + (bytes * byte_fs + 999) / 1000;
}

/* Of a send within a node; what the node does not know is told when it runs. */
static unsigned __int128 most_inside_ps(const struct goal_network *network, uint32_t rank, uint32_t peer, uint64_t bytes)
{
    struct sim_cluster_cost cost;
    if (bytes > inside_most_bytes)
        return (unsigned __int128)1 << 63;
    return network->inside(network->context, rank, peer, bytes, &cost) ? 0 : 2 * (unsigned __int128)cost.time_ps;
}

/* Whether all tasks one after the other would fit, so that nothing can overflow on the way. Those who share a memory
 * may together get less than one alone: an eighth is assumed. */
static int time_fits(const struct goal_program *p, const struct goal_network *network)
{
    unsigned __int128 total = 0, most = (unsigned __int128)1 << (network->memories ? 60 : 63);
    uint64_t link_fs = network->fabric ? network->fabric->link_byte_fs : 0;
    if (network->loggp.byte_fs >= UINT64_MAX / 2000 || link_fs >= UINT64_MAX / 2000)
        return 0;
    for (uint32_t r = 0; r < p->ranks; r++)
        for (uint32_t k = 0; k < p->of_rank[r].count && total < most; k++) {
            const struct goal_step *t = &goal_program_steps(p, r)[k];
            uint32_t peer = t->kind == GOAL_SEND ? goal_program_peer(p, r, p->of_rank[r].first + k) : 0;
            total += t->kind == GOAL_CALC ? (unsigned __int128)t->size * 1000 : most_ps(network, t->size);
            if (t->kind == GOAL_SEND && goal_network_inside(network, r, peer))
                total += most_inside_ps(network, r, peer, t->size);
        }
    return total < most;
}

int goal_limits_check(const struct goal_program *program, const struct goal_network *network, char *reason, size_t reason_bytes)
{
    if ((uint64_t)program->ranks * program->cpus > UNITS_MAX || (uint64_t)program->ranks * program->nics > UNITS_MAX) {
        snprintf(reason, reason_bytes,
                 "%" PRIu32 " ranks of %" PRIu32 " cpus and %" PRIu32 " nics are too many: number those of a rank from 0",
                 program->ranks, program->cpus, program->nics);
        return -ENOTSUP;
    }
    if (network->fabric && program->nics > 1) {
        snprintf(reason, reason_bytes, "%" PRIu32 " nics of a rank: where links are shared it has one; use loggp, or nic 0 alone",
                 program->nics);
        return -ENOTSUP;
    }
    if (!time_fits(program, network)) {
        snprintf(reason, reason_bytes, "the times of this program and network add up to more than 106 days: check its sizes");
        return -EOVERFLOW;
    }
    return 0;
}
