/* Figures that the simulator gives, on the paper's node and on the presets of its servers: 3, 9. */
#include "experiments/figure.h"

#include <string.h>

static const struct tree_shape FLAT = {TREE_FLAT, 0};

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
