#include "model/choice_seek.h"

#include "model/allgather_model.h"
#include "model/protocol/direct_line.h"
#include "model/protocol/eager.h"
#include "model/step_clock.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>

/* No model is truer than that: a shorter queue is worth more. */
static const double TOLERANCE = 2e-3, MEASURED_TOLERANCE = 0.05;

enum { FRAGMENT_LEAST_BYTES = 1024, FRAGMENT_MOST_BYTES = 512 << 10, QUEUE_LEAST_BYTES = 16 << 10, SETS_MOST = 4, MANY = 4 };

static const struct tree_shape shapes[] = {
    {TREE_FLAT, 0}, {TREE_KARY, 2}, {TREE_KNOMIAL, 2}, {TREE_CHAIN, 0}, {TREE_KARY, 4}, {TREE_KNOMIAL, 4},
};
enum { SHAPES = sizeof shapes / sizeof *shapes };

static int supported(const struct choice_seek *k, const struct tree *tree)
{
    const struct params *p = &k->scenario.params;
    const struct job *job = &k->scenario.job;
    struct bcast_call call = {.size_bytes = job_message_bytes(job), .fragment_bytes = p->fragment_bytes, .slots = p->slots,
                              .sets = p->sets, .lines = EAGER_LINES, .readers_most = p->readers_most, .procs = job->procs,
                              .tree = tree};
    if (job->kind == JOB_ALLGATHER) {
        call.lines = DIRECT_LINES;
        call.block_bytes = job->allgather.block_bytes;
    }
    return p->protocol->supports(&call) == 0;
}

/* All queues by the same steps, so that they compare; a line's way along its tree has a form. */
static int bcast_time(struct choice_seek *k, double *time_s)
{
    struct tree tree;
    struct bcast_prediction out = {.time_s = INFINITY};
    int err = scenario_tree_create(&k->scenario, &tree);
    if (err)
        return err;
    if (supported(k, &tree)) {
        int line = k->scenario.params.protocol == &protocol_eager;
        err = (line ? bcast_model_extended : step_clock_time)(&k->scenario, &tree, &out, k->reason, sizeof k->reason);
        k->candidates++;
    }
    tree_destroy(&tree);
    *time_s = out.time_s;
    return err;
}

static int allgather_time(struct choice_seek *k, double *time_s)
{
    struct schedule_answer out = {.time_s = INFINITY};
    int err = 0;
    if (supported(k, NULL)) {
        err = allgather_model_time(&k->scenario, &out, k->reason, sizeof k->reason);
        k->candidates++;
    }
    *time_s = out.time_s;
    return err;
}

double choice_seek_time_s(struct choice_seek *k, const struct params *params, uint64_t size_bytes)
{
    double time_s = INFINITY;
    k->scenario.params = *params;
    job_size_set(&k->scenario.job, size_bytes);
    int err = (k->scenario.job.kind == JOB_ALLGATHER ? allgather_time : bcast_time)(k, &time_s);
    if (err)
        k->err = err;
    return err ? INFINITY : time_s;
}

/* Keeps the better one; of two that are as good the shorter queue. Returns whether it was taken. */
static int judge(struct choice_seek *k, const struct params *params)
{
    uint64_t bytes = choice_queue_bytes(params);
    if (bytes > k->lane_bytes || k->err)
        return 0;
    double time_s = choice_seek_time_s(k, params, job_size_bytes(&k->scenario.job));
    double enough_s = k->best_s * (bytes < k->best_bytes ? 1 + TOLERANCE : 1 - TOLERANCE);
    if (isinf(time_s) || time_s > enough_s)
        return 0;
    k->best = *params;
    k->best_s = time_s;
    k->best_bytes = bytes;
    return 1;
}

static int is_pair(const struct choice_seek *k)
{
    return k->scenario.job.procs <= 2;
}

static uint32_t slots_of(uint64_t queue_bytes, uint32_t fragment_bytes)
{
    uint32_t slots = 1;
    while ((uint64_t)slots * 2 * fragment_bytes <= queue_bytes)
        slots *= 2;
    return slots;
}

/* Queues by fourfold length, fragments growing up to the first that holds the message. */
static void seek_queue(struct choice_seek *k, const struct protocol *protocol, struct tree_shape tree)
{
    uint64_t size = job_size_bytes(&k->scenario.job);
    uint32_t factor =
        k->scenario.job.procs > MANY ? 4 : 2; /* steps of many ranks take long, and what is between is looked at later */
    for (uint64_t f = FRAGMENT_LEAST_BYTES; f <= FRAGMENT_MOST_BYTES; f *= factor) {
        uint32_t before = 0;
        for (uint64_t queue = QUEUE_LEAST_BYTES; queue <= k->lane_bytes; queue *= 4) {
            struct params p = {protocol, (uint32_t)f, slots_of(queue, (uint32_t)f), 1, tree, 0};
            if (f > queue || p.slots == before)
                continue;
            before = p.slots;
            judge(k, &p);
            if (queue >= size)
                break;
        }
        if (f >= size)
            break;
    }
}

