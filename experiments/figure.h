/* Figures: each is a data file, written here, and a gnuplot script of the same name in plots/. */
#ifndef SHMCOLL_EXPERIMENTS_FIGURE_H
#define SHMCOLL_EXPERIMENTS_FIGURE_H

#include "experiments/options.h"
#include "model/scenario.h"

#include <stdio.h>

struct figure {
    const char *name; /* on the command line: 4, table1, host9 */
    const char *stem; /* of its files: figure4 */
    const char *title;
    /* Writes the data; NULL: the data is there already, written by `source`. 0, or an exit code after telling why. */
    int (*write)(FILE *csv, const struct settings *settings);
    const char *source; /* the command that writes the data, for those without write; NULL otherwise */
    int measures;       /* 1: runs on this host, so not among `all` */
};

/* Ends with a NULL name. */
extern const struct figure figure_table[];

int figure_1(FILE *csv, const struct settings *settings);
int figure_3a(FILE *csv, const struct settings *settings);
int figure_3b(FILE *csv, const struct settings *settings);
int figure_3c(FILE *csv, const struct settings *settings);
int figure_4(FILE *csv, const struct settings *settings);
int figure_table1(FILE *csv, const struct settings *settings);
int figure_5(FILE *csv, const struct settings *settings);
int figure_6(FILE *csv, const struct settings *settings);
int figure_7(FILE *csv, const struct settings *settings);
int figure_8(FILE *csv, const struct settings *settings);
int figure_9(FILE *csv, const struct settings *settings);
int figure_10(FILE *csv, const struct settings *settings);
int figure_11(FILE *csv, const struct settings *settings);
int figure_12(FILE *csv, const struct settings *settings);
int figure_13(FILE *csv, const struct settings *settings);
int figure_host7(FILE *csv, const struct settings *settings);
int figure_host9(FILE *csv, const struct settings *settings);
int figure_host10(FILE *csv, const struct settings *settings);
int figure_host12(FILE *csv, const struct settings *settings);
int figure_host13(FILE *csv, const struct settings *settings);
int figure_layers(FILE *csv, const struct settings *settings);
int figure_latency(FILE *csv, const struct settings *settings);
int figure_bandwidth(FILE *csv, const struct settings *settings);
int figure_rate(FILE *csv, const struct settings *settings);
int figure_tianhe6(FILE *csv, const struct settings *settings);
int figure_tianhe7(FILE *csv, const struct settings *settings);
int figure_tianhe8(FILE *csv, const struct settings *settings);
int figure_tianhe9(FILE *csv, const struct settings *settings);
int figure_tianhe_memory(FILE *csv, const struct settings *settings);
int figure_switch(FILE *csv, const struct settings *settings);
int figure_speedup(FILE *csv, const struct settings *settings);
int figure_cut(FILE *csv, const struct settings *settings);
int figure_levels(FILE *csv, const struct settings *settings);
int figure_partition_time(FILE *csv, const struct settings *settings);
/* One point of that, once. 0, or an exit code after telling why. */
struct figure_parted {
    double time_s;
    uint64_t cut, bound; /* in blocks */
};
int figure_partition_once(const struct schedule_algorithm *algorithm, const char *partitioner, uint32_t vertices, uint32_t parts,
                          struct figure_parted *out);
int figure_applications(FILE *csv, const struct settings *settings);
int figure_graph(FILE *csv, const struct settings *settings);
int figure_host_switch(FILE *csv, const struct settings *settings);

/* SHMCOLL_PLOTS, or plots/ where the command was installed, or where it was built: the scripts, and what the paper reports. 0, or
 * an exit code after telling why. */
#define FIGURE_PUBLISHED "published.csv"
int figure_plots_directory(char *out, size_t bytes);
/* Copies the script and the shared style beside the data, and renders pdf, svg and png there.
 * 0, or an exit code after telling why. */
int figure_render(const char *stem, const char *directory);

/* One point of a figure: a broadcast, pipelined and with cold buffers if nothing else is said. */
struct figure_point {
    const struct node *node;
    uint32_t procs;
    uint64_t size_bytes;
    uint32_t fragment_bytes, slots, sets;
    struct tree_shape tree;
    const struct protocol *protocol;
    enum job_kind kind;
    enum p2p_pattern pattern; /* p2p */
    uint32_t window;
    const struct schedule_algorithm *algorithm; /* allgather: by messages; NULL: by the protocol */
    const struct channel_kind *channel;
    const char *place; /* NULL: compact */
    uint32_t root;
    int root_shift;      /* every rank in turn is the root */
    int queues_together; /* all on rank 0's domain */
    int warm;            /* buffers */
    double limit_s;      /* of repeating, 0: the usual */
    int no_limits;       /* run: does not measure them, which would take longer than the point */
};
static inline struct figure_point figure_pipelined(const struct node *node, uint32_t procs, uint64_t size_bytes,
                                                   uint32_t fragment_bytes, uint32_t slots, uint32_t sets, struct tree_shape tree)
{
    return (struct figure_point){.node = node, .procs = procs, .size_bytes = size_bytes, .fragment_bytes = fragment_bytes,
                                 .slots = slots, .sets = sets, .tree = tree};
}

/* 0, or an exit code after telling why. outcome_destroy the outcome. */
int figure_evaluate(const char *source, const char *variant, const struct figure_point *point, struct trace_sink *sink,
                    struct outcome *out);
/* By the simulator, of every rank the mean of its own time, and of these the greatest: what the paper's benchmark reports. */
int figure_own(const struct figure_point *point, double *time_s);
/* Just the time. */
int figure_time(const char *source, const char *variant, const struct figure_point *point, double *time_s);
/* A figure of this host is about its node file too, if one was given: then the model and the simulator stand beside the run.
 * Calls `write` for each of them. 0, or an exit code after telling why. */
struct figure_source {
    const char *name, *variant;
};
typedef int figure_write(FILE *csv, const struct settings *settings, const struct node *node, const struct figure_source *source);
int figure_sources(FILE *csv, const struct settings *settings, figure_write *write);
/* The paper's servers as presets, with as many ranks as cores. */
struct figure_server {
    const char *node;
    uint32_t procs;
};
/* How its measurements are simulated: on these servers, or on ones of which something is different; to which size. */
struct figure_paper {
    void (*change)(struct node *node); /* NULL: nothing */
    uint64_t size_most_bytes;
    const char *node; /* only there; NULL: on both */
};
extern const struct figure_paper figure_as_it_is;
typedef int figure_write_server(FILE *csv, const struct figure_server *server, const struct node *node,
                                const struct figure_paper *paper);
/* Calls `write` for each server. 0, or an exit code after telling why. */
int figure_on_servers(FILE *csv, const struct figure_paper *paper, figure_write_server *write);
int figure_paper_5(FILE *csv, const struct figure_paper *paper);
int figure_paper_7(FILE *csv, const struct figure_paper *paper);
int figure_paper_10(FILE *csv, const struct figure_paper *paper);
int figure_paper_11(FILE *csv, const struct figure_paper *paper);
int figure_paper_12(FILE *csv, const struct figure_paper *paper);
int figure_paper_13(FILE *csv, const struct figure_paper *paper);
/* A cell and what ends it; NAN is absent. */
void figure_print_cell(FILE *csv, double value, char end);
/* node_load with the reason told. */
int figure_node(const char *spec, struct node *out);

#endif
