/* shmcoll figure: the figures and tables of the source paper, and of this host, by name. */
#include "experiments/figure.h"
#include "experiments/evaluators.h"
#include "model/formats/node_load.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

const struct figure figure_table[] = {
    {"1", "figure1", "segment of eight ranks on two domains", figure_1, NULL, 0},
    {"3a", "figure3a", "timeline, one slot", figure_3a, NULL, 0},
    {"3b", "figure3b", "timeline, four slots in one set", figure_3b, NULL, 0},
    {"3c", "figure3c", "timeline, eight slots in two sets", figure_3c, NULL, 0},
    {"4", "figure4", "model: time and its terms against the fragment", figure_4, NULL, 0},
    {"table1", "table1", "queue size for fragment and slots", figure_table1, NULL, 0},
    {"5", "figure5", "sim: time against the fragment, every protocol, two servers", figure_5, NULL, 0},
    {"6", "figure6", "model: time against the slots", figure_6, NULL, 0},
    {"7", "figure7", "sim: time against the message for several slots, every protocol", figure_7, NULL, 0},
    {"8", "figure8", "model: time against the fragment, slots fixed", figure_8, NULL, 0},
    {"9", "figure9", "sim: time against the fragment, slots fixed, two servers", figure_9, NULL, 0},
    {"10", "figure10", "sim: trees relative to flat, every protocol with a tree, two servers", figure_10, NULL, 0},
    {"11", "figure11", "sim: queues on their owners' domains relative to all on rank 0's, roots in turn", figure_11, NULL, 0},
    {"12", "figure12", "sim: every protocol relative to slot_ring as in MVAPICH, roots in turn", figure_12, NULL, 0},
    {"13", "figure13", "sim: every protocol relative to banked as in Open MPI's coll/sm, roots in turn", figure_13, NULL, 0},
    {"host7", "host7", "this host, two ranks: time against the message for several slots, relative to one", figure_host7, NULL,
     1},
    {"host9", "host9", "this host, two ranks: time against the fragment, slots fixed", figure_host9, NULL, 1},
    {"host10", "host10", "this host, eight ranks: trees relative to flat", figure_host10, NULL, 1},
    {"host12", "host12", "this host, two and eight ranks: against slot_ring, roots in turn", figure_host12, NULL, 1},
    {"host13", "host13", "this host, two and eight ranks: against banked, roots in turn", figure_host13, NULL, 1},
    {"layers", "layers", "this host: one way of a short message, layer by layer", figure_layers, NULL, 1},
    {"latency", "latency", "this host: ping-pong over every channel, time against the message", figure_latency, NULL, 1},
    {"bandwidth", "bandwidth", "this host: stream over every channel, bandwidth against the message", figure_bandwidth, NULL, 1},
    {"rate", "rate", "this host: stream over every channel, messages a second", figure_rate, NULL, 1},
    {"switch", "switch", "sim: allgather algorithms against the block, the fastest marked", figure_switch, NULL, 0},
    {"speedup", "speedup", "sim: speed-ups of Allgather by renumbering as TopoMPI does, 64 ranks on 8 nodes, two networks",
     figure_speedup, NULL, 0},
    {"speedup_time", "speedup_time", "sim: the same in seconds, with what finding the renumbering takes", figure_speedup, NULL,
     0},
    {"levels", "levels", "sim: a message within a node and between two, as TopoMPI shows its clusters' levels", figure_levels,
     NULL, 0},
    {"cut", "cut", "sim: cut against time, numberings of an Allgather of 64 ranks on 8 nodes", figure_cut, NULL, 0},
    {"partition_time", "partition_time",
     "this host: time to cut algorithms' graphs into 128, 256 and 512 parts, beside TopoMPI's", figure_partition_time, NULL, 1},
    {"graph", "graph", "Bruck's information graph of 12 ranks cut into 3 parts, rank after rank and best", figure_graph, NULL, 0},
    {"applications", "applications", "J of applications made up at random, by partitioner, onto nodes of two sockets",
     figure_applications, NULL, 0},
    {"host_switch", "host_switch", "this host: allgather algorithms against the block, the fastest marked", figure_host_switch,
     NULL, 1},
    {"tianhe6", "tianhe6", "sim: Fig. 6 of Xie et al. (2020), the shortest message by layer, two nodes of the Tianhe",
     figure_tianhe6, NULL, 0},
    {"tianhe7", "tianhe7", "sim: Fig. 7 of Xie et al. (2020), ping-pong of two MPIs over ER and SR", figure_tianhe7, NULL, 0},
    {"tianhe8", "tianhe8", "sim: Fig. 8 of Xie et al. (2020), bandwidth of two MPIs over ER and SR", figure_tianhe8, NULL, 0},
    {"tianhe9", "tianhe9", "sim: Fig. 9 of Xie et al. (2020), message rate of two MPIs over ER, by the ring's length",
     figure_tianhe9, NULL, 0},
    {"tianhe_memory", "tianhe_memory", "sim: memory of a rank's channels against the ranks, counted and by the form",
     figure_tianhe_memory, NULL, 0},
    {"compare_fragment", "compare_fragment", "compare's rows: time against the fragment", NULL,
     "shmcoll compare bcast --node NODE.yaml --size 16K,64K,1M,16M --fragment 4K..256K --buffer 1M,4M --rows", 1},
    {"compare_size", "compare_size", "compare's rows: time against the message", NULL,
     "shmcoll compare bcast --node NODE.yaml --size 64..16M --rows", 1},
    {NULL, NULL, NULL, NULL, NULL, 0},
};

