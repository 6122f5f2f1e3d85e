/* A mapping as a file: pi, or where every rank goes in the words of a launcher; the graph with its parts for Graphviz. */
#include "experiments/host_list.h"
#include "experiments/map.h"
#include "model/formats/launch_write.h"
#include "model/formats/numbering_file.h"
#include "model/formats/text_file.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { DOT_PROCS_MAX = 512 };

static int write_text(const char *path, const char *text, size_t bytes)
{
    char reason[512];
    if (map_to_standard_output(path)) {
        int whole = fwrite(text, 1, bytes, stdout) == bytes && !fflush(stdout);
        return whole ? 0 : talk_fail(EXIT_FAILED, "cannot write to standard output");
    }
    return text_file_write(path, text, bytes, reason, sizeof reason) ? talk_fail(EXIT_FAILED, "%s", reason) : 0;
}

static int write_numbering(const struct settings *s, struct mapping *mapping)
{
    char maker[NUMBERING_MAKER_BYTES], reason[512] = "";
    int error = mapping_expand(mapping);
    if (error)
        return talk_fail(EXIT_UNABLE, "no memory for the mapping of %u ranks", mapping->procs);
    snprintf(maker, sizeof maker, "%s by %s", s->matrix ? "matrix" : s->schedule ? s->schedule : "bruck", mapping->by);
    if (map_to_standard_output(s->output))
        error = numbering_write(stdout, mapping->procs, maker, mapping->virtual_of_rank);
    else
        error = numbering_write_file(s->output, mapping->procs, maker, mapping->virtual_of_rank, reason, sizeof reason);
    return error ? talk_fail(EXIT_FAILED, "%s", *reason ? reason : "cannot write to standard output") : 0;
}

/* Of rank v: the part and core of the place it goes to; where nothing is known of nodes, the next core of that part. */
static int write_launch(const struct settings *s, const struct map_machine *m, const struct mapping *mapping,
                        const struct launch_format *format, const struct host_list *hosts)
{
    uint32_t n = mapping->procs, cores = s->node ? m->node.cores : n,
             *all = calloc(2 * (size_t)n + cores + m->parts, sizeof *all);
    char *text = NULL, reason[512] = "";
    size_t bytes;
    FILE *file = all ? open_memstream(&text, &bytes) : NULL;
    if (!file) {
        free(all);
        return talk_fail(EXIT_UNABLE, "no memory for %u ranks", n);
    }
    for (uint32_t c = 0; c < cores; c++)
        all[2 * (size_t)n + c] = s->node ? m->node.core_os[c] : c;
    for (uint32_t v = 0; v < n; v++) {
        all[v] = m->part[mapping_rank(mapping, v)];
        all[n + v] = s->node ? m->core[mapping_rank(mapping, v)] : all[2 * (size_t)n + cores + all[v]]++;
    }
    struct launch launch = {n, m->parts, all, all + n, all + 2 * (size_t)n, hosts->count ? hosts->name : NULL};
    int error = format->write(file, &launch, reason, sizeof reason);
    if (fclose(file) && !error)
        error = -ENOMEM;
    int code = !error ? write_text(s->output, text, bytes)
                      : talk_fail(error == -ENOTSUP ? EXIT_USAGE : exit_code_of(error), "--to %s: %s%s", format->name,
                                  *reason ? reason : strerror(-error),
                                  s->node && strstr(reason, "one list") ? ", or leave out --node to choose nodes only" : "");
    free(text);
    free(all);
    return code;
}

static int name_compare(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* Two parts on one host would take the same cores. */
static int check_hosts(const struct host_list *hosts)
{
    const char **sorted = malloc(hosts->count * sizeof *sorted);
    int code = sorted ? 0 : talk_fail(EXIT_UNABLE, "no memory for %zu names", hosts->count);
    if (sorted) {
        memcpy(sorted, hosts->name, hosts->count * sizeof *sorted);
        qsort(sorted, hosts->count, sizeof *sorted, name_compare);
    }
    for (size_t i = 1; i < hosts->count && !code; i++)
        if (strcmp(sorted[i - 1], sorted[i]) == 0)
            code = talk_fail(EXIT_USAGE, "--hosts: %s is there twice: give every node a name of its own", sorted[i]);
    free(sorted);
    return code;
}

int map_write(const struct settings *s, const struct map_machine *m, struct mapping *mapping)
{
    const struct launch_format *format = s->to ? launch_format_find(s->to) : NULL;
    struct host_list hosts = {.count = 0};
    char reason[256];
    if (!format)
        return write_numbering(s, mapping);
    if (s->hosts && host_list_parse(s->hosts, &hosts, reason, sizeof reason))
        return talk_fail(EXIT_USAGE, "--hosts: %s", reason);
    int code = s->hosts && hosts.count != m->parts
                   ? talk_fail(EXIT_USAGE, "--hosts: %zu names for %u nodes: give one each", hosts.count, m->parts)
                   : s->hosts ? check_hosts(&hosts) : 0;
    code = code ? code : write_launch(s, m, mapping, format, &hosts);
    host_list_destroy(&hosts);
    return code;
}

/* A cluster a part; edges between parts are red. */
static void print_dot(FILE *file, const struct graph *graph, const struct map_machine *m, const struct mapping *mapping)
{
    static const char *const colours[] = {"#e69f00", "#56b4e9", "#009e73", "#f0e442", "#0072b2", "#d55e00", "#cc79a7", "#999999"};
    fputs("graph mapping {\n  layout=fdp;\n  node [shape=circle, style=filled];\n", file);
    for (uint32_t p = 0, place = 0; p < m->parts; p++) {
        fprintf(file, "  subgraph cluster_%" PRIu32 " {\n    label=\"part %" PRIu32 "\";\n    node [fillcolor=\"%s\"];\n", p, p,
                colours[p % (sizeof colours / sizeof *colours)]);
        for (uint32_t i = 0; i < m->sizes[p]; i++, place++)
            fprintf(file, "    %" PRIu32 ";\n", mapping_virtual(mapping, place));
        fputs("  }\n", file);
    }
    for (uint32_t v = 0; v < graph->vertices; v++)
        for (uint32_t i = 0; i < graph_degree(graph, v); i++) {
            uint64_t weight;
            uint32_t u = graph_neighbour(graph, v, i, &weight);
            int crosses = m->part[mapping_rank(mapping, v)] != m->part[mapping_rank(mapping, u)];
            if (v < u)
                fprintf(file, "  %" PRIu32 " -- %" PRIu32 " [label=\"%" PRIu64 "\"%s];\n", v, u, weight,
                        crosses ? ", color=red" : "");
        }
    fputs("}\n", file);
}

int map_write_dot(const char *path, const struct graph *graph, const struct map_machine *m, const struct mapping *mapping)
{
    char *text;
    size_t bytes;
    if (graph->vertices > DOT_PROCS_MAX)
        return talk_fail(EXIT_USAGE, "--dot: a graph of %u ranks is too large to look at: draw at most %d", graph->vertices,
                         DOT_PROCS_MAX);
    FILE *file = open_memstream(&text, &bytes);
    if (!file)
        return talk_fail(EXIT_UNABLE, "no memory for the graph");
    print_dot(file, graph, m, mapping);
    int whole = !ferror(file);
    int code = !fclose(file) && whole ? write_text(path, text, bytes) : talk_fail(EXIT_UNABLE, "no memory for the graph");
    free(text);
    return code;
}
