/* The analogues of figures 7 and 9 measured on this host with two ranks; beside them, where the node is calibrated, the
 * simulator and the extended model. */
#include "experiments/figure.h"

#include <math.h>
#include <string.h>

static const struct tree_shape FLAT = {TREE_FLAT, 0};

/* run comes last: the others can say nothing about a node that is not calibrated. */
static const struct figure_source sources[] = {{"model", "extended"}, {"sim", ""}, {"run", ""}};

static size_t first_source(const struct settings *settings)
{
    return strcmp(settings->node, "host") == 0 ? 2 : 0;
}

void figure_print_cell(FILE *csv, double value, char end)
{
    if (!isnan(value))
        fprintf(csv, "%.9g", value);
    fputc(end, csv);
}

int figure_sources(FILE *csv, const struct settings *settings, figure_write *write)
{
    struct node node;
    int code = figure_node(settings->node, &node);
    if (code)
        return code;
    for (size_t i = first_source(settings); i < sizeof sources / sizeof *sources && !code; i++)
        code = write(csv, settings, &node, &sources[i]);
    node_destroy(&node);
    return code;
}

static int write_slots(FILE *csv, const struct settings *settings, const struct node *node, const struct figure_source *source)
{
    (void)settings;
    int code = 0;
    for (uint64_t size = 8192; size <= 1 << 20 && !code; size *= 2) {
        double single_s = NAN;
        for (uint32_t slots = 1; slots <= 64 && !code; slots *= 2) {
            struct figure_point point = figure_pipelined(node, 2, size, 8192, slots, 1, FLAT);
            struct outcome outcome;
            code = figure_evaluate(source->name, source->variant, &point, NULL, &outcome);
            if (code)
                break;
            single_s = slots == 1 ? outcome.time_s : single_s;
            fprintf(csv, "%s,%u,%llu,%.9g,", source->name, slots, (unsigned long long)size, outcome.time_s);
            figure_print_cell(csv, outcome.ci_low_s, ',');
            figure_print_cell(csv, outcome.ci_high_s, ',');
            figure_print_cell(csv, outcome.time_s / single_s, '\n');
            outcome_destroy(&outcome);
        }
    }
    return code;
}

static int write_fragments(FILE *csv, const struct settings *settings, const struct node *node,
                           const struct figure_source *source)
{
    (void)settings;
    int code = 0;
    for (uint32_t f = 4096; f <= 65536 && !code; f += 4096) {
        struct figure_point point = figure_pipelined(node, 2, 16 << 20, f, 32, 1, FLAT);
        struct outcome outcome;
        code = figure_evaluate(source->name, source->variant, &point, NULL, &outcome);
        if (code)
            break;
        fprintf(csv, "%s,%u,%.9g,", source->name, f, outcome.time_s);
        figure_print_cell(csv, outcome.ci_low_s, ',');
        figure_print_cell(csv, outcome.ci_high_s, ',');
        figure_print_cell(csv, outcome.memcpy_cold_s, '\n');
        outcome_destroy(&outcome);
    }
    return code;
}

int figure_host7(FILE *csv, const struct settings *settings)
{
    fprintf(csv, "source,slots,size_bytes,time_s,ci_low_s,ci_high_s,relative\n");
    return figure_sources(csv, settings, write_slots);
}

int figure_host9(FILE *csv, const struct settings *settings)
{
    fprintf(csv, "source,fragment_bytes,time_s,ci_low_s,ci_high_s,memcpy_cold_s\n");
    return figure_sources(csv, settings, write_fragments);
}
