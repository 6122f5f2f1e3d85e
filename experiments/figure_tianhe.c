/* S2's Figs. 6 to 9, simulated on the interface that model/nic.c describes, and memory of channels by number of ranks. */
#include "experiments/figure_tianhe.h"
#include "experiments/figure.h"
#include "model/channel/channel_memory.h"
#include "sim/sim_channel_count.h"
#include "sim/sim_remote_p2p.h"
#include "sim/sim_time.h"

#include <errno.h>
#include <math.h>
#include <string.h>

enum { FRAGMENT_BYTES = 8192, SLOTS = 8, CALLS = 2 /* the first makes rings and registers */ };
static const uint64_t MOST_BYTES = 4 << 20;

int tianhe_time(const struct tianhe_point *p, double *time_s)
{
    struct nic nic = *nic_find("tianhe");
    struct job_p2p job = {p->size_bytes, p->pattern, p->window};
    struct sim_remote_question question = {.kind = p->channel, .procs = 2};
    struct sim_remote_program program = sim_remote_p2p(&job);
    struct sim_remote remote;
    uint64_t time_ps = 0;
    char reason[200] = "the ring is too small";
    if (p->change)
        p->change(&nic);
    question.costs = nic_ps_of(&nic, nic_layer_find(&nic, p->layer));
    int err = channel_shape_remote(p->channel, p->fragment_bytes ? p->fragment_bytes : FRAGMENT_BYTES,
                                   p->slots ? p->slots : SLOTS, &question.shape);
    err = err ? err : sim_remote_create(&remote, &question, reason, sizeof reason);
    if (err)
        return talk_fail(exit_code_of(err), "sim: %s", reason);
    for (int call = 0; call < CALLS && !err; call++)
        err = sim_remote_call(&remote, &program, NULL, &time_ps, reason, sizeof reason);
    sim_remote_destroy(&remote);
    *time_s = sim_s_from_ps(sim_remote_p2p_time_ps(&job, time_ps));
    return err ? talk_fail(exit_code_of(err), "sim: %s", reason) : 0;
}

int tianhe_half_peak(const struct tianhe_point *point, double *size_bytes, double *peak_bytes_per_s)
{
    struct tianhe_point p = *point;
    double time_s, last = 0;
    p.pattern = P2P_STREAM;
    p.size_bytes = MOST_BYTES;
    int code = tianhe_time(&p, &time_s);
    double half = (double)MOST_BYTES / time_s / 2;
    *peak_bytes_per_s = 2 * half;
    for (p.size_bytes = 1; p.size_bytes <= MOST_BYTES && !code; p.size_bytes *= 2) {
        code = tianhe_time(&p, &time_s);
        double now = (double)p.size_bytes / time_s;
        if (now >= half) {
            *size_bytes = (double)p.size_bytes * exp2(last > 0 ? log(half / now) / log(now / last) : 0);
            return code;
        }
        last = now;
    }
    return code ? code : talk_fail(EXIT_FAILED, "%s never has half of its bandwidth", point->layer);
}

/* What S2 says of the layer, in microseconds; NAN: nothing. */
static double stated_us(const char *layer, const struct channel_kind *channel)
{
    static const struct {
        const char *layer;
        double us;
    } stated[] = {{"uct", 0.89}, {"ucp", 0.91}, {"ofi", 0.92}, {"ch4", 0.95}, {"ch3", 1.07}};
    for (size_t i = 0; i < sizeof stated / sizeof *stated && channel == &channel_kind_er; i++)
        if (strcmp(stated[i].layer, layer) == 0)
            return stated[i].us;
    return NAN;
}

int figure_tianhe6(FILE *csv, const struct settings *settings)
{
    static const struct channel_kind *const channels[] = {&channel_kind_er, &channel_kind_sr};
    const struct nic *nic = nic_find("tianhe");
    int code = 0;
    (void)settings;
    fputs("layer,channel,size_bytes,time_s,stated_s\n", csv);
    for (size_t l = 0; l < nic->layers; l++)
        for (size_t c = 0; c < 2 && !code; c++) {
            const char *layer = nic->layer[l].name;
            struct tianhe_point point = {.layer = layer, .channel = channels[c], .size_bytes = strcmp(layer, "uct") ? 1 : 8};
            double time_s;
            code = tianhe_time(&point, &time_s);
            fprintf(csv, "%s,%s,%llu,%.9g,", layer, c ? "SR" : "ER", (unsigned long long)point.size_bytes, time_s);
            figure_print_cell(csv, stated_us(layer, channels[c]) * 1e-6, '\n');
        }
    return code;
}

/* Both MPIs over both of S2's combinations. */
static int sizes(FILE *csv, enum p2p_pattern pattern, uint64_t most_bytes)
{
    static const char *const layers[] = {"ch4", "ch3"};
    static const struct channel_kind *const channels[] = {&channel_kind_combined, &channel_kind_zc};
    int code = 0;
    fputs("layer,channel,size_bytes,time_s,bytes_per_s\n", csv);
    for (size_t i = 0; i < 4; i++)
        for (uint64_t size = 1; size <= most_bytes && !code; size *= 2) {
            struct tianhe_point point = {layers[i / 2], channels[i % 2], pattern, size, TIANHE_WINDOW, 0, 0, 0};
            double time_s;
            code = tianhe_time(&point, &time_s);
            fprintf(csv, "%s,%s,%llu,%.9g,%.9g\n", point.layer, i % 2 ? "SR" : "ER", (unsigned long long)size, time_s,
                    (double)size / time_s);
        }
    return code;
}

