#include "model/choice_table.h"

#include "model/bcast_cost.h"
#include "model/choice_seek.h"
#include "model/protocol/eager.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

/* Sizes at which the best is searched for; between them the table looks at what lies halfway. */
static const uint64_t sizes[] = {8,        EAGER_FIRST_LINE_BYTES, 512,       1 << 10,   2 << 10, 4 << 10, 8 << 10, 16 << 10,
                                 32 << 10, 64 << 10,               128 << 10, 512 << 10, 2 << 20, 8 << 20, 64 << 20};
enum { SIZES = sizeof sizes / sizeof *sizes, ALLGATHER_RANKS_MOST = 8, UNTOLD_QUEUE_MOST_BYTES = 32 << 10 };

/* What was found, size by size; and the best of all at each size. */
struct found {
    struct params params[SIZES];
    double time_s[SIZES];
};

static int seek_sizes(struct choice_seek *k, struct found *found)
{
    for (int i = 0; i < SIZES; i++) {
        choice_seek_size(k, sizes[i]);
        if (k->err)
            return k->err;
        if (isinf(k->best_s)) {
            snprintf(k->reason, sizeof k->reason, "nothing fits a budget of %llu bytes", (unsigned long long)k->lane_bytes);
            return -EINVAL;
        }
        found->params[i] = k->best;
        found->time_s[i] = k->best_s;
    }
    return 0;
}

/* Where the next lane takes over: at the size a lane was last good for, or halfway to the next one if it is better there; one
 * line of the eager protocol holds so much and no more. */
static uint64_t border(struct choice_seek *k, const struct params *lane, const struct params *next, uint64_t last, uint64_t first)
{
    if (lane->protocol == &protocol_direct_line)
        return EAGER_PAYLOAD_BYTES;
    if (last * 4 > first || lane->protocol == &protocol_eager)
        return last;
    return choice_seek_time_s(k, lane, last * 2) <= choice_seek_time_s(k, next, last * 2) ? last * 2 : last;
}

/* Lanes for rising sizes, each as long as it is within `loss` of the best; of the sizes it covers the one whose parameters
 * serve all of them best is not searched for: the first that does is taken, largest first. Returns the lanes needed. */
static uint32_t merge(struct choice_seek *k, const struct found *found, double loss, uint32_t most, struct choice_table *out)
{
    uint32_t lanes = 0;
    for (int first = 0, next; first < SIZES; first = next, lanes++) {
        int chosen = first;
        next = first + 1;
        for (int last = SIZES - 1; last > first && chosen == first && next == first + 1; last--) {
            int holds = 1;
            for (int i = first; i < last && holds; i++)
                holds = choice_seek_time_s(k, &found->params[last], sizes[i]) <= found->time_s[i] * (1 + loss);
            if (holds) {
                chosen = last;
                next = last + 1;
            }
        }
        while (next < SIZES && choice_seek_time_s(k, &found->params[chosen], sizes[next]) <= found->time_s[next] * (1 + loss))
            next++;
        if (lanes < most)
            out->lane[lanes] = (struct choice_lane){found->params[chosen], sizes[next - 1], found->time_s[next - 1]};
    }
    return lanes;
}

static uint64_t total_bytes(const struct choice_table *table)
{
    uint64_t bytes = 0;
    for (uint32_t i = 0; i < table->lanes; i++)
        bytes += choice_queue_bytes(&table->lane[i].params);
    return bytes;
}

/* As few losses as the number of lanes allows. */
static void make_lanes(struct choice_seek *k, const struct found *found, uint32_t most, struct choice_table *out)
{
    double loss = 0.01;
    while ((out->lanes = merge(k, found, loss, most, out)) > most)
        loss *= 2;
    for (uint32_t i = 0; i + 1 < out->lanes; i++) {
        uint64_t last = out->lane[i].size_max_bytes, first = UINT64_MAX;
        for (int s = SIZES - 1; s >= 0 && sizes[s] > last; s--)
            first = sizes[s];
        out->lane[i].size_max_bytes = border(k, &out->lane[i].params, &out->lane[i + 1].params, last, first);
    }
    out->lane[out->lanes - 1].size_max_bytes = UINT64_MAX;
}

