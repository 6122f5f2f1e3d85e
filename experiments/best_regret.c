#include "experiments/best_regret.h"

#include "experiments/statistics.h"
#include "experiments/turns.h"
#include "model/protocol/eager.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { SCREEN_ROUNDS = 3, FINAL_ROUNDS = 15, FINALISTS = 5 }; /* best's own choice is finalist 0 */

struct rivals {
    struct params config[TURNS_CONFIGS_MAX];
    uint32_t count;
};

static void add_rival(struct rivals *rivals, const struct scenario *s, struct params p)
{
    struct scenario own = *s;
    char reason[200];
    own.params = p;
    if (rivals->count < TURNS_CONFIGS_MAX && scenario_check(&own, reason, sizeof reason) == 0)
        rivals->config[rivals->count++] = p;
}

/* Slots are a power of two, as most protocols want them. */
static void add_queues(struct rivals *rivals, const struct scenario *s, const struct protocol *protocol, struct tree_shape tree)
{
    uint64_t size = job_size_bytes(&s->job);
    for (uint32_t f = 4096; f <= (256 << 10); f *= 2) {
        uint32_t before = 0;
        for (uint64_t queue = 128 << 10; queue <= (2 << 20); queue *= 16) {
            uint32_t slots = (uint32_t)(queue / f);
            slots = slots < 2 ? 2 : slots > 128 ? 128 : slots;
            if (slots != before)
                add_rival(rivals, s, (struct params){protocol, f, slots, 1, tree, 0});
            before = slots;
        }
        if (f >= size)
            break;
    }
}

static void add_peers(struct rivals *rivals, const struct scenario *s, const struct protocol *protocol)
{
    for (uint32_t f = 64 << 10; f <= (1 << 20); f *= 4)
        if (f == 64 << 10 || f / 4 < job_size_bytes(&s->job))
            add_rival(rivals, s, (struct params){protocol, f, 1, 1, {TREE_FLAT, 0}, 0});
}

/* Queues of 16 KiB to 1 MiB, in sets with and without acknowledgement. Blocks that fit a line always go by one. */
static void find_allgathers(struct rivals *rivals, const struct scenario *s)
{
    struct tree_shape flat = {TREE_FLAT, 0};
    if (job_size_bytes(&s->job) <= EAGER_PAYLOAD_BYTES) {
        add_rival(rivals, s, s->params);
        return;
    }
    for (uint32_t f = 4096; f <= (256 << 10); f *= 2)
        for (uint32_t slots = 4; slots <= 16; slots *= 4)
            for (uint32_t sets = 1; sets <= 4; sets *= 4)
                if ((uint64_t)f * slots >= (16 << 10) && (uint64_t)f * slots <= (1 << 20))
                    add_rival(rivals, s, (struct params){&protocol_direct, f, slots, sets, flat, 0});
    add_peers(rivals, s, &protocol_shared_blocks);
}

/* Every protocol that might be fastest somewhere. The peers' have the queue they come with. */
static void find_broadcasts(struct rivals *rivals, const struct scenario *s)
{
    struct tree_shape flat = {TREE_FLAT, 0}, binary = {TREE_KARY, 2};
    int many = s->job.procs > 2;
    if (job_size_bytes(&s->job) <= EAGER_PAYLOAD_BYTES)
        add_rival(rivals, s, (struct params){&protocol_eager, 4096, 1, 1, flat, 0});
    for (int tree = 0; tree <= many; tree++) {
        add_queues(rivals, s, &protocol_counted, tree ? binary : flat);
        add_rival(rivals, s, (struct params){&protocol_pipelined, 8192, 64, 1, tree ? binary : flat, 0});
        add_rival(rivals, s, (struct params){&protocol_pipelined, 32768, 16, 2, tree ? binary : flat, 0});
        add_rival(rivals, s, (struct params){&protocol_counted, 32768, 16, 4, tree ? binary : flat, 0});
    }
    add_peers(rivals, s, &protocol_single_copy);
    add_peers(rivals, s, &protocol_cooperative);
    add_rival(rivals, s, (struct params){&protocol_slot_ring, 8192, 128, 1, flat, 0});
    add_rival(rivals, s, (struct params){&protocol_slot_ring, 32768, 32, 1, flat, 0});
    add_rival(rivals, s, (struct params){&protocol_release_gather, 8192, 4, 1, {TREE_KARY, 64}, 0});
    add_rival(rivals, s, (struct params){&protocol_banked, 8192, 8, 2, {TREE_KARY, 4}, 0});
}

static int measure(const struct scenario *s, const struct params *configs, uint32_t count, uint32_t rounds, double *time_s)
{
    char reason[TURNS_REASON_BYTES] = "";
    struct turns turns = {.scenario = s, .configs = configs, .count = count, .rounds = rounds,
                          .limit_s = s->conditions.time_limit_s / rounds};
    int err = turns_measure(&turns, time_s, reason);
    return err ? talk_fail(exit_code_of(err), "regret: %s", reason) : 0;
}