int figure_node(const char *spec, struct node *out)
{
    char reason[256];
    int error = node_load(spec, out, reason, sizeof reason);
    return error ? talk_fail(exit_code_of_input(error), "%s", reason) : 0;
}

static struct conditions conditions_of(const char *source, const struct figure_point *point)
{
    struct conditions c = {.buffer_domain = -1, .seed = 1, .reps = 200, .warmup = 3};
    c.time_limit_s = point->limit_s > 0 ? point->limit_s : 0.3;
    c.root_shift = point->root_shift;
    c.queues_together = point->queues_together;
    c.no_limits = point->no_limits;
    c.buffers = point->warm ? BUFFERS_WARM : BUFFERS_COLD;
    if (point->root_shift && strcmp(source, "sim") == 0) {
        c.reps = point->procs;
        c.time_limit_s = 0;
    }
    return c;
}

static struct job job_of(const struct figure_point *p)
{
    if (p->kind == JOB_P2P)
        return (struct job){.kind = JOB_P2P, .procs = p->procs, .p2p = {p->size_bytes, p->pattern, p->window}};
    if (p->kind == JOB_ALLGATHER)
        return (struct job){.kind = JOB_ALLGATHER, .procs = p->procs, .allgather = {p->size_bytes, 0}};
    return (struct job){.kind = JOB_BCAST, .procs = p->procs, .bcast = {p->size_bytes, p->root}};
}

int figure_evaluate(const char *source, const char *variant, const struct figure_point *point, struct trace_sink *sink,
                    struct outcome *out)
{
    const struct evaluator *evaluator = evaluator_find(source);
    const char *place = point->place ? point->place : "compact";
    uint32_t *cores = calloc(point->procs, sizeof *cores);
    if (!cores)
        return talk_fail(EXIT_UNABLE, "out of memory for %u ranks", point->procs);
    struct scenario scenario = {
        .machine = {.node = point->node, .nodes = 1},
        .placement = {place, cores},
        .job = job_of(point),
        .params = {point->protocol ? point->protocol : &protocol_pipelined, point->fragment_bytes, point->slots, point->sets,
                   point->tree, 0},
        .algorithm = point->algorithm,
        .channel = point->channel,
        .conditions = conditions_of(source, point),
        .variant = variant,
    };
    outcome_init(out);
    int error = placement_fill(place, point->node, point->procs, cores);
    if (!error)
        error = evaluator ? evaluator->evaluate(&scenario, sink, out) : -ENOSYS;
    free(cores);
    int code = error ? talk_fail(exit_code_of(error), "%s: %s", source, *out->reason ? out->reason : strerror(-error)) : 0;
    if (code)
        outcome_destroy(out);
    return code;
}

int figure_own(const struct figure_point *point, double *time_s)
{
    struct outcome outcome;
    int code = figure_evaluate("sim", "", point, NULL, &outcome);
    if (code)
        return code;
    *time_s = outcome.time_own_s;
    outcome_destroy(&outcome);
    return 0;
}