static struct params shrunk(const struct protocol *protocol, uint64_t budget_bytes)
{
    const struct protocol_preset *preset = &protocol->preset;
    struct params p = {protocol, preset->fragment_bytes, preset->slots, preset->sets, preset->tree, 0};
    while (p.fragment_bytes > 64 && choice_queue_bytes(&p) > budget_bytes)
        p.fragment_bytes /= 2;
    return p;
}

static void lane_add(struct choice_table *table, struct params params, uint64_t size_max_bytes)
{
    table->lane[table->lanes++] = (struct choice_lane){params, size_max_bytes, NAN};
}

/* An allgather's queue where times are unknown: of twelve, from 32 KiB to 2 MiB, none was faster at all sizes with four and eight
 * ranks on two cpus. What is read by plain loads needs none: from 64 KiB on 0.85 to 0.95 of its time, below up to 1.6. */
static int untold_allgather(const struct scenario *s, int lines, uint32_t most, uint64_t budget_bytes, struct choice_table *out)
{
    int peers = !scenario_peers_by_kernel(s) && most > 2;
    *out = (struct choice_table){.lanes = 0};
    if (lines && most > 1)
        lane_add(out, (struct params){&protocol_direct_line, EAGER_PAYLOAD_BYTES, 1, 1, {TREE_FLAT, 0}, 0}, EAGER_PAYLOAD_BYTES);
    lane_add(out, shrunk(&protocol_direct, budget_bytes), peers ? UNTOLD_QUEUE_MOST_BYTES : UINT64_MAX);
    if (peers)
        lane_add(out, shrunk(&protocol_shared_blocks, budget_bytes), UINT64_MAX);
    return 0;
}

/* Ranks that take turns on a core cost what their turns cost, which no node file tells. Fewest turns are best: one notification
 * for all readers, and a queue that lets the root go on for long. One lane for every size: measured with four and eight ranks
 * on two cpus against the lanes of the uncrowded search, 0.65 to 0.75 of their time from 256 KiB on, 0.7 to 1.0 below. */
static int untold_bcast(uint64_t budget_bytes, struct choice_table *out)
{
    *out = (struct choice_table){.lanes = 0};
    lane_add(out, shrunk(&protocol_counted, budget_bytes), UINT64_MAX);
    return 0;
}

/* Steps of an allgather, each of which looks at all ranks, are as many as pairs of them. */
static int too_many(const struct scenario *s)
{
    return s->job.kind == JOB_ALLGATHER && s->job.procs > ALLGATHER_RANKS_MOST;
}

int choice_table_make(const struct scenario *scenario, const struct choice_permits *permits, struct choice_table *out)
{
    *out = (struct choice_table){.lanes = 0};
    struct choice_seek k = {.scenario = *scenario, .peers = permits->peers, .lines = !permits->no_lines};
    uint64_t budget = permits->budget_bytes ? permits->budget_bytes : bcast_cost_budget_bytes(scenario->machine.node);
    struct found found;
    int err;
    uint32_t most = permits->lanes_most && permits->lanes_most < CHOICE_LANES_MAX ? permits->lanes_most : CHOICE_LANES_MAX;
    if (scenario_shares_cores(scenario) || too_many(scenario))
        return scenario->job.kind == JOB_BCAST ? untold_bcast(budget, out)
                                               : untold_allgather(scenario, k.lines, most, budget, out);
    k.lane_bytes = budget;
    do {
        err = seek_sizes(&k, &found);
        if (!err)
            make_lanes(&k, &found, most, out);
        k.lane_bytes /= 2;
    } while (!err && !k.err && total_bytes(out) > budget);
    out->candidates = k.candidates;
    snprintf(out->reason, sizeof out->reason, "%s", k.reason);
    return err ? err : k.err;
}

const struct choice_lane *choice_table_find(const struct choice_table *table, uint64_t size_bytes)
{
    uint32_t i = 0;
    while (i + 1 < table->lanes && size_bytes > table->lane[i].size_max_bytes)
        i++;
    return &table->lane[i];
}
