/* Figures 5, 7 and 10 on the presets of the paper's servers: its own broadcast, and the other protocols beside it. */
#include "experiments/figure.h"

#include <string.h>

static const struct figure_server servers[] = {{"nehalem-2x4", 8}, {"broadwell-2x8", 16}};
enum { SERVERS = sizeof servers / sizeof *servers, FRAGMENT_BYTES = 8192, BUFFER_BYTES = 4 << 20 };

const struct figure_paper figure_as_it_is = {NULL, UINT64_MAX, NULL};

int figure_on_servers(FILE *csv, const struct figure_paper *paper, figure_write_server *write)
{
    int code = 0;
    for (size_t n = 0; n < SERVERS && !code; n++) {
        struct node node;
        if (paper->node && strcmp(paper->node, servers[n].node) != 0)
            continue;
        code = figure_node(servers[n].node, &node);
        if (code)
            return code;
        if (paper->change)
            paper->change(&node);
        code = write(csv, &servers[n], &node, paper);
        node_destroy(&node);
    }
    return code;
}

/* A protocol with what it does not share with the paper's broadcast, where the figure does not vary it. */
struct way {
    const struct protocol *protocol;
    struct tree_shape tree;
    uint32_t sets, slots_least;
    int powers; /* slots are a power of two */
};

static const struct way ways_5[] = {{&protocol_pipelined, {TREE_CHAIN, 0}, 1, 1, 0},
                                    {&protocol_counted, {TREE_CHAIN, 0}, 1, 1, 1},
                                    {&protocol_slot_ring, {TREE_FLAT, 0}, 1, 2, 1},
                                    {&protocol_banked, {TREE_KARY, 4}, 2, 2, 0},
                                    {&protocol_release_gather, {TREE_JOINED, 64}, 1, 1, 1}};

static uint32_t slots_of(const struct way *way, uint32_t fragment_bytes)
{
    uint32_t slots = BUFFER_BYTES / fragment_bytes / way->sets * way->sets, power = 1;
    while (power <= slots / 2)
        power *= 2;
    return way->powers ? power : slots;
}

/* The extended form is that of the paper's broadcast. */
static int fragment_row(FILE *csv, const struct figure_server *server, const struct way *way, struct figure_point *point)
{
    double sim_s, model_s = 0;
    int paper = way->protocol == &protocol_pipelined;
    int code = figure_own(point, &sim_s);
    code = code || !paper ? code : figure_time("model", "extended", point, &model_s);
    if (code)
        return code;
    fprintf(csv, "%s,%u,%s,%llu,%u,%.9g,", server->node, server->procs, way->protocol->name,
            (unsigned long long)point->size_bytes, point->fragment_bytes, sim_s);
    fprintf(csv, paper ? "%.9g\n" : "\n", model_s);
    return 0;
}

static int fragments(FILE *csv, const struct figure_server *server, const struct node *node,
                     const struct figure_paper *paper)
{
    int code = 0;
    for (size_t w = 0; w < sizeof ways_5 / sizeof *ways_5; w++)
        for (uint64_t size = 16384; size <= 65536 && size <= paper->size_most_bytes; size *= 2)
            for (uint32_t f = 2048; f <= 65536 && !code; f += f < 16384 ? 2048 : 4096) {
                struct figure_point point = figure_pipelined(node, server->procs, size, f, slots_of(&ways_5[w], f),
                                                             ways_5[w].sets, ways_5[w].tree);
                point.protocol = ways_5[w].protocol;
                code = fragment_row(csv, server, &ways_5[w], &point);
            }
    return code;
}

int figure_paper_5(FILE *csv, const struct figure_paper *paper)
{
    fprintf(csv, "node,procs,protocol,size_bytes,fragment_bytes,time_s,model_s\n");
    return figure_on_servers(csv, paper, fragments);
}

int figure_5(FILE *csv, const struct settings *settings)
{
    (void)settings;
    return figure_paper_5(csv, &figure_as_it_is);
}

static const struct way ways_7[] = {{&protocol_pipelined, {TREE_FLAT, 0}, 1, 1, 0},
                                    {&protocol_counted, {TREE_FLAT, 0}, 1, 1, 0},
                                    {&protocol_slot_ring, {TREE_FLAT, 0}, 1, 2, 0},
                                    {&protocol_banked, {TREE_KARY, 4}, 2, 2, 0},
                                    {&protocol_release_gather, {TREE_JOINED, 64}, 1, 1, 0}};

