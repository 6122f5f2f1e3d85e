/* Messages between two ranks of this host: latency layer by layer, and latency, bandwidth and rate of every channel against the
 * size. Beside what is measured, where the node is calibrated, the extended model and the simulator. */
#include "experiments/figure.h"
#include "model/channel.h"
#include "model/schedule.h"

#include <stdlib.h>
#include <string.h>

enum { SHORT_BYTES = 8, WINDOW = 64, RATE_MOST_BYTES = 4096, LAYER_ROUNDS = 7, LAYERS_MOST = 12 };
static const uint64_t LATENCY_MOST_BYTES = 4 << 20, BANDWIDTH_LEAST_BYTES = 256, BANDWIDTH_MOST_BYTES = 16 << 20,
                      STREAM_MOST_BYTES = 64 << 20;

static struct figure_point message(const struct node *node, const struct channel_kind *channel, uint64_t size_bytes)
{
    return (struct figure_point){.node = node, .kind = JOB_P2P, .procs = 2, .size_bytes = size_bytes, .fragment_bytes = 8192,
                                 .slots = 8, .sets = 1, .channel = channel, .warm = 1, .limit_s = 0.15, .no_limits = 1};
}

static int write_point(FILE *csv, const struct figure_source *source, const struct figure_point *point)
{
    struct outcome outcome;
    int code = figure_evaluate(source->name, source->variant, point, NULL, &outcome);
    if (code)
        return code;
    fprintf(csv, "%s,%s,%llu,%.9g,", source->name, point->channel->name, (unsigned long long)point->size_bytes, outcome.time_s);
    figure_print_cell(csv, outcome.ci_low_s, ',');
    figure_print_cell(csv, outcome.ci_high_s, '\n');
    outcome_destroy(&outcome);
    return 0;
}

/* Every channel before the next size, so that a host that changes changes all alike. */
static int write_sizes(FILE *csv, const struct node *node, const struct figure_source *source, enum p2p_pattern pattern,
                       uint64_t first, uint64_t last, uint64_t factor)
{
    int code = 0;
    for (uint64_t size = first; size <= last && !code; size *= factor)
        for (size_t c = 0; channel_kind_table[c] && !code; c++) {
            struct figure_point point = message(node, channel_kind_table[c], size);
            point.pattern = pattern;
            point.window = size * WINDOW > STREAM_MOST_BYTES ? (uint32_t)(STREAM_MOST_BYTES / size) : WINDOW;
            code = write_point(csv, source, &point);
        }
    return code;
}

static int write_latency(FILE *csv, const struct settings *settings, const struct node *node, const struct figure_source *source)
{
    (void)settings;
    return write_sizes(csv, node, source, P2P_PINGPONG, SHORT_BYTES, LATENCY_MOST_BYTES, 2);
}

static int write_bandwidth(FILE *csv, const struct settings *settings, const struct node *node,
                           const struct figure_source *source)
{
    (void)settings;
    return write_sizes(csv, node, source, P2P_STREAM, BANDWIDTH_LEAST_BYTES, BANDWIDTH_MOST_BYTES, 4);
}

static int write_rate(FILE *csv, const struct settings *settings, const struct node *node, const struct figure_source *source)
{
    (void)settings;
    return write_sizes(csv, node, source, P2P_STREAM, SHORT_BYTES, RATE_MOST_BYTES, 2);
}

static const char HEAD[] = "source,channel,size_bytes,time_s,ci_low_s,ci_high_s\n";

int figure_latency(FILE *csv, const struct settings *settings)
{
    fputs(HEAD, csv);
    return figure_sources(csv, settings, write_latency);
}

int figure_bandwidth(FILE *csv, const struct settings *settings)
{
    fputs(HEAD, csv);
    return figure_sources(csv, settings, write_bandwidth);
}

int figure_rate(FILE *csv, const struct settings *settings)
{
    fputs(HEAD, csv);
    return figure_sources(csv, settings, write_rate);
}

/* ---- layers ---- */

struct layer {
    const char *name;
    struct figure_point point;
    double time_s[LAYER_ROUNDS], handover_s[LAYER_ROUNDS];
};

static size_t layers_of(const struct node *node, struct layer layers[LAYERS_MOST])
{
    static const char *const channels[] = {"er", "mp", "sr"};
    struct figure_point collective = message(node, NULL, SHORT_BYTES);
    size_t n = 0;
    for (size_t i = 0; i < sizeof channels / sizeof *channels; i++)
        layers[n++] = (struct layer){.name = channels[i], .point = message(node, channel_kind_find(channels[i]), SHORT_BYTES)};
    collective.kind = JOB_ALLGATHER;
    collective.algorithm = &schedule_ring;
    layers[n++] = (struct layer){.name = "allgather ring er", .point = collective};
    collective.algorithm = NULL;
    collective.protocol = &protocol_direct_line;
    layers[n++] = (struct layer){.name = "allgather direct", .point = collective};
    collective.kind = JOB_BCAST;
    collective.protocol = &protocol_eager;
    layers[n++] = (struct layer){.name = "bcast eager", .point = collective};
    for (size_t i = 0; i < n; i++)
        layers[i].point.no_limits = 0; /* the hand-over is one of them */
    return n;
}

static int by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Medians, and least and greatest of the rounds but for one: absolute, and in hand-overs of the same runs. */
static void print_layer(FILE *csv, const char *name, double *time_s, double *relative)
{
    qsort(time_s, LAYER_ROUNDS, sizeof *time_s, by_value);
    qsort(relative, LAYER_ROUNDS, sizeof *relative, by_value);
    fprintf(csv, "%s,%.9g,%.9g,%.9g,%.5g,%.5g,%.5g\n", name, time_s[LAYER_ROUNDS / 2], time_s[1], time_s[LAYER_ROUNDS - 2],
            relative[LAYER_ROUNDS / 2], relative[1], relative[LAYER_ROUNDS - 2]);
}

static int measure_layers(struct layer *layers, size_t count)
{
    for (size_t round = 0; round < LAYER_ROUNDS; round++)
        for (size_t i = 0; i < count; i++) {
            struct outcome outcome;
            int code = figure_evaluate("run", "", &layers[i].point, NULL, &outcome);
            if (code)
                return code;
            layers[i].time_s[round] = outcome.time_s;
            layers[i].handover_s[round] = outcome.handover_ns * 1e-9;
            outcome_destroy(&outcome);
        }
    return 0;
}

/* The lowest layer is the hand-over itself, as the first of the others saw it. */
int figure_layers(FILE *csv, const struct settings *settings)
{
    struct layer layers[LAYERS_MOST];
    struct node node;
    int code = figure_node(settings->node, &node);
    if (code)
        return code;
    size_t count = layers_of(&node, layers);
    code = measure_layers(layers, count);
    fprintf(csv, "layer,time_s,least_s,most_s,handovers,least,most\n");
    for (size_t i = 0; i <= count && !code; i++) {
        struct layer *l = &layers[i ? i - 1 : 0];
        double time_s[LAYER_ROUNDS], relative[LAYER_ROUNDS];
        for (size_t r = 0; r < LAYER_ROUNDS; r++) {
            time_s[r] = i ? l->time_s[r] : l->handover_s[r];
            relative[r] = time_s[r] / l->handover_s[r];
        }
        print_layer(csv, i ? l->name : "line", time_s, relative);
    }
    node_destroy(&node);
    return code;
}