int figure_tianhe7(FILE *csv, const struct settings *settings)
{
    (void)settings;
    return sizes(csv, P2P_PINGPONG, MOST_BYTES);
}

int figure_tianhe8(FILE *csv, const struct settings *settings)
{
    (void)settings;
    return sizes(csv, P2P_STREAM, MOST_BYTES);
}

/* S2 does not say how long its rings are: several. */
int figure_tianhe9(FILE *csv, const struct settings *settings)
{
    static const char *const layers[] = {"ch4", "ch3"};
    static const uint32_t rings[][2] = {{8192, 8}, {8192, 4}, {4096, 4}, {2048, 4}};
    int code = 0;
    (void)settings;
    fputs("layer,ring_bytes,size_bytes,time_s,messages_per_s\n", csv);
    for (size_t ring = 0; ring < sizeof rings / sizeof *rings; ring++)
        for (size_t l = 0; l < 2; l++)
            for (uint64_t size = 1; size <= 8192 && !code; size *= 2) {
                struct tianhe_point point = {layers[l], &channel_kind_er, P2P_STREAM, size, TIANHE_RATE_WINDOW, rings[ring][0],
                                             rings[ring][1], 0};
                double time_s;
                code = tianhe_time(&point, &time_s);
                fprintf(csv, "%s,%u,%llu,%.9g,%.9g\n", layers[l], rings[ring][0] * rings[ring][1], (unsigned long long)size,
                        time_s, 1 / time_s);
            }
    return code;
}

/* ---- memory ---- */

enum pattern { PATTERN_TORUS, PATTERN_BRUCK, PATTERN_ALL, PATTERN_COUNT };
enum { COUNTED_ALL_MOST = 1024 }; /* everybody to everybody is too many messages to go through beyond */

struct memory_traffic {
    enum pattern pattern;
    uint32_t procs;
};

static uint32_t log2_of(uint32_t n)
{
    uint32_t log = 0;
    while (UINT32_C(1) << log < n)
        log++;
    return log;
}

/* A torus' two neighbours in each of three directions; a Bruck Allgather's log2 p; all. */
static uint32_t hop_of(const struct memory_traffic *t, uint32_t round)
{
    if (t->pattern != PATTERN_TORUS)
        return t->pattern == PATTERN_BRUCK ? UINT32_C(1) << round : round + 1;
    uint32_t hop = UINT32_C(1) << log2_of(t->procs) / 3 * (round / 2);
    return round % 2 ? t->procs - hop : hop;
}

static uint32_t rounds_of(const struct memory_traffic *t)
{
    return t->pattern == PATTERN_TORUS ? 6 : t->pattern == PATTERN_BRUCK ? log2_of(t->procs) : t->procs - 1;
}

static uint32_t memory_to(const void *context, uint32_t rank, uint32_t round)
{
    const struct memory_traffic *t = context;
    return (rank + hop_of(t, round)) % t->procs;
}

static struct channel_use use_of(const struct memory_traffic *t)
{
    uint32_t rounds = rounds_of(t);
    /* A torus' neighbours and all others send back; of Bruck's only who is half the ranks away does. */
    return (struct channel_use){t->procs, t->pattern == PATTERN_BRUCK ? 2 * rounds - 1 : rounds, rounds, rounds};
}

static int memory_row(FILE *csv, const struct memory_traffic *t, const struct channel_kind *kind)
{
    static const char *const names[] = {"torus", "bruck", "all"};
    struct channel_shape shape = channel_shape_default(kind);
    struct channel_use use = use_of(t);
    struct sim_channel_traffic traffic = {t->procs, rounds_of(t), memory_to, t};
    struct sim_channel_counted counted;
    int counts = t->pattern != PATTERN_ALL || t->procs <= COUNTED_ALL_MOST;
    if (counts && sim_channel_count(kind, &shape, &traffic, &counted))
        return talk_fail(EXIT_UNABLE, "out of memory for %u ranks", t->procs);
    fprintf(csv, "%s,%s,%u,%u,%llu,%llu,", names[t->pattern], kind->name, t->procs, use.peers,
            (unsigned long long)channel_memory_fixed_bytes(kind, &shape, t->procs),
            (unsigned long long)channel_memory_bytes(kind, &shape, &use));
    figure_print_cell(csv, counts ? (double)counted.bytes / t->procs : NAN, '\n');
    return 0;
}

int figure_tianhe_memory(FILE *csv, const struct settings *settings)
{
    static const struct channel_kind *const channels[] = {&channel_kind_er, &channel_kind_combined, &channel_kind_sr};
    int code = 0;
    (void)settings;
    fputs("pattern,channel,procs,peers,fixed_bytes,rank_bytes,counted_bytes\n", csv);
    for (enum pattern pattern = 0; pattern < PATTERN_COUNT; pattern++)
        for (size_t c = 0; c < 3; c++)
            for (uint32_t procs = 64; procs <= 65536 && !code; procs *= 4) {
                struct memory_traffic traffic = {pattern, procs};
                code = memory_row(csv, &traffic, channels[c]);
            }
    return code;
}