static double median_over_rounds(const double *time_s, uint32_t count, uint32_t rounds, uint32_t config)
{
    double samples[FINAL_ROUNDS];
    struct statistics s;
    for (uint32_t r = 0; r < rounds; r++)
        samples[r] = time_s[r * count + config];
    return statistics_of(samples, rounds, &s) ? NAN : s.median;
}

/* The fastest of the screening, with best's choice ahead of them. */
static uint32_t pick_finalists(const struct rivals *rivals, const double *time_s, const struct params *own,
                               struct params *finalists)
{
    char taken[TURNS_CONFIGS_MAX] = {0};
    uint32_t n = 0;
    finalists[n++] = *own;
    while (n < FINALISTS) {
        uint32_t least = rivals->count;
        double least_s = INFINITY;
        for (uint32_t i = 0; i < rivals->count; i++) {
            double median_s = median_over_rounds(time_s, rivals->count, SCREEN_ROUNDS, i);
            if (!taken[i] && median_s < least_s) {
                least_s = median_s;
                least = i;
            }
        }
        if (least == rivals->count)
            break;
        taken[least] = 1;
        finalists[n++] = rivals->config[least];
    }
    return n;
}

static void print_params(FILE *file, const struct params *p)
{
    char fragment[24], tree[32];
    fprintf(file, "  %-15s %5s x %-4u q=%u %-9s", p->protocol->name, size_format(p->fragment_bytes, fragment, sizeof fragment),
            p->slots, p->sets, tree_shape_format(p->tree, tree, sizeof tree));
}

/* Ratio of the own choice to the fastest finalist, round by round; 0 if nothing is faster. */
static double report(FILE *file, const struct scenario *s, const struct params *finalists, uint32_t n, const double *time_s)
{
    uint32_t fastest = 0;
    double ratio[FINAL_ROUNDS];
    struct statistics of;
    char size[24];
    for (uint32_t i = 1; i < n; i++)
        if (median_over_rounds(time_s, n, FINAL_ROUNDS, i) < median_over_rounds(time_s, n, FINAL_ROUNDS, fastest))
            fastest = i;
    for (uint32_t r = 0; r < FINAL_ROUNDS; r++)
        ratio[r] = time_s[r * n] / time_s[r * n + fastest] - 1;
    if (statistics_of(ratio, FINAL_ROUNDS, &of))
        return NAN;
    fprintf(file, "%6s %5u %11.3f", size_format(job_size_bytes(&s->job), size, sizeof size), s->job.procs,
            median_over_rounds(time_s, n, FINAL_ROUNDS, 0) * 1e6);
    print_params(file, &finalists[0]);
    print_params(file, &finalists[fastest]);
    fprintf(file, " %+6.1f%%  %+6.1f%% .. %+.1f%%\n", of.median * 100, of.ci_low * 100, of.ci_high * 100);
    fflush(file);
    return fmax(of.median, 0);
}

static int report_size(FILE *file, const struct scenario *s, double *regret)
{
    struct rivals rivals;
    struct params finalists[FINALISTS];
    double *time_s = calloc((size_t)TURNS_CONFIGS_MAX * FINAL_ROUNDS, sizeof *time_s);
    if (!time_s)
        return talk_fail(EXIT_UNABLE, "out of memory for the regret");
    rivals.count = 0;
    (s->job.kind == JOB_ALLGATHER ? find_allgathers : find_broadcasts)(&rivals, s);
    int code = measure(s, rivals.config, rivals.count, SCREEN_ROUNDS, time_s);
    if (!code) {
        uint32_t n = pick_finalists(&rivals, time_s, &s->params, finalists);
        code = measure(s, finalists, n, FINAL_ROUNDS, time_s);
        if (!code)
            *regret = report(file, s, finalists, n, time_s);
    }
    free(time_s);
    return code;
}

int best_regret_report(FILE *file, struct scenario_grid *grid)
{
    struct statistics of;
    double *regret = calloc(grid->count, sizeof *regret);
    int code = regret ? 0 : talk_fail(EXIT_UNABLE, "out of memory for the regret");
    if (!code)
        fprintf(file, "%6s %5s %11s  %-41s  %-41s %7s  %s\n", "size", "procs", "best us", "best takes", "fastest found", "regret",
                "95 % interval");
    for (size_t i = 0; i < grid->count && !code; i++) {
        struct scenario scenario;
        code = scenario_grid_get(grid, i, &scenario);
        if (!code)
            code = report_size(file, &scenario, &regret[i]);
    }
    if (!code && statistics_of(regret, grid->count, &of) == 0)
        fprintf(file, "regret of best over %zu points: median %.1f %%, worst %.1f %%\n", grid->count, of.median * 100,
                of.max * 100);
    free(regret);
    return code;
}