int figure_time(const char *source, const char *variant, const struct figure_point *point, double *time_s)
{
    struct outcome outcome;
    int code = figure_evaluate(source, variant, point, NULL, &outcome);
    if (code)
        return code;
    *time_s = outcome.time_s;
    outcome_destroy(&outcome);
    return 0;
}

static int write_data(const struct figure *figure, const struct settings *settings, const char *path)
{
    struct stat status;
    if (!figure->write && stat(path, &status))
        return talk_fail(EXIT_FAILED, "figure %s has no data in %s: first %s %s", figure->name, path, figure->source, path);
    if (!figure->write)
        return 0;
    FILE *csv = fopen(path, "w");
    if (!csv)
        return talk_fail(EXIT_FAILED, "cannot write %s: %s", path, strerror(errno));
    int code = figure->write(csv, settings), broken = ferror(csv);
    if ((fclose(csv) || broken) && !code)
        code = talk_fail(EXIT_FAILED, "cannot write %s: is the disk full?", path);
    if (code)
        remove(path);
    return code;
}

static int make_figure(const struct figure *figure, const struct settings *settings, const char *directory)
{
    char path[PATH_MAX];
    if (snprintf(path, sizeof path, "%s/%s.csv", directory, figure->stem) >= (int)sizeof path)
        return talk_fail(EXIT_USAGE, "--output: %.40s... is too long", directory);
    int code = write_data(figure, settings, path);
    code = code ? code : figure_render(figure->stem, directory);
    if (!code)
        talk_note(settings->verbosity, 0, "%s/%s: csv, gp, pdf, svg, png", directory, figure->stem);
    return code;
}

/* The directory and its parents. 0 or -errno. */
static int make_directory(const char *path)
{
    char copy[PATH_MAX];
    if (snprintf(copy, sizeof copy, "%s", path) >= (int)sizeof copy)
        return -ENAMETOOLONG;
    for (char *c = copy + 1; *c; c++)
        if (*c == '/') {
            *c = 0;
            if (mkdir(copy, 0777) && errno != EEXIST)
                return -errno;
            *c = '/';
        }
    struct stat status;
    if (mkdir(copy, 0777) && errno != EEXIST)
        return -errno;
    return stat(copy, &status) ? -errno : S_ISDIR(status.st_mode) ? 0 : -ENOTDIR;
}

static int list_figures(void)
{
    for (const struct figure *f = figure_table; f->name; f++)
        printf("%-18s %s%s\n", f->name, f->title, f->measures ? " (measures)" : "");
    return EXIT_DONE;
}

static int make_named(const char *name, const struct settings *settings, const char *directory)
{
    int all = strcmp(name, "all") == 0;
    for (const struct figure *f = figure_table; f->name; f++) {
        if (all ? f->measures || !f->write : strcmp(f->name, name) != 0)
            continue;
        int code = make_figure(f, settings, directory);
        if (code)
            return code;
    }
    return 0;
}

/* Before anything is made: every figure that is asked for is known, and with --large knows what to make larger. */
static int check_names(const struct settings *settings)
{
    for (size_t i = 0; i < settings->positional_count; i++) {
        const char *name = settings->positional[i];
        const struct figure *f = figure_table;
        while (f->name && strcmp(f->name, name) != 0)
            f++;
        if (!f->name && strcmp(name, "all") != 0)
            return talk_fail(EXIT_USAGE, "unknown figure '%s': shmcoll figure --list names them", name);
        if (settings->large && f->write != figure_partition_time)
            return talk_fail(EXIT_USAGE, "--large: '%s' has nothing larger to make: use it with partition_time alone", name);
    }
    return 0;
}

int command_figure(int argc, char **argv)
{
    struct settings settings;
    int code = options_parse(argc, argv, &settings);
    if (code >= 0)
        return code;
    if (settings.list)
        return list_figures();
    if (settings.positional_count == 0)
        return talk_fail(EXIT_USAGE,
                         "figure needs a name: shmcoll figure --list names them, all makes all that need no measurement");
    if ((code = check_names(&settings)) != 0)
        return code;
    const char *directory = settings.output ? settings.output : "out";
    int error = make_directory(directory);
    if (error)
        return talk_fail(EXIT_FAILED, "cannot make the directory %s: %s", directory, strerror(-error));
    for (size_t i = 0; i < settings.positional_count; i++)
        if ((code = make_named(settings.positional[i], &settings, directory)) != 0)
            return code;
    return EXIT_DONE;
}
