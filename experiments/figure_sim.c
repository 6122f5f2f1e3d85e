/* Figures that the simulator gives, on the paper's node and on the presets of its servers: 3, 5, 7, 9, 10. */
#include "experiments/figure.h"

#include <math.h>
#include <string.h>

static const struct tree_shape FLAT = {TREE_FLAT, 0}, CHAIN = {TREE_CHAIN, 0};

struct timeline {
    FILE *csv;
};

static void emit_step(void *context, const struct trace_step *step)
{
    const struct timeline *timeline = context;
    /* Resetting a control block or claiming a set is part of the wait before it, and free: no box of its own. */
    if (step->op == STEP_DONE || ((step->name == STEP_NAME_W || step->name == STEP_NAME_WS) && step->op == STEP_STORE))
        return;
    fprintf(timeline->csv, "%u,%s,%u,%.9g,%.9g,%.9g\n", step->rank, step_name_string(step->name), step->index,
            (double)step->start_ps * 1e-12, (double)step->wait_end_ps * 1e-12, (double)step->end_ps * 1e-12);
}

/* Fragments of 256 bytes, so that with the paper's costs waits and copies are of one order, as the paper draws them. */
static int timeline(FILE *csv, uint32_t fragments, uint32_t slots, uint32_t sets)
{
    enum { FRAGMENT = 256 };
    struct timeline context = {csv};
    struct trace_sink sink = {emit_step, &context};
    struct outcome outcome;
    struct node node;
    int code = figure_node("paper", &node);
    if (code)
        return code;
    struct figure_point point = figure_pipelined(&node, 2, (uint64_t)fragments * FRAGMENT, FRAGMENT, slots, sets, FLAT);
    fprintf(csv, "rank,step,index,start_s,wait_end_s,end_s\n");
    code = figure_evaluate("sim", "", &point, &sink, &outcome);
    if (code == 0)
        outcome_destroy(&outcome);
    node_destroy(&node);
    return code;
}

int figure_3a(FILE *csv, const struct settings *settings)
{
    (void)settings;
    return timeline(csv, 4, 1, 1);
}

int figure_3b(FILE *csv, const struct settings *settings)
{
    (void)settings;
    return timeline(csv, 8, 4, 1);
}

int figure_3c(FILE *csv, const struct settings *settings)
{
    (void)settings;
    return timeline(csv, 8, 8, 2);
}

int figure_5(FILE *csv, const struct settings *settings)
{
    static const struct {
        const char *node;
        uint32_t procs;
    } servers[] = {{"nehalem-2x4", 8}, {"broadwell-2x8", 16}};
    (void)settings;
    fprintf(csv, "node,size_bytes,fragment_bytes,time_s,model_s\n");
    for (size_t n = 0; n < 2; n++) {
        struct node node;
        int code = figure_node(servers[n].node, &node);
        if (code)
            return code;
        for (uint64_t size = 16384; size <= 65536 && !code; size *= 2)
            for (uint32_t f = 2048; f <= 32768 && !code; f += f < 16384 ? 1024 : 4096) {
                struct figure_point point = figure_pipelined(&node, servers[n].procs, size, f, (4 << 20) / f, 1, CHAIN);
                double sim_s, model_s;
                code = figure_time("sim", "", &point, &sim_s);
                code = code ? code : figure_time("model", "extended", &point, &model_s);
                if (!code)
                    fprintf(csv, "%s,%llu,%u,%.9g,%.9g\n", servers[n].node, (unsigned long long)size, f, sim_s, model_s);
            }
        node_destroy(&node);
        if (code)
            return code;
    }
    return 0;
}

/* Eight ranks on one domain; times relative to one slot. */
int figure_7(FILE *csv, const struct settings *settings)
{
    struct node node;
    int code = figure_node("broadwell-2x8", &node);
    (void)settings;
    if (code)
        return code;
    fprintf(csv, "slots,size_bytes,time_s,relative\n");
    for (uint32_t slots = 1; slots <= 128 && !code; slots *= 2)
        for (uint64_t size = 4096; size <= 4 << 20 && !code; size *= 2) {
            struct figure_point point = figure_pipelined(&node, 8, size, 8192, slots, 1, FLAT), single = point;
            double time_s, single_s;
            single.slots = 1;
            code = figure_time("sim", "", &point, &time_s);
            code = code ? code : figure_time("sim", "", &single, &single_s);
            if (!code)
                fprintf(csv, "%u,%llu,%.9g,%.9g\n", slots, (unsigned long long)size, time_s, time_s / single_s);
        }
    node_destroy(&node);
    return code;
}

int figure_9(FILE *csv, const struct settings *settings)
{
    static const char *const nodes[] = {"nehalem-2x4", "broadwell-2x8"};
    (void)settings;
    fprintf(csv, "node,fragment_bytes,time_s,model_s\n");
    for (size_t n = 0; n < 2; n++) {
        struct node node;
        int code = figure_node(nodes[n], &node);
        if (code)
            return code;
        for (uint32_t f = 4096; f <= 65536 && !code; f += 1024) {
            struct figure_point point = figure_pipelined(&node, 2, 16 << 20, f, 32, 1, FLAT);
            double sim_s, model_s;
            code = figure_time("sim", "", &point, &sim_s);
            code = code ? code : figure_time("model", "extended", &point, &model_s);
            if (!code)
                fprintf(csv, "%s,%u,%.9g,%.9g\n", nodes[n], f, sim_s, model_s);
        }
        node_destroy(&node);
        if (code)
            return code;
    }
    return 0;
}

int figure_10(FILE *csv, const struct settings *settings)
{
    static const char *const names[] = {"flat", "chain", "kary:2", "kary:3", "kary:4", "knomial:2", "knomial:3", "knomial:4"};
    struct node node;
    int code = figure_node("broadwell-2x8", &node);
    (void)settings;
    if (code)
        return code;
    fprintf(csv, "tree,size_bytes,time_s,relative\n");
    for (size_t t = 0; t < sizeof names / sizeof *names && !code; t++)
        for (uint64_t size = 1024; size <= 4 << 20 && !code; size *= 2) {
            struct figure_point flat = figure_pipelined(&node, 16, size, 8192, 64, 1, FLAT), point = flat;
            double time_s, flat_s;
            tree_shape_parse(names[t], &point.tree);
            code = figure_time("sim", "", &point, &time_s);
            code = code ? code : figure_time("sim", "", &flat, &flat_s);
            if (!code)
                fprintf(csv, "%s,%llu,%.9g,%.9g\n", names[t], (unsigned long long)size, time_s, time_s / flat_s);
        }
    node_destroy(&node);
    return code;
}