/* Times relative to the fewest slots that the protocol can do with. */
static int slots_rows(FILE *csv, const char *name, const struct node *node, const struct way *way, uint64_t size_bytes)
{
    double fewest_s = 0;
    int code = 0;
    for (uint32_t slots = way->slots_least; slots <= 128 && !code; slots *= 2) {
        struct figure_point point = figure_pipelined(node, 8, size_bytes, FRAGMENT_BYTES, slots, way->sets, way->tree);
        double time_s;
        point.protocol = way->protocol;
        code = figure_own(&point, &time_s);
        if (code)
            break;
        fewest_s = slots == way->slots_least ? time_s : fewest_s;
        fprintf(csv, "%s,%s,%u,%llu,%.9g,%.9g\n", name, way->protocol->name, slots, (unsigned long long)size_bytes, time_s,
                time_s / fewest_s);
    }
    return code;
}

/* Eight ranks on one domain. */
static int slots(FILE *csv, const struct figure_server *server, const struct node *node, const struct figure_paper *paper)
{
    int code = 0;
    for (size_t w = 0; w < sizeof ways_7 / sizeof *ways_7 && server->procs >= 2 * 8; w++)
        for (uint64_t size = 4096; size <= 4 << 20 && size <= paper->size_most_bytes && !code; size *= 2)
            code = slots_rows(csv, server->node, node, &ways_7[w], size);
    return code;
}

/* The paper's Fig. 7b is of a Haswell server that it does not name. */
static int slots_of_haswell(FILE *csv)
{
    static const char name[] = "haswell-2x14";
    struct node node;
    int code = figure_node(name, &node);
    if (code)
        return code;
    for (uint64_t size = 4096; size <= 4 << 20 && !code; size *= 2)
        code = slots_rows(csv, name, &node, &ways_7[0], size);
    node_destroy(&node);
    return code;
}

int figure_paper_7(FILE *csv, const struct figure_paper *paper)
{
    fprintf(csv, "node,protocol,slots,size_bytes,time_s,relative\n");
    int code = figure_on_servers(csv, paper, slots);
    return code || paper->node ? code : slots_of_haswell(csv);
}

int figure_7(FILE *csv, const struct settings *settings)
{
    (void)settings;
    return figure_paper_7(csv, &figure_as_it_is);
}

static const struct way ways_10[] = {{&protocol_pipelined, {TREE_FLAT, 0}, 1, 1, 0},
                                     {&protocol_counted, {TREE_FLAT, 0}, 1, 1, 0},
                                     {&protocol_banked, {TREE_FLAT, 0}, 2, 2, 0},
                                     {&protocol_release_gather, {TREE_FLAT, 0}, 1, 1, 0}};

static int trees_rows(FILE *csv, const struct figure_server *server, const struct node *node, const struct way *way,
                      uint64_t size_bytes, const char *place)
{
    static const char *const names[] = {"flat", "chain", "kary:2", "kary:3", "kary:4", "knomial:2", "knomial:3", "knomial:4"};
    double flat_s = 0;
    int code = 0;
    for (size_t t = 0; t < sizeof names / sizeof *names && !code; t++) {
        struct figure_point point = figure_pipelined(node, server->procs, size_bytes, FRAGMENT_BYTES, 64, way->sets, way->tree);
        double time_s;
        point.protocol = way->protocol;
        point.place = place;
        tree_shape_parse(names[t], &point.tree);
        code = figure_own(&point, &time_s);
        if (code)
            break;
        flat_s = t ? flat_s : time_s;
        fprintf(csv, "%s,%u,%s,%s,%s,%llu,%.9g,%.9g\n", server->node, server->procs, place, way->protocol->name, names[t],
                (unsigned long long)size_bytes, time_s, time_s / flat_s);
    }
    return code;
}

/* Ranks fill one domain after the other, or alternate between them as in the paper's Fig. 1. */
static int trees(FILE *csv, const struct figure_server *server, const struct node *node,
                     const struct figure_paper *paper)
{
    static const char *const places[] = {"compact", "scatter"};
    int code = 0;
    for (size_t p = 0; p < 2; p++)
        for (size_t w = 0; w < sizeof ways_10 / sizeof *ways_10; w++)
            for (uint64_t size = 64; size <= 4 << 20 && size <= paper->size_most_bytes && !code; size *= 2)
                code = trees_rows(csv, server, node, &ways_10[w], size, places[p]);
    return code;
}

int figure_paper_10(FILE *csv, const struct figure_paper *paper)
{
    fprintf(csv, "node,procs,place,protocol,tree,size_bytes,time_s,relative\n");
    return figure_on_servers(csv, paper, trees);
}

int figure_10(FILE *csv, const struct settings *settings)
{
    (void)settings;
    return figure_paper_10(csv, &figure_as_it_is);
}
