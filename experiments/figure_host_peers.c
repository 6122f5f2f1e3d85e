/* The analogues of figures 10, 12 and 13 measured on this host: with two ranks and cold buffers, and with eight, which where
 * cores are fewer take turns on them, and warm buffers: eight pools of cold ones take seconds to make. What is compared is
 * measured in turns too, so that a host that changes meanwhile changes both. */
#include "experiments/figure.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { ROUNDS = 5, POINTS_MOST = 8, PROCS_MANY = 8 };

/* Seconds of every point in every round. */
struct rounds {
    double time_s[ROUNDS][POINTS_MOST];
};

static int measure(const struct figure_point *points, size_t count, struct rounds *out)
{
    int code = 0;
    for (size_t round = 0; round < ROUNDS && !code; round++)
        for (size_t i = 0; i < count && !code; i++) {
            size_t point = round % 2 ? count - 1 - i : i;
            code = figure_time("run", "", &points[point], &out->time_s[round][point]);
        }
    return code;
}

static int by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Time and ratio to the point `base`: medians of the rounds, and the least and the greatest ratio but one. */
static void print_point(FILE *csv, const struct rounds *rounds, size_t point, size_t base)
{
    double time_s[ROUNDS], ratio[ROUNDS];
    for (size_t i = 0; i < ROUNDS; i++) {
        time_s[i] = rounds->time_s[i][point];
        ratio[i] = time_s[i] / rounds->time_s[i][base];
    }
    qsort(time_s, ROUNDS, sizeof *time_s, by_value);
    qsort(ratio, ROUNDS, sizeof *ratio, by_value);
    fprintf(csv, "%.9g,%.5g,%.5g,%.5g\n", time_s[ROUNDS / 2], ratio[ROUNDS / 2], ratio[1], ratio[ROUNDS - 2]);
}

/* The core count tells whether ranks take turns. */
static void print_head(FILE *csv, const struct figure_point *point)
{
    fprintf(csv, "%u,%u,%llu,", point->procs, point->node->cores, (unsigned long long)point->size_bytes);
}

static struct figure_point point_of(const struct node *node, uint32_t procs, uint64_t size_bytes)
{
    return (struct figure_point){.node = node, .procs = procs, .size_bytes = size_bytes, .fragment_bytes = 8192, .slots = 64,
                                 .sets = 1, .tree = {TREE_KARY, 2}, .root_shift = 1, .limit_s = 0.06, .no_limits = 1,
                                 .warm = procs > 2};
}

int figure_host10(FILE *csv, const struct settings *settings)
{
    static const char *const names[POINTS_MOST] = {"flat",   "chain",     "kary:2",    "kary:3",
                                                   "kary:4", "knomial:2", "knomial:3", "knomial:4"};
    struct node node;
    int code = figure_node("host", &node);
    (void)settings;
    if (code)
        return code;
    fprintf(csv, "procs,cores,size_bytes,tree,time_s,relative,low,high\n");
    for (uint64_t size = 4096; size <= 1 << 20 && !code; size *= 16) {
        struct figure_point points[POINTS_MOST];
        struct rounds rounds;
        for (size_t i = 0; i < POINTS_MOST; i++) {
            points[i] = point_of(&node, PROCS_MANY, size);
            points[i].root_shift = 0;
            tree_shape_parse(names[i], &points[i].tree);
        }
        code = measure(points, POINTS_MOST, &rounds);
        for (size_t i = 0; i < POINTS_MOST && !code; i++) {
            print_head(csv, &points[i]);
            fprintf(csv, "%s,", names[i]);
            print_point(csv, &rounds, i, 0);
        }
    }
    node_destroy(&node);
    return code;
}

/* Ours as in the paper, and the counters that replace its sets, against the peer, roots in turn. */
static int against(FILE *csv, const struct figure_point *peer)
{
    static const char *const names[] = {"peer", "pipelined", "counted"};
    struct node node;
    int code = figure_node("host", &node);
    if (code)
        return code;
    fprintf(csv, "procs,cores,size_bytes,protocol,time_s,relative,low,high\n");
    for (uint32_t procs = 2; procs <= PROCS_MANY && !code; procs *= 4)
        for (uint64_t size = 64; size <= (procs == 2 ? 16 << 20 : 1 << 20) && !code; size *= procs == 2 ? 8 : 16) {
            struct figure_point points[3] = {*peer, point_of(&node, procs, size), point_of(&node, procs, size)};
            struct rounds rounds;
            points[0].node = &node;
            points[0].procs = procs;
            points[0].size_bytes = size;
            points[2].protocol = &protocol_counted;
            code = measure(points, 3, &rounds);
            for (size_t i = 0; i < 3 && !code; i++) {
                print_head(csv, &points[i]);
                fprintf(csv, "%s,", i ? names[i] : peer->protocol->name);
                print_point(csv, &rounds, i, 0);
            }
        }
    node_destroy(&node);
    return code;
}

int figure_host12(FILE *csv, const struct settings *settings)
{
    struct figure_point peer = point_of(NULL, 2, 0);
    (void)settings;
    peer.slots = 128;
    peer.tree = (struct tree_shape){TREE_FLAT, 0};
    peer.protocol = &protocol_slot_ring;
    return against(csv, &peer);
}

int figure_host13(FILE *csv, const struct settings *settings)
{
    struct figure_point peer = point_of(NULL, 2, 0);
    (void)settings;
    peer.slots = 8;
    peer.sets = 2;
    peer.tree = (struct tree_shape){TREE_KARY, 4};
    peer.protocol = &protocol_banked;
    return against(csv, &peer);
}
