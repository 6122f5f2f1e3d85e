#include "model/loggp.h"

#include <errno.h>

int loggp_fits(const struct loggp *p, const struct schedule *schedule, uint64_t bytes)
{
    double round_ps = 2 * (double)p->overhead_ps + (double)p->latency_ps + (double)p->gap_ps + (double)p->receiver_gap_ps +
                      (double)bytes * (double)p->byte_fs / 1000 + 1;
    return round_ps * ((double)schedule_rounds(schedule) + 1) < 0x1p62;
}

/* What lies between the streams of two messages of a rank that sends, receives, and goes on: the round trip of its own core, or
 * whichever port takes longer. */
static uint64_t between_ps(const struct loggp *p)
{
    return loggp_later_ps(2 * p->overhead_ps + p->latency_ps, loggp_later_ps(p->gap_ps, p->receiver_gap_ps));
}

/* All ranks do the same at the same time: `steps` of them, with these streams in all. */
static uint64_t together_ps(const struct loggp *p, uint64_t steps, uint64_t streams_ps)
{
    return steps ? 2 * p->overhead_ps + p->latency_ps + streams_ps + (steps - 1) * between_ps(p) : 0;
}

static uint64_t ring_ps(const struct loggp *p, const struct schedule *s, uint64_t block_bytes)
{
    return together_ps(p, s->procs - 1, (s->procs - 1) * loggp_stream_ps(p, block_bytes));
}

/* Recursive doubling is the case in which the last step has as many blocks as there are. */
static uint64_t doubling_ps(const struct loggp *p, const struct schedule *s, uint64_t block_bytes)
{
    uint64_t streams_ps = 0;
    for (uint64_t have = 1; have < s->procs; have *= 2)
        streams_ps += loggp_stream_ps(p, block_bytes * (have < s->procs - have ? have : s->procs - have));
    return together_ps(p, s->levels, streams_ps);
}

/* A binomial tree over `procs` ranks: its first child heads procs - 2^(h-1) of them, h = ceil(log2 procs), and the i-th, i > 0, a
 * whole tree of height h - 1 - i, to which the message comes i*send later. Every edge of a path takes `hop`, and of a whole tree
 * of height k the longest path is one of k edges, or the one edge that is sent last. */
static uint64_t tree_ps(uint64_t hop_ps, uint64_t send_ps, uint64_t procs)
{
    uint64_t above_ps = 0, longest_ps = 0;
    while (procs > 1) {
        uint64_t levels = 64 - (uint64_t)__builtin_clzll(procs - 1), later = levels - 1;
        if (later > 0)
            longest_ps =
                loggp_later_ps(longest_ps, above_ps + loggp_later_ps(hop_ps + later * send_ps, send_ps + later * hop_ps));
        above_ps += hop_ps;
        procs -= UINT64_C(1) << later;
    }
    return loggp_later_ps(longest_ps, above_ps);
}

static uint64_t binomial_ps(const struct loggp *p, const struct schedule *s, uint64_t bytes)
{
    uint64_t stream_ps = loggp_stream_ps(p, bytes);
    return tree_ps(2 * p->overhead_ps + p->latency_ps + stream_ps, loggp_later_ps(p->overhead_ps, p->gap_ps + stream_ps),
                   s->procs);
}

int loggp_schedule_ps(const struct loggp *p, const struct schedule *schedule, uint64_t block_bytes, uint64_t *out)
{
    static const struct {
        const struct schedule_algorithm *algorithm;
        uint64_t (*time_ps)(const struct loggp *p, const struct schedule *schedule, uint64_t block_bytes);
    } forms[] = {{&schedule_ring, ring_ps},
                 {&schedule_recursive_doubling, doubling_ps},
                 {&schedule_bruck, doubling_ps},
                 {&schedule_binomial, binomial_ps}};
    uint64_t bytes;
    for (unsigned i = 0; i < sizeof forms / sizeof *forms; i++) {
        if (schedule->algorithm != forms[i].algorithm)
            continue;
        uint64_t most =
            schedule->algorithm == &schedule_bruck || schedule->algorithm == &schedule_recursive_doubling ? schedule->procs : 1;
        if (__builtin_mul_overflow(block_bytes, most, &bytes) || !loggp_fits(p, schedule, bytes))
            return -EOVERFLOW;
        *out = forms[i].time_ps(p, schedule, block_bytes);
        return 0;
    }
    return -ENOTSUP;
}