/* Around the best: half and twice the slots, other sets, half and twice the fragment. Once more if something was better.
 * Fragments stay powers of two, as calibration measures them: a short last fragment (16 KiB as 12 and 4) looks good by
 * interpolated rates, and measured 4 to 10 % worse than whole ones. */
static void refine_queue(struct choice_seek *k)
{
    for (int again = 1, turn = 0; again && turn < 3; turn++) {
        struct params p = k->best;
        again = 0;
        if (p.slots > 1)
            again |= judge(
                k, &(struct params){p.protocol, p.fragment_bytes, p.slots / 2, p.slots / 2 < p.sets ? 1 : p.sets, p.tree, 0});
        again |= judge(k, &(struct params){p.protocol, p.fragment_bytes, p.slots * 2, p.sets, p.tree, 0});
        for (uint32_t sets = 1; sets <= SETS_MOST && sets <= p.slots; sets *= 2)
            again |= sets != p.sets && judge(k, &(struct params){p.protocol, p.fragment_bytes, p.slots, sets, p.tree, 0});
        if (turn == 0 && p.fragment_bytes < job_size_bytes(&k->scenario.job)) {
            again |= judge(k, &(struct params){p.protocol, p.fragment_bytes / 2, p.slots, p.sets, p.tree, 0});
            again |= judge(k, &(struct params){p.protocol, p.fragment_bytes * 2, p.slots, p.sets, p.tree, 0});
        }
    }
}

static void try_trees(struct choice_seek *k)
{
    struct params p = k->best;
    for (int i = 0; i < SHAPES && !is_pair(k) && !isinf(k->best_s); i++) {
        p.tree = shapes[i];
        judge(k, &p);
    }
}

static void seek_peers(struct choice_seek *k, const struct protocol *protocol)
{
    uint64_t size = job_size_bytes(&k->scenario.job);
    for (uint64_t f = 4096; f <= (2 << 20); f *= 2) {
        judge(k, &(struct params){protocol, (uint32_t)f, 1, 1, {TREE_FLAT, 0}, 0});
        if (f >= size)
            break;
    }
}

/* Peers' buffers in reach: by plain loads, or by the kernel if the node knows what that costs. */
static int peers_in_reach(const struct choice_seek *k)
{
    if (!scenario_peers_by_kernel(&k->scenario))
        return 1;
    return k->peers && quantity_known(&k->scenario.machine.node->peer_call_ns);
}

static void seek_bcast(struct choice_seek *k)
{
    struct tree_shape tree = shapes[is_pair(k) ? 0 : 1];
    uint64_t size_bytes = k->scenario.job.bcast.size_bytes;
    seek_queue(k, &protocol_counted, tree);
    if (!isinf(k->best_s))
        refine_queue(k);
    try_trees(k);
    struct params p = k->best;
    p.protocol = &protocol_pipelined;
    if (!isinf(k->best_s))
        judge(k, &p);
    if (peers_in_reach(k)) {
        seek_peers(k, &protocol_cooperative);
        seek_peers(k, k->scenario.conditions.buffer_memory == BUFFER_MEMORY_SHARED ? &protocol_shared_source
                                                                                   : &protocol_single_copy);
    }
    for (int i = 0; i < (is_pair(k) ? 1 : SHAPES) && k->lines && size_bytes <= EAGER_FIRST_LINE_BYTES; i++)
        judge(k, &(struct params){&protocol_eager, FRAGMENT_LEAST_BYTES, 1, 1, shapes[i], 0});
}

/* The queue that was measured best over all sizes (two ranks, 0.93 to 1.0 of the preset's time), unless another is better by more
 * than the model can tell apart: copies of all ranks at one time, which is what an allgather has, are not what was calibrated. */
static void prefer_measured(struct choice_seek *k)
{
    struct params p = {&protocol_direct, 128 << 10, 4, 4, shapes[0], 0};
    if (k->best.protocol != &protocol_direct || choice_queue_bytes(&p) > k->lane_bytes || k->err)
        return;
    double time_s = choice_seek_time_s(k, &p, job_size_bytes(&k->scenario.job));
    if (time_s > k->best_s * (1 + MEASURED_TOLERANCE))
        return;
    k->best = p;
    k->best_s = time_s;
    k->best_bytes = choice_queue_bytes(&p);
}

static void seek_allgather(struct choice_seek *k)
{
    seek_queue(k, &protocol_direct, shapes[0]);
    if (!isinf(k->best_s))
        refine_queue(k);
    prefer_measured(k);
    if (peers_in_reach(k))
        seek_peers(k, &protocol_shared_blocks);
    if (k->lines && k->scenario.job.allgather.block_bytes <= EAGER_PAYLOAD_BYTES)
        judge(k, &(struct params){&protocol_direct_line, FRAGMENT_LEAST_BYTES, 1, 1, shapes[0], 0});
}

void choice_seek_size(struct choice_seek *k, uint64_t size_bytes)
{
    job_size_set(&k->scenario.job, size_bytes);
    k->best_s = INFINITY;
    k->best_bytes = UINT64_MAX;
    (k->scenario.job.kind == JOB_ALLGATHER ? seek_allgather : seek_bcast)(k);
}
